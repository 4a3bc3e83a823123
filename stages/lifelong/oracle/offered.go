package oracle

import (
	"fmt"
	"slices"
	"strings"
)

// offer says what may stand beside the right answer: like what a wrong one is, told which
// of these somebody heard of, so that not all of them are strange; nil where it does not
// matter.
type offer struct{ like, told func(string) bool }

// Offered wants each wrong option to be an answer of the kind of the right one: a value
// that was told of such an attribute or could have been, or one of the known answers that
// no value is. So none is the right one in other words, nor nonsense. No two may say the
// same, and of the wrong ones one at least must have been told.
func (r Result) Offered(options []string) error {
	seen, told := map[string]bool{}, r.offer.told == nil
	for _, o := range options {
		one := asSet(o)
		if seen[one] {
			return fmt.Errorf("two options say %q", one)
		}
		seen[one] = true
		if o == r.Right {
			continue
		}
		if !r.offer.like(o) {
			return fmt.Errorf("its option %q is none that the sessions give for the like of %q", o, r.Right)
		}
		told = told || r.offer.told(o)
	}
	if !told {
		return fmt.Errorf("of its options but %q none was told of anything alike", r.Right)
	}
	return nil
}

// asSet is an option in which two holders have the order of their names.
func asSet(option string) string {
	two := strings.Split(option, " and ")
	slices.Sort(two)
	return strings.Join(two, " and ")
}

// values offers values of an aspect, with the answer where one ended, and none where
// nobody said any. Who asks for people is answered with two of them, too.
func (t *Task) values(subject, aspect string, upto int, absent ...string) offer {
	of := t.formsOf(aspect)
	var alike []string
	for other := range t.toldIn(upto) {
		if other == aspect || slices.ContainsFunc(t.formsOf(other), func(f int) bool { return slices.Contains(of, f) }) {
			alike = append(alike, t.toldOf(other)...)
		}
	}
	value := func(v string) bool {
		return slices.Contains(alike, v) || slices.ContainsFunc(of, func(f int) bool { return forms[f].value.MatchString(v) })
	}
	like := func(v string) bool {
		one, two, pair := strings.Cut(v, " and ")
		if pair && slices.Contains(of, person) {
			return one != two && value(one) && value(two)
		}
		return slices.Contains(absent, v) || value(v)
	}
	told := func(v string) bool {
		return slices.ContainsFunc(slices.Concat(t.statements, t.prints), func(s statement) bool {
			return s.session <= upto && (subject == "" || s.subject() == subject) && (s.value == v || s.also == v || s.old == v || s.written() == v)
		})
	}
	return offer{like, told}
}

// toldIn are the aspects of which something is told up to a session.
func (t *Task) toldIn(upto int) map[string]bool {
	out := map[string]bool{}
	for _, s := range slices.Concat(t.statements, t.prints) {
		if s.session <= upto {
			out[s.aspect] = true
		}
	}
	return out
}

// shownAs offers values that pictures give an aspect.
func (t *Task) shownAs(aspect string, upto int) offer {
	return offer{like: func(v string) bool {
		return slices.ContainsFunc(t.prints, func(s statement) bool { return s.session <= upto && s.aspect == aspect && s.value == v })
	}}
}

// things offers those whose pictures give an aspect another value.
func (t *Task) things(aspect string, upto int) offer {
	return offer{like: func(thing string) bool {
		_, last, err := t.now(thing+"/"+aspect, upto)
		return err == nil && last.seen
	}}
}

// days offers those of sessions after the first in which a value is not named.
func (t *Task) days(value string, upto int) offer {
	names := func(text string) bool {
		return strings.Contains(" "+strings.ReplaceAll(text, ", ", " ")+" ", " "+value+" ")
	}
	named := map[int]bool{0: true}
	for _, s := range slices.Concat(t.statements, t.prints) {
		if s.thing != "" && (names(s.value) || names(s.also) || names(s.old)) {
			named[s.session] = true
		}
	}
	return offer{like: func(day string) bool {
		for n := range t.sessions[:upto+1] {
			if t.day(n) == day {
				return !named[n]
			}
		}
		return false
	}}
}

// countries offers those that are known; of one a town was told.
func (t *Task) countries(upto int) offer {
	told := map[string]bool{}
	for aspect := range t.toldIn(upto) {
		for _, v := range t.toldOf(aspect) {
			told[landOf(v)] = true
		}
	}
	return offer{
		like: func(land string) bool {
			return land != "" && !strings.ContainsAny(land, "\n:") && strings.Contains("\n"+lands, "\n"+land+": ")
		},
		told: func(land string) bool { return told[land] },
	}
}

// numbers offers some numbers.
func numbers(of ...int) offer {
	return offer{like: func(v string) bool { return slices.ContainsFunc(of, func(n int) bool { return fmt.Sprint(n) == v }) }}
}
