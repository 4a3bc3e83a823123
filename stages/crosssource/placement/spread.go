package placement

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// itemPlacement is where the pieces of an item go.
type itemPlacement struct {
	item   schemas.EvidenceItem
	source []int     // of each unit, -1 for none of its own
	at     []float64 // share of the time
	host   int       // the source of the twin
}

// placeItem finds a source and a time for each piece of an item, or returns why there is
// none. Sources opened for a lost item are closed again.
func (p *planner) placeItem(item schemas.EvidenceItem) *Lost {
	had := len(p.sources)
	lose := func(code, why string, args ...any) *Lost {
		p.sources = p.sources[:had]
		return &Lost{item.ItemID, code, fmt.Sprintf(why, args...)}
	}
	s := itemPlacement{item: item, source: make([]int, len(item.Units)), at: make([]float64, len(item.Units))}
	for i := range s.source {
		s.source[i] = -1
	}
	times, ok := p.pickItemTimes(item)
	if !ok {
		return lose("cyclic-order", "its units revise each other in a circle, so none can come first")
	}
	s.at = times
	if !p.assignSources(&s) {
		return lose("no-source", "no chat has room for who has to say its %d units; give the batch more group chats", len(item.Units))
	}
	if n := s.sources(); n < 2 {
		return lose("one-source", "its evidence fills %d source only; an item takes two pieces of evidence or more", n)
	}
	p.addItemSlots(s)
	return nil
}

func (s itemPlacement) sources() int {
	seen := map[int]bool{}
	for i, u := range s.item.Units {
		if u.Role != schemas.RoleDistractor {
			seen[s.source[i]] = true
		}
	}
	return len(seen)
}

// assignSources assigns each unit its home (a document, table, profile or picture of its
// own) or one of some chats. The threads of the asked thing and of others are assigned in
// random order, independently of each other.
func (p *planner) assignSources(s *itemPlacement) bool {
	threads := threadsOf(s.item)
	order, homes := p.rnd.Perm(len(threads)), map[int]bool{}
	pictures, own, left := p.assignHomes(s, s.pictures(), homes), make([]map[int]bool, len(threads)), make([][]threadSeat, len(threads))
	for _, t := range order {
		own[t] = maps.Clone(homes)
		left[t] = p.assignHomes(s, inWords(s.item, threads[t]), own[t])
	}
	sources := weights.PickNumber(p.rnd, p.cfg.Sources)
	want := func(t int) int {
		n, chatting := len(own[t]), len(pictures)+len(left[t])
		return max(min(sources-n, chatting), min(2-min(n, 2), chatting), min(1, chatting))
	}
	opened, ok := p.spreadOverChats(s, pictures, nil, want(0))
	for _, t := range order {
		if ok {
			_, ok = p.spreadOverChats(s, left[t], opened, want(t))
		}
	}
	for i, u := range s.item.Units {
		if ok && !hasSeat(threads, i) && u.Role == schemas.RoleDistractor && (u.Labels[LabelSwaps] == "" || !p.cfg.Twins) { // else it stands where the twin of another one will
			_, ok = p.spreadOverChats(s, p.assignHomes(s, []threadSeat{{i, i}}, maps.Clone(homes)), nil, 0)
		}
	}
	return ok && p.assignHost(s)
}

// assignHomes assigns units to their homes and returns the others. homes are those taken.
func (p *planner) assignHomes(s *itemPlacement, list []threadSeat, homes map[int]bool) (chatting []threadSeat) {
	for _, e := range list {
		u, at := s.item.Units[e.shapeUnit()], -1
		switch h := homeOf(u); {
		case h == HomeTable || h == HomeImage:
			at = p.openOwn(h, u.UnitID, themeOf(s.item), 0, s.at[e.shapeUnit()])
		case h == HomeProfile && p.isProfiled(u.Labels[LabelSpeaker]):
			at = p.openOwn(schemas.KindProfile, u.Labels[LabelSpeaker], themeOf(s.item), 3, 0.001)
		case h == HomeDocument && len(u.Revises) == 0:
			at = p.sourceWithMostRoom(func(c source) bool { return c.kind == schemas.KindDocument }, func(i int) bool { return homes[i] })
		}
		if at < 0 {
			chatting = append(chatting, e)
			continue
		}
		homes[at] = true
		if e.unit >= 0 {
			s.source[e.unit] = at
			p.sources[at].load++
		}
	}
	return chatting
}

func (p *planner) isProfiled(name string) bool {
	return slices.ContainsFunc(p.batch.Profiles, func(f schemas.Profile) bool { return f.Name == name })
}

// sourceWithMostRoom returns the free source with most turns per piece, ties at random,
// or -1.
func (p *planner) sourceWithMostRoom(of func(source) bool, taken func(int) bool) int {
	best := -1
	for _, i := range p.rnd.Perm(len(p.sources)) {
		if of(p.sources[i]) && !taken(i) && (best < 0 || p.sources[i].hasMoreRoom(p.sources[best])) {
			best = i
		}
	}
	return best
}

// spreadOverChats spreads units over chats until as many are opened as wanted, then over these.
func (p *planner) spreadOverChats(s *itemPlacement, units []threadSeat, opened []int, want int) ([]int, bool) {
	opened = slices.Clone(opened)
	for _, e := range units {
		var who schemas.EvidenceUnit // no source has to say what is absent
		if e.unit >= 0 {
			who = s.item.Units[e.unit]
		}
		at := -1
		if len(opened) >= want { // one of those that the item is in already
			for _, k := range p.rnd.Perm(len(opened)) {
				if p.sources[opened[k]].admits(who.Labels[LabelSpeaker]) {
					at = opened[k]
					break
				}
			}
		}
		if at < 0 {
			at = p.chatWithMostRoom(who, themeOf(s.item), opened)
		}
		if at < 0 || e.unit >= 0 && !p.assignSource(s, e.unit, at) {
			return opened, false
		}
		if !slices.Contains(opened, at) {
			opened = append(opened, at)
		}
	}
	return opened, true
}

// chatWithMostRoom returns the chat with most room that admits the required speaker: a free
// one on the theme, if there is one, else any free one, else any; or -1.
func (p *planner) chatWithMostRoom(u schemas.EvidenceUnit, theme string, taken []int) int {
	admits := func(c source) bool { return c.chat() && c.admits(u.Labels[LabelSpeaker]) }
	isTaken := func(i int) bool { return slices.Contains(taken, i) }
	at := -1
	if p.themes[0] != p.themes[len(p.themes)-1] {
		at = p.sourceWithMostRoom(func(c source) bool { return admits(c) && c.themes[0] == theme }, isTaken)
	}
	if at < 0 {
		at = p.sourceWithMostRoom(admits, isTaken)
	}
	if at < 0 {
		at = p.sourceWithMostRoom(admits, func(int) bool { return false })
	}
	return at
}

func (p *planner) assignSource(s *itemPlacement, unit, at int) bool {
	if at < 0 {
		return false
	}
	s.source[unit] = at
	p.sources[at].admit(s.item.Units[unit].Labels[LabelSpeaker])
	p.sources[at].load++
	return true
}

// assignHost finds the chat of the twin: the one with most units of the item that admits
// the speakers of the rest.
func (p *planner) assignHost(s *itemPlacement) bool {
	if !p.cfg.Twins {
		return true
	}
	var names []string
	count := map[int]int{}
	for i, u := range s.item.Units {
		if isDecoy(u) {
			continue
		}
		names = append(names, u.Labels[LabelSpeaker])
		count[s.source[i]]++
	}
	s.host = -1
	for _, i := range p.rnd.Perm(len(p.sources)) {
		c := p.sources[i]
		if c.chat() && c.admits(names...) && (s.host < 0 || count[i] > count[s.host] || count[i] == count[s.host] && c.hasMoreRoom(p.sources[s.host])) {
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

// addItemSlots adds the slots of an item in both arrangements. Pieces that move to the
// host swap places with as many other turns.
func (p *planner) addItemSlots(s itemPlacement) {
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
		own := p.buildSlot(u, at, s.item)
		if !p.cfg.Twins || isDecoy(u) || at == s.host {
			p.addSlot(at, s.at[i], own, own)
			continue
		}
		there := p.buildSlot(u, s.host, s.item)
		if p.sources[at].chat() { // as many turns as it takes where it is
			there = own
		}
		empty := func(of Slot) Slot {
			of.Piece, of.Rule = nil, ""
			return of
		}
		here, instead := empty(own), empty(there)
		if other, ok := swaps[u.UnitID]; ok {
			piece := buildPiece(s.item, other)
			here.Piece = piece
			instead.Piece, instead.Rule = piece, there.Rule
		}
		p.addSlot(at, s.at[i], own, here)
		p.addSlot(s.host, s.at[i], instead, there)
		p.sources[s.host].load++
	}
}

func (p *planner) addSlot(at int, when float64, own, twin Slot) {
	p.slots[Distributed] = append(p.slots[Distributed], slotPosition{at, when, own})
	p.slots[Concentrated] = append(p.slots[Concentrated], slotPosition{at, when, twin})
}

// plainOf is the share of texts without a lead-up, one in so many.
const plainOf = 3

// buildSlot returns the slot of a piece. In chats it is led up to, announced and
// answered.
func (p *planner) buildSlot(u schemas.EvidenceUnit, at int, item schemas.EvidenceItem) Slot {
	s := Slot{Name: u.UnitID, Piece: buildPiece(item, u)}
	s.Piece.Taste = item.Task == schemas.TaskPreference
	s.Turns = len(s.Piece.Parts)
	if !p.sources[at].chat() {
		return s
	}
	s.Before, s.Trail = 1+p.rnd.IntN(2), 1+p.rnd.IntN(2)
	plain := s.Piece.Handle == "" && (s.Piece.Speaker == "" || homeOf(u) == HomeChat) && p.rnd.IntN(plainOf) == 0
	switch {
	case plain: // it comes without a word, or a search for announcements finds all pieces
		s.Before = 0
	case len(u.Pictures()) > 0 && len(s.Piece.Parts) == 1 && p.rnd.IntN(3) == 0:
		s.Rule = "inline"
	case len(u.Pictures()) > 0:
		s.Rule = "picture"
		if u.Modality == schemas.ModalityTable {
			s.Rule = "table"
		}
	case homeOf(u) != HomeChat && len(u.Rows) == 0:
		s.Rule = "quote"
	}
	s.Turns += s.Before + s.Trail
	if s.Rule != "" && s.Rule != "inline" {
		s.Turns++
	}
	return s
}

func byTime(a, b slotPosition) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.Name, b.Name))
}

// threadSeat is a unit that is placed as a piece of evidence is. Evidence is placed as itself.
type threadSeat struct {
	unit int // -1 where nothing stands so
	like int // the piece
}

func (s threadSeat) shapeUnit() int {
	if s.unit < 0 {
		return s.like
	}
	return s.unit
}

// threadsOf returns the pieces of an item, and the statements about each other thing. All
// threads have a seat for each piece, so that misleading texts are placed like evidence:
// neither order nor source reveals which thing is asked about.
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

func hasSeat(threads [][]threadSeat, unit int) bool {
	return slices.ContainsFunc(threads, func(t []threadSeat) bool {
		return slices.ContainsFunc(t, func(s threadSeat) bool { return s.unit == unit })
	})
}

func (s itemPlacement) pictures() (out []threadSeat) {
	for i, u := range s.item.Units {
		if u.Role != schemas.RoleDistractor && IsShown(u) {
			out = append(out, threadSeat{i, i})
		}
	}
	return out
}

// inWords returns the seats of texts, without the item's pictures and tables and empty
// seats.
func inWords(item schemas.EvidenceItem, list []threadSeat) []threadSeat {
	return slices.DeleteFunc(slices.Clone(list), func(s threadSeat) bool {
		return IsShown(item.Units[s.like]) && (s.unit < 0 || s.unit == s.like)
	})
}

func isDecoy(u schemas.EvidenceUnit) bool { return u.Role == schemas.RoleDistractor && IsShown(u) }
