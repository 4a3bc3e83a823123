package groundtruth

import (
	"slices"
	"strings"
)

// Colours are the words for a colour that a detail may be asked by.
func Colours() []string {
	return []string{"red", "blue", "yellow", "green", "orange", "purple", "pink", "white", "turquoise", "black", "brown", "grey"}
}

// Detail is a value taken apart at the one colour that it names: "red kettle",
// or "the baker in the red apron".
type Detail struct {
	Colour string
	// Before and After are the words around the colour.
	Before, After string
}

// ParseDetail takes a value apart; false when it does not name exactly one colour
// of something.
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

// WithColour is the value with another colour.
func (d Detail) WithColour(colour string) string {
	return collapseSpace(d.Before + " " + colour + " " + d.After)
}

// EqualButColour reports whether two details differ in colour at most.
func (d Detail) EqualButColour(o Detail) bool {
	return slices.Equal(Words(d.Before+" "+d.After), Words(o.Before+" "+o.After))
}
