package procedural

import (
	"slices"

	"github.com/memforge/memforge/schemas"
)

// propsPerFilm lie about; at least four of them are picked up.
const propsPerFilm = 5

// luresPerPair are texts that would suit the sign of both twins and that
// neither ever bears.
const luresPerPair = 3

// deal is what a film and its twin are given to show. One thing and one text are
// in both, so that something happens in both of them; of the rest they share
// nothing. Who gets what is drawn: what is true of a film, of its twin or of
// neither is of one kind and cannot be told by how common it is.
type deal struct {
	nouns []string // of the props; the first is the shared one
	dye   colour   // of the shared prop
	first string   // text of the sign
	texts []string // that it changes to, in order
	lures []string
}

// dealt gives script i its share. turn counts how often the place has been used
// by earlier twins.
func dealt(draw Draw, c Config, p place, i, turn int) deal {
	pair := label(i / 2)
	r := draw(c.Kind, "deal", pair)
	own := propsPerFilm - 1
	nouns := window(favoured(draw(c.Kind, "props", p.name), p.suited, nouns), turn, 1+2*own)
	shuffle(r, nouns)
	mine := nouns[1+own*(i%2):][:own]
	d := deal{nouns: append([]string{nouns[0]}, mine...), dye: pick(r, paints)}

	changes := signChanges(c) - 1
	list := slices.Clone(signs[p.name])
	shuffle(draw(c.Kind, "signs", p.name), list)
	words := window(list, turn, 1+2*(1+changes)+luresPerPair)
	shuffle(r, words)
	d.lures = words[len(words)-luresPerPair:]
	given := words[1+(1+changes)*(i%2):][:1+changes]
	d.first = given[0]
	d.texts = append([]string{words[0]}, given[1:]...)
	shuffle(draw(c.Kind, "texts", label(i)), d.texts)
	return d
}

// signChanges is how often the sign of a film changes.
func signChanges(c Config) int {
	if c.Seconds < briefBelow {
		return 3
	}
	return 4
}

// suggest notes what might have happened in f and did not.
func (d deal) suggest(f *schemas.Film) {
	f.Lures = map[string][]string{schemas.FilmChanges: d.lures}
}
