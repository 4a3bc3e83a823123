package oracle

import (
	"fmt"
	"slices"
	"strings"
)

// optionCheck says what may stand beside the right answer: like what a wrong one is, told which
// of these somebody heard of, so that not all of them are strange; nil where it does not
// matter.
type optionCheck struct{ kind, told func(string) bool }

// CheckOptions wants each wrong option to be an answer of the kind of the right one: a value
// that was told of such an attribute or could have been, or one of the known answers that
// no value is. So none is the right one in other words, nor nonsense. No two may say the
// same, and of the wrong ones one at least must have been told.
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
		return fmt.Errorf("of its options but %q none was told of anything alike", r.Right)
	}
	return nil
}

// sortPair is an option in which two holders have the order of their names.
func sortPair(option string) string {
	two := strings.Split(option, " and ")
	slices.Sort(two)
	return strings.Join(two, " and ")
}

// valueOptions offers values of an aspect, with the answer where one ended, and none where
// nobody said any. Who asks for people is answered with two of them, too.
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
	told := func(v string) bool {
		return slices.ContainsFunc(slices.Concat(t.statements, t.pictures), func(s statement) bool {
			return s.session <= upto && (subject == "" || s.subject() == subject) && (s.value == v || s.also == v || s.old == v || s.heldValue() == v)
		})
	}
	return optionCheck{like, told}
}

// toldAspects are the aspects of which something is told up to a session.
func (t *Task) toldAspects(upto int) map[string]bool {
	out := map[string]bool{}
	for _, s := range slices.Concat(t.statements, t.pictures) {
		if s.session <= upto {
			out[s.aspect] = true
		}
	}
	return out
}

// pictureOptions offers values that pictures give an aspect.
func (t *Task) pictureOptions(aspect string, upto int) optionCheck {
	return optionCheck{kind: func(v string) bool {
		return slices.ContainsFunc(t.pictures, func(s statement) bool { return s.session <= upto && s.aspect == aspect && s.value == v })
	}}
}

// thingOptions offers those whose pictures give an aspect another value.
func (t *Task) thingOptions(aspect string, upto int) optionCheck {
	return optionCheck{kind: func(thing string) bool {
		_, last, err := t.currentStatement(thing+"/"+aspect, upto)
		return err == nil && last.shownBefore
	}}
}

// dayOptions offers those of sessions after the first in which a value is not named.
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

// countryOptions offers those that are known; of one a town was told.
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

// numberOptions offers some numbers.
func numberOptions(of ...int) optionCheck {
	return optionCheck{kind: func(v string) bool { return slices.ContainsFunc(of, func(n int) bool { return fmt.Sprint(n) == v }) }}
}
