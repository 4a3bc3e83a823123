package oracle

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// optionCheck says which wrong options are allowed: kind accepts values of the right
// kind, told those that occur in the sessions, so that not all options are unknown. A nil
// function accepts all.
type optionCheck struct{ kind, told func(string) bool }

// CheckOptions checks that each wrong option is of the kind of the right answer: a value
// that was or could have been told of the attribute, or a known answer of absence.
func (r Result) CheckOptions(options []string) error {
	seen, told := map[string]bool{}, r.isOffered.told == nil
	for _, o := range options {
		one := sortPair(o)
		if seen[one] {
			return fmt.Errorf("two options say %q", one)
		}
		seen[one] = true
		if o == r.Right {
			continue
		}
		if !r.isOffered.kind(o) {
			return fmt.Errorf("its option %q is none that the sessions give for the like of %q", o, r.Right)
		}
		told = told || r.isOffered.told(o)
	}
	if !told {
		return fmt.Errorf("of its options but %q none was told of anything alike: %q", r.Right, options)
	}
	return nil
}

// sortPair orders the two names of an option, so that either order is the same.
func sortPair(option string) string {
	two := strings.Split(option, " and ")
	slices.Sort(two)
	return strings.Join(two, " and ")
}

// valueOptions allows values of an aspect, "ended" where one ended, and "none" where none
// was told. A question for people may offer two of them.
func (t *Task) valueOptions(subject, aspect string, upto int, absent ...string) optionCheck {
	of := t.aspectForms(aspect)
	var alike []string
	for other := range t.toldAspects(upto) {
		if other == aspect || slices.ContainsFunc(t.aspectForms(other), func(f int) bool { return slices.Contains(of, f) }) {
			alike = append(alike, t.valuesOfAspect(other)...)
		}
	}
	value := func(v string) bool {
		return slices.Contains(alike, v) || slices.ContainsFunc(of, func(f int) bool { return valueForms[f].value.MatchString(v) })
	}
	like := func(v string) bool {
		one, two, pair := strings.Cut(v, " and ")
		if pair && slices.Contains(of, person) {
			return one != two && value(one) && value(two)
		}
		return slices.Contains(absent, v) || value(v)
	}
	stated := func(v string) bool {
		return slices.ContainsFunc(slices.Concat(t.statements, t.pictures), func(s statement) bool {
			return s.session <= upto && (subject == "" || s.subject() == subject) && (s.value == v || s.also == v || s.old == v || s.heldValue() == v)
		})
	}
	told := func(v string) bool {
		one, two, pair := strings.Cut(v, " and ")
		return stated(v) || pair && stated(one) && stated(two)
	}
	return optionCheck{like, told}
}

func (t *Task) toldAspects(upto int) map[string]bool {
	out := map[string]bool{}
	for _, s := range slices.Concat(t.statements, t.pictures) {
		if s.session <= upto {
			out[s.aspect] = true
		}
	}
	return out
}

func (t *Task) pictureOptions(aspect string, upto int) optionCheck {
	return optionCheck{kind: func(v string) bool {
		return slices.ContainsFunc(t.pictures, func(s statement) bool { return s.session <= upto && s.aspect == aspect && s.value == v })
	}}
}

// thingOptions allows things whose pictures show another value of the aspect.
func (t *Task) thingOptions(aspect string, upto int) optionCheck {
	return optionCheck{kind: func(thing string) bool {
		_, last, err := t.currentStatement(thing+"/"+aspect, upto)
		return err == nil && last.shownBefore
	}}
}

// dayOptions allows days of sessions after the first that do not name the value.
func (t *Task) dayOptions(value string, upto int) optionCheck {
	names := func(text string) bool {
		return strings.Contains(" "+strings.ReplaceAll(text, ", ", " ")+" ", " "+value+" ")
	}
	named := map[int]bool{0: true}
	for _, s := range slices.Concat(t.statements, t.pictures) {
		if s.thing != "" && (names(s.value) || names(s.also) || names(s.old)) {
			named[s.session] = true
		}
	}
	return optionCheck{kind: func(day string) bool {
		for n := range t.sessions[:upto+1] {
			if t.sessionDay(n) == day {
				return !named[n]
			}
		}
		return false
	}}
}

// countryOptions allows known countries, one of them that of a told town.
func (t *Task) countryOptions(upto int) optionCheck {
	told := map[string]bool{}
	for aspect := range t.toldAspects(upto) {
		for _, v := range t.valuesOfAspect(aspect) {
			told[countryOf(v)] = true
		}
	}
	return optionCheck{
		kind: func(land string) bool {
			return land != "" && !strings.ContainsAny(land, "\n:") && strings.Contains("\n"+countryTable, "\n"+land+": ")
		},
		told: func(land string) bool { return told[land] },
	}
}

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

// aspectForms returns the forms of an aspect's values: those of told values and those
// that its name implies.
func (t *Task) aspectForms(aspect string) []int {
	if out, ok := t.forms[aspect]; ok {
		return out
	}
	var out []int
	for i, f := range valueForms {
		named := slices.ContainsFunc(f.aspects, func(begin string) bool { return strings.HasPrefix(aspect, begin) })
		if named || len(f.aspects) == 0 && slices.ContainsFunc(t.valuesOfAspect(aspect), f.value.MatchString) {
			out = append(out, i)
		}
	}
	if t.forms == nil {
		t.forms = map[string][]int{}
	}
	t.forms[aspect] = out
	return out
}

// valuesOfAspect returns the values that words or pictures give an aspect of anything;
// the halves of a pair count alone.
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

// checkQuestionWords checks that a question uses the words for its attribute: who, how many
// or what, are or is, several or one.
func (t *Task) checkQuestionWords(question, asks string, of map[string]string) error {
	asked := of["B"]
	if asked == "" {
		asked = of["A"]
	}
	want := []string{"", "what", "is", "one"}
	switch {
	case isPlural(asked):
		want = []string{"how many", "are", "several"}
	case slices.Contains(t.aspectForms(asked), person):
		want[1] = "who"
	}
	if asks != "" && !slices.Contains(want, asks) {
		return fmt.Errorf("%q asks for the %s as for %q; want %q", question, asked, asks, want)
	}
	return nil
}

// isPlural reports an attribute of several, such as "filled cells" and "hours of work".
func isPlural(aspect string) bool {
	noun, _, _ := strings.Cut(aspect, " in ")
	noun, _, _ = strings.Cut(noun, " of ")
	return strings.HasSuffix(noun, "s") && !strings.HasSuffix(noun, "ss")
}
