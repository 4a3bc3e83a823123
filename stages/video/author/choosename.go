package author

import (
	"slices"
	"strings"
)

// ChooseName names the target as the built-in model: by the shortest text that
// it alone has; false when there is none.
func ChooseName(in NameInput) (Name, bool) {
	var best Name
	shortest := maxText + 1
	for _, p := range in.Target {
		for _, t := range p.texts() {
			t = strings.TrimSuffix(strings.TrimSpace(t), ".")
			if t == "" || len(t) >= shortest || slices.ContainsFunc(in.Other, func(o Part) bool { return o.says(t) }) {
				continue
			}
			n := Name{Phrase: named(t), Sections: []int{p.Section}}
			if len(CheckName(in, n)) == 0 {
				best, shortest = n, len(t)
			}
		}
	}
	return best, shortest <= maxText
}

// says reports whether some text of the section holds t or stands within it.
func (p Part) says(t string) bool {
	for _, own := range p.texts() {
		if overlap(own, t) {
			return true
		}
	}
	return false
}
