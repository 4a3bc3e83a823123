package gates

import (
	"slices"

	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// leakInput is what a judge is told of a question whose texts may tell its answer. The right
// option is not among it.
type leakInput struct {
	Said     []string `json:"said"`
	Question string   `json:"question"`
	// Open is the wording without options, where it is another.
	Open    string       `json:"open,omitempty"`
	Options []leakOption `json:"options"`
	Claims  []leakClaim  `json:"claims"`
	Problem string       `json:"problem,omitempty"`
}

type leakOption struct {
	Letter string `json:"letter"`
	Text   string `json:"text"`
}

type leakClaim struct {
	Number   int    `json:"number"`
	Option   string `json:"option"`
	Sentence string `json:"sentence"`
}

// leakKept is enough to conclude without the question.
type leakKept struct {
	Options []string    `json:"options"`
	Gold    string      `json:"gold"`
	Claims  []leakClaim `json:"claims"`
}

// leakShare is the share of questions of which the rule proposes something: 111 of the 463 about
// pictures of the default release.
const leakShare = 0.25

func addLeak(r *pipeline.Registry) {
	pipeline.AddGate(r, "text-leak", "6", "no word of the texts tells the answer, or tells options apart (MemEye A.4)", newLeak)
}

// newLeak is a gate that reads what the texts of the evidence say, pictures aside. A rule proposes
// what may tell, the judge decides; without a judge a narrower rule does.
func newLeak(c structural.LeakConfig) (pipeline.Gate, error) {
	settle := func(item *pipeline.Item) (*schemas.Question, pipeline.Judgement) {
		q, err := pipeline.ItemValue[schemas.Question](item)
		if err != nil {
			return nil, pipeline.GateError.Because("no-question", "%v", err)
		}
		if len(c.Types) > 0 && !slices.Contains(c.Types, q.Type) {
			return nil, pipeline.NotApplicable.Because("other-type", "it is of type %q and this gate judges %q", q.Type, c.Types)
		}
		return q, c.Precheck(*q)
	}
	f := &claimsForm[leakInput, leakKept]{prompt: "gate.leak", conclude: concludeLeaks, inTokens: 250, replyTokens: 60}
	f.propose = func(item *pipeline.Item) (out proposed[leakInput, leakKept], settled pipeline.Judgement) {
		q, settled := settle(item)
		if settled.Outcome != "" {
			return out, settled
		}
		if out = proposeLeaks(*q, c.Propose(*q)); out.N == 0 {
			settled = structural.Pass()
		}
		return out, settled
	}
	return newClaims("text-leak", schemas.NameQuestion, c.Types, leakShare, f, func(item *pipeline.Item) pipeline.Judgement {
		q, settled := settle(item)
		if settled.Outcome != "" {
			return settled
		}
		return c.Judge(*q)
	})
}

func proposeLeaks(q schemas.Question, found []structural.Proposal) proposed[leakInput, leakKept] {
	in, kept := leakInput{Question: q.ChoiceStem()}, leakKept{Gold: q.AnswerKey}
	if q.Question != in.Question {
		in.Open = q.Question
	}
	for _, e := range q.Evidence {
		if e.Text != "" {
			in.Said = append(in.Said, e.Text)
		}
	}
	for _, o := range q.Options {
		in.Options = append(in.Options, leakOption{o.Key, o.Text})
		kept.Options = append(kept.Options, o.Key)
	}
	for i, p := range found {
		in.Claims = append(in.Claims, leakClaim{i + 1, p.Option, p.Sentence})
	}
	kept.Claims = in.Claims
	return proposed[leakInput, leakKept]{func(problem string) leakInput { in := in; in.Problem = problem; return in }, kept, len(found)}
}

// concludeLeaks judges by the options that are told.
func concludeLeaks(of leakKept, so []string) pipeline.Judgement {
	q := schemas.Question{AnswerKey: of.Gold}
	for _, o := range of.Options {
		q.Options = append(q.Options, schemas.Option{Key: o})
	}
	told := map[string]string{}
	for i, c := range of.Claims {
		if i < len(so) && so[i] == claimSo && told[c.Option] == "" {
			told[c.Option] = c.Sentence
		}
	}
	return structural.JudgeTold(q, told)
}
