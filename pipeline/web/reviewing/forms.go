package reviewing

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/pipeline/web/rounds"
	"github.com/memforge/memforge/schemas"
)

// maxText is how many characters a note or a free answer may have, as the forms say.
const maxText = 2000

// maxValues is how many values a label may have to be offered for choice.
const maxValues = 100

// checkForm says which field of a form is unknown, sent twice or too long.
func checkForm(form url.Values, known ...string) (reason string) {
	for _, name := range slices.Sorted(maps.Keys(form)) {
		switch {
		case !slices.Contains(known, name):
			return fmt.Sprintf("The form has no field %.60q.", name)
		case len(form[name]) > 1:
			return fmt.Sprintf("The form has field %q more than once.", name)
		}
	}
	for _, name := range []string{"text", "note"} {
		if n := utf8.RuneCountInString(strings.ReplaceAll(form.Get(name), "\r\n", "\n")); n > maxText {
			return fmt.Sprintf("Your text has %d characters; write at most %d.", n, maxText)
		}
	}
	return ""
}

// checkAnswerForm says what is wrong with the form of an answer.
func checkAnswerForm(form url.Values) (reason string) {
	if reason := checkForm(form, "handle", "item", "request", "form", "active", "answer", "text", "sure"); reason != "" {
		return reason
	}
	if !slices.Contains([]string{"", "sure", "rather", "guess"}, form.Get("sure")) {
		return "How sure you are is sure, rather or guess."
	}
	return ""
}

// checkDecisionForm says what is wrong with the form of a decision.
func (p *Pages) checkDecisionForm(it *rounds.Item, form url.Values) (reason string) {
	known := []string{"handle", "item", "request", "active", "decision", "note"}
	for _, c := range p.criteria(it.Family) {
		name := "criterion." + c.Key
		known = append(known, name)
		if v := form.Get(name); v != "" && v != "yes" && v != "no" {
			return fmt.Sprintf("A criterion is answered with yes or no: %s.", c.Text)
		}
	}
	for _, name := range review.EditableFields(it.Question) {
		known = append(known, "field."+name)
	}
	for _, key := range p.editableLabels(it.Question) {
		name := "field.labels." + key
		known = append(known, name)
		if v := strings.TrimSpace(form.Get(name)); form.Has(name) && !slices.Contains(p.labelValues(it.Family, key), v) {
			return fmt.Sprintf("Label %s is one of %s.", key, strings.Join(p.labelValues(it.Family, key), ", "))
		}
	}
	if !slices.Contains([]string{schemas.DecisionAccept, rounds.DecisionRevise, schemas.DecisionReject}, form.Get("decision")) {
		return "Decide: accept, revise or reject."
	}
	return checkForm(form, known...)
}

// labelValues are the values that a label may have: those which its family declares and
// those of the round's questions.
func (p *Pages) labelValues(family, key string) []string {
	out := p.round.LabelValues(family, key)
	for _, c := range p.criteria(family) {
		for _, v := range c.Values {
			if c.Label == key {
				out = append(out, v.Value)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// editableLabels are the labels of a question that may be changed: no ids, and none that
// has one value only or too many to choose from.
func (p *Pages) editableLabels(q schemas.Question) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(q.Labels)), func(key string) bool {
		n := len(p.labelValues(q.Family, key))
		return n < 2 || n > maxValues || slices.Contains([]string{schemas.LabelFact, schemas.LabelMirror, schemas.LabelPair, schemas.LabelProposedBy}, key)
	})
}
