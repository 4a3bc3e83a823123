package question

import (
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// endedAnswer returns the answer where something held and nothing took its place, in the words with
// which worlds.Inquiry asks.
func (b *history) endedAnswer(k simulation.Key) string {
	if simulate.IsPerson(b.world.Domain, k.Aspect) {
		return "Nobody any more"
	}
	return "None any more"
}

// formGroup returns which other keys a key is like for who sees the question alone: those that words
// tell or pictures show, asked for in the same words. None for what the profile tells of a
// person, of which no answer of absence is ever right.
func (b *history) formGroup(k simulation.Key) string {
	if k.Entity == b.world.Person {
		return ""
	}
	way, _, _ := strings.Cut(simulate.Inquiry(b.world.Domain, k.Aspect, k.Entity), " is ")
	if b.isPictured(k.Aspect) {
		return "shown, " + way[:3]
	}
	return "told, " + way[:3]
}

func (b *history) isPictured(aspect string) bool {
	return slices.ContainsFunc(b.world.Events, func(e simulate.Event) bool {
		return e.Picture >= 0 && e.Op != simulate.OpShow && e.Key.Aspect == aspect
	})
}

// prepareAbsence readies a draft for the answers of absence: its first wrong option, which stays,
// becomes one of those known: where the right value has changed, and otherwise
// half of the time, the one that was told last, and else the one that was told first.
func (b *history) prepareAbsence(d Draft) Draft {
	c, best := b.chains[d.Key], -1
	late := len(c) > 1 || b.rnd.IntN(2) == 0
	for _, i := range b.rnd.Perm(len(d.Wrong)) {
		at, heard := b.lastSession(d.Wrong[i])
		if heard && (best < 0 || late == (at > b.lastHeard[d.Wrong[best]])) {
			best = i
		}
	}
	d.Wrong[0], d.Wrong[best] = d.Wrong[best], d.Wrong[0]
	d.group, d.twoHolders = b.formGroup(d.Key), len(c) > 0 && c[len(c)-1].Also != ""
	d.answers = [absenceCount]string{absenceNone: schemas.AnswerNone, absenceEnded: b.endedAnswer(d.Key), absenceTwo: b.pairOption(d)}
	return d
}

// wrongOptions are wrong answers on their way: three, all different, and none of them right.
type wrongOptions struct {
	right  string
	values []string
}

func (o *wrongOptions) add(values ...string) {
	for _, v := range values {
		if v != "" && v != o.right && !slices.Contains(o.values, v) && len(o.values) < 3 {
			o.values = append(o.values, v)
		}
	}
}

// wrongValues returns three values of a key that are not the right one: what held once or was
// only said first, then others of the kind. Beside two that hold the pair before them is
// one.
func (b *history) wrongValues(k simulation.Key, right string, plain bool) []string {
	o := wrongOptions{right: right}
	if c := b.chains[k]; plain && len(c) > 0 && c[len(c)-1].Also != "" {
		o.add(c[len(c)-1].Old + " and " + c[len(c)-1].Value)
	}
	others := b.valuesElsewhere(k)
	for _, e := range slices.Backward(b.chains[k]) {
		if len(o.values) < 2 || len(others) == 0 {
			o.add(valueAfter(e))
		}
	}
	if b.rnd.IntN(2) == 0 {
		o.add(others...)
	}
	for _, e := range slices.Backward(b.noise[k]) {
		o.add(e.Value)
	}
	o.add(others...)
	o.add(simulate.PickSimilar(b.rnd, b.world.Domain, k.Aspect, 3, append(slices.Clone(o.values), right)...)...)
	return o.values
}

// pairOption returns a wrong answer that names two holders where one holds alone or none does: the
// first of them is the right one in one time of three, as any of three values is that are
// offered beside it.
func (b *history) pairOption(d Draft) string {
	first, others := d.Wrong[0], b.valuesElsewhere(d.Key)
	if d.twoHolders || !simulate.IsPerson(b.world.Domain, d.Key.Aspect) || strings.Contains(first, " and ") {
		return ""
	}
	if d.Right != schemas.AnswerNone && d.Right != b.endedAnswer(d.Key) && b.rnd.IntN(3) == 0 {
		first = d.Right
	}
	at := slices.IndexFunc(others, func(v string) bool { return v != first && v != d.Right })
	if at < 0 {
		return ""
	}
	return first + " and " + others[at]
}

// toldAround reports whether a wrong option was told after the right one, and whether one was
// told before it, so that neither who takes what was told last nor who takes what was told
// first takes the right one.
func (b *history) toldAround(d Draft) (later, earlier bool) {
	right := b.lastHeard[d.Right]
	for _, v := range d.Wrong {
		at, heard := b.lastHeard[v]
		later, earlier = later || heard && at > right, earlier || heard && at < right
	}
	return later, earlier
}

// anyKnown reports whether of some wrong options one was told or shown of anything: where
// only the right one was, nobody needs to know of what.
func (b *history) anyKnown(wrong []string) bool {
	return slices.ContainsFunc(wrong, func(v string) bool {
		_, heard := b.lastSession(v)
		return heard
	})
}

// lastSession returns the session in which a value was told or shown last; a pair of two holders is
// told in other words.
func (b *history) lastSession(value string) (int, bool) {
	at, heard := b.lastHeard[value]
	return at, heard && !strings.Contains(value, " and ")
}

func (b *history) countTold(k simulation.Key, values []string) int {
	n := 0
	for _, v := range values {
		if b.wasTold(k, v) {
			n++
		}
	}
	return n
}

// wrongCountries returns wrong countries: of towns that held or were said before, then of towns of
// other things, then any. None where no other town was ever told.
func (b *history) wrongCountries(k simulation.Key, right string) []string {
	o := wrongOptions{right: right}
	for _, e := range slices.Backward(b.chains[k]) {
		if len(o.values) < 2 {
			o.add(simulate.Country(e.Value))
		}
	}
	for _, e := range slices.Backward(b.noise[k]) {
		o.add(simulate.Country(e.Value))
	}
	for _, town := range b.valuesElsewhere(k) {
		o.add(simulate.Country(town))
	}
	if len(o.values) == 0 {
		return nil
	}
	towns := simulate.Cities()
	b.rnd.Shuffle(len(towns), func(i, j int) { towns[i], towns[j] = towns[j], towns[i] })
	for _, town := range towns {
		o.add(simulate.Country(town))
	}
	return o.values
}

// wrongDays returns wrong days for a value that came up in a session, so many before that day and
// the others after it, or any where that is negative: on none of them is the value named or
// shown at all. Those on which something was told of the same thing come first; none at all
// where too few of these are on that side.
func (b *history) wrongDays(of simulate.Event, before int) []string {
	named, near := b.sessionsNaming(of)
	room := [2]int{before, 3 - before}
	if before < 0 {
		room = [2]int{3, 3}
	}
	var first, then []string
	for _, i := range b.rnd.Perm(b.upto) {
		if !named[i+1] && near[i+1] {
			first = append(first, Day(b.world.Sessions[i+1].Date))
		} else if !named[i+1] {
			then = append(then, Day(b.world.Sessions[i+1].Date))
		}
	}
	o := wrongOptions{right: Day(b.world.Sessions[of.Session].Date)}
	for _, day := range append(first, then...) {
		side := 0
		if b.sessionOfDay(day) > of.Session {
			side = 1
		}
		if room[side] > 0 {
			room[side]--
			o.add(day)
		}
	}
	offered := func(day string) bool { return slices.Contains(o.values, day) }
	if slices.ContainsFunc(then, offered) && slices.ContainsFunc(first, func(day string) bool { return !offered(day) }) {
		return nil
	}
	return o.values
}

func (b *history) sessionOfDay(day string) int {
	return slices.IndexFunc(b.world.Sessions, func(s simulate.Session) bool { return Day(s.Date) == day })
}

// sessionsNaming tells the sessions in which the value of an event is named or shown, and those in
// which something is told of its thing.
func (b *history) sessionsNaming(of simulate.Event) (named, near map[int]bool) {
	named, near = map[int]bool{of.Session: true}, map[int]bool{}
	begin, _, _ := strings.Cut(of.Value, " ")
	// as words of their own: a number may be part of a day
	names := func(text string) bool {
		return strings.Contains(text, begin) && strings.Contains(" "+strings.ReplaceAll(text, ", ", " ")+" ", " "+of.Value+" ")
	}
	for _, e := range b.world.Events {
		if names(e.Value) || names(e.Also) || names(e.Old) {
			named[e.Session] = true
		}
		near[e.Session] = near[e.Session] || e.Key.Entity == of.Key.Entity
	}
	for _, x := range b.pictures {
		if slices.ContainsFunc(x.Rows, func(r [2]string) bool { return names(r[1]) }) {
			named[x.Session] = true
		}
	}
	return named, near
}

// shownValues returns the values that pictures gave an aspect, those of a key before the others',
// and of how many other things they are.
func (b *history) shownValues(k simulation.Key) (own, others []string, things int) {
	for _, other := range b.keys {
		c := b.chains[other]
		if other.Aspect != k.Aspect || c[len(c)-1].Picture < 0 {
			continue
		}
		if other != k {
			things++
		}
		for _, e := range slices.Backward(c) {
			if other == k {
				own = append(own, e.Value)
			} else {
				others = append(others, e.Value)
			}
		}
	}
	b.rnd.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	return own, others, things
}
