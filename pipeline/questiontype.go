package pipeline

import (
	"fmt"
	"maps"
	"slices"
)

// QuestionType is what shared code must know of the questions of one type. A type
// that nobody declares is judged, shown and rewritten like any other question.
//
// Gates and stages take what they need of it into the defaults of their
// configuration, so that it stands in their keys, and in a release.
type QuestionType struct {
	Name string
	// Options is how many options of each role a question has; nil where nothing is
	// laid down.
	Options map[string]int
	// Marks are label values that questions of this type have and no others.
	Marks map[string]string
	// Unordered says that options are such as yes and no, whose order means nothing.
	Unordered bool
	// Form is shared by types of one wording, which a solver cannot tell apart;
	// empty: the type is a form of its own.
	Form string
	// Fixed options are the same for all questions, so only the question itself is
	// ever rewritten. A Frozen question is never rewritten at all.
	Fixed, Frozen bool
	// ShowsAllMedia says that pieces of evidence tell the answer by their shape: who
	// answers is shown all media instead.
	ShowsAllMedia bool
}

// AddQuestionType declares a type of questions.
func (r *Registry) AddQuestionType(t QuestionType) {
	if t.Name == "" {
		r.errs = append(r.errs, fmt.Errorf("register question type: it needs a name"))
		return
	}
	if _, taken := r.types[t.Name]; taken {
		r.errs = append(r.errs, fmt.Errorf("register question type %q: the name is taken", t.Name))
		return
	}
	r.types[t.Name] = t
}

// QuestionTypes are those declared, by name.
func (r *Registry) QuestionTypes() []QuestionType {
	out := make([]QuestionType, 0, len(r.types))
	for _, name := range slices.Sorted(maps.Keys(r.types)) {
		out = append(out, r.types[name])
	}
	return out
}

// Forms are the forms of those declared types that share one, by type.
func (r *Registry) Forms() map[string]string {
	out := map[string]string{}
	for _, t := range r.types {
		if t.Form != "" {
			out[t.Name] = t.Form
		}
	}
	return out
}

// TypesWhere names the declared question types of which something holds, sorted.
func (r *Registry) TypesWhere(holds func(QuestionType) bool) []string {
	var out []string
	for _, t := range r.QuestionTypes() {
		if holds(t) {
			out = append(out, t.Name)
		}
	}
	return out
}
