package gates

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/memforge/memforge/gates/panel"
	"github.com/memforge/memforge/gates/protocol"
	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
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

type leakResponse struct {
	Findings []leakReply `json:"findings"`
}

type leakReply struct {
	Number int    `json:"number"`
	Why    string `json:"why"`
	Told   string `json:"told"`
}

// leakFindings is what a probe keeps, enough to conclude without the question: the replies to
// claims in their order.
type leakFindings struct {
	Options []string    `json:"options"`
	Gold    string      `json:"gold"`
	Claims  []leakClaim `json:"claims"`
	Told    []string    `json:"told"`
}

// conclude judges by the options that are told.
func (f leakFindings) conclude() pipeline.Judgement {
	q := schemas.Question{AnswerKey: f.Gold}
	for _, o := range f.Options {
		q.Options = append(q.Options, schemas.Option{Key: o})
	}
	told := map[string]string{}
	for i, c := range f.Claims {
		if f.Told[i] == "yes" && told[c.Option] == "" {
			told[c.Option] = c.Sentence
		}
	}
	return structural.JudgeTold(q, told)
}

// leakView is what who judges is shown.
const (
	leakView     = "claims"
	leakAttempts = 2
	// proposedShare is the share of questions of which a rule is taken to propose something.
	proposedShare = 0.25
)

type leakForm struct {
	cfg  structural.LeakConfig
	jobs func() ([]panel.Job, error)
}

func addLeak(r *pipeline.Registry) {
	pipeline.AddGate(r, "text-leak", "5", "no word of the texts tells the answer, or tells options apart (MemEye A.4)", newLeak)
}

// newLeak is a gate that reads what the texts of the evidence say, pictures aside. A rule proposes
// what may tell, the judge decides; without a judge a narrower rule does.
func newLeak(c structural.LeakConfig) (pipeline.Gate, error) {
	f := &leakForm{c, sync.OnceValues(func() ([]panel.Job, error) {
		j, err := panel.NewJob[leakInput, leakResponse]("gate.leak")
		return []panel.Job{j}, err
	})}
	cfg := panel.Config{Types: c.Types, Runs: leakAttempts}
	cfg.SetDefaults()
	return panel.New(panel.Definition{
		Name: "text-leak", Form: f, View: leakView, Roles: []string{"judge"}, InTurn: true, CleanRate: 1, Share: proposedShare,
		Rule: func(views [][]protocol.Call) protocol.Rule { return protocol.Not{Rule: protocol.FirstUsable(views[0])} },
		ByRule: func(item *pipeline.Item) pipeline.Judgement {
			q, err := pipeline.ItemValue[schemas.Question](item)
			if err != nil {
				return pipeline.GateError.Because("no-question", "%v", err)
			}
			return c.Judge(*q)
		},
		Explain: func(probes []schemas.Probe) (code, reason string, err error) {
			var f leakFindings
			err = json.Unmarshal([]byte(probes[len(probes)-1].Answer), &f)
			j := f.conclude()
			return j.Code, j.Reason, err
		},
	}, cfg)
}

// Jobs implements panel.Form.
func (f *leakForm) Jobs() ([]panel.Job, error) { return f.jobs() }

// SelectViews implements panel.Form: nothing is asked where the rule proposes nothing.
func (f *leakForm) SelectViews(_ panel.Definition, c panel.Config, item *pipeline.Item) ([]string, pipeline.Judgement) {
	q, err := pipeline.ItemValue[schemas.Question](item)
	if err != nil {
		return nil, pipeline.GateError.Because("no-question", "%v", err)
	}
	if len(c.Types) > 0 && !slices.Contains(c.Types, q.Type) {
		return nil, pipeline.NotApplicable.Because("other-type", "it is of type %q and this gate judges %q", q.Type, c.Types)
	}
	if j := f.cfg.Precheck(*q); j.Outcome != "" {
		return nil, j
	}
	if len(f.cfg.Propose(*q)) == 0 {
		return nil, structural.Pass()
	}
	return []string{leakView}, pipeline.Judgement{}
}

// BuildPrompt implements panel.Form.
func (f *leakForm) BuildPrompt(_ panel.Definition, _ panel.Config, item *pipeline.Item, _ string, _ int) (panel.Prompt, error) {
	q, err := pipeline.ItemValue[schemas.Question](item)
	if err != nil {
		return panel.Prompt{}, err
	}
	in, found := leakInput{Question: q.ChoiceStem()}, leakFindings{Gold: q.AnswerKey}
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
		found.Options = append(found.Options, o.Key)
	}
	for i, p := range f.cfg.Propose(*q) {
		in.Claims = append(in.Claims, leakClaim{i + 1, p.Option, p.Sentence})
	}
	found.Claims = in.Claims
	return panel.Prompt{
		Content: in,
		Request: func(role string, _ [][]pipeline.Digest, t panel.Attempt) (pipeline.Request, error) {
			jobs, err := f.jobs()
			if err != nil {
				return pipeline.Request{}, err
			}
			in := in
			in.Problem = t.Problem
			return panel.Render(jobs[0], role, in)
		},
		Read: func(text string) (answer, mark, reason string) {
			told, err := readLeaks(text, len(in.Claims))
			if err != nil {
				return panel.Unusable(model.CodeInvalid, "%v", err)
			}
			found := found
			found.Told = told
			b, err := pipeline.Canonical(found)
			if err != nil {
				return panel.Unusable(model.CodeInvalid, "%v", err)
			}
			return string(b), markOfLeaks(found), ""
		},
	}, nil
}

func markOfLeaks(f leakFindings) string {
	if f.conclude().Outcome == pipeline.Pass {
		return schemas.MarkRight
	}
	return schemas.MarkWrong
}

// readLeaks returns the answer to each of n claims.
func readLeaks(text string, n int) ([]string, error) {
	var given leakResponse
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return nil, fmt.Errorf("the response is no list of findings: %w", err)
	}
	told := make([]string, n)
	for _, r := range given.Findings {
		if r.Number < 1 || r.Number > n || told[r.Number-1] != "" {
			return nil, fmt.Errorf("there is no claim %d, or it is answered twice", r.Number)
		}
		told[r.Number-1] = r.Told
	}
	if i := slices.Index(told, ""); i >= 0 {
		return nil, fmt.Errorf("claim %d is not answered", i+1)
	}
	return told, nil
}

// CheckProbe implements panel.Form.
func (f *leakForm) CheckProbe(p schemas.Probe, _ []string) error {
	var found leakFindings
	if err := json.Unmarshal([]byte(p.Answer), &found); err != nil {
		return fmt.Errorf("its answer is not what was found of claims: %w", err)
	}
	told, err := readLeaks(p.Response, len(found.Claims))
	switch {
	case err != nil:
		return err
	case !slices.Equal(told, found.Told):
		return fmt.Errorf("claims were answered %q, and it says %q", told, found.Told)
	case p.Mark != markOfLeaks(found):
		return fmt.Errorf("it is marked as %q; by its answer it is %q", p.Mark, markOfLeaks(found))
	}
	return nil
}

// What a judge reads and answers about a question, in tokens.
const (
	leakTokens      = 250
	leakReplyTokens = 60
)

// Cost implements panel.Form.
func (f *leakForm) Cost(panel.Definition, panel.Config) panel.Cost {
	return panel.Cost{TokensIn: leakTokens, TokensOut: leakReplyTokens, Views: 1}
}
