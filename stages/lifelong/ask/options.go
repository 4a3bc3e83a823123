package ask

import (
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/world"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/worlds"
)

// In a hundred questions to which they are no answer, so often the answers of abstention,
// of what ended and of what two share are offered: then they are right no more often than
// other options are. People seldom end, for many of them share first.
const (
	offerNone   = 70
	offerEnded  = 20
	offerNobody = 10
	offerTwo    = 16
)

// ended is the answer where something held and nothing took its place, in the words with
// which worlds.Inquiry asks, and how often it is offered.
func (b *book) ended(k world.Key) (answer string, offer int) {
	if worlds.IsPerson(b.w.Domain, k.Aspect) {
		return "Nobody any more", offerNobody
	}
	return "None any more", offerEnded
}

// options are wrong answers on their way: three, all different, and none of them right.
type options struct {
	right string
	list  []string
}

func (o *options) add(values ...string) {
	for _, v := range values {
		if v != "" && v != o.right && !slices.Contains(o.list, v) && len(o.list) < 3 {
			o.list = append(o.list, v)
		}
	}
}

// wrongs are three values of a key that are not the right one: what held once or was
// only said first, then others of the kind.
func (b *book) wrongs(k world.Key, right string, plain bool) []string {
	o := options{right: right}
	if plain && right != schemas.AnswerNone && b.rnd.IntN(100) < offerNone {
		o.add(schemas.AnswerNone)
	}
	if ended, offer := b.ended(k); plain && b.rnd.IntN(100) < offer {
		o.add(ended)
	}
	others := b.elsewhere(k)
	if plain {
		o.add(b.two(k, right, others))
	}
	if len(o.list) == 2 && b.rnd.IntN(2) == 0 {
		o.add(others...)
	}
	for _, e := range slices.Backward(b.chains[k]) {
		if len(o.list) < 2 || len(others) == 0 {
			o.add(held(e))
		}
	}
	if b.rnd.IntN(2) == 0 {
		o.add(others...)
	}
	for _, e := range slices.Backward(b.noise[k]) {
		o.add(e.Value)
	}
	o.add(others...)
	o.add(worlds.Like(b.rnd, b.w.Domain, k.Aspect, 3, append(slices.Clone(o.list), right)...)...)
	return o.list
}

// two is a wrong answer that names two holders, beside a right one that does, and now and
// then where one holds alone.
func (b *book) two(k world.Key, right string, others []string) string {
	c := b.chains[k]
	if n := len(c); n > 0 && c[n-1].Also != "" {
		return c[n-1].Old + " and " + c[n-1].Value
	}
	if ended, _ := b.ended(k); !worlds.IsPerson(b.w.Domain, k.Aspect) || len(others) == 0 || right == ended || b.rnd.IntN(100) >= offerTwo {
		return ""
	}
	first := right
	if right == schemas.AnswerNone {
		if first = others[len(others)-1]; len(others) == 1 {
			return ""
		}
	}
	return first + " and " + others[0]
}

// known reports whether of some wrong options one was told or shown of anything: where
// only the right one was, nobody needs to know of what.
func (b *book) known(wrong []string) bool {
	return slices.ContainsFunc(wrong, func(v string) bool {
		_, heard := b.heard[v]
		return heard
	})
}

// against are wrong values where different things were said: one that did not count, one
// that held, and whatever else was said of the same key.
func (b *book) against(k world.Key, right string) []string {
	o := options{right: right}
	var unmeant, old []string
	for _, e := range slices.Backward(b.noise[k]) {
		unmeant = append(unmeant, e.Value)
	}
	for _, e := range slices.Backward(b.chains[k]) {
		if v := held(e); v != right {
			old = append(old, v)
		}
	}
	o.add(unmeant[:1]...)
	o.add(old[:min(1, len(old))]...)
	o.add(unmeant...)
	o.add(old...)
	o.add(b.wrongs(k, right, false)...)
	return o.list
}

// said counts those of some values that were told of a key.
func (b *book) said(k world.Key, values []string) int {
	n := 0
	for _, v := range values {
		if b.told(k, v) {
			n++
		}
	}
	return n
}

// lands are wrong countries: of towns that held or were said before, then of towns of
// other things, then any. None where no other town was ever told.
func (b *book) lands(k world.Key, right string) []string {
	o := options{right: right}
	for _, e := range slices.Backward(b.chains[k]) {
		if len(o.list) < 2 {
			o.add(worlds.Country(e.Value))
		}
	}
	for _, e := range slices.Backward(b.noise[k]) {
		o.add(worlds.Country(e.Value))
	}
	for _, town := range b.elsewhere(k) {
		o.add(worlds.Country(town))
	}
	if len(o.list) == 0 {
		return nil
	}
	towns := worlds.Cities()
	b.rnd.Shuffle(len(towns), func(i, j int) { towns[i], towns[j] = towns[j], towns[i] })
	for _, town := range towns {
		o.add(worlds.Country(town))
	}
	return o.list
}

// days are wrong days for a value that came up in a session: on none of them is it named
// or shown at all. Those on which something was told of the same thing come first.
func (b *book) days(of worlds.Event) []string {
	named, near := map[int]bool{of.Session: true}, map[int]bool{}
	// as words of their own: a number may be part of a day
	names := func(text string) bool {
		return strings.Contains(" "+strings.ReplaceAll(text, ", ", " ")+" ", " "+of.Value+" ")
	}
	for _, e := range b.w.Events {
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
	var first, then []string
	for _, i := range b.rnd.Perm(b.upto) {
		switch day := Day(b.w.Sessions[i+1].Date); {
		case named[i+1]:
		case near[i+1]:
			first = append(first, day)
		default:
			then = append(then, day)
		}
	}
	o := options{right: Day(b.w.Sessions[of.Session].Date)}
	o.add(append(first, then...)...)
	return o.list
}

// shown are the values that pictures gave an aspect, those of a key before the others',
// and of how many other things they are.
func (b *book) shown(k world.Key) (own, others []string, things int) {
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
