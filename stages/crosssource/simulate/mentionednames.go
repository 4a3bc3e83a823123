package simulate

import (
	"slices"
	"strings"
	"unicode"
)

// NamesIn are names that a text has of firms and of things of any theme, but for those that
// nothing is asked about.
func NamesIn(text string) (things, firms []string) {
	for _, n := range twoWordNames(text) {
		switch _, kind, _ := strings.Cut(n, " "); {
		case slices.Contains(firmKinds(), kind):
			firms = append(firms, n)
		case slices.ContainsFunc(fields(), func(f field) bool { return f.title == kind }):
			things = append(things, n)
		}
	}
	return things, firms
}

// twoWordNames are those of two words in a text that something may be asked about, in their order.
func twoWordNames(text string) (out []string) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r != '-' && r != '\'' && !unicode.IsLetter(r) })
	for i := 1; i < len(words); i++ {
		stem, kind := words[i-1], strings.TrimSuffix(words[i], "'s")
		if !IsUnasked(stem) && strings.ToLower(stem) != stem && strings.ToLower(kind) != kind {
			out = append(out, stem+" "+kind)
		}
	}
	return out
}

// TopicOf is what a text tells an attribute of, and which. Both are empty where the text tells
// none that is asked about, or of nothing that has one.
func TopicOf(text string) (of, attribute string) {
	for _, a := range Attributes() {
		if strings.Contains(" "+text, " "+a+" ") || strings.Contains(text, " "+a+":") || strings.Contains(text, " "+a+".") {
			attribute = a
		}
	}
	for _, n := range twoWordNames(text) {
		_, kind, _ := strings.Cut(n, " ")
		has := slices.Contains(firmKinds(), kind) || slices.Contains(machines(), kind) || slices.ContainsFunc(fields(), func(f field) bool { return f.title == kind })
		if has && (of == "" || strings.Contains(text, attribute+" of "+n)) {
			of = n
		}
	}
	if attribute == "" || of == "" {
		return "", ""
	}
	return of, attribute
}

// TermOf is the term of a world that a text defines, or makes an exception to; empty for none.
func TermOf(text string) string {
	for _, w := range strings.Fields(text) {
		w = strings.Trim(w, ".,")
		stem, end, _ := strings.Cut(w, "-")
		if strings.ToLower(stem) != stem && slices.Contains(termEnds(), end) {
			return w
		}
	}
	return ""
}

// Attributes are what can be told of things and firms.
func Attributes() []string {
	out := slices.Concat(quantities(), []string{"budget", "priority"})
	for _, a := range slices.Concat(relations(), ends(), disputes()) {
		out = append(out, a.name)
	}
	return out
}
