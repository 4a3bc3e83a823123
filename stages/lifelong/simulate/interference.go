package simulate

import (
	"slices"

	world "github.com/memforge/memforge/pipeline/kit/simulation"
)

// guisedShare is how many of a hundred facts are told in the words of what makes nothing true:
// enough that of the turns with any such word more hold than not.
const guisedShare = 32

// guises are the interferences in whose words facts are told, those most often that one
// knows by their words.
func guises() []string {
	return []string{OpJoke, OpJoke, OpHearsay, OpHearsay, OpAffair, OpAffair, OpPlan, OpPlan, OpSlip, OpPast, OpPast, OpPast}
}

// asideKinds are the kinds of interference that come up where people talk. Slips and
// old lists, which have the fewest words of their own, come up twice as often.
func asideKinds() []string {
	return []string{OpJoke, OpHearsay, OpAffair, OpPlan, OpSlip, OpSlip, OpPast, OpPast}
}

// emitGuised makes an event hold, some in the words of an interference. What somebody says of
// themselves is said plainly, and what an agent does is done and not said.
func (s *simulator) emitGuised(e Event) {
	plain := e.Op != OpAppend && e.Op != OpRevise || s.domain.regime != "" || e.Key.Entity == s.world.Person
	if plain || s.rnd.IntN(100) >= guisedShare {
		s.emit(e)
		return
	}
	e.Guise = pick(s.rnd, guises())
	if e.Guise == OpJoke || e.Guise == OpAffair {
		e.Who = s.pickValue(poolPerson, e.Value, e.Old)
	}
	s.emit(e)
	if e.Guise == OpSlip {
		s.repeatRound(OpConfirm, e.Key)
	}
}

// repeatRound adds a round in which what was told in the one before is spoken of once more.
func (s *simulator) repeatRound(op string, k world.Key) {
	s.round++
	s.emit(Event{Op: op, Key: k, Picture: -1})
}

// addInterference says what looks like a fact about a key that holds, half of the time one
// of which more than one thing was said: else who believes what was said first is right.
func (s *simulator) addInterference() bool {
	var can, rich []world.Key
	for _, k := range s.keys {
		if h := s.state[k]; !h.gone && h.also == "" && k.Entity != s.world.Person {
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
	s.addMisleading(k)
	return true
}

// addMisleading adds an interference about a key.
func (s *simulator) addMisleading(k world.Key) {
	kinds := asideKinds()
	if s.domain.regime != "" {
		kinds = slices.DeleteFunc(kinds, func(op string) bool { return op == OpSlip || op == OpPast })
	}
	h := s.state[k]
	e := Event{Op: pick(s.rnd, kinds), Key: k, Old: h.value, Picture: -1}
	e.Value = s.pickValue(poolOf(s.domain.name, k.Aspect), h.used...)
	if e.Op == OpJoke || e.Op == OpAffair {
		e.Who = s.pickValue(poolPerson, e.Value, e.Old)
	}
	h.used = append(h.used, e.Value)
	s.emit(e)
	if e.Op == OpSlip {
		s.repeatRound(OpRetract, k)
	}
}
