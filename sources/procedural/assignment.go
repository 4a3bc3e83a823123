package procedural

import (
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// thing is a prop to be: "red kettle".
type thing struct {
	noun string
	dye  colour
}

// assignment is what a film and its twin are given to show. Some things and texts are
// in both, so that something happens in both of them; of the rest they share
// nothing. Who gets what is drawn: what is true of a film, of its twin or of
// neither is of one kind and cannot be told by how common it is.
type assignment struct {
	things []thing // the first shared of them are in both
	shared int
	first  string   // text of the sign
	texts  []string // that it changes to, in order
	lures  []string
}

// Below these lengths, in seconds, less is shown.
const (
	briefBelow = 12.0
	shortBelow = 25.0
)

// castSize is how many people a film has.
func (c Config) castSize() int {
	if c.Seconds < shortBelow {
		return 2
	}
	return 3
}

// amount is how much a film of a length is given.
type amount struct {
	props, sharedProps int
	changes            int // of the sign
	texts, sharedTexts int // different ones among these
}

func (c Config) amount() amount {
	switch {
	case c.Seconds < briefBelow:
		return amount{props: 5, sharedProps: 1, changes: 3, texts: 3, sharedTexts: 1}
	case c.Seconds < shortBelow:
		return amount{props: 5, sharedProps: 1, changes: 4, texts: 4, sharedTexts: 1}
	}
	over := c.Seconds - shortBelow
	a := amount{
		props: min(8+int(over/10), 14), sharedProps: min(3+int(over/10), 5),
		changes: min(int(c.Seconds/4.2), 6+int(c.Seconds/15)), sharedTexts: min(3+int(over/10), 5),
	}
	a.texts = min(a.changes, 10)
	return a
}

// assign gives script i its share. turn counts how often the place has been used
// by earlier twins.
func assign(draw RandFunc, c Config, p place, i, turn int) assignment {
	pair, twin, a := i/2, i%2, c.amount()
	d := assignment{shared: a.sharedProps}
	d.things = pickThings(draw, c, p, pair, twin, turn)
	own := 1 + a.texts - a.sharedTexts // the first text is of one film only
	list := slices.Clone(signs[p.name])
	shuffle(draw(c.Kind, "signs", p.name), list)
	words := windowOf(list, turn, a.sharedTexts+2*own+a.sharedTexts)
	shuffle(draw(c.Kind, "deal", label(pair)), words)
	common, rest := words[:a.sharedTexts], words[a.sharedTexts:]
	d.lures = rest[2*own:]
	given := rest[own*twin:][:own]
	d.first = given[0]
	d.texts = slices.Concat(common, given[1:])
	r := draw(c.Kind, "texts", label(i))
	shuffle(r, d.texts)
	d.texts = extendTexts(r, d.texts, common, a.changes)
	return d
}

// extendTexts lengthens a list of texts to n by coming back to some, never to the one
// just shown and never to one that both twins show.
func extendTexts(r *rand.Rand, texts, common []string, n int) []string {
	out := slices.Clone(texts)
	for len(out) < n {
		t, at := pickOne(r, texts), 1+r.IntN(len(out))
		if slices.Contains(common, t) || out[at-1] == t || at < len(out) && out[at] == t {
			continue
		}
		out = slices.Insert(out, at, t)
	}
	return out
}

// pickThings are the props of a film. So many of those that it does not share with
// its twin are of one kind there, in another colour, as the likeness says.
func pickThings(draw RandFunc, c Config, p place, pair, twin, turn int) []thing {
	a, r := c.amount(), draw(c.Kind, "things", label(pair))
	own := a.props - a.sharedProps
	list := windowOf(shuffleFavoured(draw(c.Kind, "props", p.name), p.suited, nouns), turn, a.sharedProps+2*own)
	shuffle(r, list)
	common, mine := list[:a.sharedProps], slices.Clone(list[a.sharedProps+own*twin:][:own])
	copy(mine, list[a.sharedProps:][:sharedCount(c.likeness(pair), own)])
	dyes := r.Perm(len(paints))
	var out []thing
	for n, noun := range slices.Concat(common, mine) {
		dye := n
		if n >= len(common) {
			dye += 4 * twin // of nine colours, so that none meets itself
		}
		out = append(out, thing{noun, paints[dyes[dye%len(dyes)]]})
	}
	ours := out[a.sharedProps:]
	shuffle(draw(c.Kind, "mine", label(pair), label(twin)), ours)
	return out
}

// noteLures notes what might have happened in f and did not.
func (d assignment) noteLures(f *schemas.Film) {
	f.Lures = map[string][]string{schemas.FilmChanges: d.lures}
}
