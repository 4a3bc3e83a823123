package placement

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
)

// schedule assigns people, turns and times to sources and a stream position to every
// turn. It returns the items that are still badly placed.
func (p *planner) schedule(taskIDs [2]string) (out Plan, bad []string) {
	out.Lost = p.lost
	casts := make([][]basetalk.Person, len(p.sources))
	for i := range p.sources {
		casts[i] = p.pickCast(i)
	}
	p.openProfiles(&casts)
	start := time.Date(2023, 1, 9, 0, 0, 0, 0, time.UTC).AddDate(0, 0, p.rnd.IntN(1100)).Unix()
	clocks := make([][]float64, len(p.sources))
	for i, s := range p.sources {
		clocks[i] = p.pickTimes(s)
	}
	mentions, all := make([]mentions, len(p.sources)), mentionsOf(p.batch.Items)
	for i, s := range p.sources {
		if s.chat() || s.kind == schemas.KindDocument {
			mentions[i] = all.pickFor(s.key)
		}
	}
	var people []basetalk.Person
	for _, f := range p.batch.Profiles {
		people = append(people, Speaker(f))
	}
	for range tries {
		for arrangement, task := range taskIDs {
			if arrangement == Concentrated && !p.cfg.Twins {
				continue
			}
			list := make([]Channel, len(p.sources))
			for i, s := range p.sources {
				list[i] = Channel{
					TaskID: task, SessionID: schemas.SessionIDOf(task, i), Order: int32(i), Kind: s.kind, Title: s.title, Key: s.key, Themes: s.themes, Cast: casts[i], Base: s.base,
					Mentions: mentions[i].names, Topics: mentions[i].topics, People: people, BatchThemes: slices.Compact(slices.Clone(p.themes)),
				}
				list[i].Slots, list[i].Times = p.placeSlots(i, arrangement, clocks[i], start)
			}
			mergeStream(list)
			out.Channels[arrangement] = list
		}
		if bad = p.retryItems(out.Channels); len(bad) == 0 {
			break
		}
	}
	return out, bad
}

// Speaker returns what a profile says that shapes somebody's speech; what it does not say
// is empty.
func Speaker(f schemas.Profile) basetalk.Person {
	out := basetalk.Person{Name: f.Name, Work: cmp.Or(f.Attributes["work"], f.Attributes["occupation"]), Town: f.Attributes["lives in"]}
	for _, x := range f.Preferences {
		if x.Level == "like" && len(x.Dimension) < 40 {
			out.Likes = append(out.Likes, x.Dimension)
		}
	}
	if likes := f.Attributes["likes"]; len(out.Likes) == 0 && likes != "" {
		out.Likes = strings.Split(likes, ", ")
	}
	return out
}

// pickCast returns the people who must take part, and others at random.
func (p *planner) pickCast(at int) []basetalk.Person {
	s := p.sources[at]
	var out []basetalk.Person
	byName := func(name string) (basetalk.Person, bool) {
		for _, f := range p.batch.Profiles {
			if f.Name == name {
				return Speaker(f), true
			}
		}
		return basetalk.Person{}, false
	}
	if s.kind == schemas.KindProfile {
		who, _ := byName(s.only)
		return []basetalk.Person{who}
	}
	size := 2
	if s.kind != schemas.KindPrivateChat {
		size = min(4+p.rnd.IntN(4), len(p.batch.Profiles))
	}
	for _, n := range s.needed {
		if who, ok := byName(n); ok {
			out = append(out, who)
		}
	}
	for _, i := range p.rnd.Perm(len(p.batch.Profiles)) {
		who := Speaker(p.batch.Profiles[i])
		if len(out) < size && !slices.ContainsFunc(out, func(o basetalk.Person) bool { return o.Name == who.Name }) {
			out = append(out, who)
		}
	}
	return out
}

// openProfiles opens a profile for every participant of a chat.
func (p *planner) openProfiles(casts *[][]basetalk.Person) {
	var names []string
	for i, s := range p.sources {
		if !s.chat() {
			continue
		}
		for _, c := range (*casts)[i] {
			if !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	slices.Sort(names)
	for _, n := range names {
		if at := p.openOwn(schemas.KindProfile, n, themeOf(p.batch.Items[0]), 3, 0.001); at >= len(*casts) {
			*casts = append(*casts, p.pickCast(at))
		}
	}
}

// pickTimes picks the share of time of each base turn of a source.
func (p *planner) pickTimes(s source) []float64 {
	out := make([]float64, s.base)
	for i := range out {
		out[i] = s.from
		if s.to > s.from {
			out[i] += (s.to - s.from) * (float64(i) + 0.1 + 0.8*p.rnd.Float64()) / float64(s.base)
		}
	}
	return out
}

// placeSlots puts slots between the turns of a source, no two adjacent while there is
// room, and returns the time of each turn.
func (p *planner) placeSlots(at, arrangement int, clock []float64, start int64) ([]Slot, []int64) {
	var mine []slotPosition
	for _, s := range p.slots[arrangement] {
		if s.source == at {
			mine = append(mine, s)
		}
	}
	slices.SortStableFunc(mine, byTime)
	after := make([]int, len(mine))
	chat := p.sources[at].chat()
	for i, s := range mine {
		after[i] = slices.IndexFunc(clock, func(t float64) bool { return t > s.at })
		if !chat { // anywhere among its paragraphs
			after[i] = (i + 1) * len(clock) / (len(mine) + 1)
		} else if after[i] < 0 {
			after[i] = len(clock)
		}
	}
	spaceSlots(after, len(clock))
	var slots []Slot
	var times []float64
	n := 0
	for i, s := range mine {
		times = append(times, clock[n:after[i]]...)
		n = after[i]
		s.Slot.After = n
		slots = append(slots, s.Slot)
		times = append(times, timesBetween(times, clock[n:], s.Turns, p.sources[at])...)
	}
	return slots, p.secondsOfShares(append(times, clock[n:]...), start)
}

// spaceSlots moves places so that two turns lie between neighbours, as far as there are
// enough. Both sides give way, so that none moves far from its time (isotonic
// regression).
func spaceSlots(after []int, most int) {
	type block struct{ sum, n int }
	var blocks []block
	for i, a := range after {
		b := block{a - 2*i, 1}
		for k := len(blocks) - 1; k >= 0 && blocks[k].sum*b.n > b.sum*blocks[k].n; k-- {
			b = block{b.sum + blocks[k].sum, b.n + blocks[k].n}
			blocks = blocks[:k]
		}
		blocks = append(blocks, b)
	}
	at := 0
	for _, b := range blocks {
		for range b.n {
			after[at] = max(b.sum/b.n, 0) + 2*at
			at++
		}
	}
	limit := most
	for i := len(after) - 1; i >= 0; i-- {
		after[i] = max(min(after[i], limit), 0)
		limit = max(after[i]-1, 0)
	}
}

// timesBetween returns n times from the last one to the next.
func timesBetween(before, next []float64, n int, s source) []float64 {
	from, to := s.from, s.to
	if len(before) > 0 {
		from = before[len(before)-1]
	}
	if len(next) > 0 {
		to = next[0]
	}
	to = min(to, from+0.004) // answers come within days
	out := make([]float64, n)
	for i := range out {
		out[i] = from + (to-from)*float64(i+1)/float64(n+1)
	}
	return out
}

// Waking hours, in seconds of a day.
const (
	dawn = 7 * 3600
	day  = 16 * 3600
)

// secondsOfShares converts shares of the batch's time to moments at which people are
// awake, each at least a second after the last.
func (p *planner) secondsOfShares(shares []float64, start int64) []int64 {
	out := make([]int64, len(shares))
	for i, s := range shares {
		whole, part := math.Modf(s * float64(p.cfg.Days))
		out[i] = start + int64(whole)*86400 + dawn + int64(part*day)
		if i > 0 {
			out[i] = max(out[i], out[i-1]+1)
		}
	}
	return out
}

// mergeStream numbers the turns of all sources by time, from 1; ties go by the order of
// sources.
func mergeStream(list []Channel) {
	type at struct {
		time        int64
		source, own int
	}
	var all []at
	for i := range list {
		list[i].Positions = make([]int64, len(list[i].Times))
		for n, t := range list[i].Times {
			all = append(all, at{t, i, n})
		}
	}
	slices.SortFunc(all, func(a, b at) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.source, b.source), cmp.Compare(a.own, b.own))
	})
	for n, a := range all {
		list[a.source].Positions[a.own] = int64(n + 1)
	}
}

// pickItemTimes picks a staggered share of time for each unit of evidence, later for
// revisions. Units like one of these use the same distribution; others get any time. It
// is false if revisions cannot be later.
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

// dealShares shuffles the shares of text pieces. Pictures and tables keep theirs, since
// the same misleading texts stand beside them.
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

// pickOrder picks an order of units in which revisions come later.
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

// tries is how often a batch is laid out: times of items whose pieces came to stand
// too close, or out of order, are drawn again. What stands badly then is lost (New).
const tries = 16

// streamRange is where a piece, or a text that misleads, stands in the stream of its task.
type streamRange struct{ from, to int64 }

// retryItems picks new times for items that are badly placed in one of the arrangements,
// and returns their ids.
func (p *planner) retryItems(channels [2][]Channel) (bad []string) {
	stands := [2]map[string]streamRange{streamRanges(channels[Distributed]), streamRanges(channels[Concentrated])}
	for _, item := range p.batch.Items {
		if slices.ContainsFunc(p.lost, func(l Lost) bool { return l.Item == item.ItemID }) {
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

// streamRanges returns the stream positions of all units.
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

// wellPlaced reports whether statements about each thing are apart and revisions come
// later.
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

// tooClose reports whether two seats of a thread are too close, together with the item's
// pictures and tables.
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

// pickNewTimes picks other times for the pieces of an item, except in documents and
// profiles.
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
