package author

import (
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/answercues"
)

// telling are the keys whose texts name a video, the best first: what goes on,
// things and writing. How things look comes late, because questions need it.
var telling = [6]int{0, 3, 5, 1, 4, 2}

// ChooseName names the target as the built-in model: by a text that it alone
// has, of the most telling key, the shortest of these. False when there is
// none.
func ChooseName(in NameInput) (Name, bool) {
	for _, key := range telling {
		var best Name
		shortest := maxText + 1
		for _, p := range in.Target {
			t := strings.TrimSuffix(strings.TrimSpace(p.texts()[key]), ".")
			if p.Cut || t == "" || len(t) >= shortest || slices.ContainsFunc(in.Other, func(o Part) bool { return o.hasText(t) }) {
				continue
			}
			if n := (Name{Phrase: named(t), Sections: []int{p.Section}}); len(CheckName(in, n)) == 0 {
				best, shortest = n, len(t)
			}
		}
		if best.Phrase != "" {
			return best, true
		}
	}
	return Name{}, false
}

// hasText reports whether some text of the section is like t.
func (p Part) hasText(t string) bool {
	for _, own := range p.texts() {
		if answercues.Alike(own, t) {
			return true
		}
	}
	return false
}
