package author

import (
	"slices"
	"unicode/utf8"

	"github.com/memforge/memforge/schemas"
)

// Options may differ in length by this factor and these many characters.
const (
	lengthFactor = 2
	lengthSlack  = 20
)

// checkLengths wants options of comparable length, and a right one that does
// not stand out among them.
func checkLengths(d Draft, say report) {
	var others []int
	right := 0
	for _, o := range d.Options {
		n := utf8.RuneCountInString(o.Text)
		if o.Role == schemas.RoleCorrect {
			right = n
			continue
		}
		others = append(others, n)
	}
	if len(others) == 0 || right == 0 {
		return
	}
	shortest, longest := slices.Min(others), slices.Max(others)
	if max(longest, right) > lengthFactor*min(shortest, right)+lengthSlack {
		say("the options have %d to %d characters; make them about equally long", min(shortest, right), max(longest, right))
	}
	if outlier(right, longest) || outlier(shortest, right) {
		say("the correct option has %d characters and the others %d to %d; its length must not tell it", right, shortest, longest)
	}
}

// outlier reports whether a length is out of reach of the one it should be near.
func outlier(long, short int) bool { return long > short+short/4+8 }

// checkGiveaway refuses a question that quotes the right option: one whose
// content words stand in the question, and in no wrong option, for at least
// half of them.
func checkGiveaway(d Draft, say report) {
	asked := content(d.Question)
	var wrong []string
	for _, o := range d.Options {
		if o.Role != schemas.RoleCorrect {
			wrong = append(wrong, content(o.Text)...)
		}
	}
	for _, o := range d.Options {
		if o.Role != schemas.RoleCorrect {
			continue
		}
		mine := content(o.Text)
		shared := slices.DeleteFunc(slices.Clone(mine), func(w string) bool {
			return !slices.Contains(asked, w) || slices.Contains(wrong, w)
		})
		if len(shared) > 0 && 2*len(shared) >= len(mine) {
			say("the question gives the correct option away: both, and no other option, say %q", shared)
		}
	}
}
