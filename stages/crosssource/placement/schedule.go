package placement

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
)

// schedule gives every source its people, turns and clock, and every turn its place in
// the stream of its task. It also names the items that stand badly in the end.
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
	for range tries {
		for arrangement, task := range taskIDs {
			if arrangement == Concentrated && !p.cfg.Twins {
				continue
			}
			list := make([]Channel, len(p.sources))
			for i, s := range p.sources {
				list[i] = Channel{
					TaskID: task, SessionID: schemas.SessionIDOf(task, i), Order: int32(i), Kind: s.kind, Title: s.title, Key: s.key, Themes: p.sourceThemes(s.key), Cast: casts[i], Base: s.base,
					Mentions: mentions[i].names, Topics: mentions[i].topics,
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

// people of a batch, as far as it shapes what they say.
func person(f schemas.Profile) basetalk.Person {
	out := basetalk.Person{Name: f.Name, Work: cmp.Or(f.Attributes["work"], f.Attributes["occupation"], "neighbour"), Town: cmp.Or(f.Attributes["lives in"], "town")}
	for _, x := range f.Preferences {
		if x.Level == "like" && len(x.Dimension) < 40 {
			out.Likes = append(out.Likes, x.Dimension)
		}
	}
	if len(out.Likes) == 0 {
		out.Likes = []string{"long walks", "quiet evenings"}
	}
	return out
}

// pickCast are who takes part: who has to, and others at random.
func (p *planner) pickCast(at int) []basetalk.Person {
	s := p.sources[at]
	var out []basetalk.Person
	byName := func(name string) (basetalk.Person, bool) {
		for _, f := range p.batch.Profiles {
			if f.Name == name {
				return person(f), true
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
		who := person(p.batch.Profiles[i])
		if len(out) < size && !slices.ContainsFunc(out, func(o basetalk.Person) bool { return o.Name == who.Name }) {
			out = append(out, who)
		}
	}
	return out
}

// openProfiles opens a profile for everybody who takes part in a chat.
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
		if at := p.openOwn(schemas.KindProfile, n, 3, 0.001); at >= len(*casts) {
			*casts = append(*casts, p.pickCast(at))
		}
	}
}

// pickTimes gives the share of time at which each of a source's own turns is said.
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

// placeSlots puts the slots of a source between its turns, no two beside each other while
// there is room, and gives the time of each turn.
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

// spaceSlots moves places so that two turns lie between each two, as far as there are so
// many. Those that stand too close part to both sides, so that none goes far from the
// time that it was given (isotonic regression).
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

// timesBetween gives n times between the last and the next.
func timesBetween(before, next []float64, n int, s source) []float64 {
	from, to := s.from, s.to
	if len(before) > 0 {
		from = before[len(before)-1]
	}
	if len(next) > 0 {
		to = next[0]
	}
	to = min(to, from+0.004) // nobody waits days for an answer
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

// secondsOfShares turns shares of the batch's time into moments at which people are awake, each
// at least a second after the last.
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

// mergeStream numbers the turns of all sources by time, from 1; what is said at the same
// second in the order of the sources.
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
