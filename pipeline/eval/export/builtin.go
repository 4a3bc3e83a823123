package export

import (
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// BuiltInError says that questions of a release were written by the built-in
// model, or from its descriptions. It measures and selects, so they are no
// benchmark, and another project's files would not say who wrote them.
type BuiltInError struct{ Questions, Of int }

func (e *BuiltInError) Error() string {
	return fmt.Sprintf("%s; build them with a language model, or export them as they are, marked, with --allow-built-in", e.note())
}

func (e *BuiltInError) note() string {
	return fmt.Sprintf("%d of %d questions were written by the built-in model (%s) or from its descriptions: it measures and selects, and understands nothing", e.Questions, e.Of, pipeline.BuiltInModel)
}

// BuiltInNote says what a reader of figures about a release must know of who wrote its
// questions, or nothing.
func BuiltInNote(c release.Contents) string {
	if e := builtIn(c); e != nil {
		return e.note()
	}
	return ""
}

// builtIn is an error where the built-in model had a hand in some question.
func builtIn(c release.Contents) *BuiltInError {
	e := &BuiltInError{Of: len(c.Questions)}
	for _, q := range c.Questions {
		if strings.Contains(q.Labels[schemas.LabelAuthor]+" "+q.Labels[schemas.LabelDescriber], pipeline.BuiltInModel) {
			e.Questions++
		}
	}
	if e.Questions == 0 {
		return nil
	}
	return e
}
