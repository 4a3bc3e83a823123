package worlds

import (
	"maps"
	"slices"
	"strconv"

	"github.com/memforge/memforge/pipeline/world"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// Variants of conflicts: a later statement overrides an earlier one; somebody has
// the last word, whoever spoke last; a number is changed again and again.
const (
	ByTime      = "time"
	ByAuthority = "authority"
	Total       = "total"
)

// conflict asks for what holds where sources disagree. What is asked about is shown
// in a picture, from three pieces on.
func conflict(s *state, pieces int) (Item, error) {
	switch {
	case pieces <= 2 || pieces > 4:
		return s.total(pieces)
	case pieces == 4:
		return s.authority()
	}
	return s.override()
}

// attribute is what can be otherwise, with four values that it could have.
func (s *state) attribute() (a aspect, values []string) {
	place := func(s *state) string { return s.place() }
	a = weights.Pick(s.rnd, slices.Concat(
		aspects(askPlace, place, "meeting point", "venue", "storage place", "ticket desk"), aspects(askPerson, somebody, "contact", "lead", "deputy"),
		aspects(askFirm, func(s *state) string { return s.firm() }, "contractor")))
	for range 4 {
		values = append(values, a.value(s))
	}
	return a, values
}

// pairs are the values that other things have had, the first before the second: the two of
// the thing asked about the other way round, the other two, and, as often as not, any two
// but the right one. So what is named most often, or last among these, is seldom right.
func (s *state) pairs(values []string) [][2]string {
	out := [][2]string{{values[0], values[1]}, {values[2], values[3]}}
	if s.rnd.IntN(2) == 0 {
		more := weights.Sample(s.rnd, values[1:], 2)
		out = append(out, [2]string{more[0], more[1]})
	}
	return out
}

// override is a fact that a later one takes the place of. Of two other things the same is
// told, or of three (see pairs).
func (s *state) override() (Item, error) {
	of := s.called([]string{s.field.title})
	what, values := s.attribute()
	var w world.World
	key := world.Key{Entity: of, Aspect: what.name}
	if err := w.Set(1, key, values[1]); err != nil {
		return Item{}, err
	}
	if err := w.Set(2, key, values[0]); err != nil {
		return Item{}, err
	}
	item := Item{
		Variant: ByTime, Ask: s.held(what),
		Explanation: "The later statement takes the place of the earlier one: " + w.At(2, key) + ".",
		Units: []Unit{
			s.card(of),
			s.noted(schemas.RoleSuperseded, of, what.name, w.At(1, key)),
			{Home: HomeChat, Role: schemas.RoleUpdate, Text: s.changed(of, what.name, w.At(2, key)), Revises: []int{1}},
		},
	}
	item.Options = append([]string{w.At(2, key)}, values[1:]...)
	for _, pair := range s.pairs(values) {
		other := s.called([]string{s.field.title})
		s.beside(other, what.name, pair[0])
		s.loose = append(s.loose, Unit{Home: HomeChat, Role: schemas.RoleDistractor, Text: s.changed(other, what.name, pair[1]), Revises: []int{len(s.loose) - 1}})
	}
	return item, nil
}

// authority is a fact that two tell differently, one of whom decides. Who spoke last
// is wrong as often as right. People disagree on other things, too (see pairs).
func (s *state) authority() (Item, error) {
	of := s.called([]string{s.field.title})
	what, values := s.attribute()
	rule, said, who := s.dispute(schemas.RoleClue, of, what.name, values[0], values[1])
	item := Item{
		Variant: ByAuthority, Ask: s.held(what), Explanation: who + " has the last word, and says " + values[0] + ".",
		Units: append([]Unit{s.card(of), rule}, said...), Options: values,
	}
	for _, pair := range s.pairs(values) { // the second one is right
		rule, said, _ := s.dispute(schemas.RoleDistractor, s.called([]string{s.field.title}), what.name, pair[1], pair[0])
		s.loose = append(append(s.loose, rule), said...)
	}
	return item, nil
}

// dispute is who decides on something, what that person says and what somebody else
// says.
func (s *state) dispute(role, of, name, right, wrong string) (rule Unit, said []Unit, who string) {
	pair := weights.Sample(s.rnd, s.people, 2)
	rule = s.paper(role, s.decides(pair[0].Name, of, name))
	over := schemas.RoleSuperseded
	if role == schemas.RoleDistractor {
		over = role
	}
	said = []Unit{
		{Home: HomeChat, Role: over, Text: s.fact(of, name, wrong), Speaker: pair[1].Name},
		{Home: HomeChat, Role: role, Text: s.fact(of, name, right), Speaker: pair[0].Name},
	}
	if s.rnd.IntN(2) == 0 {
		slices.Reverse(said)
	}
	return rule, said, pair[0].Name
}

// quantities are numbers that can be raised.
func quantities() []string {
	return []string{"head count", "chair order", "leaflet stock", "paper stock", "crate order", "key stock", "locker count", "badge order", "lamp order", "cable stock"}
}

// total is a number that is changed again and again: every change counts. Another
// thing's number is changed, too, and what that comes to is a wrong option.
func (s *state) total(pieces int) (Item, error) {
	of := s.called([]string{s.field.title})
	name := weights.Pick(s.rnd, quantities())
	key := world.Key{Entity: of, Aspect: name}
	var w world.World
	item := Item{Variant: Total}
	asked := of
	if pieces >= 3 {
		asked = s.onCard()
		item.Units = append(item.Units, s.card(of))
	}
	value := 200 + s.rnd.IntN(500)
	first := len(item.Units)
	item.Units = append(item.Units, s.noted(schemas.RoleClue, of, name, strconv.Itoa(value)))
	sums := []int{value}
	for i, by := range s.steps(max(pieces, 2) - len(item.Units)) {
		value += by
		if err := w.Set(i+1, key, strconv.Itoa(value)); err != nil {
			return Item{}, err
		}
		sums = append(sums, value, value-2*by)
		item.Units = append(item.Units, Unit{Home: HomeChat, Role: schemas.RoleUpdate, Text: s.raised(of, name, by), Revises: []int{len(item.Units) - 1}})
	}
	item.Units[first+1].Revises = []int{first}
	gold := w.At(len(item.Units), key)
	changes := len(item.Units) - first - 1
	item.Ask = "How large is the " + name + " of " + asked + "?"
	item.Explanation = "All changes taken together, it is " + gold + "."
	wrong, rival := s.near(gold, sums)
	item.Options = append([]string{gold}, wrong...)
	s.alike(name, rival, changes)
	return item, nil
}

// mostMixed is how many changes go up and down by turns.
const mostMixed = 8

// steps are by how much a number changes, up and down where there are few changes. No part
// of them makes up for itself: who misses some never comes to the same number.
func (s *state) steps(n int) []int {
	for {
		out, sums, even := make([]int, n), map[int]bool{0: true}, false
		for i := range out {
			if out[i] = s.step(); n > mostMixed {
				out[i] = max(out[i], -out[i])
			}
			for _, sum := range slices.Collect(maps.Keys(sums)) {
				even = even || sum+out[i] == 0
				sums[sum+out[i]] = true
			}
		}
		if !even {
			return out
		}
	}
}

// step is by how much a number changes at once.
func (s *state) step() int {
	by := 1 + s.rnd.IntN(19)
	if s.rnd.IntN(2) == 0 {
		by = -by
	}
	return by
}

// mostAlike is how often the number of another thing changes at most: no question tells how
// often one did.
const mostAlike = 6

// alike tells the number of another thing, which comes to a total after some changes.
func (s *state) alike(name string, total, changes int) {
	other := s.called([]string{s.field.title})
	steps := s.steps(min(changes, mostAlike))
	value := total
	for _, by := range steps {
		value -= by
	}
	s.beside(other, name, strconv.Itoa(value))
	for _, by := range steps {
		s.loose = append(s.loose, Unit{Home: HomeChat, Role: schemas.RoleDistractor, Text: s.raised(other, name, by), Revises: []int{len(s.loose) - 1}})
	}
}

// near are three other numbers: the first close by, for another thing to come to; then
// what it was in between or would be without a change, filled up with numbers close by.
// The right one has any rank among the four.
func (s *state) near(gold string, sums []int) (out []string, rival int) {
	right, _ := strconv.Atoi(gold)
	below := s.rnd.IntN(4)
	add := func(n int) {
		text := strconv.Itoa(n)
		if n == right || n < 1 || slices.Contains(out, text) {
			return
		}
		if n < right && below > 0 {
			below, out = below-1, append(out, text)
		} else if n > right && len(out) < 3 && len(out)+below < 3 {
			out = append(out, text)
		}
	}
	rival = right + 1 + s.rnd.IntN(25)
	if s.rnd.IntN(3) < below {
		rival = 2*right - rival
	}
	add(rival)
	for _, i := range s.rnd.Perm(len(sums)) {
		add(sums[i])
	}
	for step := 1; len(out) < 3; step++ {
		far := step*2 + s.rnd.IntN(7)
		add(right - far)
		add(right + far)
	}
	return out, rival
}
