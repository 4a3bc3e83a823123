package simulate

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/stages/visual/scene"
)

// visitState is the state of a simulation of places that are visited repeatedly: the
// looks of their things, and the plan of changes from visit to visit.
type visitState struct {
	rnd   *rand.Rand
	world *simulation.Timeline
	// deck has the next patterns of change, so that all occur equally often.
	deck    []string
	courses map[simulation.Key][]string
	words   words
	// commonLook is copied to the look of every thing.
	commonLook map[string]string
	err        error
}

func newVisitState(rnd *rand.Rand, w words) *visitState {
	return &visitState{rnd: rnd, world: new(simulation.Timeline), courses: map[simulation.Key][]string{}, words: w}
}

// plot returns the plot of a number of pictures of one size.
func (s *visitState) plot(profile map[string]string, pictures int, picture func(at int) scene.Scene) (Plot, error) {
	p := Plot{Profile: profile, World: s.world, Pools: s.words.pools()}
	for at := range pictures {
		shown := picture(at)
		shown.Width, shown.Height, shown.Seed = 1024, 768, s.rnd.Uint32()
		p.Scenes = append(p.Scenes, shown)
	}
	return p, s.err
}

// thing returns a thing with the common look, and further keys and values in turn.
func (s *visitState) thing(kind, name string, box [4]int, more ...string) scene.Thing {
	return scene.Thing{Kind: kind, Name: name, Box: box, Look: s.look(more...)}
}

// look returns the common look with further keys and values in turn.
func (s *visitState) look(more ...string) map[string]string {
	look := map[string]string{}
	maps.Copy(look, s.commonLook)
	for i := 0; i+1 < len(more); i += 2 {
		look[more[i]] = more[i+1]
	}
	return look
}

func (s *visitState) nextPattern() string {
	if len(s.deck) == 0 {
		s.deck = []string{simulation.Steady, simulation.Override, simulation.StaleMajority, simulation.Reversal, simulation.Override, simulation.StaleMajority, simulation.Reversal}
		s.rnd.Shuffle(len(s.deck), func(i, j int) { s.deck[i], s.deck[j] = s.deck[j], s.deck[i] })
	}
	next := s.deck[0]
	s.deck = s.deck[1:]
	return next
}

// pickCourse picks the values of a key at each visit, by the next pattern that as many
// visits can show.
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

// plan plans an aspect of a thing over the visits.
func (s *visitState) plan(name, aspect string, pool []string, visits int) {
	s.courses[newKey(name, aspect)] = s.pickCourse(pool, visits)
}

// planApart plans an aspect of several things so that no two have one value at a visit:
// each has a part of the pool, and two swap values now and then, at least once.
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
		one, another := s.courses[newKey(names[two[0]], aspect)], s.courses[newKey(names[two[1]], aspect)]
		for i := from; i < visits; i++ {
			one[i], another[i] = another[i], one[i]
		}
	}
}

// planPairs plans an aspect of one thing so that most values are seen at two random
// visits.
func (s *visitState) planPairs(name, aspect string, pool []string, visits int) {
	drawn := sample(s.rnd, pool, len(pool))
	out := make([]string, visits)
	for i := range out {
		out[i] = drawn[i/2%len(drawn)]
	}
	s.rnd.Shuffle(visits, func(i, j int) { out[i], out[j] = out[j], out[i] })
	s.courses[newKey(name, aspect)] = out
}

// showPlanned lets a thing tell aspects with the values planned for a visit.
func (s *visitState) showPlanned(at, visit int, t scene.Thing, tells ...string) scene.Thing {
	for _, aspect := range tells {
		t = s.show(at, t, aspect, s.courses[newKey(t.Name, aspect)][visit])
	}
	return t
}

// show lets a thing tell an aspect with a value, which the world has from this picture
// on.
func (s *visitState) show(at int, t scene.Thing, aspect, value string) scene.Thing {
	t.Look[aspect] = value
	t.Tells = append(slices.Clone(t.Tells), aspect)
	s.set(at, t.Name, aspect, value)
	return t
}

func (s *visitState) set(at int, name, aspect, value string) {
	if err := s.world.Set(at, newKey(name, aspect), value); err != nil && s.err == nil {
		s.err = err
	}
}

// spots says where each of some movable things is, "" if it is away. No two share a
// spot.
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

func (s spots) free() []string {
	var out []string
	for _, p := range s.places {
		if !slices.ContainsFunc(s.names, func(n string) bool { return s.at[n] == p }) {
			out = append(out, p)
		}
	}
	return out
}

// move changes something: what is away comes back elsewhere, something goes away, or
// two swap. At most one is away at a time.
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

// shift moves one thing to a free place, or swaps two; none goes away.
func (s spots) shift(rnd *rand.Rand) {
	one := pick(rnd, s.names)
	if free := s.free(); len(free) > 0 && rnd.IntN(3) == 0 {
		s.at[one] = pick(rnd, free)
		return
	}
	s.swap(one, pickOther(rnd, s.names, one))
}

func (s spots) swap(a, b string) { s.at[a], s.at[b] = s.at[b], s.at[a] }

// assignVisits returns for each picture its kind and how many of the kind precede it.
// Kinds come in rounds, each in an order of its own.
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

// numbers are the whole numbers from one to another, as text.
func numbers(from, to int) []string {
	var out []string
	for n := from; n <= to; n++ {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

func newKey(name, aspect string) simulation.Key { return simulation.Key{Entity: name, Aspect: aspect} }

// sightingState is a visitState for things that are seen now and then rather than at
// every visit: their plans advance each time they are seen.
type sightingState struct {
	*visitState
	plannedSightings map[string]int // how many there will be, by entity
	shown            map[simulation.Key]int
}

func newSightingState(rnd *rand.Rand, w words) sightingState {
	return sightingState{visitState: newVisitState(rnd, w), plannedSightings: map[string]int{}, shown: map[simulation.Key]int{}}
}

// nextValue returns what the next sighting of an entity shows of an aspect.
func (s sightingState) nextValue(entity, aspect string, from []string) string {
	k := newKey(entity, aspect)
	if _, planned := s.courses[k]; !planned {
		s.plan(entity, aspect, from, s.plannedSightings[entity])
	}
	s.shown[k]++
	return s.courses[k][s.shown[k]-1]
}

// record sets in the world what a scene tells, from its moment on.
func (s sightingState) record(at int, shown scene.Scene) error {
	for _, t := range shown.NamedThings() {
		for _, a := range t.Tells {
			s.set(at, t.Name, a, t.Look[a])
		}
	}
	for _, name := range shown.Absent {
		s.set(at, name, scene.Place, "")
	}
	if s.err != nil {
		return fmt.Errorf("picture %d: %w", at, s.err)
	}
	return nil
}

// marked returns a name with each of some marks.
func marked(name, marks string) []string {
	return named(name, strings.Split(marks, ""), "")
}

// named returns names with something before and after each.
func named(before string, names []string, after string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = before + n + after
	}
	return out
}

// plot returns the plot of a number of pictures.
func (s sightingState) plot(profile map[string]string, pictures int, picture func(at int) scene.Scene) (Plot, error) {
	p := Plot{Profile: profile, World: s.world, Pools: s.words.pools()}
	for at := range pictures {
		shown := picture(at)
		if err := s.record(at, shown); err != nil {
			return Plot{}, err
		}
		p.Scenes = append(p.Scenes, shown)
	}
	return p, nil
}
