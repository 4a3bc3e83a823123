package pipeline

import (
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// QuestionType is what shared code must know of the questions of one type. A type
// that is not declared is judged, shown and rewritten like any other question.
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

// QuestionTypes returns those declared, by name.
func (r *Registry) QuestionTypes() []QuestionType {
	out := make([]QuestionType, 0, len(r.types))
	for _, name := range slices.Sorted(maps.Keys(r.types)) {
		out = append(out, r.types[name])
	}
	return out
}

// Forms returns the forms of those declared types that share one, by type.
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

func (r *Registry) resolveChecks(id *Identity, spec Spec) {
	id.Checks = nil
	if !spec.ChecksQuestions {
		return
	}
	for family, c := range r.checks {
		id.Checks = setEntry(id.Checks, family, c.version)
	}
}

// ReviewCriterion is a question to reviewers about an item, answered with yes or no.
type ReviewCriterion struct {
	Key, Text string
	// Label is the label that is asked about, if any, and Values what it may be.
	Label  string
	Values []LabelValue
}

// Terms explain the names that stand in the rows of a family.
type Terms struct {
	// Says is what the family asks about.
	Says string `json:"says,omitempty"`
	// Types explain types of questions, Labels labels and, as LABEL=VALUE, their values.
	Types  map[string]string `json:"types,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}

// Explain says what the names in the rows of a family mean; card and report of a release
// repeat it.
func (r *Registry) Explain(family string, t Terms) {
	if _, taken := r.terms[family]; taken || family == "" {
		r.errs = append(r.errs, fmt.Errorf("explain family %q: it needs a name that is not taken", family))
		return
	}
	r.terms[family] = t
}

// Terms returns what is explained, by family. The values of labels that reviewers are asked
// about belong to it.
func (r *Registry) Terms() map[string]Terms {
	out := maps.Clone(r.terms)
	for family, criteria := range r.criteria {
		t := out[family]
		t.Labels = maps.Clone(t.Labels)
		for _, c := range criteria {
			for _, v := range c.Values {
				t.Labels = setEntry(t.Labels, c.Label+"="+v.Value, v.Says)
			}
		}
		if len(t.Labels) > 0 {
			out[family] = t
		}
	}
	return out
}

// LabelValue is a value of a label, with what it says of a question.
type LabelValue struct {
	Value string `json:"value"`
	Says  string `json:"says"`
}

// AddReviewCriteria declares what reviewers are asked about the questions of a family, by the
// criteria of its paper.
func (r *Registry) AddReviewCriteria(family string, criteria ...ReviewCriterion) {
	if _, taken := r.criteria[family]; taken || family == "" || len(criteria) == 0 {
		r.errs = append(r.errs, fmt.Errorf("register criteria of family %q: it needs a name that is not taken, and criteria", family))
		return
	}
	r.criteria[family] = criteria
}

// ReviewCriteria returns the criteria of a family, and general ones where it declares none.
func (r *Registry) ReviewCriteria(family string) []ReviewCriterion {
	if own, ok := r.criteria[family]; ok {
		return slices.Clone(own)
	}
	return []ReviewCriterion{
		{Key: "answerable", Text: "Answerable from what is shown"}, {Key: "one_answer", Text: "Exactly one answer is right"},
		{Key: "natural", Text: "Reads naturally"}, {Key: "labels", Text: "Its labels fit"},
	}
}
