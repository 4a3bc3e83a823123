package gates

import (
	"fmt"

	"github.com/memforge/memforge/gates/panel"
	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// maxAttempts bounds attempts.
const maxAttempts = 5

// SessionConfig configures a gate that asks a judge about sessions.
type SessionConfig struct {
	Attempts int `yaml:"attempts" json:"attempts" doc:"how often the judge is asked before a session counts as one that cannot be judged; only after an answer that cannot be used is it asked again"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *SessionConfig) SetDefaults() { c.Attempts = 2 }

func (c SessionConfig) panel() (panel.Config, error) {
	var out panel.Config
	if c.Attempts < 1 || c.Attempts > maxAttempts {
		return out, fmt.Errorf("attempts is %d; want 1 to %d", c.Attempts, maxAttempts)
	}
	out.SetDefaults()
	out.Runs = c.Attempts
	return out, nil
}

// registerSessions adds the validators of sessions (WorldMemArena C.2).
func registerSessions(r *pipeline.Registry) {
	for _, d := range sessions.Definitions() {
		panel.AddAs(r, d, SessionConfig.panel)
	}
	for _, g := range []struct {
		name, summary string
		whole         bool
		rule          func([]schemas.Session) [][]sessions.Fault
	}{
		{"update-chain", "a session's updates supersede what held, once, earlier and of the same subject (WorldMemArena C.2)", false, eachChain},
		{"update-history", "the updates of a task's sessions fit together (WorldMemArena C.2)", true, sessions.History},
	} {
		pipeline.AddGate(r, g.name, "2", g.summary, func(struct{}) (pipeline.Gate, error) {
			return structural.Over(schemas.NameSession, g.whole, ofFaults(g.rule)), nil
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

// ofFaults fails what has faults.
func ofFaults(find func([]schemas.Session) [][]sessions.Fault) structural.Rule[schemas.Session] {
	return func(all []schemas.Session) []pipeline.Judgement {
		out := make([]pipeline.Judgement, len(all))
		for i, faults := range find(all) {
			out[i] = sessions.Judge(faults)
		}
		return out
	}
}
