package structural

import (
	"errors"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// SettlesConfig configures a gate that works answers out from cited evidence.
type SettlesConfig struct {
	Families map[string]string `json:"families" doc:"families whose questions are judged, each with the version of the derivation that answers them; by default all that plugins declare"`
}

// AddSettles registers a gate that works answers out from the cited evidence alone, as the
// derivation of each question's family does it.
func AddSettles(r *pipeline.Registry, name, version, summary string) {
	pipeline.AddGate(r, name, version, summary, func(c SettlesConfig) (pipeline.Gate, error) {
		return NewForSchema(schemas.NameQuestion, "", Each(func(q schemas.Question) pipeline.Judgement {
			d, _ := r.Derivation(q.Family)
			if c.Families[q.Family] == "" || d.Settle == nil {
				return pipeline.NotApplicable.Because("no-derivation", "no rule answers questions of the family %q from their evidence", q.Family)
			}
			return judgeSettled(q, d.Settle)
		})), nil
	}, func(c *SettlesConfig) { c.Families = settlingFamilies(r) })
}

func settlingFamilies(r *pipeline.Registry) map[string]string {
	out := r.Derivations()
	for family := range out {
		if d, _ := r.Derivation(family); d.Settle == nil {
			delete(out, family)
		}
	}
	return out
}

func judgeSettled(q schemas.Question, settle func(schemas.Question, []schemas.Evidence) (string, error)) pipeline.Judgement {
	if len(q.Revisions) > 0 {
		return pipeline.NotApplicable.Because("rewritten", "a model rewrote the question, so that no rule reads it")
	}
	err := pipeline.CheckSettled(q, settle)
	var under *pipeline.UnderivedError
	switch {
	case errors.As(err, &under):
		return pipeline.NotApplicable.Because("not-by-construction", "%s", under.Reason)
	case err != nil:
		return pipeline.Fail.Because("not-settled", "%v", err)
	}
	return Pass()
}
