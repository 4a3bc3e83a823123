package simulate

import (
	"math/rand/v2"
	"slices"
	"strconv"

	world "github.com/memforge/memforge/pipeline/kit/simulation"
)

// held is how a key stands.
type held struct {
	value, also string
	gone        bool
	used        []string
	touched     int // the session that changed it last
}

// simulation is a world on its way.
type simulation struct {
	rnd    *rand.Rand
	d      domain
	size   Size
	out    World
	things []string
	mains  int
	fresh  []world.Key // told keys that nobody has told yet
	keys   []world.Key // told keys in the order in which they were told
	state  map[world.Key]*held
	shown  map[string]int // session of the last picture of a thing
	charts map[string]bool
	months []string // that charts show, the same on all
	// cast are the given names and surnames that somebody has.
	cast  map[string]bool
	round int
	// diary is the thing that visits of a seeded life are told of.
	diary string
}

func newSimulation(rnd *rand.Rand, d domain, size Size) *simulation {
	s := &simulation{rnd: rnd, d: d, size: size, state: map[world.Key]*held{}, shown: map[string]int{}, charts: map[string]bool{}, cast: map[string]bool{}}
	s.out = World{Domain: d.name, Person: s.draw(poolPerson), Sessions: []Session{{Arc: d.main[0], Main: true, EventType: "bootstrap", OnMainLine: true}}}
	names := properNames()
	rnd.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	n := min(len(names), 5+size.Sessions*size.Facts/12)
	for i := range n {
		k := i % len(d.kinds)
		s.things = append(s.things, "the "+names[i]+" "+d.kinds[k])
		if k < d.mains {
			s.mains++
		}
	}
	s.out.Things = slices.Clone(s.things)
	for _, t := range s.things {
		unsaid := rnd.IntN(len(d.told))
		for i, a := range d.told {
			k := world.Key{Entity: t, Aspect: a.name}
			if i == unsaid {
				s.out.Unsaid = append(s.out.Unsaid, k)
			} else {
				s.fresh = append(s.fresh, k)
			}
		}
	}
	rnd.Shuffle(len(s.fresh), func(i, j int) { s.fresh[i], s.fresh[j] = s.fresh[j], s.fresh[i] })
	return s
}

// emit adds an event of the round and makes it hold.
func (s *simulation) emit(e Event) {
	e.Session, e.Round = len(s.out.Sessions)-1, s.round
	s.out.Events = append(s.out.Events, e)
	if Interferes(e.Op) || Silent(e.Op) || e.Op == TagRule || e.Op == HourRule {
		return
	}
	h := s.state[e.Key]
	if h == nil {
		h = &held{}
		s.state[e.Key] = h
	}
	h.value, h.also, h.gone, h.touched = e.Value, e.Also, e.Op == Delete, e.Session
	h.used = append(h.used, e.Value, e.Also)
}

func (s *simulation) bootstrap() {
	for _, a := range about() {
		k := world.Key{Entity: s.out.Person, Aspect: a.name}
		s.emit(Event{Op: Append, Key: k, Value: s.draw(a.pool), Picture: -1})
		s.keys = append(s.keys, k)
		s.round++
	}
	s.out.Sessions[0].Rounds = s.round
}

// session adds a session: its facts, pictures and interference in mixed order, with
// what is taught early on. Visits come first, in their order.
func (s *simulation) session(n int, date string, visits ...Visit) {
	s.out.Sessions = append(s.out.Sessions, Session{Date: date})
	s.round = 0
	var acts []func() bool
	for range s.size.Facts {
		acts = append(acts, s.fact)
	}
	for range s.size.Pictures {
		acts = append(acts, s.picture)
	}
	for range s.size.Chatter {
		acts = append(acts, func() bool { return true })
	}
	switch n {
	case 1:
		acts = append(acts, s.tagRule)
	case 2:
		acts = append(acts, s.hourRule)
	}
	s.rnd.Shuffle(len(acts), func(i, j int) { acts[i], acts[j] = acts[j], acts[i] })
	for range s.size.Interference { // after something that it can be taken for
		acts = slices.Insert(acts, min(len(acts), 2+s.rnd.IntN(len(acts))), s.interference)
	}
	from := len(s.out.Events)
	for _, v := range visits {
		s.visit(v)
		s.round++
	}
	for _, do := range acts {
		if do() {
			s.round++
		}
	}
	s.describe(s.out.Events[from:])
}

// describe says what kind of session it was.
func (s *simulation) describe(events []Event) {
	main, story, changes := 0, false, 0
	for _, e := range events {
		i := slices.Index(s.things, e.Key.Entity)
		mains := i >= 0 && i%len(s.d.kinds) < s.d.mains || s.diary != "" && e.Key.Entity == s.diary
		if mains && !Interferes(e.Op) {
			main++
			story = story || i <= 0
		}
		if e.Old != "" && !Interferes(e.Op) {
			changes++
		}
	}
	at := &s.out.Sessions[len(s.out.Sessions)-1]
	at.Rounds, at.Main = s.round, 2*main >= len(events)
	// The main line is that of the first thing, or of the diary.
	at.OnMainLine = at.Main && story
	arcs := s.d.side
	if at.Main {
		arcs = s.d.main
	}
	at.Arc = pick(s.rnd, arcs)
	at.EventType = "progress"
	if changes > s.size.Facts/2 {
		at.EventType = "change"
	}
}

func (s *simulation) tagRule() bool {
	rule := newTagging(s.rnd)
	s.emit(Event{Op: TagRule, Key: world.Key{Entity: "rule", Aspect: "tags"}, Value: rule.String(), Tag: &rule, Picture: -1})
	return true
}

func (s *simulation) hourRule() bool {
	e := Event{Op: HourRule, Key: world.Key{Entity: "rule", Aspect: "hours"}, Picture: -1}
	e.Value, e.Also = strconv.Itoa(3+s.rnd.IntN(5)), strconv.Itoa(1+s.rnd.IntN(4))
	s.emit(e)
	return true
}

// fact tells something new, or changes what was told.
func (s *simulation) fact() bool {
	if s.rnd.IntN(100) < 45 && s.change() {
		return true
	}
	if len(s.fresh) == 0 {
		return s.change()
	}
	k := s.fresh[0]
	s.fresh = s.fresh[1:]
	s.keys = append(s.keys, k)
	s.say(Event{Op: Append, Key: k, Value: s.draw(poolOf(s.d.name, k.Aspect)), Picture: -1})
	return true
}

// settled is for how many sessions what holds of the person stays: nobody moves every week.
const settled = 5

// change changes one of the keys that no event of this session touched.
func (s *simulation) change() bool {
	now := len(s.out.Sessions) - 1
	var can []world.Key
	for _, k := range s.keys {
		if h := s.state[k]; !h.gone && h.touched < now && (k.Entity != s.out.Person || now-h.touched >= settled && s.rnd.IntN(2) == 0) {
			can = append(can, k)
		}
	}
	if len(can) == 0 {
		return false
	}
	k := pick(s.rnd, can)
	h, pool := s.state[k], poolOf(s.d.name, k.Aspect)
	e := Event{Op: Revise, Key: k, Old: h.value, Picture: -1}
	e.Value = s.draw(pool, h.used...)
	switch luck := s.rnd.IntN(100); {
	case h.also != "":
		e.Op, e.Value, e.Old = Merge, pick(s.rnd, []string{h.value, h.also}), h.value+" and "+h.also
	case luck < 22 && pool == poolPerson && k.Entity != s.out.Person:
		if e.Also = s.second(e.Value, h.used); e.Also != "" {
			e.Op = Split
		}
	case luck < 32 && k.Entity != s.out.Person:
		e.Op, e.Value = Delete, ""
	}
	s.say(e)
	return true
}

// widest is how many letters a row of a screen has room for.
const widest = 24

// second draws somebody who does half of what another does. Screens show both names in a
// row, so that where an agent acts they must be short; none where no such name came up.
func (s *simulation) second(first string, used []string) string {
	for range 12 {
		also := s.stranger(append(used, first)...)
		if s.d.regime == "" || len(first+" and "+also) <= widest {
			s.meet(also)
			return also
		}
	}
	return ""
}
