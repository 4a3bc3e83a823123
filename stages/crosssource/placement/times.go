package placement

import (
	"maps"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// pickItemTimes draws a share of the time for each unit that the answer rests on, staggered, and
// later for what revises. What stands like one of these has its share drawn as that one's
// was; others have any time, later for what revises. False where that cannot be.
func (p *planner) pickItemTimes(item schemas.EvidenceItem) ([]float64, bool) {
	out := make([]float64, len(item.Units))
	order, ok := p.pickOrder(item.Units)
	if !ok {
		return nil, false
	}
	shares, at, threads := map[int]int{}, map[string]float64{}, threadsOf(item)
	for _, i := range order {
		u := item.Units[i]
		switch {
		case u.Role != schemas.RoleDistractor:
			shares[i] = len(shares)
		case !hasSeat(threads, i):
			from := first
			for _, id := range u.Revises {
				from = max(from, at[id])
			}
			out[i] = from + (first+span-from)*p.rnd.Float64()
			at[u.UnitID] = out[i]
		}
	}
	for n, t := range threads {
		dealt := shares
		if n > 0 {
			dealt = p.dealShares(item, shares)
		}
		for _, s := range t {
			if s.unit >= 0 { // within its share, not at the edges
				out[s.unit] = first + span*(float64(dealt[s.like])+0.3+0.4*p.rnd.Float64())/float64(len(shares))
			}
		}
	}
	return out, true
}

// dealShares are the shares of pieces after those in words have drawn once more among theirs:
// pictures and tables keep theirs, since what misleads is told beside the same ones.
func (p *planner) dealShares(item schemas.EvidenceItem, shares map[int]int) map[int]int {
	var units []schemas.EvidenceUnit
	var places, free []int
	for i, u := range item.Units {
		if share, ok := shares[i]; ok && !IsShown(u) {
			units, places, free = append(units, u), append(places, i), append(free, share)
		}
	}
	slices.Sort(free)
	order, _ := p.pickOrder(units) // a part of what has an order
	out := maps.Clone(shares)
	for n, i := range order {
		out[places[i]] = free[n]
	}
	return out
}

// The share of a batch's time at which the first piece can stand, and how long pieces do.
const (
	first = 0.09
	span  = 0.88
)

// pickOrder draws in which order units come, what revises after what it revises among them.
func (p *planner) pickOrder(units []schemas.EvidenceUnit) (order []int, ok bool) {
	done, there := map[string]bool{}, map[string]bool{}
	for _, u := range units {
		there[u.UnitID] = true
	}
	for len(order) < len(units) {
		var ready []int
		for i, u := range units {
			waits := slices.ContainsFunc(u.Revises, func(id string) bool { return there[id] && !done[id] })
			if !waits && !done[u.UnitID] {
				ready = append(ready, i)
			}
		}
		if len(ready) == 0 {
			return nil, false
		}
		i := ready[p.rnd.IntN(len(ready))]
		done[units[i].UnitID] = true
		order = append(order, i)
	}
	return order, true
}
