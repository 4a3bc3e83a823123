package simulate

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	world "github.com/memforge/memforge/pipeline/kit/simulation"
)

// keyState is the current value of a key.
type keyState struct {
	value, also string
	gone        bool
	used        []string
	lastSession int // the session that changed it last
}

// simulator builds a world.
type simulator struct {
	rnd        *rand.Rand
	domain     domain
	size       Size
	world      World
	things     []string
	mains      int
	untoldKeys []world.Key // keys that are to be told and were not yet
	keys       []world.Key // told keys in the order in which they were told
	state      map[world.Key]*keyState
	shown      map[string]int // session of the last picture of a thing
	charts     map[string]bool
	unshown    map[string]string // the aspect that the pictures of a thing leave out
	months     []string          // that charts show, the same on all
	// knownNames are the given names and surnames that somebody has.
	knownNames map[string]bool
	round      int
	// diary is the thing that visits of a seeded life are told of.
	diary string
}

func newSimulator(rnd *rand.Rand, d domain, size Size) *simulator {
	s := &simulator{rnd: rnd, domain: d, size: size, state: map[world.Key]*keyState{}, shown: map[string]int{}, charts: map[string]bool{}, unshown: map[string]string{}, knownNames: map[string]bool{}}
	s.world = World{Domain: d.name, Person: s.pickValue(poolPerson), Sessions: []Session{{Arc: d.main[0], Main: true, EventType: "bootstrap", OnMainLine: true}}}
	names := strings.Fields(`Larkspur Falcon Meridian Juniper Cobalt Harbour Lantern Orchard Pebble Quartz Raven Saffron Tundra Umber Willow
Zephyr Amber Birch Cedar Delta Ember Fjord Granite Heron Indigo Jasper Kestrel Lotus Maple Nimbus Opal Pine Quill Russet Sable Thistle
Ursa Velvet Walnut Yarn Aurora Basil Comet Dune Echo Fern Glacier Hazel Iris Jade`)
	rnd.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	n := min(len(names), 5+size.Sessions*size.Facts/12)
	for i := range n {
		k := i % len(d.kinds)
		s.things = append(s.things, "the "+names[i]+" "+d.kinds[k])
		if k < d.mains {
			s.mains++
		}
	}
	s.world.Things = slices.Clone(s.things)
	for _, t := range s.things {
		told := slices.Clone(d.told)
		unsaid := rnd.IntN(len(told))
		s.world.Unsaid = append(s.world.Unsaid, world.Key{Entity: t, Aspect: told[unsaid].name})
		if d.regime == "" {
			s.unshown[t] = pick(rnd, slices.DeleteFunc(slices.Clone(d.shown), aspect.isPermanent)).name
			s.world.Unsaid = append(s.world.Unsaid, world.Key{Entity: t, Aspect: s.unshown[t]})
		}
		told = slices.Delete(told, unsaid, unsaid+1)
		for _, a := range told {
			s.untoldKeys = append(s.untoldKeys, world.Key{Entity: t, Aspect: a.name})
		}
	}
	s.orderUntold()
	return s
}

// nearby is within how many facts the second aspect of a kind is told of a thing, as long as
// nothing changes between.
const nearby = 5

// orderUntold shuffles what is to be told, so that two aspects of a kind come near each
// other: what is asked of one has the value of the other as a wrong answer.
func (s *simulator) orderUntold() {
	kinds := map[[2]string][]world.Key{}
	var order [][2]string
	for _, k := range s.untoldKeys {
		of := [2]string{k.Entity, s.domain.pool(k.Aspect)}
		if kinds[of] == nil {
			order = append(order, of)
		}
		kinds[of] = append(kinds[of], k)
	}
	s.rnd.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	s.untoldKeys = nil
	for _, of := range order {
		s.untoldKeys = append(s.untoldKeys, kinds[of]...)
	}
	for i := range s.untoldKeys {
		j := min(i+s.rnd.IntN(nearby), len(s.untoldKeys)-1)
		s.untoldKeys[i], s.untoldKeys[j] = s.untoldKeys[j], s.untoldKeys[i]
	}
}

// emit adds an event to the round and applies it to the state.
func (s *simulator) emit(e Event) {
	e.Session, e.Round = len(s.world.Sessions)-1, s.round
	s.world.Events = append(s.world.Events, e)
	if Interferes(e.Op) || Silent(e.Op) || e.Op == OpTagRule || e.Op == OpHourRule {
		return
	}
	h := s.state[e.Key]
	if h == nil {
		h = &keyState{}
		s.state[e.Key] = h
	}
	h.value, h.also, h.gone, h.lastSession = e.Value, e.Also, e.Op == OpDelete, e.Session
	h.used = append(h.used, e.Value, e.Also)
}

func (s *simulator) addBootstrap() {
	for _, a := range aboutPerson() {
		k := world.Key{Entity: s.world.Person, Aspect: a.name}
		s.emit(Event{Op: OpAppend, Key: k, Value: s.pickValue(a.pool), Picture: -1})
		s.keys = append(s.keys, k)
		s.round++
	}
	s.world.Sessions[0].Rounds = s.round
}

// addSession adds a session: visits first, then facts, pictures and interference in mixed
// order; rules are taught early.
func (s *simulator) addSession(n int, date string, visits ...Visit) {
	s.world.Sessions = append(s.world.Sessions, Session{Date: date})
	s.round = 0
	var acts []func() bool
	for range s.size.Facts {
		acts = append(acts, s.addFact)
	}
	for range s.size.Pictures {
		acts = append(acts, s.addPicture)
	}
	for range s.size.Chatter {
		acts = append(acts, func() bool { return true })
	}
	switch n {
	case 1:
		acts = append(acts, s.teachTagRule)
	case 2:
		acts = append(acts, s.teachHourRule)
	}
	s.rnd.Shuffle(len(acts), func(i, j int) { acts[i], acts[j] = acts[j], acts[i] })
	for range s.size.Interference { // after something that it can be taken for
		acts = slices.Insert(acts, min(len(acts), 2+s.rnd.IntN(len(acts))), s.addInterference)
	}
	from := len(s.world.Events)
	for _, v := range visits {
		s.addVisit(v)
		s.round++
	}
	for _, do := range acts {
		if do() {
			s.round++
		}
	}
	s.describeSession(s.world.Events[from:])
}

func (s *simulator) describeSession(events []Event) {
	main, story, changes := 0, false, 0
	for _, e := range events {
		i := slices.Index(s.things, e.Key.Entity)
		mains := i >= 0 && i%len(s.domain.kinds) < s.domain.mains || s.diary != "" && e.Key.Entity == s.diary
		if mains && !Interferes(e.Op) {
			main++
			story = story || i <= 0
		}
		if e.Old != "" && !Interferes(e.Op) {
			changes++
		}
	}
	at := &s.world.Sessions[len(s.world.Sessions)-1]
	at.Rounds, at.Main = s.round, 2*main >= len(events)
	// The main line is that of the first thing, or of the diary.
	at.OnMainLine = at.Main && story
	arcs := s.domain.side
	if at.Main {
		arcs = s.domain.main
	}
	at.Arc = pick(s.rnd, arcs)
	at.EventType = "progress"
	if changes > s.size.Facts/2 {
		at.EventType = "change"
	}
}

func (s *simulator) teachTagRule() bool {
	rule := pickTagFormat(s.rnd)
	s.emit(Event{Op: OpTagRule, Key: world.Key{Entity: "rule", Aspect: "tags"}, Value: rule.String(), Tag: &rule, Picture: -1})
	return true
}

func (s *simulator) teachHourRule() bool {
	e := Event{Op: OpHourRule, Key: world.Key{Entity: "rule", Aspect: "hours"}, Picture: -1}
	step, more := pickHours(s.rnd)
	e.Value, e.Also = strconv.Itoa(step), strconv.Itoa(more)
	s.emit(e)
	return true
}

// pickHours draws a rule for quoted hours: up to a multiple of what, and how many more.
func pickHours(rnd *rand.Rand) (step, more int) { return 3 + rnd.IntN(5), 1 + rnd.IntN(4) }

// PickOtherHours draws numbers that the rule for quoted hours could have in place of two.
func PickOtherHours(rnd *rand.Rand, step, more int) (otherStep, otherMore int) {
	for otherStep = step; otherStep == step; {
		otherStep, _ = pickHours(rnd)
	}
	for otherMore = more; otherMore == more; {
		_, otherMore = pickHours(rnd)
	}
	return otherStep, otherMore
}

func (s *simulator) addFact() bool {
	if s.rnd.IntN(100) < 45 && s.changeFact() {
		return true
	}
	if len(s.untoldKeys) == 0 {
		return s.changeFact()
	}
	k := s.untoldKeys[0]
	s.untoldKeys = s.untoldKeys[1:]
	s.keys = append(s.keys, k)
	s.emitGuised(Event{Op: OpAppend, Key: k, Value: s.pickValue(poolOf(s.domain.name, k.Aspect)), Picture: -1})
	return true
}

// settled is for how many sessions what holds of the person stays: people do not move every week.
const settled = 5

// changeFact changes a key that no event of this session touched.
func (s *simulator) changeFact() bool {
	now := len(s.world.Sessions) - 1
	var can []world.Key
	for _, k := range s.keys {
		if h := s.state[k]; !h.gone && h.lastSession < now && (k.Entity != s.world.Person || now-h.lastSession >= settled && s.rnd.IntN(2) == 0) {
			can = append(can, k)
		}
	}
	if len(can) == 0 {
		return false
	}
	k := pick(s.rnd, can)
	h, pool := s.state[k], poolOf(s.domain.name, k.Aspect)
	e := Event{Op: OpRevise, Key: k, Old: h.value, Picture: -1}
	e.Value = s.pickValue(pool, h.used...)
	switch luck := s.rnd.IntN(100); {
	case h.also != "":
		e.Op, e.Value, e.Old = OpMerge, pick(s.rnd, []string{h.value, h.also}), h.value+" and "+h.also
	case luck < 22 && pool == poolPerson && k.Entity != s.world.Person:
		if e.Also = s.pickSecondHolder(e.Value, h.used); e.Also != "" {
			e.Op = OpSplit
		}
	case luck < 32 && k.Entity != s.world.Person:
		e.Op, e.Value = OpDelete, ""
	}
	s.emitGuised(e)
	return true
}

// widest is how many letters a row of a screen has room for.
const widest = 24

// pickSecondHolder picks a person to share a task. Screens show both names in a row, so
// names must be short where an agent acts; it is "" if none fits.
func (s *simulator) pickSecondHolder(first string, used []string) string {
	for range 12 {
		also := s.pickStranger(append(used, first)...)
		if s.domain.regime == "" || len(first+" and "+also) <= widest {
			s.noteName(also)
			return also
		}
	}
	return ""
}

// guisedShare is how many of a hundred facts are told in the words of what makes nothing true:
// enough that of the turns with any such word more hold than not.
const guisedShare = 32

// emitGuised emits an event, sometimes in the words of an interference. Facts about
// oneself are told plainly, and agents act instead of telling.
func (s *simulator) emitGuised(e Event) {
	plain := e.Op != OpAppend && e.Op != OpRevise || s.domain.regime != "" || e.Key.Entity == s.world.Person
	if plain || s.rnd.IntN(100) >= guisedShare {
		s.emit(e)
		return
	}
	// the more recognisable kinds come more often
	e.Guise = pick(s.rnd, []string{OpJoke, OpJoke, OpHearsay, OpHearsay, OpAffair, OpAffair, OpPlan, OpPlan, OpSlip, OpPast, OpPast, OpPast})
	if e.Guise == OpJoke || e.Guise == OpAffair {
		e.Who = s.pickValue(poolPerson, e.Value, e.Old)
	}
	s.emit(e)
	if e.Guise == OpSlip {
		s.repeatRound(OpConfirm, e.Key)
	}
}

// repeatRound adds a round that speaks again of what the round before told.
func (s *simulator) repeatRound(op string, k world.Key) {
	s.round++
	s.emit(Event{Op: op, Key: k, Picture: -1})
}

// addInterference adds a misleading statement about a key that holds; half of the time
// about one with several statements, so that the first is not always right.
func (s *simulator) addInterference() bool {
	var can, rich []world.Key
	for _, k := range s.keys {
		// a ticket has one value for each field
		changed := s.domain.regime != "" && s.state[k].lastSession == len(s.world.Sessions)-1
		if h := s.state[k]; !h.gone && h.also == "" && k.Entity != s.world.Person && !changed {
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

func (s *simulator) addMisleading(k world.Key) {
	// slips and old lists have the fewest words of their own and come twice as often
	kinds := []string{OpJoke, OpHearsay, OpAffair, OpPlan, OpSlip, OpSlip, OpPast, OpPast}
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
	if s.domain.regime != "" {
		h.lastSession = len(s.world.Sessions) - 1
	}
	if e.Op == OpSlip {
		s.repeatRound(OpRetract, k)
	}
}

// addPicture shows a thing for the first time, or again with changes.
func (s *simulator) addPicture() bool {
	now := len(s.world.Sessions) - 1
	var known, fresh []string
	for _, t := range s.things {
		if last, seen := s.shown[t]; seen && last < now {
			known = append(known, t)
		} else if !seen {
			fresh = append(fresh, t)
		}
	}
	switch {
	case len(known) > 0 && (len(fresh) == 0 || s.rnd.IntN(100) < 45):
		s.showThing(pick(s.rnd, known))
	case len(fresh) > 0:
		s.showThing(pick(s.rnd, fresh))
	default:
		return false
	}
	return true
}

// showThing adds the picture of a thing and its events.
func (s *simulator) showThing(thing string) {
	at := len(s.world.Pictures)
	x := Picture{Thing: thing, Title: thing[len("the "):], Hidden: s.isHidden(thing), Session: len(s.world.Sessions) - 1, Round: s.round}
	_, again := s.shown[thing]
	aspects := s.pictureAspects(thing, again, &x)
	s.shown[thing] = len(s.world.Sessions) - 1
	s.emit(Event{Op: OpShow, Key: world.Key{Entity: thing}, Picture: at})
	changed := pick(s.rnd, slices.DeleteFunc(slices.Clone(aspects), aspect.isPermanent))
	for _, a := range aspects {
		k := world.Key{Entity: thing, Aspect: a.name}
		h := s.state[k]
		switch {
		case h == nil:
			s.emit(Event{Op: OpAppend, Key: k, Value: s.pickValue(a.pool), Picture: at})
		case a == changed, !a.isPermanent() && s.rnd.IntN(3) == 0:
			s.emit(Event{Op: OpRevise, Key: k, Old: h.value, Value: s.pickValue(a.pool, h.used...), Picture: at})
		}
		x.Rows = append(x.Rows, [2]string{a.name, s.state[k].value})
	}
	s.world.Pictures = append(s.world.Pictures, x)
}

// isHidden reports whether no caption tells what the pictures of a thing show: of three
// things in four. What the captions of the fourth tell is not asked of its pictures.
func (s *simulator) isHidden(thing string) bool { return slices.Index(s.things, thing)%4 != 3 }

// pictureAspects returns what a picture of a thing shows. All pictures of a thing have
// one kind.
func (s *simulator) pictureAspects(thing string, again bool, x *Picture) []aspect {
	if s.domain.regime != "" {
		x.Kind, x.App = Screen, s.domain.name
		return s.domain.shown
	}
	if !again && s.rnd.IntN(3) == 0 {
		s.charts[thing] = true
	}
	if !s.charts[thing] {
		x.Kind = []string{Card, Sheet}[slices.Index(s.things, thing)%2]
		return slices.DeleteFunc(slices.Clone(s.domain.shown), func(a aspect) bool { return a.name == s.unshown[thing] })
	}
	if len(s.months) == 0 {
		s.months = monthsOver(s.world.Sessions[len(s.world.Sessions)-1].Date)
	}
	x.Kind = Chart
	var out []aspect
	for _, m := range s.months {
		out = append(out, aspect{hoursIn(m), poolHours})
	}
	return out
}

// charted is how many months a chart shows.
const charted = 4

// monthsOver returns the last months that have ended on a valid date: no hours are
// reported for a month to come.
func monthsOver(date string) []string {
	all := months()
	day, _ := time.Parse(time.DateOnly, date)
	var out []string
	for back := charted; back > 0; back-- {
		out = append(out, all[(int(day.Month())-1-back+len(all))%len(all)])
	}
	return out
}

// CorrectsChart reports whether the picture of an event is a chart that shows hours of months
// otherwise than one before it. These months are over, so that it takes a correction.
func (w World) CorrectsChart(e Event) bool {
	return e.Picture >= 0 && w.Pictures[e.Picture].Kind == Chart && slices.ContainsFunc(w.Events, func(o Event) bool { return o.Picture == e.Picture && o.Op == OpRevise })
}
