package oracle

import (
	"strings"

	"github.com/memforge/memforge/stages/visual/wording"
)

// Interpretation is one way to understand a question: form and aspect, of which thing
// in which picture, and of which second.
type Interpretation struct {
	Form, Aspect, Thing, When, Thing2, When2 string
	prep2, class, prep                       string
	options                                  []string
	// stem is the choice form without options.
	stem string
}

// Interpretations returns all interpretations of a question. Names of things may have
// any words; the pictures decide which one is meant.
func Interpretations(question string) []Interpretation {
	var out []Interpretation
	for _, r := range wording.Read(question) {
		s := r.Slots
		out = append(out, Interpretation{
			Form: r.Form, Aspect: r.Aspect, Thing: s["thing"], When: s["picture"], Thing2: s["thing2"], When2: s["picture2"],
			prep2: s["prep2"], class: s["class"], prep: s["prep"], options: splitItems(s["items"]), stem: wording.Stem(r.Form, question),
		})
	}
	return out
}

// splitItems splits "a, b, c or d".
func splitItems(list string) []string {
	i := strings.LastIndex(list, " or ")
	if i < 0 {
		return nil
	}
	return append(strings.Split(list[:i], ", "), list[i+len(" or "):])
}
