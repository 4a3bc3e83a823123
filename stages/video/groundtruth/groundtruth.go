// Package groundtruth reads the ground truth of a video as answers: which value of
// an event a question may ask for, which values a video holds, and when two
// values are too alike to stand as options beside each other.
package groundtruth

import (
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// The event kinds that questions ask about.
const (
	PicksUp     = "picks up"
	Opens       = "opens"
	SignChanges = "sign changes"
	Enters      = "enters"
	Shows       = "shows"
	PutsDown    = "puts down"
	Leaves      = "leaves"
)

// Kinds lists the askable kinds in a fixed order.
func Kinds() []string { return []string{PicksUp, Opens, SignChanges, Enters, Shows, PutsDown, Leaves} }

// Value returns the answer that an event of an askable kind gives: who enters
// or leaves, and what is picked up, put down, opened, shown or written on a
// sign. It is empty for any other kind.
func Value(e schemas.Event) string {
	switch e.Kind {
	case Enters, Leaves:
		return collapseSpace(e.Subject)
	case PicksUp, PutsDown, Opens, SignChanges, Shows:
		return collapseSpace(e.Object)
	}
	return ""
}

// Values lists the distinct answers of events by kind, sorted.
func Values(events []schemas.Event) map[string][]string {
	out := map[string][]string{}
	for _, e := range events {
		v := Value(e)
		if v != "" && !slices.Contains(out[e.Kind], v) {
			out[e.Kind] = append(out[e.Kind], v)
		}
	}
	for _, vs := range out {
		slices.Sort(vs)
	}
	return out
}

// Mentions reports whether some event has, as subject or object and whatever
// its kind, a value that clashes with v.
func Mentions(events []schemas.Event, v string) bool { return NewIndex(events).Mentions(v) }

// Index answers Mentions for the same events repeatedly.
type Index struct{ texts [][]string }

// NewIndex splits the subjects and objects of events into words.
func NewIndex(events []schemas.Event) Index {
	var x Index
	seen := map[string]bool{"": true}
	for _, e := range events {
		for _, text := range []string{e.Subject, e.Object} {
			if !seen[text] {
				seen[text] = true
				x.texts = append(x.texts, Words(text))
			}
		}
	}
	return x
}

// Mentions reports whether a subject or object clashes with v.
func (x Index) Mentions(v string) bool {
	list := Words(v)
	return slices.ContainsFunc(x.texts, func(t []string) bool { return WordsClash(t, list) })
}

// Clash reports whether two values could both be held right for one another:
// they are equal but for case, articles and punctuation, or the words of one
// are among the words of the other ("cup" and "red cup").
func Clash(a, b string) bool { return WordsClash(Words(a), Words(b)) }

// WordsClash is Clash for values that are split into Words already.
func WordsClash(x, y []string) bool {
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	return words.Within(x, y) || words.Within(y, x)
}

// Words splits a text into lower-case words without articles. A text of
// nothing but articles or signs is one word: itself.
func Words(s string) []string {
	list := slices.DeleteFunc(words.Words(s), func(w string) bool { return w == "a" || w == "an" || w == "the" })
	if len(list) > 0 {
		return list
	}
	if t := strings.ToLower(collapseSpace(s)); t != "" {
		return []string{t}
	}
	return nil
}

func collapseSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// Colours returns the words for a colour that a detail may be asked by.
func Colours() []string {
	return []string{"red", "blue", "yellow", "green", "orange", "purple", "pink", "white", "turquoise", "black", "brown", "grey"}
}

// Detail is a value split at the one colour that it names: "red kettle", or
// "the baker in the red apron".
type Detail struct {
	Colour string
	// Before and After are the words around the colour.
	Before, After string
}

// ParseDetail splits a value at its colour; false when it does not name exactly
// one colour of something.
func ParseDetail(value string) (Detail, bool) {
	words := strings.Fields(value)
	at := -1
	for i, w := range words {
		if !slices.Contains(Colours(), strings.ToLower(w)) {
			continue
		}
		if at >= 0 {
			return Detail{}, false
		}
		at = i
	}
	if at < 0 || at == len(words)-1 {
		return Detail{}, false
	}
	return Detail{strings.ToLower(words[at]), strings.Join(words[:at], " "), strings.Join(words[at+1:], " ")}, true
}

// WithColour returns the value with another colour.
func (d Detail) WithColour(colour string) string {
	return collapseSpace(d.Before + " " + colour + " " + d.After)
}

// EqualButColour reports whether two details differ in colour at most.
func (d Detail) EqualButColour(o Detail) bool {
	return slices.Equal(Words(d.Before+" "+d.After), Words(o.Before+" "+o.After))
}

// DescriptionTexts returns the texts of a description by key, in the order of
// the schema.
func DescriptionTexts(d schemas.Description) [6]string {
	return [6]string{d.MainStoryline, d.SpatialRelationBinding, d.ShortTermActionState, d.ToolProp, d.FineVisualAttribute, d.TextSymbol}
}
