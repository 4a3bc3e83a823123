package worlds

import (
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

// attributes are what can be otherwise, each with what it is told apart by.
func (s *state) attribute() (name string, values []string) {
	draw := weights.Pick(s.rnd, []struct {
		name  string
		value func() string
	}{
		{"meeting point", s.place}, {"contact", func() string { return s.person().Name }}, {"venue", s.place}, {"contractor", s.firm}, {"storage place", s.place}, {"lead", func() string { return s.person().Name }},
	})
	for range 4 {
		values = append(values, draw.value())
	}
	return draw.name, values
}

// override is a fact that a later one takes the place of.
func (s *state) override() (Item, error) {
	of := s.called([]string{s.field.title})
	name, values := s.attribute()
	var w world.World
	key := world.Key{Entity: of, Aspect: name}
	if err := w.Set(1, key, values[1]); err != nil {
		return Item{}, err
	}
	if err := w.Set(2, key, values[0]); err != nil {
		return Item{}, err
	}
	item := Item{
		Variant: ByTime, Ask: "The " + name + " of what it shows was changed. Which one holds now?", Explanation: "The later statement takes the place of the earlier one: " + w.At(2, key) + ".",
		Units: []Unit{
			s.card(of),
			s.paper(schemas.RoleSuperseded, s.fact(of, name, w.At(1, key))),
			{Home: HomeChat, Role: schemas.RoleUpdate, Text: s.changed(of, name, w.At(2, key)), Revises: []int{1}},
		},
	}
	item.Options = append([]string{w.At(2, key)}, values[1:]...)
	s.elsewhere(name, values[2:])
	return item, nil
}

// elsewhere tells values of other things.
func (s *state) elsewhere(name string, values []string) {
	for _, v := range values {
		s.loose = append(s.loose, s.fact(s.called([]string{s.field.title}), name, v))
	}
}

// authority is a fact that two tell differently, one of whom decides. Who spoke last
// is wrong as often as right.
func (s *state) authority() (Item, error) {
	of := s.called([]string{s.field.title})
	name, values := s.attribute()
	pair := weights.Sample(s.rnd, s.people, 2)
	right := Unit{Home: HomeChat, Role: schemas.RoleClue, Text: s.fact(of, name, values[0]), Speaker: pair[0].Name}
	wrong := Unit{Home: HomeChat, Role: schemas.RoleSuperseded, Text: s.fact(of, name, values[1]), Speaker: pair[1].Name}
	rule := s.paper(schemas.RoleClue, s.decides(pair[0].Name, of, name))
	said := []Unit{wrong, right}
	if s.rnd.IntN(2) == 0 {
		said = []Unit{right, wrong}
	}
	item := Item{
		Variant: ByAuthority, Ask: "Two people disagree on the " + name + " of what it shows. Which one holds?", Explanation: pair[0].Name + " has the last word, and says " + values[0] + ".",
		Units: append([]Unit{s.card(of), rule}, said...), Options: values,
	}
	s.elsewhere(name, values[2:])
	return item, nil
}

// quantities are numbers that can be raised.
func quantities() []string {
	return []string{"head count", "chair order", "ticket stock", "paper stock", "crate order", "key allocation", "bed allocation", "badge order", "lamp order", "cable stock"}
}

// total is a number that is changed again and again: every change counts.
func (s *state) total(pieces int) (Item, error) {
	of := s.called([]string{s.field.title})
	name := weights.Pick(s.rnd, quantities())
	key := world.Key{Entity: of, Aspect: name}
	var w world.World
	item := Item{Variant: Total}
	asked := of
	if pieces >= 3 {
		asked = "what it shows"
		item.Units = append(item.Units, s.card(of))
	}
	value := 200 + s.rnd.IntN(500)
	first := len(item.Units)
	item.Units = append(item.Units, s.paper(schemas.RoleClue, s.fact(of, name, strconv.Itoa(value))))
	sums := []int{value}
	for i := 1; len(item.Units) < max(pieces, 2); i++ {
		by := 1 + s.rnd.IntN(19)
		if s.rnd.IntN(2) == 0 {
			by = -by
		}
		value += by
		if err := w.Set(i, key, strconv.Itoa(value)); err != nil {
			return Item{}, err
		}
		sums = append(sums, value, value-2*by)
		item.Units = append(item.Units, Unit{Home: HomeChat, Role: schemas.RoleUpdate, Text: s.raised(of, name, by), Revises: []int{len(item.Units) - 1}})
	}
	item.Units[first+1].Revises = []int{first}
	gold := w.At(len(item.Units), key)
	item.Ask = "What does the " + name + " of " + asked + " come to after " + count(len(item.Units)-first-1, "change") + "?"
	item.Explanation = "All changes taken together, it is " + gold + "."
	item.Options = append([]string{gold}, s.near(gold, sums)...)
	return item, nil
}

// near are three other numbers: what it was in between or would be without a change,
// filled up with numbers close by. The right one has any rank among the four.
func (s *state) near(gold string, sums []int) []string {
	right, _ := strconv.Atoi(gold)
	below := s.rnd.IntN(4)
	var out []string
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
	for _, i := range s.rnd.Perm(len(sums)) {
		add(sums[i])
	}
	for step := 1; len(out) < 3; step++ {
		far := step*2 + s.rnd.IntN(7)
		add(right - far)
		add(right + far)
	}
	return out
}
