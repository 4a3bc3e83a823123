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

// valueForm is what values of a kind look like.
type valueForm struct {
	aspects []string
	value   *regexp.Regexp
}

// valueForms are the forms, read once.
var valueForms = parseValueForms()

// person is which of the forms people have.
const person = 0

func parseValueForms() []valueForm {
	var out []valueForm
	for _, line := range strings.Split(strings.TrimSpace(formLines), "\n") {
		name, expr, _ := strings.Cut(line, ": ")
		var of []string
		if list, only := strings.CutPrefix(name, "of "); only {
			of = strings.Split(list, ", ")
		}
		out = append(out, valueForm{of, regexp.MustCompile("^(?:" + expr + ")$")})
	}
	var cities []string
	for _, line := range strings.Split(countryTable, "\n") {
		_, town, _ := strings.Cut(line, ": ")
		cities = append(cities, town)
	}
	return append(out, valueForm{nil, regexp.MustCompile("^(?:" + strings.Join(cities, "|") + ")$")})
}

// aspectForms are the forms that values of an aspect have: those that told ones have, and those
// that its name says.
func (t *Task) aspectForms(aspect string) []int {
	var out []int
	for i, f := range valueForms {
		named := slices.ContainsFunc(f.aspects, func(begin string) bool { return strings.HasPrefix(aspect, begin) })
		if named || len(f.aspects) == 0 && slices.ContainsFunc(t.valuesOfAspect(aspect), f.value.MatchString) {
			out = append(out, i)
		}
	}
	return out
}

// valuesOfAspect are the values that words or pictures give an aspect of anything, each half of two
// alone.
func (t *Task) valuesOfAspect(aspect string) []string {
	if t.toldValues == nil {
		t.toldValues = map[string][]string{}
		for _, s := range slices.Concat(t.statements, t.pictures) {
			for _, v := range append(strings.Split(s.value, " and "), s.also, s.old) {
				if v != "" && !slices.Contains(t.toldValues[s.aspect], v) {
					t.toldValues[s.aspect] = append(t.toldValues[s.aspect], v)
				}
			}
		}
	}
	return t.toldValues[aspect]
}
