package placement

import (
	"slices"

	"github.com/memforge/memforge/schemas"
)

// seat is a unit that is placed as a piece of evidence is. Evidence is placed as itself.
type seat struct {
	unit int // -1 where nothing stands so
	like int // the piece
}

// shape is the unit by which the source of a seat is drawn.
func (s seat) shape() int {
	if s.unit < 0 {
		return s.like
	}
	return s.unit
}

// threadsOf are the pieces of an item, and for each other thing what is told of it. Each
// has a seat for each piece, so that what misleads is placed by the draws by which evidence
// is: neither order, nor document, nor chat tells which thing is asked about.
func threadsOf(item schemas.EvidenceItem) (out [][]seat) {
	var own []seat
	at := map[string]int{}
	for i, u := range item.Units {
		if u.Role != schemas.RoleDistractor {
			at[u.UnitID] = len(own)
			own = append(own, seat{i, i})
		}
	}
	out = append(out, own)
	names := map[string]int{}
	for i, u := range item.Units {
		place, like := at[u.Labels[LabelLike]]
		if !like || u.Role != schemas.RoleDistractor {
			continue
		}
		n, begun := names[u.Labels[LabelThread]]
		if !begun {
			n = len(out)
			names[u.Labels[LabelThread]] = n
			thread := slices.Clone(own)
			for k := range thread {
				thread[k].unit = -1
			}
			out = append(out, thread)
		}
		out[n][place].unit = i
	}
	return out
}

// among reports whether a unit has a seat.
func among(threads [][]seat, unit int) bool {
	return slices.ContainsFunc(threads, func(t []seat) bool {
		return slices.ContainsFunc(t, func(s seat) bool { return s.unit == unit })
	})
}

// pictures are the seats of pieces that are pictures or tables.
func (s sitting) pictures() (out []seat) {
	for i, u := range s.item.Units {
		if u.Role != schemas.RoleDistractor && Shown(u) {
			out = append(out, seat{i, i})
		}
	}
	return out
}

// inWords are seats without those of the item's own pictures and tables, which have their
// sources, and where nothing stands like these.
func inWords(item schemas.EvidenceItem, list []seat) []seat {
	return slices.DeleteFunc(slices.Clone(list), func(s seat) bool {
		return Shown(item.Units[s.like]) && (s.unit < 0 || s.unit == s.like)
	})
}

// decoy reports a picture or table that nothing is asked about.
func decoy(u schemas.EvidenceUnit) bool { return u.Role == schemas.RoleDistractor && Shown(u) }
