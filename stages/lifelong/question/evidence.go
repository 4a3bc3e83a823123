package question

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// shownPicture is a picture and its place among the exhibits of its world.
type shownPicture struct {
	simulate.Picture
	at int
}

// listPictures lists the pictures shown so far.
func (b *history) listPictures() {
	for i, x := range b.world.Pictures {
		if x.Session <= b.upto {
			b.pictures = append(b.pictures, shownPicture{x, i})
			for _, r := range x.Rows {
				for _, v := range append(strings.Split(r[1], " and "), r[1]) {
					b.noteHeard(v, x.Session)
				}
			}
		}
	}
	slices.SortStableFunc(b.pictures, func(x, y shownPicture) int {
		return cmp.Or(cmp.Compare(x.Session, y.Session), cmp.Compare(x.Round, y.Round))
	})
}

// noteHeard notes that a value was told or shown in a session.
func (b *history) noteHeard(value string, session int) {
	if value != "" {
		b.lastHeard[value] = max(b.lastHeard[value], session)
	}
}

// picturesShowing lists the pictures that show a value of a key.
func (b *history) picturesShowing(k simulation.Key, value string) []shownPicture {
	return slices.DeleteFunc(slices.Clone(b.pictures), func(x shownPicture) bool {
		return x.Thing != k.Entity || !slices.Contains(x.Rows, [2]string{k.Aspect, value})
	})
}

// valueAfter is what an event made hold, as a picture writes it; both values after a split.
func valueAfter(e simulate.Event) string {
	if e.Also == "" {
		return e.Value
	}
	return e.Value + " and " + e.Also
}

// currentPieces are the pieces that tell what holds of a key. All that held before is among
// them, for nobody knows what is latest who has not what came before. A later picture
// that shows again what holds is one, too: the latest of them.
func (b *history) currentPieces(k simulation.Key) []Piece {
	var out []Piece
	c := b.chains[k]
	last := c[len(c)-1]
	for _, e := range c[:len(c)-1] {
		out = append(out, Piece{e, schemas.RoleSuperseded})
	}
	role := schemas.RoleUpdate
	if len(c) == 1 {
		role = schemas.RoleClue
	}
	out = append(out, Piece{last, role})
	if last.Op == simulate.OpDelete {
		return out
	}
	for _, x := range slices.Backward(b.picturesShowing(k, valueAfter(last))) {
		if x.Session > last.Session || x.Session == last.Session && x.Round > last.Round {
			again := simulate.Event{Op: simulate.OpShow, Key: k, Session: x.Session, Round: x.Round, Picture: x.at, Step: simulate.Regime(b.world.Domain) != ""}
			return append(out, Piece{again, schemas.RoleClue})
		}
	}
	return out
}

// sortByTime puts pieces in the order in which they happened.
func sortByTime(ps []Piece) []Piece {
	slices.SortStableFunc(ps, func(a, b Piece) int {
		return cmp.Or(cmp.Compare(a.Event.Session, b.Event.Session), cmp.Compare(a.Event.Round, b.Event.Round))
	})
	return ps
}
