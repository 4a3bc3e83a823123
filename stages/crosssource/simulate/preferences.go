package simulate

import (
	"fmt"
	"slices"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
	"github.com/memforge/memforge/stages/crosssource/wordings"
)

// Variants of preferences: said, or to be told from what somebody chose.
const (
	Explicit = "explicit"
	Implicit = "implicit"
)

func kinds() []string {
	return []string{
		"crime stories", "slow ballads", "watercolour lessons", "chess problems", "street food", "ghost walks", "folk dances", "bird watching", "card tricks", "garden visits", "radio plays", "puppet shows",
		"history talks", "knife throwing", "yoga drills", "poetry readings", "quiz rounds", "pottery lessons", "opera scenes", "stargazing", "cheese tastings", "boat trips", "jazz standards", "stunt flights",
		"origami lessons", "debate rounds", "dog shows", "mime acts", "choir singing", "kite flying", "sketch comedy", "map reading", "glass blowing", "shadow plays", "rope climbing", "tea ceremonies",
	}
}

// preference asks what somebody would pick from a programme, or avoid.
func preference(s *simulator, pieces int) (Item, error) {
	if pieces < 4 {
		who, drawn, err := s.personWithoutTaste(4)
		return s.explicit(who, drawn), err
	}
	choices := min(max(pieces-1, 3), len(kinds())-3)
	who, drawn, err := s.personWithoutTaste(choices + 3)
	return s.implicit(who, drawn, choices), err
}

// personWithoutTaste returns a person and n kinds without a stated preference, and marks
// the kinds as used.
func (s *simulator) personWithoutTaste(n int) (Person, []string, error) {
	for _, i := range s.rnd.Perm(len(s.people)) {
		name := s.people[i].Name
		left := slices.DeleteFunc(kinds(), func(k string) bool { return s.taken[name+"/"+k] })
		if len(left) < n {
			continue
		}
		drawn := weights.Sample(s.rnd, left, n)
		for _, k := range drawn {
			s.taken[name+"/"+k] = true
		}
		return s.people[i], drawn, nil
	}
	return Person{}, make([]string, n), fmt.Errorf("nobody is left of whom %d preferences are not known yet; ask for fewer items of preferences or for more people", n)
}

// programme returns a picture with entries of the kinds in random order.
func (s *simulator) programme(of []string) (Unit, []string) {
	e := &Picture{Kind: Poster, Title: "Programme of " + s.place(), Columns: []string{"entry", "kind"}}
	names := make([]string, len(of))
	for i := range of {
		names[i] = s.namer.pickName([]string{"Session", "Meetup", "Hour", "Round", "Gathering", "Event"})
	}
	for _, i := range s.rnd.Perm(len(of)) {
		e.Rows = append(e.Rows, []string{names[i], of[i]})
	}
	return Unit{Home: s.pictureHome(), Role: schemas.RoleClue, Picture: e, Title: e.Title}, names
}

// explicit states a preference in a profile or a chat.
func (s *simulator) explicit(who Person, drawn []string) Item {
	likes, avoids := [2]string{drawn[1], drawn[2]}, drawn[0]
	poster, names := s.programme([]string{avoids, likes[0], likes[1], drawn[3]})
	said := Unit{Home: HomeChat, Role: schemas.RoleClue, Text: s.sayTaste(likes, avoids), Speaker: who.Name}
	if s.inDocument() {
		said.Home, said.Text = HomeProfile, s.writeTaste(who.Name, likes, avoids)
	}
	return Item{
		Variant: Explicit, Ask: s.word(wordings.Avoided, map[string]string{"who": who.Name}), Explanation: who.Name + " stays away from " + avoids + ".",
		Units:   []Unit{poster, said},
		Options: names, About: []string{who.Name},
	}
}

// implicit shows a preference by choices only: each of four kinds is preferred to the
// next, over kinds between them if there are more choices. Two further choices extend
// both ends, so that each kind is taken once and left once, and a reader who misses one
// choice finds two unbeaten kinds.
func (s *simulator) implicit(who Person, drawn []string, choices int) Item {
	spare, ends := drawn[4:len(drawn)-2], drawn[len(drawn)-2:]
	poster, names := s.programme(drawn[:4])
	item := Item{
		Variant: Implicit, Ask: s.word(wordings.Preferred, map[string]string{"who": who.Name}), Explanation: "Taken together, the choices of " + who.Name + " put " + drawn[0] + " before " + drawn[1] + ", " + drawn[2] + " and " + drawn[3] + ".",
		Units: []Unit{poster}, Options: names, About: []string{who.Name},
	}
	chose := func(role, taken, left string) Unit {
		return Unit{Home: HomeChat, Role: role, Text: s.sayChoice(taken, left), Speaker: who.Name}
	}
	from := drawn[0]
	for i, links := range splitEvenly(choices, 3) {
		for n := range links {
			to := drawn[i+1]
			if n < links-1 {
				to, spare = spare[0], spare[1:]
			}
			item.Units = append(item.Units, chose(schemas.RoleClue, from, to))
			from = to
		}
	}
	for _, told := range []Unit{chose("", ends[0], drawn[0]), chose("", drawn[3], ends[1])} {
		s.addMisleading([]int{1 + s.rnd.IntN(choices)}, told)
	}
	return item
}

// splitEvenly parts a number as evenly as can be.
func splitEvenly(sum, parts int) []int {
	out := make([]int, parts)
	for i := range sum {
		out[i%parts]++
	}
	return out
}
