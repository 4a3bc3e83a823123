// Package revise is what happens to items that gates flag, besides being
// dropped. question.revise has a model rewrite a flagged question; the plan
// puts it into the loop of gates that have on_fail: revise.
package revise

import "github.com/memforge/memforge/pipeline"

// Register adds the stages. There is no built-in rule for question.revise: what
// would mend a question depends on its evidence, and a rule that only changes
// words would hide a defect instead of mending it.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "question.flags", "1", "take what gates flagged out of what they give", newFlags)
	pipeline.AddStage(r, "question.gather", "1", "hand questions with the same words on together to be rewritten when a gate flagged one of them", newGather)
	pipeline.AddStage(r, "unit.gather", "1", "hand the records of a unit, such as a task, on together to be rewritten when a gate flagged one of them", newUnit)
	pipeline.AddStage(r, "question.revise", "4", "have an author rewrite a question that a gate flagged, with its copies", newRevise, func(c *Config) {
		c.FixedOptions = r.TypesWhere(func(t pipeline.QuestionType) bool { return t.Fixed })
		c.Skip = r.TypesWhere(func(t pipeline.QuestionType) bool { return t.Frozen })
	})
}
