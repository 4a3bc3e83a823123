package pipeline

import (
	"fmt"

	"github.com/memforge/memforge/schemas"
)

// QuestionCheck says what is wrong with the new words of a question, in words
// that their author can act on; nothing when they can stand. It holds them to
// what holds for questions of its family when they are first written. Basis is
// what the question was written from; nil where that is not known.
type QuestionCheck func(old, next schemas.Question, basis *schemas.Basis) []string

type questionCheck struct {
	version string
	check   QuestionCheck
}

// AddQuestionCheck registers what rewrites of a family's questions are held to.
// Like that of a plugin, the version changes when the answers do.
func (r *Registry) AddQuestionCheck(family, version string, check QuestionCheck) {
	if _, taken := r.checks[family]; taken {
		r.errs = append(r.errs, fmt.Errorf("register question check %q: the family has one", family))
		return
	}
	if family == "" || version == "" || check == nil {
		r.errs = append(r.errs, fmt.Errorf("register question check %q version %q: a check needs a family, a version and a function", family, version))
		return
	}
	r.checks[family] = questionCheck{version, check}
}

// CheckQuestion holds a question in new words to what its family demands: no
// reasons where it demands nothing. The plugin's Spec must say ChecksQuestions.
func (s *Scope) CheckQuestion(old, next schemas.Question, basis *schemas.Basis) []string {
	if s.options.Registry == nil {
		return nil
	}
	c, ok := s.options.Registry.checks[old.Family]
	if !ok {
		return nil
	}
	return c.check(old, next, basis)
}

// resolveChecks fills in the versions of the checks that a plugin may run.
func (r *Registry) resolveChecks(id *Identity, spec Spec) {
	id.Checks = nil
	if !spec.ChecksQuestions {
		return
	}
	for family, c := range r.checks {
		id.Checks = setEntry(id.Checks, family, c.version)
	}
}
