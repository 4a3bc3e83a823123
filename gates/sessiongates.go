package gates

import (
	"fmt"
	"slices"

	"github.com/memforge/memforge/gates/panel"
	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

const maxAttempts = 5

// SessionConfig configures a gate that asks a judge about sessions.
type SessionConfig struct {
	Attempts int `json:"attempts" doc:"how often the judge is asked before a session counts as one that cannot be judged; only after an answer that cannot be used is it asked again"`
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
	pipeline.AddGate(r, "session-structure", "1", "what point-coverage, caption-coverage and interference-detectability find of a session without asking anybody (WorldMemArena C.2)", func(struct{}) (pipeline.Gate, error) {
		return structural.NewForSchema(schemas.NameSession, "", structural.Each(func(s schemas.Session) pipeline.Judgement {
			return sessions.Judge(slices.Concat(sessions.Coverage(s), sessions.Captions(s), sessions.Interference(s)))
		})), nil
	})
	pipeline.AddGate(r, "update-chain", "3", "a session's updates supersede what held, once, earlier and of the same subject (WorldMemArena C.2)", newUpdateChain)
	pipeline.AddGate(r, "update-history", "2", "the updates of a task's sessions fit together (WorldMemArena C.2)", func(struct{}) (pipeline.Gate, error) {
		return structural.NewForSchema(schemas.NameSession, "task_id", judgeHistory), nil
	})
}

func judgeHistory(all []schemas.Session) (out []pipeline.Judgement) {
	for _, faults := range sessions.History(all) {
		out = append(out, sessions.Judge(faults))
	}
	return out
}
