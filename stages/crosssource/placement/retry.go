package placement

import (
	"cmp"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// tries is how often a batch is laid out: times of items whose pieces came to stand
// too close, or out of order, are drawn again. What stands badly then is lost (New).
const tries = 16

// streamRange is where a piece, or a text that misleads, stands in the stream of its task.
type streamRange struct{ from, to int64 }

// retryItems gives the items of which not all pieces stand well in both arrangements, other
// times, and names them.
func (p *planner) retryItems(channels [2][]Channel) (bad []string) {
	stands := [2]map[string]streamRange{streamRanges(channels[Distributed]), streamRanges(channels[Concentrated])}
	for _, item := range p.batch.Items {
		if p.isLost(item) {
			continue
		}
		if p.wellPlaced(item, stands[Distributed]) && (!p.cfg.Twins || p.wellPlaced(item, stands[Concentrated])) {
			continue
		}
		bad = append(bad, item.ItemID)
		p.pickNewTimes(item)
	}
	return bad
}

// streamRanges are where the units of all items stand.
func streamRanges(list []Channel) map[string]streamRange {
	out := map[string]streamRange{}
	for _, c := range list {
		before := 0
		for _, s := range c.Slots {
			at := s.After + before
			before += s.Turns
			if s.Piece != nil {
				last := at + s.Turns - s.Trail - 1
				out[s.Piece.Unit] = streamRange{c.Positions[last-len(s.Piece.Parts)+1], c.Positions[last]}
			}
		}
	}
	return out
}

// wellPlaced reports whether what is told of each thing stands apart, and what revises after
// what it revises.
func (p *planner) wellPlaced(item schemas.EvidenceItem, at map[string]streamRange) bool {
	for _, u := range item.Units {
		own, there := at[u.UnitID]
		for _, id := range u.Revises {
			if before := at[id]; there && own.from <= before.from {
				return false
			}
		}
	}
	return !slices.ContainsFunc(threadsOf(item), func(t []threadSeat) bool { return p.tooClose(item, t, at) })
}

// tooClose reports whether two seats of a thread stand too close: the pictures and tables
// are those of the item.
func (p *planner) tooClose(item schemas.EvidenceItem, thread []threadSeat, at map[string]streamRange) bool {
	var list []streamRange
	for _, s := range thread {
		if s.unit >= 0 || IsShown(item.Units[s.like]) {
			list = append(list, at[item.Units[s.shapeUnit()].UnitID])
		}
	}
	slices.SortFunc(list, func(a, b streamRange) int { return cmp.Compare(a.from, b.from) })
	for i := range len(list) - 1 {
		if list[i+1].from-list[i].to-1 < int64(p.cfg.Gap) {
			return true
		}
	}
	return false
}

// isLost reports whether an item has no place at all, and so is lost already.
func (p *planner) isLost(item schemas.EvidenceItem) bool {
	return slices.ContainsFunc(p.lost, func(l Lost) bool { return l.Item == item.ItemID })
}

// pickNewTimes draws other times for the pieces of an item. Documents and profiles keep
// theirs.
func (p *planner) pickNewTimes(item schemas.EvidenceItem) {
	times, _ := p.pickItemTimes(item)
	for i, u := range item.Units {
		for _, list := range p.slots {
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
