package question

import (
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/pipeline/kit/words"
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

// prepareAbsence readies a draft for answers of absence. Its first wrong option stays: a
// value that was told or shown.
func (b *history) prepareAbsence(d Draft) Draft {
	c := b.chains[d.Key]
	d.group, d.twoHolders = b.formGroup(d.Key), len(c) > 0 && c[len(c)-1].Also != ""
	d.answers = [absenceCount]string{absenceNone: schemas.AnswerNone, absenceEnded: b.endedAnswer(d.Key), absenceTwo: b.pairOption(d)}
	return d
}

// wrongOptions collects three wrong answers that say different things.
type wrongOptions struct {
	right  string
	values []string
}

func (o *wrongOptions) add(values ...string) {
	for _, v := range values {
		same := func(other string) bool { return other == v || words.Value(other) == words.Value(v) }
		if v != "" && !same(o.right) && !slices.ContainsFunc(o.values, same) && len(o.values) < Options-1 {
			o.values = append(o.values, v)
		}
	}
}

// wrongValues returns three wrong values of a key: one at least of another aspect of the
// same thing, then former or unconfirmed values, then others of the kind. If two hold, the
// pair before them is one.
func (b *history) wrongValues(k simulation.Key, right string, plain bool) []string {
	o := wrongOptions{right: right}
	beside := b.valuesBeside(k)
	o.add(beside[:min(1, len(beside))]...)
	if c := b.chains[k]; plain && len(c) > 0 && c[len(c)-1].Also != "" {
		o.add(c[len(c)-1].Old + " and " + c[len(c)-1].Value)
	}
	if b.rnd.IntN(2) == 0 {
		o.add(beside...)
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

// valuesBeside returns the values that hold of other aspects of the same thing, of the same
// kind as those of a key, the one told last first: who takes the last value that is named
// with the thing mostly takes a wrong one.
func (b *history) valuesBeside(k simulation.Key) []string {
	var last []simulate.Event
	for _, other := range b.keys {
		e, one := b.currentValue(other)
		if other.Entity == k.Entity && other != k && one && b.sameKind(other.Aspect, k.Aspect) && !b.wasTold(k, e.Value) {
			last = append(last, e)
		}
	}
	b.rnd.Shuffle(len(last), func(i, j int) { last[i], last[j] = last[j], last[i] })
	slices.SortStableFunc(last, func(x, y simulate.Event) int { return b.lastHeard[y.Value] - b.lastHeard[x.Value] })
	var out []string
	for _, e := range last {
		out = append(out, e.Value)
	}
	return out
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

// wrongCountries returns three countries of towns that were told, that of a former town
// among them, so many of them told after the right one as asked for. It is nil if there are
// none; exact reports whether so many were found.
func (b *history) wrongCountries(k simulation.Key, right string, later int) (out []string, exact bool) {
	last := map[string]int{}
	for v, at := range b.lastHeard {
		if c := simulate.Country(v); c != "" {
			last[c] = max(last[c], at)
		}
	}
	o := wrongOptions{right: right}
	for _, e := range slices.Backward(b.chains[k]) {
		if len(o.values) < 1 {
			o.add(simulate.Country(e.Value))
		}
	}
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(last)), func(c string) bool { return c == right })
	b.rnd.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	isLater := func(c string) bool { return last[c] > last[right] }
	for _, want := range []bool{true, false} {
		for _, c := range others {
			n := len(slices.DeleteFunc(slices.Clone(o.values), func(c string) bool { return !isLater(c) }))
			if isLater(c) == want && (!want || n < later) {
				o.add(c)
			}
		}
	}
	o.add(others...)
	n := len(slices.DeleteFunc(slices.Clone(o.values), func(c string) bool { return !isLater(c) }))
	exact = len(o.values) == Options-1 && n == later
	if len(o.values) == Options-2 { // of one no town was told
		o.add(simulate.Country(simulate.PickSimilar(b.rnd, b.world.Domain, k.Aspect, 1)[0]))
	}
	if len(o.values) < Options-1 {
		return nil, false
	}
	return o.values, exact
}

// dayWish says how the right one of four days lies among them: after how many, and whether
// more is told of the thing on it than on any other.
type dayWish struct {
	before int
	most   bool
}

// mostSometimes is in how many of a hundred days more is told on the right one; as much is
// told on another in some of these.
const mostSometimes = 35

func (b *history) pickDayWish() dayWish {
	return dayWish{before: b.rnd.IntN(Options), most: b.rnd.IntN(100) < mostSometimes}
}

// wrongDays returns three days on which something is told of the same thing and the value of
// an event is neither named nor shown, and how much of a wish they fulfil. It is nil if
// there are too few.
func (b *history) wrongDays(of simulate.Event, wish dayWish) (out []string, fulfilled int) {
	named, rounds := b.sessionsNaming(of)
	var days []int
	for s := 1; s <= b.upto; s++ {
		if !named[s] && rounds[s] > 0 {
			days = append(days, s)
		}
	}
	if len(days) < Options-1 {
		return nil, 0
	}
	best := -2
	for range dealsOfDays {
		b.rnd.Shuffle(len(days), func(i, j int) { days[i], days[j] = days[j], days[i] })
		dealt, before, most := days[:Options-1], 0, true
		for _, s := range dealt {
			if s < of.Session {
				before++
			}
			most = most && rounds[s] <= rounds[of.Session]
		}
		got := 0
		if most == wish.most {
			got += 2
		}
		switch before {
		case wish.before:
			got++
		case Options - 1: // on the last day most was told before
			got--
		}
		if got > best {
			best, out = got, nil
			for _, s := range dealt {
				out = append(out, Day(b.world.Sessions[s].Date))
			}
		}
	}
	return out, best
}

// dealsOfDays is how often days are dealt to fulfil a wish.
const dealsOfDays = 40

// sessionsNaming returns the sessions that name or show the value of an event, and in how
// many rounds each tells or shows something of its thing.
func (b *history) sessionsNaming(of simulate.Event) (named map[int]bool, rounds map[int]int) {
	named, rounds = map[int]bool{of.Session: true}, map[int]int{}
	begin, _, _ := strings.Cut(of.Value, " ")
	// as words of their own: a number may be part of a day
	names := func(text string) bool {
		return strings.Contains(text, begin) && strings.Contains(" "+strings.ReplaceAll(text, ", ", " ")+" ", " "+of.Value+" ")
	}
	seen := map[int]bool{}
	for _, e := range b.world.Events {
		if names(e.Value) || names(e.Also) || names(e.Old) {
			named[e.Session] = true
		}
		if e.Key.Entity == of.Key.Entity && !seen[momentOf(e)] {
			seen[momentOf(e)] = true
			rounds[e.Session]++
		}
	}
	for _, x := range b.pictures {
		if slices.ContainsFunc(x.Rows, func(r [2]string) bool { return names(r[1]) }) {
			named[x.Session] = true
		}
		if x.Thing == of.Key.Entity && !seen[moment(x.Session, x.Round)] {
			seen[moment(x.Session, x.Round)] = true
			rounds[x.Session]++
		}
	}
	return named, rounds
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
