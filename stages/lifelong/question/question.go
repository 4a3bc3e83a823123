// Package question writes questions about a world at a checkpoint: all eleven types of
// WorldMemArena (table 4), each from the events up to there and from nothing later.
package question

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/stages/lifelong/simulate"
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

// UsesSharedForm reports whether t shares its wording with other types, so that the
// wording does not reveal the type.
func UsesSharedForm(t string) bool { return slices.Contains([]string{FR, DU, MB, VFR, VU}, t) }

// Piece is an event that a question rests on, and as what.
type Piece struct {
	Event simulate.Event
	Role  string
	// Part counts the facts that an answer joins, from 0: of several pieces of a part that
	// give it one is needed.
	Part int
}

// Options is how many a question has.
const Options = 4

// Draft is a question before it has ids.
type Draft struct {
	Type, Text, Right string
	Wrong             []string
	Pieces            []Piece
	// Fact is what is asked of what, with the answer: the same whatever words ask for it.
	Fact string
	// Updates counts the changes of what is asked about.
	Updates int
	// Outside is the fact of general knowledge that KR takes.
	Outside string
	// Key is what is asked about. For MB, Spoken is the session that spoke of the thing last.
	Key    simulation.Key
	Spoken int
	// rank puts some of a type before others.
	rank int
	// group is of which questions it is one for who knows no fact: attributes of a kind that
	// are asked for in the same words. None where no answer of absence is offered.
	group string
	// answers are those of absence that can be offered, and both reports whether two hold.
	answers    [absenceCount]string
	twoHolders bool
	// absenceOffered counts those that are among the wrong options, behind the first of these.
	absenceOffered int
	// wording is the rule of wordings.txt that asks, slots what its words leave open.
	wording string
	slots   map[string]string
	// of is the history that it is asked about.
	of *history
}

// history is a world up to a checkpoint.
type history struct {
	rnd    *rand.Rand
	world  simulate.World
	upto   int
	keys   []simulation.Key
	chains map[simulation.Key][]simulate.Event
	noise  map[simulation.Key][]simulate.Event
	rules  []simulate.Event
	things []string
	// retracted are what takes slips back, by key, and lessons the rules that tags and hours
	// follow in wrong options.
	retracted map[simulation.Key][]simulate.Event
	lessons   *lessons
	// pictures are those shown so far in the order of time, lastHeard all values told or
	// shown and when last, see moment.
	pictures  []shownPicture
	lastHeard map[string]int
	// sameKind reports whether values of two aspects are of one kind.
	sameKind func(a, b string) bool
}

// Drafts returns questions that can be asked after a session, by type. Their order and
// their wrong options are drawn from the numbers given.
func Drafts(rnd *rand.Rand, w simulate.World, upto int) map[string][]Draft {
	return draftsWith(rnd, w, upto, &lessons{})
}

func draftsWith(rnd *rand.Rand, w simulate.World, upto int, l *lessons) map[string][]Draft {
	b := &history{
		rnd: rnd, world: w, upto: upto, chains: map[simulation.Key][]simulate.Event{}, noise: map[simulation.Key][]simulate.Event{}, retracted: map[simulation.Key][]simulate.Event{},
		lastHeard: map[string]int{}, sameKind: simulate.SameKind(w.Domain), lessons: l,
	}
	b.listPictures()
	for _, e := range w.Events {
		if e.Session > upto {
			break
		}
		b.addEvent(e)
	}
	out := map[string][]Draft{}
	for _, make := range []func() []Draft{b.valueQuestions, b.boundaryQuestions, b.conflictQuestions, b.timeQuestions, b.countryQuestions, b.ruleQuestions, b.searchQuestions, b.crossModalQuestions} {
		for _, d := range make() {
			d.of = b
			out[d.Type] = append(out[d.Type], d)
		}
	}
	for _, t := range Types() {
		ds := out[t]
		rnd.Shuffle(len(ds), func(i, j int) { ds[i], ds[j] = ds[j], ds[i] })
		slices.SortStableFunc(ds, func(a, b Draft) int { return b.rank - a.rank })
	}
	return out
}

// moment orders events: by session, then by round.
func moment(session, round int) int { return 1000*session + round }

func momentOf(e simulate.Event) int { return moment(e.Session, e.Round) }

func (b *history) addEvent(e simulate.Event) {
	switch {
	case e.Op == simulate.OpTagRule, e.Op == simulate.OpHourRule:
		b.rules = append(b.rules, e)
	case e.Op == simulate.OpRetract:
		b.retracted[e.Key] = append(b.retracted[e.Key], e)
		return
	case simulate.Silent(e.Op):
		return
	case simulate.Interferes(e.Op):
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
	for _, v := range []string{e.Value, e.Also, valueAfter(e)} {
		b.noteHeard(v, momentOf(e))
	}
	if !simulate.Interferes(e.Op) { // which need not name what holds
		b.noteHeard(e.Old, momentOf(e))
	}
}

func (b *history) currentValue(k simulation.Key) (simulate.Event, bool) {
	c := b.chains[k]
	if len(c) == 0 {
		return simulate.Event{}, false
	}
	last := c[len(c)-1]
	return last, last.Op != simulate.OpDelete && last.Also == ""
}

// valuesElsewhere returns values of the same kind told of other keys, so that neither
// position nor recency reveals the right one: the first was told after the key's value,
// if there is one, half of the time of a key that never changed.
func (b *history) valuesElsewhere(k simulation.Key) []string {
	var out []string
	since := -1
	if c := b.chains[k]; len(c) > 0 {
		since = b.lastHeard[valueAfter(c[len(c)-1])]
	}
	for _, other := range b.keys {
		if other == k || !b.sameKind(other.Aspect, k.Aspect) {
			continue
		}
		for _, e := range slices.Concat(b.chains[other], b.noise[other]) {
			if e.Value != "" && !b.wasTold(k, e.Value) && !slices.Contains(out, e.Value) {
				out = append(out, e.Value)
			}
		}
	}
	b.rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	if i := slices.IndexFunc(out, func(v string) bool { return b.lastHeard[v] > since }); i > 0 && (len(b.chains[k]) > 1 || b.rnd.IntN(2) == 0) {
		out[0], out[i] = out[i], out[0]
	}
	return out
}

// wasTold reports whether a value was ever told of a key, valid or not.
func (b *history) wasTold(k simulation.Key, value string) bool {
	return slices.ContainsFunc(slices.Concat(b.chains[k], b.noise[k]), func(e simulate.Event) bool { return e.Value == value || e.Also == value })
}

// shownPicture is a picture and its index in the world.
type shownPicture struct {
	simulate.Picture
	at int
}

func (b *history) listPictures() {
	for i, x := range b.world.Pictures {
		if x.Session <= b.upto {
			b.pictures = append(b.pictures, shownPicture{x, i})
			for _, r := range x.Rows {
				for _, v := range append(strings.Split(r[1], " and "), r[1]) {
					b.noteHeard(v, moment(x.Session, x.Round))
				}
			}
		}
	}
	slices.SortStableFunc(b.pictures, func(x, y shownPicture) int {
		return cmp.Or(cmp.Compare(x.Session, y.Session), cmp.Compare(x.Round, y.Round))
	})
}

func (b *history) noteHeard(value string, at int) {
	if value != "" {
		b.lastHeard[value] = max(b.lastHeard[value], at)
	}
}

// showing returns the pictures of a thing that show an aspect.
func (b *history) showing(k simulation.Key) []shownPicture {
	return slices.DeleteFunc(slices.Clone(b.pictures), func(x shownPicture) bool { return x.Thing != k.Entity || x.valueOf(k.Aspect) == "" })
}

// valueOf returns what a picture shows of an aspect, "" for nothing.
func (x shownPicture) valueOf(aspect string) string {
	for _, r := range x.Rows {
		if r[0] == aspect {
			return r[1]
		}
	}
	return ""
}

// isCaptioned reports whether the caption of a picture tells an aspect of a thing, so that
// no picture need be looked at.
func (b *history) isCaptioned(k simulation.Key) bool {
	return slices.ContainsFunc(b.showing(k), func(x shownPicture) bool { return !x.Hidden })
}

// valueAfter returns what holds after an event, as a picture writes it; both values after
// a split.
func valueAfter(e simulate.Event) string {
	if e.Also == "" {
		return e.Value
	}
	return e.Value + " and " + e.Also
}
