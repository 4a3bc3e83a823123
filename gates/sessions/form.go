package sessions

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
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
	return []panel.Definition{
		define("point-coverage", "6", "turns and pictures establish the memory points that name them (WorldMemArena C.2)",
			&form{prompt: "gate.point_coverage", view: ViewSession, check: Coverage, ask: AskCoverage, nothing: "no-points"}),
		define("caption-coverage", "6", "captions tell what they should of memory points, and nothing else (WorldMemArena C.2)",
			&form{prompt: "gate.caption_coverage", view: ViewCaptions, check: Captions, ask: AskCaptions, nothing: "no-pictured-points"}),
		define("interference-detectability", "6", "a careful reader can tell interference points from real ones (WorldMemArena C.2)",
			&form{prompt: "gate.interference", view: ViewSession, check: Interference, ask: askShuffled, nothing: "no-interference"}),
	}
}

func define(name, version, summary string, f *form) panel.Definition {
	f.tasks = sync.OnceValues(func() ([]panel.Task, error) {
		t, err := panel.NewTask[Sight, Answer](f.prompt)
		return []panel.Task{t}, err
	})
	return panel.Definition{
		Name: name, Version: version, Summary: summary, Accepts: schemas.NameSession, Form: f, View: f.view,
		Roles: []string{"judge"}, InTurn: true, Clean: 1, Explain: explain,
		Rule: func(views []protocol.Calls) protocol.Rule {
			return protocol.Not{Rule: protocol.FirstUsable(views[0].Of(0))}
		},
	}
}

// form asks a judge about statements.
type form struct {
	prompt, view string
	check        func(schemas.Session) []Fault
	ask          func(schemas.Session) Inquiry
	// nothing is the code for a session that there is nothing to ask about.
	nothing string
	tasks   func() ([]panel.Task, error)
}

// askShuffled orders the statements by chance, by the session's id alone, so that
// whoever has the session can say what was asked.
func askShuffled(s schemas.Session) Inquiry {
	return AskInterference(s, rand.New(rand.NewChaCha8(sha256.Sum256([]byte("statements "+s.SessionID)))).Shuffle)
}

// Tasks implements panel.Form.
func (f *form) Tasks() ([]panel.Task, error) { return f.tasks() }

// Settle implements panel.Form.
func (f *form) Settle(_ panel.Definition, _ panel.Config, item *pipeline.Item) ([]string, pipeline.Judgement) {
	s, err := pipeline.Read[schemas.Session](item)
	if err != nil {
		return nil, pipeline.GateError.Because("no-session", "%v", err)
	}
	if faults := f.check(*s); len(faults) > 0 {
		return nil, Judge(faults)
	}
	if len(f.ask(*s).Sight.Statements) == 0 {
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

// content is all that a judge is shown.
type content struct {
	Sight  Sight    `json:"sight"`
	Images []string `json:"images"`
}

// Put implements panel.Form.
func (f *form) Put(_ panel.Definition, _ panel.Config, item *pipeline.Item, _ string, _ int) (panel.Sheet, error) {
	s, err := pipeline.Read[schemas.Session](item)
	if err != nil {
		return panel.Sheet{}, err
	}
	q := f.ask(*s)
	out := panel.Sheet{Content: content{q.Sight, q.Images}, Still: true, Most: len(q.Images), Full: len(q.Images), Read: q.reply}
	for _, id := range q.Images {
		out.Pictures = append(out.Pictures, view.Picture{Media: id})
	}
	out.Request = func(role string, images [][]pipeline.Digest, t panel.Try) (pipeline.Request, error) {
		tasks, err := f.tasks()
		if err != nil {
			return pipeline.Request{}, err
		}
		var all []pipeline.Digest
		for _, i := range images {
			all = append(all, i...)
		}
		sight := q.Sight
		sight.Problem = t.Problem
		return panel.Word(tasks[0], role, sight, all...)
	}
	return out, nil
}

// reply is the answer of a probe: the findings, as JSON.
func (q Inquiry) reply(text string) (answer, mark, reason string) {
	var said Answer
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		return panel.Unusable(model.CodeInvalid, "the response is no list of replies")
	}
	findings, err := q.Read(said)
	if err != nil {
		return panel.Unusable("bad-citation", "%v", err)
	}
	b, err := pipeline.Canonical(findings)
	if err != nil {
		return panel.Unusable(model.CodeInvalid, "%v", err)
	}
	return string(b), markOf(findings), ""
}

func markOf(findings []Finding) string {
	if len(Violations(findings)) > 0 {
		return schemas.MarkWrong
	}
	return schemas.MarkRight
}

// Reread implements panel.Form: a judge's findings stand in its probe.
func (f *form) Reread(p schemas.Probe) error {
	var findings []Finding
	var said Answer
	if err := json.Unmarshal([]byte(p.Answer), &findings); err != nil {
		return fmt.Errorf("its answer is not a list of findings: %w", err)
	}
	if err := json.Unmarshal([]byte(p.Response), &said); err != nil {
		return fmt.Errorf("its response is not what the judge must answer: %w", err)
	}
	if err := Agree(findings, said); err != nil {
		return err
	}
	if want := markOf(findings); p.Mark != want {
		return fmt.Errorf("it is marked as %q; by its answer it is %q", p.Mark, want)
	}
	return nil
}

// explain says what the judge found in the answer that decided, which is the last.
func explain(probes []schemas.Probe) (code, reason string, err error) {
	last := probes[len(probes)-1]
	var findings []Finding
	if err := json.Unmarshal([]byte(last.Answer), &findings); err != nil {
		return "", "", fmt.Errorf("the answer of run %d: %w", last.Run, err)
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
func (f *form) Cost(panel.Definition, panel.Config) panel.Cost {
	c := panel.Cost{TokensIn: model.TextTokens(sessionChars), TokensOut: repliesPer * tokensPerReply, Views: 1}
	if f.view == ViewSession {
		c.Images, c.Megapixels = sessionImages, sessionMegapixel
	}
	return c
}
