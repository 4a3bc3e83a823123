package gates

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/gates/protocol"
	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// registerSessions adds the validators of sessions (WorldMemArena C.2).
func registerSessions(r *pipeline.Registry) {
	for _, g := range []sessionJudge{
		{name: "point-coverage", summary: "turns and pictures establish the memory points that name them (WorldMemArena C.2)",
			prompt: "gate.point_coverage", check: sessions.Coverage, ask: plain(sessions.AskCoverage), nothing: "no-points"},
		{name: "caption-coverage", summary: "captions tell what they should of memory points, and nothing else (WorldMemArena C.2)",
			prompt: "gate.caption_coverage", check: sessions.Captions, ask: plain(sessions.AskCaptions), nothing: "no-pictured-points"},
		{name: "interference-detectability", summary: "a careful reader can tell interference points from real ones (WorldMemArena C.2)",
			prompt: "gate.interference", check: sessions.Interference, ask: sessions.AskInterference, nothing: "no-interference"},
	} {
		pipeline.AddGate(r, g.name, "3", g.summary, g.build)
	}
	for _, g := range []struct {
		name, summary string
		whole         bool
		rule          func([]schemas.Session) [][]sessions.Fault
	}{
		{"update-chain", "a session's updates supersede what held, once, earlier and of the same subject (WorldMemArena C.2)", false, eachChain},
		{"update-history", "the updates of a task's sessions fit together (WorldMemArena C.2)", true, sessions.History},
	} {
		pipeline.AddGate(r, g.name, "1", g.summary, func(struct{}) (pipeline.Gate, error) {
			return &sessionRule{g.whole, g.rule}, nil
		})
	}
}

func eachChain(all []schemas.Session) [][]sessions.Fault {
	out := make([][]sessions.Fault, len(all))
	for i, s := range all {
		out[i] = sessions.Chain(s)
	}
	return out
}

// shuffle orders n things by chance, as rand.Rand does.
type shuffle = func(n int, swap func(i, j int))

func plain(ask func(schemas.Session) sessions.Inquiry) func(schemas.Session, shuffle) sessions.Inquiry {
	return func(s schemas.Session, _ shuffle) sessions.Inquiry { return ask(s) }
}

// sessionRule judges sessions by their structure alone.
type sessionRule struct {
	whole bool
	rule  func([]schemas.Session) [][]sessions.Fault
}

func (g *sessionRule) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameSession}, Whole: g.whole}
}

// Judge implements pipeline.Gate.
func (g *sessionRule) Judge(_ context.Context, _ *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	all := make([]schemas.Session, len(items))
	for i, r := range items {
		s, err := pipeline.Decode[schemas.Session](r)
		if err != nil {
			return nil, err
		}
		all[i] = s
	}
	out := make([]pipeline.Judgement, len(items))
	for i, faults := range g.rule(all) {
		out[i] = ofFaults(faults)
	}
	return out, nil
}

// ofFaults fails what has faults.
func ofFaults(faults []sessions.Fault) pipeline.Judgement {
	if len(faults) == 0 {
		return pass
	}
	return pipeline.Judgement{Outcome: pipeline.Fail, Code: faults[0].Code, Reason: sessions.Reason(faults)}
}

// roleJudge is asked about sessions.
const roleJudge = "judge"

// maxAttempts bounds attempts.
const maxAttempts = 5

// SessionConfig configures a gate that asks a judge about sessions.
type SessionConfig struct {
	Attempts int `yaml:"attempts" json:"attempts" doc:"how often the judge is asked before a session counts as one that cannot be judged; only after an answer that cannot be used is it asked again"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *SessionConfig) SetDefaults() { c.Attempts = 2 }

// sessionJudge judges sessions by their structure and, where that is sound, by
// one question to a judge about all their points.
type sessionJudge struct {
	name, summary, prompt string
	check                 func(schemas.Session) []sessions.Fault
	ask                   func(schemas.Session, shuffle) sessions.Inquiry
	// nothing is the code for a session that there is nothing to ask about.
	nothing string
	cfg     SessionConfig
	task    *model.Task[sessions.Sight, sessions.Answer]
}

func (g sessionJudge) build(c SessionConfig) (pipeline.Gate, error) {
	if c.Attempts < 1 || c.Attempts > maxAttempts {
		return nil, fmt.Errorf("attempts is %d; want 1 to %d", c.Attempts, maxAttempts)
	}
	t, err := model.NewTask[sessions.Sight, sessions.Answer](g.prompt)
	if err != nil {
		return nil, err
	}
	g.cfg, g.task = c, t
	return &g, nil
}

func (g *sessionJudge) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts: []string{schemas.NameSession}, Resource: pipeline.Model, Asks: []pipeline.Ask{g.task.For(roleJudge)},
	}
}

// Judge implements pipeline.Gate.
func (g *sessionJudge) Judge(ctx context.Context, scope *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	out := make([]pipeline.Judgement, len(items))
	for i, r := range items {
		s, err := pipeline.Decode[schemas.Session](r)
		if err != nil {
			return nil, err
		}
		if faults := g.check(s); len(faults) > 0 {
			out[i] = ofFaults(faults)
			continue
		}
		q := g.ask(s, scope.Rand("statements", r.ID).Shuffle)
		if len(q.Sight.Statements) == 0 {
			out[i] = notApplicable(g.nothing, "there is nothing in it to ask about")
			continue
		}
		if out[i], err = g.inquire(ctx, scope, q); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// inquire asks until an answer can be used.
func (g *sessionJudge) inquire(ctx context.Context, scope *pipeline.Scope, q sessions.Inquiry) (pipeline.Judgement, error) {
	digest, err := viewDigest(q)
	if err != nil {
		return pipeline.Judgement{}, err
	}
	order := make([]int, g.cfg.Attempts)
	for i := range order {
		order[i] = i
	}
	var probes []schemas.Probe
	problem := ""
	_, _, err = protocol.Run(protocol.FirstUsable(order), order, false, func(call int) (protocol.Mark, error) {
		q.Sight.Problem = problem
		p, wrong, err := g.probe(ctx, scope, q, call)
		if err != nil {
			return protocol.Unasked, err
		}
		p.ViewDigest, problem = string(digest), wrong
		p.Pictures, p.PicturesFull = int32(len(q.Images)), int32(len(q.Images))
		probes = append(probes, p)
		return marks[p.Mark], nil
	})
	if err != nil {
		return pipeline.Judgement{}, err
	}
	return g.verdict(probes)
}

var marks = map[string]protocol.Mark{schemas.MarkRight: protocol.Right, schemas.MarkWrong: protocol.Wrong, schemas.MarkFailed: protocol.Failed}

// viewDigest is the digest of what a judge is shown of a session.
func viewDigest(q sessions.Inquiry) (pipeline.Digest, error) {
	b, err := pipeline.Canonical(struct {
		Sight  sessions.Sight `json:"sight"`
		Images []string       `json:"images"`
	}{q.Sight, q.Images})
	return pipeline.DigestOf(b), err
}
