// Package review is what happens to items that gates flag, besides being
// dropped. question.revise has a model rewrite a flagged question; the plan
// puts it into the loop of gates that have on_fail: revise.
package review

import "github.com/memforge/memforge/pipeline"

// Register adds the stages. There is no built-in rule for question.revise: what
// would mend a question depends on its evidence, and a rule that only changes
// words would hide a defect instead of mending it.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "question.revise", "1", "have an author rewrite a question that a gate flagged", newRevise)
}
