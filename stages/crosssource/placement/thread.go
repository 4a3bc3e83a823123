package placement

import (
	"slices"

	"github.com/memforge/memforge/schemas"
)

// threadSeat is a unit that is placed as a piece of evidence is. Evidence is placed as itself.
type threadSeat struct {
	unit int // -1 where nothing stands so
	like int // the piece
}

// shapeUnit is the unit by which the source of a seat is drawn.
func (s threadSeat) shapeUnit() int {
	if s.unit < 0 {
		return s.like
	}
	return s.unit
}

// threadsOf are the pieces of an item, and for each other thing what is told of it. Each
// has a seat for each piece, so that what misleads is placed by the draws by which evidence
// is: neither order, nor document, nor chat tells which thing is asked about.
func threadsOf(item schemas.EvidenceItem) (out [][]threadSeat) {
	var own []threadSeat
	at := map[string]int{}
	for i, u := range item.Units {
		if u.Role != schemas.RoleDistractor {
			at[u.UnitID] = len(own)
			own = append(own, threadSeat{i, i})
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

// hasSeat reports whether a unit has a seat.
func hasSeat(threads [][]threadSeat, unit int) bool {
	return slices.ContainsFunc(threads, func(t []threadSeat) bool {
		return slices.ContainsFunc(t, func(s threadSeat) bool { return s.unit == unit })
	})
}

// pictures are the seats of pieces that are pictures or tables.
func (s itemPlacement) pictures() (out []threadSeat) {
	for i, u := range s.item.Units {
		if u.Role != schemas.RoleDistractor && IsShown(u) {
			out = append(out, threadSeat{i, i})
		}
	}
	return out
}

// inWords are seats without those of the item's own pictures and tables, which have their
// sources, and where nothing stands like these.
func inWords(item schemas.EvidenceItem, list []threadSeat) []threadSeat {
	return slices.DeleteFunc(slices.Clone(list), func(s threadSeat) bool {
		return IsShown(item.Units[s.like]) && (s.unit < 0 || s.unit == s.like)
	})
}

// isDecoy reports a picture or table that nothing is asked about.
func isDecoy(u schemas.EvidenceUnit) bool { return u.Role == schemas.RoleDistractor && IsShown(u) }
