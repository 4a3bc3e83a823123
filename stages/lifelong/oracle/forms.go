package oracle

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
)

// formLines has a line for each form that values have: its name, and an expression for
// them. After "of" stands how attributes begin whose values may be of the form, whatever
// was told of them.
//
//go:embed forms.txt
var formLines string

// form is what values of a kind look like.
type form struct {
	of    []string
	value *regexp.Regexp
}

// forms are the forms, read once.
var forms = readForms()

// person is which of the forms people have.
const person = 0

func readForms() []form {
	var out []form
	for _, line := range strings.Split(strings.TrimSpace(formLines), "\n") {
		name, expr, _ := strings.Cut(line, ": ")
		var of []string
		if list, only := strings.CutPrefix(name, "of "); only {
			of = strings.Split(list, ", ")
		}
		out = append(out, form{of, regexp.MustCompile("^(?:" + expr + ")$")})
	}
	var cities []string
	for _, line := range strings.Split(lands, "\n") {
		_, town, _ := strings.Cut(line, ": ")
		cities = append(cities, town)
	}
	return append(out, form{nil, regexp.MustCompile("^(?:" + strings.Join(cities, "|") + ")$")})
}

// formsOf are the forms that values of an aspect have: those that told ones have, and those
// that its name says.
func (t *Task) formsOf(aspect string) []int {
	var out []int
	for i, f := range forms {
		named := slices.ContainsFunc(f.of, func(begin string) bool { return strings.HasPrefix(aspect, begin) })
		if named || len(f.of) == 0 && slices.ContainsFunc(t.toldOf(aspect), f.value.MatchString) {
			out = append(out, i)
		}
	}
	return out
}

// toldOf are the values that words or pictures give an aspect of anything, each half of two
// alone.
func (t *Task) toldOf(aspect string) []string {
	if t.told == nil {
		t.told = map[string][]string{}
		for _, s := range slices.Concat(t.statements, t.prints) {
			for _, v := range append(strings.Split(s.value, " and "), s.also, s.old) {
				if v != "" && !slices.Contains(t.told[s.aspect], v) {
					t.told[s.aspect] = append(t.told[s.aspect], v)
				}
			}
		}
	}
	return t.told[aspect]
}
