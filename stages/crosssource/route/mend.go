package route

import (
	"cmp"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// tries is how often a batch is laid out: times of items whose pieces came to stand
// too close, or out of order, are drawn again. What stands badly then is lost (New).
const tries = 16

// stand is where a piece, or a text that misleads, stands in the stream of its task.
type stand struct {
	unit     schemas.EvidenceUnit
	from, to int64
}

// mended gives the items of which not all pieces stand well in both arrangements, other
// times, and names them.
func (p *plan) mended(channels [2][]Channel) (bad []string) {
	stands := [2]map[string][]stand{p.stands(channels[Distributed]), p.stands(channels[Concentrated])}
	for _, item := range p.batch.Items {
		if p.well(stands[Distributed][item.ItemID]) && p.well(stands[Concentrated][item.ItemID]) {
			continue
		}
		bad = append(bad, item.ItemID)
		p.again(item)
	}
	return bad
}

// stands are where the needed pieces of each item stand, and what is beside them, in order.
func (p *plan) stands(list []Channel) map[string][]stand {
	units := map[string]schemas.EvidenceUnit{}
	for _, item := range p.batch.Items {
		for _, u := range item.Units {
			units[u.UnitID] = u
		}
	}
	out := map[string][]stand{}
	for _, c := range list {
		before := 0
		for _, s := range c.Slots {
			at := s.After + before
			before += s.Turns
			if s.Piece == nil {
				continue
			}
			if u, known := units[s.Piece.Unit]; known {
				last := at + s.Turns - s.Trail - 1
				out[s.Piece.Item] = append(out[s.Piece.Item], stand{u, c.Positions[last-len(s.Piece.Parts)+1], c.Positions[last]})
			}
		}
	}
	for _, s := range out {
		slices.SortFunc(s, func(a, b stand) int { return cmp.Compare(a.from, b.from) })
	}
	return out
}

// well reports whether pieces stand apart, and what revises after what it revises, what
// misleads too.
func (p *plan) well(list []stand) bool {
	last := -1
	for i, s := range list {
		if s.unit.Role != schemas.RoleDistractor {
			if last >= 0 && s.from-list[last].to-1 < int64(p.cfg.Gap) {
				return false
			}
			last = i
		}
		for _, id := range s.unit.Revises {
			if slices.ContainsFunc(list[i:], func(o stand) bool { return o.unit.UnitID == id }) {
				return false
			}
		}
	}
	return true
}

// again draws other times for the pieces of an item. Documents and profiles keep
// theirs.
func (p *plan) again(item schemas.EvidenceItem) {
	times, _ := p.times(item)
	for i, u := range item.Units {
		for _, list := range p.spots {
			for n := range list {
				if list[n].Name == u.UnitID {
					list[n].at = times[i]
				}
			}
		}
		for n, s := range p.sources {
			if s.only == u.UnitID {
				p.sources[n].from, p.sources[n].to = times[i], times[i]
			}
		}
	}
}
