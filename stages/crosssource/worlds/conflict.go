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

// pairs are the values that two other things have had, the first before the second. Two of
// the three things have the same two values, each the other way round; each of the three is
// the one asked about as often, so the values tell not which it is.
func (s *state) pairs(values []string) [][2]string {
	if s.rnd.IntN(3) == 0 {
		return [][2]string{{values[2], values[3]}, {values[3], values[2]}}
	}
	return [][2]string{{values[0], values[1]}, {values[2], values[3]}}
}

// override is a fact that a later one takes the place of. Of two other things the same is
// told (see pairs).
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
		s.beside(from(1, 2), s.noted("", other, what.name, pair[0]), Unit{Home: HomeChat, Text: s.changed(other, what.name, pair[1]), Revises: []int{len(s.loose)}})
	}
	return item, nil
}

// authority is a fact that two tell differently, one of whom decides. Who spoke last
// is wrong as often as right. The same two people disagree on two other things, too (see
// pairs), so that a chat has room for all of it.
func (s *state) authority() (Item, error) {
	of := s.called([]string{s.field.title})
	what, values := s.attribute()
	people := weights.Sample(s.rnd, s.people, 2)
	rule, said, who := s.dispute(people, of, what.name, values[0], values[1])
	item := Item{
		Variant: ByAuthority, Ask: s.held(what), Explanation: who + " has the last word, and says " + values[0] + ".",
		Units: append([]Unit{s.card(of), rule}, said...), Options: values,
	}
	for _, pair := range s.pairs(values) { // the second one is right
		rule, said, _ := s.dispute(people, s.called([]string{s.field.title}), what.name, pair[1], pair[0])
		s.beside(from(1, 3), append([]Unit{rule}, said...)...)
	}
	return item, nil
}

// dispute is who of some people decides on something, what that person says and what
// another one says.
func (s *state) dispute(people []Person, of, name, right, wrong string) (rule Unit, said []Unit, who string) {
	pair := weights.Sample(s.rnd, people, 2)
	rule = s.paper(schemas.RoleClue, s.decides(pair[0].Name, of, name))
	said = []Unit{
		{Home: HomeChat, Role: schemas.RoleSuperseded, Text: s.fact(of, name, wrong), Speaker: pair[1].Name},
		{Home: HomeChat, Role: schemas.RoleClue, Text: s.fact(of, name, right), Speaker: pair[0].Name},
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

// total is a number that is changed again and again: every change counts. Another thing's
// number is changed as often and comes to about as much. Two options are what the numbers
// come to, the other two what they would with a change left out, or close by: so no option
// tells of which thing it is made.
func (s *state) total(pieces int) (Item, error) {
	of, other := s.called([]string{s.field.title}), s.called([]string{s.field.title})
	name := weights.Pick(s.rnd, quantities())
	item := Item{Variant: Total}
	asked := of
	if pieces >= 3 {
		asked = s.onCard()
		item.Units = append(item.Units, s.card(of))
	}
	first, changes := len(item.Units), max(pieces, 2)-len(item.Units)-1
	own, rival := s.sums(changes)
	item.Units = append(item.Units, s.summed(first, of, name, own)...)
	like := from(first, 1)
	for i := range len(rival.steps) {
		like = append(like, first+1+i*changes/len(rival.steps))
	}
	s.beside(like, s.summed(0, other, name, rival)...)
	gold := strconv.Itoa(own.total())
	item.Ask = "How large is the " + name + " of " + asked + "?"
	item.Explanation = "All changes taken together, it is " + gold + "."
	item.Options = append([]string{gold}, s.near(own, rival)...)
	return item, nil
}

// sum is a number and by how much it changes.
type sum struct {
	base  int
	steps []int
}

func (m sum) total() int {
	n := m.base
	for _, by := range m.steps {
		n += by
	}
	return n
}

// sums are two of so many changes, which come to about the same.
func (s *state) sums(changes int) (own, rival sum) {
	to := 240 + s.rnd.IntN(500)
	if changes > mostMixed {
		to += 10 * changes
	}
	upTo := func(total, changes int) sum {
		for {
			m := sum{total, s.steps(changes)}
			for _, by := range m.steps {
				m.base -= by
			}
			if m.base > 20 {
				return m
			}
		}
	}
	by := 1 + s.rnd.IntN(apart)
	if s.rnd.IntN(2) == 0 {
		by = -by
	}
	return upTo(to, changes), upTo(to+by, min(changes, mostAlike))
}

// mostAlike is how often the number of another thing changes at most: a small twin has no
// room for two numbers that change more often.
const mostAlike = 8

// apart is how far two sums are from each other at most. Other numbers are up to twice as
// far, so that some are beyond both.
const apart = 25

// summed tells a sum: what it was at first, and each change. The first unit has a place
// among others.
func (s *state) summed(place int, of, name string, m sum) []Unit {
	out := []Unit{s.noted(schemas.RoleClue, of, name, strconv.Itoa(m.base))}
	for i, by := range m.steps {
		out = append(out, Unit{Home: HomeChat, Role: schemas.RoleUpdate, Text: s.raised(of, name, by), Revises: []int{place + i}})
	}
	return out
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

// near are the three wrong numbers: what the other sum comes to, and one of each sum that is
// what it was in between, or would be without a change, or close by. The right one has any
// rank among the four: as the other is above it as often as below, each rank has the odds
// that fit that.
func (s *state) near(own, rival sum) []string {
	below := weights.Pick(s.rnd, []int{0, 0, 0, 1, 1, 2})
	if rival.total() < own.total() {
		below = 3 - below
	}
	for {
		list := []int{own.total(), rival.total(), s.beyond(own), s.beyond(rival)}
		sorted := slices.Compact(slices.Sorted(slices.Values(list)))
		if at, _ := slices.BinarySearch(sorted, list[0]); len(sorted) == len(list) && sorted[0] > 0 && at == below {
			return []string{strconv.Itoa(list[1]), strconv.Itoa(list[2]), strconv.Itoa(list[3])}
		}
	}
}

// beyond is a number that a sum came by, or would come to with a change turned round; or one
// close to what it comes to.
func (s *state) beyond(m sum) int {
	if s.rnd.IntN(2) == 0 {
		by := 2 + s.rnd.IntN(2*apart)
		return m.total() + by - 2*by*s.rnd.IntN(2)
	}
	n, list := m.base, []int{m.base}
	for _, by := range m.steps {
		n += by
		list = append(list, n, n-2*by)
	}
	return weights.Pick(s.rnd, list)
}
