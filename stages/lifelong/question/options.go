package question

import (
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// endedAnswer returns the answer for a value that ended without a successor, in the words
// of simulate.Inquiry.
func (b *history) endedAnswer(k simulation.Key) string {
	if simulate.IsPerson(b.world.Domain, k.Aspect) {
		return "Nobody any more"
	}
	return "None any more"
}

// formGroup returns the group of keys whose questions look alike to somebody who sees
// only the question: told or pictured, with the same words. It is empty for facts of the
// profile, for which absence is never right.
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

// prepareAbsence readies a draft for answers of absence. Its first wrong option stays and
// becomes a known value: the one told last if the right value has changed, and in half of
// the other drafts; else the one told first.
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

// wrongOptions collects three different wrong answers.
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

// wrongValues returns three wrong values of a key: former or unconfirmed values first,
// then others of the kind. If two hold, the pair before them is one.
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

// pairOption returns a wrong answer that names two holders. Its first name is the right
// one in a third of cases, as often as each of the three other options.
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

// toldAround reports whether a wrong option was told after the right one, and whether one
// was told before it. With both, neither the latest nor the earliest value is a shortcut.
func (b *history) toldAround(d Draft) (later, earlier bool) {
	right := b.lastHeard[d.Right]
	for _, v := range d.Wrong {
		at, heard := b.lastHeard[v]
		later, earlier = later || heard && at > right, earlier || heard && at < right
	}
	return later, earlier
}

// anyKnown reports whether any of the wrong options was told or shown of anything;
// otherwise the right one would be the only familiar value.
func (b *history) anyKnown(wrong []string) bool {
	return slices.ContainsFunc(wrong, func(v string) bool {
		_, heard := b.lastSession(v)
		return heard
	})
}

// lastSession returns the last session in which a value was told or shown. Pairs are told
// in other words.
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

// wrongCountries returns countries of former towns, then of towns of other things, then
// any. It is nil if no other town was told.
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

// wrongDays returns days on which the value of an event is neither named nor shown:
// before days earlier than the event, the others later, or anywhere if before is
// negative. Days with news of the same thing come first. It is nil if there are too few.
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
		if slices.IndexFunc(b.world.Sessions, func(s simulate.Session) bool { return Day(s.Date) == day }) > of.Session {
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

// sessionsNaming returns the sessions that name or show the value of an event, and those
// that tell something of its thing.
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

// shownValues returns the values that pictures give the aspect of a key, then of other
// things, and the number of those.
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
