package procedural

import (
	"math"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// beat is one thing that an actor may do next: rest, stroll, come, go, or handle
// a thing. Its events are written when it is drawn.
type beat struct {
	kind    string // of the event; empty for a rest
	prop    int    // or -1
	fixture int
	slot    schemas.FilmPoint
	weight  float64
	events  []schemas.FilmEvent
	ready   float64 // when the actor is free again
}

// Seconds that people stay on the stage and off it, at least.
const (
	leastStay    = 5.0
	leastAbsence = 1.2
)

// beatOptions are what p may do next, with weights.
func (d *director) beatOptions(p *player) []beat {
	if !p.on {
		return d.entrances(p.ready)
	}
	out := []beat{{prop: -1, weight: 0.3 * d.idle}, {kind: schemas.FilmWalks, prop: -1, weight: 0.4 * d.idle}}
	if d.mayLeave(p) {
		out = append(out, beat{kind: schemas.FilmLeaves, prop: p.prop, weight: 0.7})
	}
	out = append(out, d.openable()...)
	if p.prop >= 0 {
		return append(out, d.freePlaces(p)...)
	}
	return append(out, d.takeable(p.ready)...)
}

// entrances bring in a thing that is away, if there is one and a place for it.
func (d *director) entrances(now float64) []beat {
	out := []beat{{kind: schemas.FilmEnters, prop: -1, weight: 1}}
	here := 0
	for _, s := range d.props {
		here += map[bool]int{false: 1}[s.away]
	}
	for n, s := range d.props {
		if !s.away || s.since > now || here >= slotCount {
			continue
		}
		weight := 3.0
		if s.taken > 0 || s.put > 0 {
			weight = 0.6
		}
		out = append(out, beat{kind: schemas.FilmEnters, prop: n, weight: weight})
	}
	return out
}

// mayLeave keeps somebody on the stage, what both twins show too, and people
// long enough to be known.
func (d *director) mayLeave(p *player) bool {
	if p.ready < p.since+leastStay || p.ready > d.end()-enterTime || p.prop >= 0 && p.prop < d.assigned.shared {
		return false
	}
	return slices.ContainsFunc(d.players, func(q player) bool { return q.id != p.id && q.on && q.since <= p.ready })
}

// openable are the closed openings, once their turn has come.
func (d *director) openable() []beat {
	var out []beat
	closed, all := 0, 0
	for n, x := range d.f.Fixtures {
		if x.Group != schemas.FilmOpening {
			continue
		}
		all++
		if !d.opened[n] {
			closed++
			out = append(out, beat{kind: schemas.FilmOpens, prop: -1, fixture: n})
		}
	}
	due := (d.now() - d.f.Card) / (d.end() - d.f.Card) * float64(all+1)
	for n := range out {
		out[n].weight = max(0.05, 1.5*(due-float64(all-closed)))
	}
	return out
}

// now is when the next actor is free.
func (d *director) now() float64 {
	if p := d.nextPlayer(); p != nil {
		return p.ready
	}
	return d.end()
}

// takeable are the things that lie about, first those nobody has had, unless
// these are being used up too soon.
func (d *director) takeable(now float64) []beat {
	fresh, again := 2.5, 0.1
	if d.takesAhead(now) {
		fresh, again = 0.3, 0.5
	}
	var out []beat
	for n, s := range d.props {
		if s.away || s.held || s.since > now {
			continue
		}
		weight := again
		switch {
		case s.taken == 0 && n < d.assigned.shared:
			weight = 1.6 * fresh
		case s.taken == 0:
			weight = fresh
		case n < d.assigned.shared:
			continue // what both twins show happens once, or it cannot be asked
		}
		out = append(out, beat{kind: schemas.FilmPicks, prop: n, weight: weight})
	}
	return out
}

// takesAhead reports whether more things were taken than the time that has passed
// would have it.
func (d *director) takesAhead(now float64) bool {
	taken := 0
	for _, s := range d.props {
		taken += min(s.taken, 1)
	}
	passed := (now - d.f.Card) / (d.end() - d.f.Card)
	return float64(taken) > 2+passed*float64(len(d.props))
}

// freePlaces are free slots for what p carries, elsewhere than where it was.
func (d *director) freePlaces(p *player) []beat {
	var out []beat
	s := d.props[p.prop]
	for _, at := range allSlots(d.f.Fixtures) {
		if at == s.at || d.free[at] > p.ready || slices.ContainsFunc(d.props, func(o thingState) bool { return !o.away && !o.held && o.at == at }) {
			continue
		}
		weight := 1.2
		if math.Abs(at.X-s.at.X) < 3*slotPitch {
			weight = 0.3 // so near, it hardly changes its place
		}
		out = append(out, beat{kind: schemas.FilmPuts, prop: p.prop, slot: at, weight: weight})
	}
	return out
}

// pickBeat takes one of the options by weight and writes its events; false when
// none that was tried fits the time that is left and lets everybody be seen.
func (d *director) pickBeat(p *player, options []beat) (beat, bool) {
	for range 4 {
		sum := 0.0
		for _, b := range options {
			sum += b.weight
		}
		if sum <= 0 {
			return beat{}, false
		}
		at, u := 0, d.r.Float64()*sum
		for u -= options[0].weight; u > 0 && at < len(options)-1; u -= options[at].weight {
			at++
		}
		if b := d.writeBeat(p, options[at]); b.ready <= d.end() && d.keepsVisible(p, b.events) {
			return b, true
		}
	}
	return beat{}, false
}

// coversAll reports whether all that must happen does: what is in both twins is
// picked up in both, everybody is seen, and most things are handled.
func (d *director) coversAll() bool {
	taken, put, opened, all := 0, 0, 0, 0
	for n, s := range d.props {
		if n < d.assigned.shared && s.taken != 1 {
			return false
		}
		taken, put = taken+min(s.taken, 1), put+min(s.put, 1)
	}
	for n, x := range d.f.Fixtures {
		if x.Group == schemas.FilmOpening {
			all++
			if d.opened[n] {
				opened++
			}
		}
	}
	if slices.ContainsFunc(d.players, func(p player) bool { return p.first == nil && p.since == 0 }) {
		return false
	}
	if d.f.Duration() < shortBelow {
		return opened > 0 && taken > 1 && put > 0
	}
	return opened == all && taken >= len(d.props)-1-len(d.props)/4 && put >= len(d.props)/2 && d.spreadOverTime()
}

// longFrom is the length, in seconds, from which a film has no idle quarter.
const longFrom = 100.0

// spreadOverTime reports whether things are taken and put down in each quarter of a long
// film.
func (d *director) spreadOverTime() bool {
	if d.f.Duration() < longFrom {
		return true
	}
	var taken, put [4]int
	for _, e := range d.events {
		quarter := int(4 * e.Start / d.f.Duration())
		switch e.Kind {
		case schemas.FilmPicks:
			taken[quarter]++
		case schemas.FilmPuts:
			put[quarter]++
		}
	}
	return min(slices.Min(taken[:]), slices.Min(put[:])) > 0
}
