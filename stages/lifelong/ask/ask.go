// Package ask writes questions about a world at a checkpoint: all eleven types of
// WorldMemArena (table 4), each from the events up to there and from nothing later.
package ask

import (
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/pipeline/world"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/worlds"
)

// Types of questions (WorldMemArena table 4).
const (
	FR  = "fr"
	DU  = "du"
	MB  = "mb"
	MC  = "mc"
	TR  = "tr"
	KR  = "kr"
	TTL = "ttl"
	VFR = "vfr"
	VS  = "vs"
	VU  = "vu"
	CMR = "cmr"
)

// Types lists them.
func Types() []string { return []string{FR, DU, MB, MC, TR, KR, TTL, VFR, VS, VU, CMR} }

// Plain reports whether a type is asked for in the words that the other plain ones are
// asked for in, so that nobody can tell them apart by their form.
func Plain(t string) bool { return slices.Contains([]string{FR, DU, MB, VFR, VU}, t) }

// Piece is an event that a question rests on, and as what.
type Piece struct {
	Event worlds.Event
	Role  string
}

// Draft is a question before it has ids.
type Draft struct {
	Type, Text, Right string
	Wrong             []string
	Pieces            []Piece
	// Fact is the same for questions that ask for the same thing.
	Fact string
	// Updates counts the changes of what is asked about.
	Updates int
	// Outside is the fact of general knowledge that KR takes.
	Outside string
	// Key is what is asked about. For MB, Spoken is the session that spoke of the thing last.
	Key    world.Key
	Spoken int
}

// book is a world as it stands at a checkpoint.
type book struct {
	rnd    *rand.Rand
	w      worlds.World
	upto   int
	keys   []world.Key
	chains map[world.Key][]worlds.Event
	noise  map[world.Key][]worlds.Event
	rules  []worlds.Event
	things []string
	// alike reports whether values of two aspects are of one kind.
	alike func(a, b string) bool
}

// Drafts are questions that can be asked after a session, by type. Their order and
// their wrong options are drawn from the numbers given.
func Drafts(rnd *rand.Rand, w worlds.World, upto int) map[string][]Draft {
	b := &book{rnd: rnd, w: w, upto: upto, chains: map[world.Key][]worlds.Event{}, noise: map[world.Key][]worlds.Event{}, alike: worlds.SameKind(w.Domain)}
	for _, e := range w.Events {
		if e.Session > upto {
			break
		}
		b.note(e)
	}
	out := map[string][]Draft{}
	for _, make := range []func() []Draft{b.values, b.boundary, b.conflicts, b.times, b.countries, b.rulesApplied, b.searches, b.crossings} {
		for _, d := range make() {
			out[d.Type] = append(out[d.Type], d)
		}
	}
	for _, t := range Types() {
		ds := out[t]
		rnd.Shuffle(len(ds), func(i, j int) { ds[i], ds[j] = ds[j], ds[i] })
	}
	return out
}

func (b *book) note(e worlds.Event) {
	switch {
	case e.Op == worlds.TagRule, e.Op == worlds.HourRule:
		b.rules = append(b.rules, e)
	case e.Op == worlds.Show:
	case worlds.Interferes(e.Op):
		b.noise[e.Key] = append(b.noise[e.Key], e)
	default:
		if len(b.chains[e.Key]) == 0 {
			b.keys = append(b.keys, e.Key)
		}
		b.chains[e.Key] = append(b.chains[e.Key], e)
		if e.Session > 0 && !slices.Contains(b.things, e.Key.Entity) {
			b.things = append(b.things, e.Key.Entity)
		}
	}
}

// now is the one value of a key that holds, and the event that made it hold.
func (b *book) now(k world.Key) (worlds.Event, bool) {
	c := b.chains[k]
	if len(c) == 0 {
		return worlds.Event{}, false
	}
	last := c[len(c)-1]
	return last, last.Op != worlds.Delete && last.Also == ""
}

// current are the pieces that tell what holds of a key: the last event, and the one
// that it took the place of.
func (b *book) current(k world.Key) []Piece {
	c := b.chains[k]
	last := c[len(c)-1]
	if len(c) == 1 {
		return []Piece{{last, schemas.RoleClue}}
	}
	return []Piece{{c[len(c)-2], schemas.RoleSuperseded}, {last, schemas.RoleUpdate}}
}

// wrongs are three values of a key that are not the right one: what held once or was
// only said first, then others of the kind.
func (b *book) wrongs(k world.Key, right string, none bool) []string {
	var out []string
	add := func(v string) {
		if v != "" && v != right && !slices.Contains(out, v) && len(out) < 3 {
			out = append(out, v)
		}
	}
	if none && b.rnd.IntN(10) < 7 { // so often that it is right no more often than others
		add(schemas.AnswerNone)
	}
	for _, e := range slices.Backward(b.chains[k]) {
		if len(out) < 2 {
			add(e.Value)
		}
	}
	for _, e := range slices.Backward(b.noise[k]) {
		add(e.Value)
	}
	for _, v := range b.elsewhere(k) {
		add(v)
	}
	for _, v := range worlds.Like(b.rnd, b.w.Domain, k.Aspect, 3, append(slices.Clone(out), right)...) {
		add(v)
	}
	return out
}

// elsewhere are values of the kind of a key's that were told of other keys, so that
// neither standing there nor standing there last tells which value is right: where one
// was told after the key was, the first of them is such a one.
func (b *book) elsewhere(k world.Key) []string {
	var out []string
	var last worlds.Event
	if c := b.chains[k]; len(c) > 0 {
		last = c[len(c)-1]
	}
	later := map[string]bool{}
	for _, other := range b.keys {
		if other == k || !b.alike(other.Aspect, k.Aspect) {
			continue
		}
		for _, e := range slices.Concat(b.chains[other], b.noise[other]) {
			if e.Value != "" && !b.told(k, e.Value) && !slices.Contains(out, e.Value) {
				out = append(out, e.Value)
			}
			later[e.Value] = later[e.Value] || e.Session > last.Session
		}
	}
	b.rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	if i := slices.IndexFunc(out, func(v string) bool { return later[v] }); i > 0 {
		out[0], out[i] = out[i], out[0]
	}
	return out
}

// told reports whether a value was ever told of a key, as one that held or not.
func (b *book) told(k world.Key, value string) bool {
	return slices.ContainsFunc(slices.Concat(b.chains[k], b.noise[k]), func(e worlds.Event) bool { return e.Value == value || e.Also == value })
}

// byTime puts pieces in the order in which they happened.
func byTime(ps []Piece) []Piece {
	slices.SortStableFunc(ps, func(a, b Piece) int {
		if a.Event.Session != b.Event.Session {
			return a.Event.Session - b.Event.Session
		}
		return a.Event.Round - b.Event.Round
	})
	return ps
}
