package route

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// sitting is where the pieces of an item go.
type sitting struct {
	item   schemas.EvidenceItem
	source []int     // of each unit, -1 for none of its own
	at     []float64 // share of the time
	host   int       // the source of the twin
}

// route finds a source and a time for each piece of an item. It says why there is
// none.
func (p *plan) route(item schemas.EvidenceItem) *Lost {
	lose := func(code, why string, args ...any) *Lost {
		return &Lost{item.ItemID, code, fmt.Sprintf(why, args...)}
	}
	s := sitting{item: item, source: make([]int, len(item.Units)), at: make([]float64, len(item.Units))}
	for i := range s.source {
		s.source[i] = -1
	}
	times, ok := p.times(item)
	if !ok {
		return lose("cyclic-order", "its units revise each other in a circle, so none can come first")
	}
	s.at = times
	if !p.seat(&s) {
		return lose("no-source", "no chat has room for who has to say its %d units; give the batch more group chats", len(item.Units))
	}
	if n := s.sources(); n < 2 {
		return lose("one-source", "its evidence fills %d source only; an item takes two pieces of evidence or more", n)
	}
	p.settle(s)
	return nil
}

// sources is in how many the needed pieces stand.
func (s sitting) sources() int {
	seen := map[int]bool{}
	for i, u := range s.item.Units {
		if u.Role != schemas.RoleDistractor {
			seen[s.source[i]] = true
		}
	}
	return len(seen)
}

// times draws a share of the time for each unit that the answer rests on, staggered, and
// later for what revises; for others any time, later for what revises. False where that
// cannot be.
func (p *plan) times(item schemas.EvidenceItem) ([]float64, bool) {
	out := make([]float64, len(item.Units))
	order, ok := p.order(item.Units)
	if !ok {
		return nil, false
	}
	needed, place, at := len(item.Needed()), 0, map[string]float64{}
	for _, i := range order {
		u := item.Units[i]
		if u.Role != schemas.RoleDistractor { // each within a share of its own, not at its edges
			out[i] = first + span*(float64(place)+0.3+0.4*p.rnd.Float64())/float64(needed)
			place++
		} else {
			from := first
			for _, id := range u.Revises {
				from = max(from, at[id])
			}
			out[i] = from + (first+span-from)*p.rnd.Float64()
		}
		at[u.UnitID] = out[i]
	}
	return out, true
}

// The share of a batch's time at which the first piece can stand, and how long pieces do.
const (
	first = 0.09
	span  = 0.88
)

// order draws in which order units come, what revises after what it revises.
func (p *plan) order(units []schemas.EvidenceUnit) (order []int, ok bool) {
	done := map[string]bool{}
	for len(order) < len(units) {
		var ready []int
		for i, u := range units {
			waits := slices.ContainsFunc(u.Revises, func(id string) bool { return !done[id] })
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

// seat gives each unit its source: one of its own where it is at home in a document,
// table, profile or picture, else one of some chats.
func (p *plan) seat(s *sitting) bool {
	homes := map[int]bool{}
	var chatting []int
	for i, u := range s.item.Units {
		if u.Labels[LabelSwaps] != "" && p.cfg.Twins {
			continue // stands where the twin of another one will
		}
		at := -1
		switch h := home(u); {
		case h == HomeTable || h == HomeImage:
			at = p.own(h, u.UnitID, 0, s.at[i])
		case h == HomeProfile && p.known(u.Labels[LabelSpeaker]):
			at = p.own(schemas.KindProfile, u.Labels[LabelSpeaker], 3, 0.001)
		case h == HomeDocument && len(u.Revises) == 0:
			at = p.lightest(func(c source) bool { return c.kind == schemas.KindDocument }, func(i int) bool { return homes[i] })
		}
		if at < 0 {
			chatting = append(chatting, i)
			continue
		}
		s.source[i] = at
		if u.Role != schemas.RoleDistractor { // others change not in how many sources the evidence is
			homes[at] = true
		}
		p.sources[at].load++
	}
	return p.chats(s, chatting, len(homes)) && p.hosted(s)
}

func (p *plan) known(name string) bool {
	return slices.ContainsFunc(p.batch.Profiles, func(f schemas.Profile) bool { return f.Name == name })
}

// lightest is the source of a kind that has the most turns for each of its pieces and
// is not taken, -1 for none. Ties are drawn.
func (p *plan) lightest(of func(source) bool, taken func(int) bool) int {
	best := -1
	for _, i := range p.rnd.Perm(len(p.sources)) {
		if of(p.sources[i]) && !taken(i) && (best < 0 || p.sources[i].lighter(p.sources[best])) {
			best = i
		}
	}
	return best
}

// chats spreads the units that the answer rests on over as many chats as are drawn for
// the item. Others stand wherever there is most room, so that they crowd out none of
// these.
func (p *plan) chats(s *sitting, units []int, others int) bool {
	needed := slices.DeleteFunc(slices.Clone(units), func(i int) bool { return s.item.Units[i].Role == schemas.RoleDistractor })
	want := min(weights.Draw(p.rnd, p.cfg.Sources)-others, len(needed))
	want = max(want, min(2-min(others, 2), len(needed)), min(1, len(needed)))
	var opened []int
	for n, i := range needed {
		at := -1
		if n >= want { // one of those that the item is in already
			for _, k := range p.rnd.Perm(len(opened)) {
				if p.sources[opened[k]].admits(s.item.Units[i].Labels[LabelSpeaker]) {
					at = opened[k]
					break
				}
			}
		}
		if at < 0 {
			at = p.roomy(s.item.Units[i], opened)
		}
		if !p.sit(s, i, at) {
			return false
		}
		if !slices.Contains(opened, at) {
			opened = append(opened, at)
		}
	}
	for _, i := range units {
		if s.source[i] < 0 && !p.sit(s, i, p.roomy(s.item.Units[i], nil)) {
			return false
		}
	}
	return true
}

// roomy is the chat with most room that admits who has to say a unit: one that is not taken
// where there is any, -1 for none.
func (p *plan) roomy(u schemas.EvidenceUnit, taken []int) int {
	admits := func(c source) bool { return c.chat() && c.admits(u.Labels[LabelSpeaker]) }
	if at := p.lightest(admits, func(i int) bool { return slices.Contains(taken, i) }); at >= 0 {
		return at
	}
	return p.lightest(admits, func(int) bool { return false })
}

// sit gives a unit its source, where there is one.
func (p *plan) sit(s *sitting, unit, at int) bool {
	if at < 0 {
		return false
	}
	s.source[unit] = at
	p.sources[at].admit(s.item.Units[unit].Labels[LabelSpeaker])
	p.sources[at].load++
	return true
}

// hosted finds the chat of the twin: the one with most pieces that admits who has to
// say the others.
func (p *plan) hosted(s *sitting) bool {
	if !p.cfg.Twins {
		return true
	}
	var names []string
	count := map[int]int{}
	for i, u := range s.item.Units {
		if u.Role == schemas.RoleDistractor {
			continue
		}
		names = append(names, u.Labels[LabelSpeaker])
		if s.source[i] >= 0 {
			count[s.source[i]]++
		}
	}
	s.host = -1
	for _, i := range p.rnd.Perm(len(p.sources)) {
		c := p.sources[i]
		if c.chat() && c.admits(names...) && (s.host < 0 || count[i] > count[s.host] || count[i] == count[s.host] && c.lighter(p.sources[s.host])) {
			s.host = i
		}
	}
	if s.host < 0 {
		return false
	}
	for _, n := range names {
		p.sources[s.host].admit(n)
	}
	return true
}

// settle gives the pieces of an item their slots in both arrangements. What moves to
// the host in the twin changes places with as many other turns.
func (p *plan) settle(s sitting) {
	swaps := map[string]schemas.EvidenceUnit{}
	for _, u := range s.item.Units {
		if of := u.Labels[LabelSwaps]; of != "" && p.cfg.Twins {
			swaps[of] = u
		}
	}
	for i, u := range s.item.Units {
		at := s.source[i]
		if at < 0 {
			continue
		}
		own := p.slot(u, at, s.item)
		if !p.cfg.Twins || u.Role == schemas.RoleDistractor || at == s.host {
			p.put(at, s.at[i], own, own)
			continue
		}
		there := p.slot(u, s.host, s.item)
		if p.sources[at].chat() { // as many turns as it takes where it is
			there = own
		}
		empty := func(of Slot) Slot {
			of.Piece, of.Rule = nil, ""
			return of
		}
		here, instead := empty(own), empty(there)
		if other, ok := swaps[u.UnitID]; ok {
			piece := pieceOf(s.item.ItemID, other)
			here.Piece = piece
			instead.Piece, instead.Rule = piece, there.Rule
		}
		p.put(at, s.at[i], own, here)
		p.put(s.host, s.at[i], instead, there)
		p.sources[s.host].load++
	}
}

// put adds a slot with what stands in it in each arrangement.
func (p *plan) put(at int, when float64, own, twin Slot) {
	p.spots[Distributed] = append(p.spots[Distributed], spot{at, when, own})
	p.spots[Concentrated] = append(p.spots[Concentrated], spot{at, when, twin})
}

// plainOf is one in how many texts nobody leads up to.
const plainOf = 3

// slot is a piece with what stands around it in a source. In chats it is led up to,
// announced and answered; elsewhere it stands for itself.
func (p *plan) slot(u schemas.EvidenceUnit, at int, item schemas.EvidenceItem) Slot {
	s := Slot{Name: u.UnitID, Piece: pieceOf(item.ItemID, u)}
	s.Piece.Taste = item.Task == schemas.TaskPreference
	s.Turns = len(s.Piece.Parts)
	if !p.sources[at].chat() {
		return s
	}
	s.Before, s.Trail = 1+p.rnd.IntN(2), 1+p.rnd.IntN(2)
	plain := s.Piece.Handle == "" && (s.Piece.Speaker == "" || home(u) == HomeChat) && p.rnd.IntN(plainOf) == 0
	switch {
	case plain: // it comes without a word, or whoever looks for announcements finds all pieces
		s.Before = 0
	case len(u.Pictures()) > 0 && len(s.Piece.Parts) == 1 && p.rnd.IntN(3) == 0:
		s.Rule = "inline"
	case len(u.Pictures()) > 0:
		s.Rule = "picture"
		if u.Modality == schemas.ModalityTable {
			s.Rule = "table"
		}
	case home(u) != HomeChat && len(u.Rows) == 0:
		s.Rule = "quote"
	}
	s.Turns += s.Before + s.Trail
	if s.Rule != "" && s.Rule != "inline" {
		s.Turns++
	}
	return s
}

// byTime orders spots of a source.
func byTime(a, b spot) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.Name, b.Name)) }
