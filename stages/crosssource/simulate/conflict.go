package simulate

import (
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// Variants of conflicts: a later statement overrides an earlier one; somebody has
// the last word, of any speaker; a number is changed again and again.
const (
	ByTime      = "time"
	ByAuthority = "authority"
	Total       = "total"
)

// conflict asks for the valid value where sources disagree. From three pieces on a
// picture identifies the subject.
func conflict(s *simulator, pieces int) (Item, error) {
	switch {
	case pieces <= 2 || pieces > 4:
		return s.total(pieces)
	case pieces == 4:
		return s.authority()
	}
	return s.override()
}

func disputes() []aspect {
	place := func(s *simulator) string { return s.place() }
	return slices.Concat(
		aspects(askPlace, place, "meeting point", "venue", "storage place", "ticket desk"), aspects(askPerson, newPerson, "contact", "lead", "deputy"),
		aspects(askFirm, func(s *simulator) string { return s.firm() }, "contractor"))
}

// attribute returns a changeable attribute with four possible values.
func (s *simulator) attribute() (a aspect, values []string) {
	a = weights.Pick(s.rnd, disputes())
	for range 4 {
		values = append(values, a.value(s))
	}
	return a, values
}

// swappedPairs returns the former and current values of two other things. Two of the
// three things have the same two values in opposite order; each is the asked one equally
// often, so the values do not reveal it.
func swappedPairs[T any](rnd *rand.Rand, values []T) [][2]T {
	if rnd.IntN(3) == 0 {
		return [][2]T{{values[2], values[3]}, {values[3], values[2]}}
	}
	return [][2]T{{values[0], values[1]}, {values[2], values[3]}}
}

// override states a fact and a later one that replaces it, and the same of two other
// things (see swappedPairs).
func (s *simulator) override() (Item, error) {
	of := s.pickName([]string{s.field.title})
	what, values := s.attribute()
	var w simulation.Timeline
	key := simulation.Key{Entity: of, Aspect: what.name}
	if err := w.Set(1, key, values[1]); err != nil {
		return Item{}, err
	}
	if err := w.Set(2, key, values[0]); err != nil {
		return Item{}, err
	}
	item := Item{
		Variant: ByTime, Ask: s.askCardAttribute(what),
		Explanation: "The later statement takes the place of the earlier one: " + w.At(2, key) + ".",
		Units: []Unit{
			s.nameCard(of),
			s.factUnit(schemas.RoleSuperseded, of, what.name, w.At(1, key)),
			{Home: HomeChat, Role: schemas.RoleUpdate, Text: s.sayChange(of, what.name, w.At(2, key)), Revises: []int{1}},
		},
	}
	item.Options = append([]string{w.At(2, key)}, values[1:]...)
	for _, pair := range swappedPairs(s.rnd, values) {
		other := s.pickName([]string{s.field.title})
		s.addMisleading(numbersFrom(1, 2), s.factUnit("", other, what.name, pair[0]), Unit{Home: HomeChat, Text: s.sayChange(other, what.name, pair[1]), Revises: []int{len(s.loose)}})
	}
	return item, nil
}

// authority states a fact in two versions, one by the person who decides. The last
// speaker is wrong half of the time. The same two disagree about two other things (see
// swappedPairs), so that one chat has room for all.
func (s *simulator) authority() (Item, error) {
	of := s.pickName([]string{s.field.title})
	what, values := s.attribute()
	people := weights.Sample(s.rnd, s.people, 2)
	rule, said, who := s.dispute(people, of, what.name, values[0], values[1])
	item := Item{
		Variant: ByAuthority, Ask: s.askCardAttribute(what), Explanation: who + " has the last word, and says " + values[0] + ".",
		Units: append([]Unit{s.nameCard(of), rule}, said...), Options: values,
	}
	for _, pair := range swappedPairs(s.rnd, values) { // the second one is right
		rule, said, _ := s.dispute(people, s.pickName([]string{s.field.title}), what.name, pair[1], pair[0])
		s.addMisleading(numbersFrom(1, 3), append([]Unit{rule}, said...)...)
	}
	return item, nil
}

// dispute picks who decides and returns what that person and another one say.
func (s *simulator) dispute(people []Person, of, name, right, wrong string) (rule Unit, said []Unit, who string) {
	pair := weights.Sample(s.rnd, people, 2)
	rule = s.documentUnit(schemas.RoleClue, s.sayDecider(pair[0].Name, of, name))
	said = []Unit{
		{Home: HomeChat, Role: schemas.RoleSuperseded, Text: s.sayFact(of, name, wrong), Speaker: pair[1].Name},
		{Home: HomeChat, Role: schemas.RoleClue, Text: s.sayFact(of, name, right), Speaker: pair[0].Name},
	}
	if s.rnd.IntN(2) == 0 {
		slices.Reverse(said)
	}
	return rule, said, pair[0].Name
}
