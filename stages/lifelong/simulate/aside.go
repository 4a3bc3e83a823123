package simulate

import (
	"slices"

	world "github.com/memforge/memforge/pipeline/kit/simulation"
)

// guised is how many of a hundred facts are told in the words of what makes nothing true:
// enough that of the turns with any such word more hold than not.
const guised = 32

// guises are the interferences in whose words facts are told, those most often that one
// knows by their words.
func guises() []string {
	return []string{Joke, Joke, Hearsay, Hearsay, Affair, Affair, Plan, Plan, Slip, Past, Past, Past}
}

// asides are the kinds of interference that come up where people talk. Slips and
// old lists, which have the fewest words of their own, come up twice as often.
func asides() []string { return []string{Joke, Hearsay, Affair, Plan, Slip, Slip, Past, Past} }

// say makes an event hold, some in the words of an interference. What somebody says of
// themselves is said plainly, and what an agent does is done and not said.
func (s *simulation) say(e Event) {
	plain := e.Op != Append && e.Op != Revise || s.d.regime != "" || e.Key.Entity == s.out.Person
	if plain || s.rnd.IntN(100) >= guised {
		s.emit(e)
		return
	}
	e.Guise = pick(s.rnd, guises())
	if e.Guise == Joke || e.Guise == Affair {
		e.Who = s.draw(poolPerson, e.Value, e.Old)
	}
	s.emit(e)
	if e.Guise == Slip {
		s.again(Confirm, e.Key)
	}
}

// again adds a round in which what was told in the one before is spoken of once more.
func (s *simulation) again(op string, k world.Key) {
	s.round++
	s.emit(Event{Op: op, Key: k, Picture: -1})
}

// interference says what looks like a fact about a key that holds, half of the time one
// of which more than one thing was said: else who believes what was said first is right.
func (s *simulation) interference() bool {
	var can, rich []world.Key
	for _, k := range s.keys {
		if h := s.state[k]; !h.gone && h.also == "" && k.Entity != s.out.Person {
			can = append(can, k)
			if len(h.used) > 2 {
				rich = append(rich, k)
			}
		}
	}
	if len(can) == 0 {
		return false
	}
	if len(rich) > 0 && s.rnd.IntN(2) == 0 {
		can = rich
	}
	k := pick(s.rnd, can)
	// where more was said, what holds is harder to tell
	if also := pick(s.rnd, can); len(s.state[also].used) > len(s.state[k].used) {
		k = also
	}
	s.mislead(k)
	return true
}

// mislead adds an interference about a key.
func (s *simulation) mislead(k world.Key) {
	kinds := asides()
	if s.d.regime != "" {
		kinds = slices.DeleteFunc(kinds, func(op string) bool { return op == Slip || op == Past })
	}
	h := s.state[k]
	e := Event{Op: pick(s.rnd, kinds), Key: k, Old: h.value, Picture: -1}
	e.Value = s.draw(poolOf(s.d.name, k.Aspect), h.used...)
	if e.Op == Joke || e.Op == Affair {
		e.Who = s.draw(poolPerson, e.Value, e.Old)
	}
	h.used = append(h.used, e.Value)
	s.emit(e)
	if e.Op == Slip {
		s.again(Retract, k)
	}
}
