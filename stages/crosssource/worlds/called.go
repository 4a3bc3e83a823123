package worlds

import (
	"slices"
	"strings"
	"unicode"
)

// Called are names that a text has of firms and of things of any theme, but for those that
// nothing is asked about.
func Called(text string) (things, firms []string) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r != '-' && r != '\'' && !unicode.IsLetter(r) })
	for i := 1; i < len(words); i++ {
		stem, kind := words[i-1], words[i]
		switch {
		case Aside(stem) || strings.ToLower(stem) == stem:
		case slices.Contains(firmKinds(), kind):
			firms = append(firms, stem+" "+kind)
		case slices.ContainsFunc(fields(), func(f field) bool { return f.title == kind }):
			things = append(things, stem+" "+kind)
		}
	}
	return things, firms
}
