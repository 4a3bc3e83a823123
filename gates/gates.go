// Package gates holds the gates: rules that judge items before they enter a
// release.
//
// A gate is a view (what a solver may see), a protocol (whom to ask, how
// often) and a rule (when to flag). Those that ask models are in the package
// panel, what those are made of that ask no model in the package structural. What a
// gate must know of a type of questions, plugins declare (pipeline.QuestionType).
package gates

import (
	"github.com/memforge/memforge/gates/panel"
	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
)

// Register adds the gates.
func Register(r *pipeline.Registry) {
	structural.AddRoles(r, "option-roles", "3", "the options that each question type asks for")
	addLeak(r)
	structural.AddSettles(r, "evidence-settles", "2", "the answer follows from the cited evidence alone, and not without a piece of it (WorldMemArena B.4)")
	addPosition(r)
	addShortcuts(r)
	panel.Register(r)
	registerSessions(r)
}
