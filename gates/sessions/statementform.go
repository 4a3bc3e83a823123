package sessions

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/memforge/memforge/gates/panel"
	"github.com/memforge/memforge/gates/protocol"
	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// Definitions are the gates that ask a judge one question about all points of a
// session (WorldMemArena C.2), and ask again only after an answer that cannot be
// used.
func Definitions() []panel.Definition {
	return append(byRule(),
		newDefinition("point-coverage", "7", "turns and pictures establish the memory points that name them (WorldMemArena C.2)",
			&statementForm{prompt: "gate.point_coverage", view: ViewSession, check: Coverage, ask: AskCoverage, nothing: "no-points"}),
		newDefinition("caption-coverage", "7", "captions tell what they should of memory points, and nothing else (WorldMemArena C.2)",
			&statementForm{prompt: "gate.caption_coverage", view: ViewCaptions, check: Captions, ask: AskCaptions, nothing: "no-pictured-points"}),
		newDefinition("interference-detectability", "7", "a careful reader can tell interference points from real ones (WorldMemArena C.2)",
			&statementForm{prompt: "gate.interference", view: ViewSession, check: Interference, ask: askShuffled, nothing: "no-interference"}),
	)
}

// byRule are the gates by which a rule judges what the first two of Definitions ask; where a model
// plays the judge, it is asked about the points that the rule does not see in a plain statement.
func byRule() []panel.Definition {
	points := newDefinition("point-coverage-by-rule", "2", "what point-coverage asks a judge, as far as a rule sees it that looks for the words of values and subjects, and a judge for the rest (WorldMemArena C.2)",
		&statementForm{prompt: "gate.point_coverage", view: ViewSession, check: Coverage, rule: CoverageByRule,
			ask: func(s schemas.Session) Inquiry { return AskCoverage(keepDoubtful(s, lookInSession(s))) }})
	captions := newDefinition("caption-coverage-by-rule", "2", "what caption-coverage asks a judge, as far as a rule sees it that looks for the words of values and subjects, and a judge for the rest (WorldMemArena C.2)",
		&statementForm{prompt: "gate.caption_coverage", view: ViewCaptions, check: Captions, rule: CaptionsByRule,
			ask: func(s schemas.Session) Inquiry {
				return AskCaptions(keepDoubtful(picturedPoints(s), lookInCaptions(s)))
			}})
	return []panel.Definition{points, captions}
}

func newDefinition(name, version, summary string, f *statementForm) panel.Definition {
	f.jobs = sync.OnceValues(func() ([]panel.Job, error) {
		t, err := panel.NewJob[JudgeInput, JudgeAnswer](f.prompt)
		return []panel.Job{t}, err
	})
	var byRule func(*pipeline.Item) pipeline.Judgement
	share := 0.0
	if f.rule != nil {
		share = doubtfulShare
		byRule = func(item *pipeline.Item) pipeline.Judgement {
			s, err := pipeline.ItemValue[schemas.Session](item)
			if err != nil {
				return pipeline.GateError.Because("no-session", "%v", err)
			}
			return f.rule(*s)
		}
	}
	return panel.Definition{
		Name: name, Version: version, Summary: summary, Accepts: schemas.NameSession, Form: f, View: f.view, ByRule: byRule, Share: share,
		Roles: []string{"judge"}, InTurn: true, CleanRate: 1, Explain: explainProbes,
		Rule: func(views [][]protocol.Call) protocol.Rule {
			return protocol.Not{Rule: protocol.FirstUsable(views[0])}
		},
	}
}

// doubtfulShare is the share of sessions of which a rule is taken to leave a point open.
const doubtfulShare = 0.5

type statementForm struct {
	prompt, view string
	check        func(schemas.Session) []Fault
	ask          func(schemas.Session) Inquiry
	// nothing is the code for a session that there is nothing to ask about; where a rule judges,
	// it judges that as well.
	nothing string
	rule    func(schemas.Session) pipeline.Judgement
	jobs    func() ([]panel.Job, error)
}

// askShuffled orders the statements by chance, by the session's id alone, so that
// what was asked follows from the session.
func askShuffled(s schemas.Session) Inquiry {
	return AskInterference(s, rand.New(rand.NewChaCha8(sha256.Sum256([]byte("statements "+s.SessionID)))).Shuffle)
}

// Jobs implements panel.Form.
func (f *statementForm) Jobs() ([]panel.Job, error) { return f.jobs() }

// SelectViews implements panel.Form.
func (f *statementForm) SelectViews(_ panel.Definition, _ panel.Config, item *pipeline.Item) ([]string, pipeline.Judgement) {
	s, err := pipeline.ItemValue[schemas.Session](item)
	if err != nil {
		return nil, pipeline.GateError.Because("no-session", "%v", err)
	}
	if faults := f.check(*s); len(faults) > 0 {
		return nil, Judge(faults)
	}
	if len(f.ask(*s).Input.Statements) == 0 && f.rule != nil {
		return nil, f.rule(*s)
	}
	if len(f.ask(*s).Input.Statements) == 0 {
		return nil, pipeline.NotApplicable.Because(f.nothing, "there is nothing in it to ask about")
	}
	return []string{f.view}, pipeline.Judgement{}
}

// Judge fails what has faults.
func Judge(faults []Fault) pipeline.Judgement {
	if len(faults) == 0 {
		return pipeline.Judgement{Outcome: pipeline.Pass}
	}
	return pipeline.Judgement{Outcome: pipeline.Fail, Code: faults[0].Code, Reason: Reason(faults)}
}

type shownContent struct {
	Input  JudgeInput `json:"sight"`
	Images []string   `json:"images"`
}

// BuildPrompt implements panel.Form.
func (f *statementForm) BuildPrompt(_ panel.Definition, _ panel.Config, item *pipeline.Item, _ string, _ int) (panel.Prompt, error) {
	s, err := pipeline.ItemValue[schemas.Session](item)
	if err != nil {
		return panel.Prompt{}, err
	}
	q := f.ask(*s)
	return f.promptAfter(q, nil), nil
}

// promptAfter asks what unusable responses left open: all, where nothing of them can be used.
func (f *statementForm) promptAfter(q Inquiry, earlier []string) panel.Prompt {
	settled := make([]Finding, len(q.asked))
	for _, text := range earlier {
		var said JudgeAnswer
		if json.Unmarshal([]byte(text), &said) == nil && q.settle(settled, said) == nil {
			clear(settled) // nothing is open, so all is asked
		}
	}
	out := panel.Prompt{
		Content: shownContent{q.Input, q.Images}, AreImages: true, MaxPictures: len(q.Images), FullPictures: len(q.Images),
		Read:     func(text string) (answer, mark, reason string) { return q.readResponse(text, slices.Clone(settled)) },
		Continue: func(earlier []string) panel.Prompt { return f.promptAfter(q, earlier) },
	}
	for _, id := range q.Images {
		out.Pictures = append(out.Pictures, view.Picture{Media: id})
	}
	out.Request = func(role string, images [][]pipeline.Digest, t panel.Attempt) (pipeline.Request, error) {
		tasks, err := f.jobs()
		if err != nil {
			return pipeline.Request{}, err
		}
		var all []pipeline.Digest
		for _, i := range images {
			all = append(all, i...)
		}
		sight := q.Input
		sight.Problem = t.Problem
		sight.Statements = slices.DeleteFunc(slices.Clone(sight.Statements), func(s Statement) bool { return settled[s.Number-1].Answer != "" })
		return panel.Render(tasks[0], role, sight, all...)
	}
	return out
}

// readResponse is the answer of a probe: the findings, as JSON, with those that earlier responses
// settled.
func (q Inquiry) readResponse(text string, findings []Finding) (answer, mark, reason string) {
	var said JudgeAnswer
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		return panel.Unusable(model.CodeInvalid, "the response is no list of replies")
	}
	if err := q.settle(findings, said); err != nil {
		return panel.Unusable("bad-citation", "%v", err)
	}
	b, err := pipeline.Canonical(findings)
	if err != nil {
		return panel.Unusable(model.CodeInvalid, "%v", err)
	}
	return string(b), markFindings(findings), ""
}

func markFindings(findings []Finding) string {
	if len(Violations(findings)) > 0 {
		return schemas.MarkWrong
	}
	return schemas.MarkRight
}

// CheckProbe implements panel.Form: a judge's findings stand in its probe.
func (f *statementForm) CheckProbe(p schemas.Probe, earlier []string) error {
	var findings []Finding
	var said JudgeAnswer
	if err := json.Unmarshal([]byte(p.Answer), &findings); err != nil {
		return fmt.Errorf("its answer is not a list of findings: %w", err)
	}
	if err := json.Unmarshal([]byte(p.Response), &said); err != nil {
		return fmt.Errorf("its response is not what the judge must answer: %w", err)
	}
	if err := CheckFindings(findings, completeAnswer(said, earlier, len(findings))); err != nil {
		return err
	}
	if want := markFindings(findings); p.Mark != want {
		return fmt.Errorf("it is marked as %q; by its answer it is %q", p.Mark, want)
	}
	return nil
}

func explainProbes(probes []schemas.Probe) (code, reason string, err error) {
	last := probes[len(probes)-1]
	var findings []Finding
	if err := json.Unmarshal([]byte(last.Answer), &findings); err != nil {
		return "", "", fmt.Errorf("the answer of run %d: %w", last.Sample, err)
	}
	j := Judge(Violations(findings))
	return j.Code, j.Reason, nil
}

// What a judge reads and answers about one session of the size that
// WorldMemArena 4.3 gives: 15 to 20 turns, 4 pictures, 15 points.
const (
	sessionChars     = 9000
	sessionImages    = 4
	sessionMegapixel = 0.5 // of one picture
	repliesPer       = 15
	tokensPerReply   = 35
)

// Cost implements panel.Form.
func (f *statementForm) Cost(panel.Definition, panel.Config) panel.Cost {
	c := panel.Cost{TokensIn: model.TextTokens(sessionChars), TokensOut: repliesPer * tokensPerReply, Views: 1}
	if f.view == ViewSession {
		c.Images, c.Megapixels = sessionImages, sessionMegapixel
	}
	return c
}
