package simulate

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// TagFormat is a rule for tags: which parts one has, in which order, and what joins them.
// Each world has its own, so that only a reader who was taught it can apply it.
type TagFormat struct {
	Prefix string `json:"prefix"`
	// Order has a letter for each part: p the prefix, l letters of the name, n the number.
	Order string `json:"order"`
	// Letters says which of the name: "first three" for example.
	Letters string `json:"letters"`
	// Joiner is what stands between parts, Number what is done to the number.
	Joiner string `json:"joiner"`
	Number string `json:"number"`
}

// formatFeatures returns the variants of each feature, all equally likely.
func formatFeatures() [][]string {
	return [][]string{
		strings.Fields("KX MV QZ RT ZP BW"),
		strings.Fields("pln pnl lpn lnp npl nlp"),
		{"first three", "last three", "first two", "last two"},
		strings.Fields("- / : _"),
		{"the number", "twice the number", "the number plus 3", "the number plus 8"},
	}
}

// TagFeatures returns how many features a rule for tags has.
func TagFeatures() int { return len(formatFeatures()) }

// IsJoiner reports whether a feature is what stands between the parts of tags.
func IsJoiner(feature int) bool { return feature == 3 }

func (g *TagFormat) feature(feature int) *string {
	return []*string{&g.Prefix, &g.Order, &g.Letters, &g.Joiner, &g.Number}[feature]
}

func pickTagFormat(rnd *rand.Rand) TagFormat {
	var out TagFormat
	for i, ways := range formatFeatures() {
		*out.feature(i) = pick(rnd, ways)
	}
	return out
}

// PickAlternative draws how a feature can be otherwise.
func (g TagFormat) PickAlternative(rnd *rand.Rand, feature int) string {
	for {
		if way := pick(rnd, formatFeatures()[feature]); way != *g.feature(feature) {
			return way
		}
	}
}

// With returns the rule with a feature changed.
func (g TagFormat) With(feature int, way string) TagFormat {
	*g.feature(feature) = way
	return g
}

// String teaches the rule.
func (g TagFormat) String() string {
	parts := map[rune]string{'p': g.Prefix, 'l': "the " + g.Letters + " letters of the first word of the name in capitals", 'n': g.Number}
	joiner := map[string]string{"-": "a dash", "/": "a slash", ":": "a colon", "_": "an underscore"}[g.Joiner]
	var said []any
	for _, p := range g.Order {
		said = append(said, parts[p])
	}
	return fmt.Sprintf("%[1]s, %[4]s, %[2]s, %[4]s and %[3]s", append(said, joiner)...)
}

// Apply returns the tag of a name with a number.
func (g TagFormat) Apply(name string, number int) string {
	name = strings.ToUpper(name)
	n := map[string]int{"three": 3, "two": 2}[g.Letters[strings.IndexByte(g.Letters, ' ')+1:]]
	letters := name[:min(n, len(name))]
	if strings.HasPrefix(g.Letters, "last") {
		letters = name[max(0, len(name)-n):]
	}
	switch more, plus := strings.CutPrefix(g.Number, "the number plus "); {
	case plus:
		k, _ := strconv.Atoi(more)
		number += k
	case g.Number == "twice the number":
		number *= 2
	}
	var parts []string
	for _, p := range g.Order {
		parts = append(parts, map[rune]string{'p': g.Prefix, 'l': letters, 'n': strconv.Itoa(number)}[p])
	}
	return strings.Join(parts, g.Joiner)
}
