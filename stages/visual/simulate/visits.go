package simulate

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/stages/visual/scene"
)

// visitState keeps the state of a simulation of places that are visited again and again:
// what their things look like, and how that changes from visit to visit.
type visitState struct {
	rnd   *rand.Rand
	world *simulation.Timeline
	// deck has the patterns of change that come next, so that all are dealt as often.
	deck    []string
	courses map[simulation.Key][]string
	// commonLook are of all things: what a place keeps from picture to picture.
	commonLook map[string]string
	err        error
}

func newVisitState(rnd *rand.Rand) *visitState {
	return &visitState{rnd: rnd, world: new(simulation.Timeline), courses: map[simulation.Key][]string{}}
}

// thing is one that looks as everything of the place does, and further keys and
// values in turn.
func (s *visitState) thing(kind, name string, box [4]int, more ...string) scene.Thing {
	t := scene.Thing{Kind: kind, Name: name, Box: box, Look: map[string]string{}}
	maps.Copy(t.Look, s.commonLook)
	for i := 0; i+1 < len(more); i += 2 {
		t.Look[more[i]] = more[i+1]
	}
	return t
}

// nextPattern is the next pattern of change.
func (s *visitState) nextPattern() string {
	if len(s.deck) == 0 {
		s.deck = []string{simulation.Steady, simulation.Override, simulation.StaleMajority, simulation.Reversal, simulation.Override, simulation.StaleMajority, simulation.Reversal}
		s.rnd.Shuffle(len(s.deck), func(i, j int) { s.deck[i], s.deck[j] = s.deck[j], s.deck[i] })
	}
	next := s.deck[0]
	s.deck = s.deck[1:]
	return next
}

// pickCourse draws the values that a key has at so many visits, by the next pattern
// that as many visits can show.
func (s *visitState) pickCourse(pool []string, visits int) []string {
	pattern := s.nextPattern()
	a := pick(s.rnd, pool)
	b := pickOther(s.rnd, pool, a)
	turn, back := visits, visits // when b comes, and when a returns
	switch {
	case visits < 2 || pattern == simulation.Steady:
	case pattern == simulation.Reversal && visits > 2:
		turn = 1 + s.rnd.IntN(visits-2)
		back = turn + 1 + s.rnd.IntN(visits-turn-1)
	case pattern == simulation.StaleMajority:
		turn = visits - 1
	default:
		turn = 1 + s.rnd.IntN(visits-1)
	}
	out := make([]string, visits)
	for i := range out {
		out[i] = a
		if i >= turn && i < back {
			out[i] = b
		}
	}
	return out
}

// plan draws how an aspect of a thing goes over so many visits.
func (s *visitState) plan(name, aspect string, pool []string, visits int) {
	s.courses[simulation.Key{Entity: name, Aspect: aspect}] = s.pickCourse(pool, visits)
}

// planApart plans an aspect of several things so that no two have one value at a
// visit: each draws from a part of the pool of its own, and two change places now
// and then, and at least once.
func (s *visitState) planApart(names []string, aspect string, pool []string, visits int) {
	drawn := sample(s.rnd, pool, len(pool))
	share := len(drawn) / len(names)
	for i, n := range names {
		s.plan(n, aspect, drawn[i*share:(i+1)*share], visits)
	}
	if len(names) < 2 || visits < 2 {
		return
	}
	sure := 1 + s.rnd.IntN(visits-1)
	for from := 1; from < visits; from++ {
		if from != sure && s.rnd.IntN(2) > 0 {
			continue
		}
		two := s.rnd.Perm(len(names))
		one, another := s.courses[simulation.Key{Entity: names[two[0]], Aspect: aspect}], s.courses[simulation.Key{Entity: names[two[1]], Aspect: aspect}]
		for i := from; i < visits; i++ {
			one[i], another[i] = another[i], one[i]
		}
	}
}

// planPairs plans an aspect of one thing so that of its values most are seen twice,
// at visits that are drawn.
func (s *visitState) planPairs(name, aspect string, pool []string, visits int) {
	drawn := sample(s.rnd, pool, len(pool))
	out := make([]string, visits)
	for i := range out {
		out[i] = drawn[i/2%len(drawn)]
	}
	s.rnd.Shuffle(visits, func(i, j int) { out[i], out[j] = out[j], out[i] })
	s.courses[simulation.Key{Entity: name, Aspect: aspect}] = out
}

// showPlanned gives a thing the aspects that it tells as they are at a visit, and notes in
// the world that they hold from this picture on.
func (s *visitState) showPlanned(at, visit int, t scene.Thing, tells ...string) scene.Thing {
	if t.Look == nil {
		t.Look = map[string]string{}
	}
	for _, aspect := range tells {
		course := s.courses[simulation.Key{Entity: t.Name, Aspect: aspect}]
		t = s.show(at, t, aspect, course[visit])
	}
	return t
}

// show lets a thing tell an aspect with a value.
func (s *visitState) show(at int, t scene.Thing, aspect, value string) scene.Thing {
	if t.Look == nil {
		t.Look = map[string]string{}
	}
	t.Look[aspect] = value
	t.Tells = append(slices.Clone(t.Tells), aspect)
	s.set(at, t.Name, aspect, value)
	return t
}

func (s *visitState) set(at int, name, aspect, value string) {
	if err := s.world.Set(at, simulation.Key{Entity: name, Aspect: aspect}, value); err != nil && s.err == nil {
		s.err = err
	}
}

// spots is where each of some movable things is: empty where it is away. No two are
// at one spot.
type spots struct {
	names, places []string
	at            map[string]string
}

// newSpots puts every thing somewhere; there must be at least as many places.
func newSpots(rnd *rand.Rand, names, places []string) spots {
	s := spots{names: names, places: places, at: map[string]string{}}
	for i, p := range rnd.Perm(len(places))[:len(names)] {
		s.at[names[i]] = places[p]
	}
	return s
}

// free are the places without a thing.
func (s spots) free() []string {
	var out []string
	for _, p := range s.places {
		taken := false
		for _, n := range s.names {
			taken = taken || s.at[n] == p
		}
		if !taken {
			out = append(out, p)
		}
	}
	return out
}

// move changes something: what is away comes back elsewhere, something goes away, or
// two change places. At most one is away at a time.
func (s spots) move(rnd *rand.Rand) {
	for _, n := range s.names {
		if s.at[n] == "" {
			s.at[n] = pick(rnd, s.free())
			if len(s.names) > 1 && rnd.IntN(2) == 0 {
				s.swap(n, pickOther(rnd, s.names, n))
			}
			return
		}
	}
	one := pick(rnd, s.names)
	if rnd.IntN(2) == 0 || len(s.names) < 2 {
		s.at[one] = ""
		return
	}
	s.swap(one, pickOther(rnd, s.names, one))
}

// shift moves one thing to a place that is free, or lets two change places; none is
// away.
func (s spots) shift(rnd *rand.Rand) {
	one := pick(rnd, s.names)
	if free := s.free(); len(free) > 0 && rnd.IntN(3) == 0 {
		s.at[one] = pick(rnd, free)
		return
	}
	s.swap(one, pickOther(rnd, s.names, one))
}

func (s spots) swap(a, b string) { s.at[a], s.at[b] = s.at[b], s.at[a] }

// assignVisits says for each picture which of so many kinds it is, and how many of the
// kind there were before. Kinds come in rounds, each in an order of its own.
func assignVisits(rnd *rand.Rand, pictures, kinds int) (kind, visit, total []int) {
	total = make([]int, kinds)
	for len(kind) < pictures {
		for _, k := range rnd.Perm(kinds) {
			if len(kind) < pictures {
				kind, visit = append(kind, k), append(visit, total[k])
				total[k]++
			}
		}
	}
	return kind, visit, total
}

// digits are a number for a look.
func digits(n int) string { return strconv.Itoa(n) }

// numbers are those from one to another, for counts.
func numbers(from, to int) []string {
	var out []string
	for n := from; n <= to; n++ {
		out = append(out, digits(n))
	}
	return out
}

// activityKey is what goes on in a room.
func activityKey(name string) simulation.Key { return newKey(name, scene.Activity) }

func newKey(name, aspect string) simulation.Key { return simulation.Key{Entity: name, Aspect: aspect} }
