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
		if s.pickedUp > 0 || s.putDown > 0 {
			weight = 0.6
		}
		out = append(out, beat{kind: schemas.FilmEnters, prop: n, weight: weight})
	}
	return out
}

// mayLeave keeps somebody on the stage, what both twins show too, and people
// long enough to be recognised.
func (d *director) mayLeave(p *player) bool {
	if p.ready < p.since+leastStay || p.ready > d.end()-enterTime || p.prop >= 0 && p.prop < d.assigned.shared {
		return false
	}
	return slices.ContainsFunc(d.players, func(q player) bool { return q.id != p.id && q.on && q.since <= p.ready })
}

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

func (d *director) now() float64 {
	if p := d.nextPlayer(); p != nil {
		return p.ready
	}
	return d.end()
}

// takeable returns the things that lie about, first those not yet handled,
// unless these are being used up too soon.
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
		case s.pickedUp == 0 && n < d.assigned.shared:
			weight = 1.6 * fresh
		case s.pickedUp == 0:
			weight = fresh
		case n < d.assigned.shared:
			continue // what both twins show happens once, or it cannot be asked
		}
		out = append(out, beat{kind: schemas.FilmPicks, prop: n, weight: weight})
	}
	return out
}

// takesAhead reports whether more things were taken than is due for the time
// that has passed.
func (d *director) takesAhead(now float64) bool {
	pickedUp := 0
	for _, s := range d.props {
		pickedUp += min(s.pickedUp, 1)
	}
	passed := (now - d.f.Card) / (d.end() - d.f.Card)
	return float64(pickedUp) > 2+passed*float64(len(d.props))
}

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

// pickBeat picks one of the options by weight and writes its events; false when
// none that was tried fits the remaining time and keeps everybody visible.
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
	pickedUp, putDown, opened, all := 0, 0, 0, 0
	for n, s := range d.props {
		if n < d.assigned.shared && s.pickedUp != 1 {
			return false
		}
		pickedUp, putDown = pickedUp+min(s.pickedUp, 1), putDown+min(s.putDown, 1)
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
		return opened > 0 && pickedUp > 1 && putDown > 0
	}
	return opened == all && pickedUp >= len(d.props)-1-len(d.props)/4 && putDown >= len(d.props)/2 && d.spreadOverTime()
}

// longFrom is the length, in seconds, from which a film has no idle quarter.
const longFrom = 100.0

// spreadOverTime reports whether things are taken and put down in each quarter
// of a long film.
func (d *director) spreadOverTime() bool {
	if d.f.Duration() < longFrom {
		return true
	}
	var pickedUp, putDown [4]int
	for _, e := range d.events {
		quarter := int(4 * e.Start / d.f.Duration())
		switch e.Kind {
		case schemas.FilmPicks:
			pickedUp[quarter]++
		case schemas.FilmPuts:
			putDown[quarter]++
		}
	}
	return min(slices.Min(pickedUp[:]), slices.Min(putDown[:])) > 0
}

func (d *director) writeBeat(p *player, b beat) beat {
	switch b.kind {
	case "":
		b.ready = p.ready + d.restSeconds() + 0.2
	case schemas.FilmWalks:
		x := pickOne(d.r, d.restPlaces())
		b = d.walk(p, b, x, d.onFrame(p.ready+0.1))
		b.ready += d.restSeconds()
	case schemas.FilmEnters:
		b = d.enter(p, b)
	case schemas.FilmLeaves:
		b = d.leave(p, b)
	case schemas.FilmPicks:
		b = d.handle(p, b, d.props[b.prop].at.X, takeTime)
	case schemas.FilmPuts:
		slot := b.slot
		b = d.handle(p, b, slot.X, takeTime)
		b.events[len(b.events)-1].Place = &slot
	case schemas.FilmOpens:
		b = d.handle(p, b, d.f.Fixtures[b.fixture].Handle.X, openTime)
	}
	return b
}

func (d *director) restSeconds() float64 { return d.idle * 2 * d.r.Float64() }

// restPlaces are where people wait: between the columns, and below the sign.
func (d *director) restPlaces() []float64 {
	sign := d.f.Fixtures[signAt(d.f.Fixtures)].At.X
	return []float64{sign - 18, sign + 18, 140, 260, 380, 500}
}

func (d *director) enter(p *player, b beat) beat {
	from, to := offLeft, []float64{140, 260, 200, 164}
	if d.r.IntN(2) == 0 {
		from, to = offRight, []float64{500, 380, 440, 476}
	}
	q := *p
	q.at.X = from
	x := pickOne(d.r, to)
	b = d.walk(&q, b, x, d.freeMoment(max(p.ready, p.since+leastAbsence), d.walkSeconds(from, x)))
	b.noteCarried(d.f)
	return b
}

// leave takes an actor out by the nearer side. An actor so close to it that
// going would hardly be seen walks away from it first.
func (d *director) leave(p *player, b beat) beat {
	off, inner := offLeft, 140.0
	if p.at.X > 320 {
		off, inner = offRight, 500
	}
	q, start := *p, p.ready+0.08
	var events []schemas.FilmEvent
	if d.walkSeconds(off, p.at.X) > longestWay {
		w := d.walk(p, beat{kind: schemas.FilmWalks}, inner, d.onFrame(start))
		events, q.at, start = w.events, *w.events[0].To, w.ready+0.08
	}
	b = d.walk(&q, b, off, d.freeMoment(start, d.walkSeconds(off, q.at.X)))
	b.noteCarried(d.f)
	b.events = append(events, b.events...)
	return b
}

func (b *beat) noteCarried(f *schemas.Film) {
	if b.prop >= 0 {
		b.events[0].Prop = f.Props[b.prop].ID
	}
}

func (d *director) walk(p *player, b beat, x, start float64) beat {
	from, to := p.at, schemas.FilmPoint{X: x, Y: p.at.Y}
	length := max(0.5, math.Abs(x-from.X)/d.pace)
	switch b.kind {
	case schemas.FilmEnters:
		length = d.walkSeconds(from.X, x)
	case schemas.FilmLeaves:
		length = d.walkSeconds(x, from.X)
	}
	b.ready = d.onFrame(start + length)
	b.events = []schemas.FilmEvent{{Kind: b.kind, Actor: p.id, Start: start, End: b.ready, From: &from, To: &to}}
	return b
}

// handle writes an action within reach of x, and the way there from the side
// the actor is on.
func (d *director) handle(p *player, b beat, x, length float64) beat {
	goal := x - reach
	if p.at.X > x {
		goal = x + reach
	}
	start := d.freeMoment(p.ready+0.12, length)
	at := p.at
	var events []schemas.FilmEvent
	if math.Abs(goal-p.at.X) >= 2 {
		way := max(0.5, math.Abs(goal-p.at.X)/d.pace)
		start = d.freeMoment(p.ready+0.08+way+0.08, length)
		w := d.walk(p, beat{kind: schemas.FilmWalks}, goal, d.onFrame(start-way-0.08))
		events, at = w.events, *w.events[0].To
		start = max(start, w.ready)
	}
	e := schemas.FilmEvent{Kind: b.kind, Actor: p.id, Start: start, End: d.onFrame(start + length), From: &at, To: &at}
	if b.prop >= 0 {
		e.Prop = d.f.Props[b.prop].ID
	} else {
		e.Fixture = d.f.Fixtures[b.fixture].ID
	}
	b.events, b.ready = append(events, e), e.End
	return b
}

func (d *director) commit(p *player, b beat) {
	for _, e := range b.events {
		d.events, p.events = append(d.events, e), append(p.events, e)
		p.at = *e.To
		if e.Kind != schemas.FilmWalks {
			d.starts = append(d.starts, e.Start)
		}
	}
	p.ready = b.ready
	switch b.kind {
	case schemas.FilmEnters, schemas.FilmLeaves:
		p.on, p.since = b.kind == schemas.FilmEnters, b.ready
		p.prop = -1
		if b.prop >= 0 {
			d.props[b.prop].away, d.props[b.prop].held, d.props[b.prop].since = !p.on, p.on, b.ready
			if p.on {
				p.prop = b.prop
			}
		}
	case schemas.FilmPicks:
		d.free[d.props[b.prop].at] = b.ready
		d.props[b.prop].held, p.prop = true, b.prop
		d.props[b.prop].pickedUp++
	case schemas.FilmPuts:
		d.props[b.prop].held, d.props[b.prop].at, p.prop = false, b.slot, -1
		d.props[b.prop].since = b.ready
		d.props[b.prop].putDown++
	case schemas.FilmOpens:
		d.opened[b.fixture] = true
	}
	if b.kind != "" && b.kind != schemas.FilmWalks && p.on {
		p.ready += d.restSeconds() / 2
	}
}

// elbowRoom is how close another actor may stand to what happens.
const elbowRoom = 46.0

// cost returns how much p would hide others, and they p, while events happen:
// less is easier to see.
func (d *director) cost(p *player, events []schemas.FilmEvent) float64 {
	sum := 0.0
	for _, e := range events {
		for n := range d.players {
			if q := &d.players[n]; q.id != p.id {
				sum += d.crowded(e, q, nil)
			}
		}
	}
	if len(events) == 0 {
		return sum
	}
	last := events[len(events)-1]
	for n := range d.players {
		if at, on := d.players[n].whereabouts(last.End, nil); on && d.players[n].id != p.id {
			sum += 0.7 * math.Max(0, elbowRoom-math.Abs(at.X-last.To.X)) / elbowRoom
		}
	}
	for _, e := range d.events {
		if e.Actor != p.id && e.End > events[0].Start {
			sum += d.crowded(e, p, events)
		}
	}
	return sum
}

// faults sums how often somebody stands in front of, or at, the place where
// another acts.
func (d *director) faults() float64 {
	sum := 0.0
	for _, e := range d.events {
		for n := range d.players {
			if q := &d.players[n]; q.id != e.Actor {
				sum += d.crowded(e, q, nil)
			}
		}
	}
	return sum
}

// crowded returns how much q hides an event, 0 to 3. more are events of q that
// have not been committed.
func (d *director) crowded(e schemas.FilmEvent, q *player, more []schemas.FilmEvent) float64 {
	x, ok := d.sceneX(e)
	if !ok {
		return 0
	}
	sum := 0.0
	for _, t := range [3]float64{e.Start + 0.2, (e.Start + e.End) / 2, e.End - 0.2} {
		if at, on := q.whereabouts(t, more); on {
			near := math.Min(math.Abs(at.X-x), math.Abs(at.X-e.From.X))
			sum += math.Max(0, elbowRoom-near) / elbowRoom
		}
	}
	return sum
}

func (d *director) sceneX(e schemas.FilmEvent) (float64, bool) {
	switch e.Kind {
	case schemas.FilmOpens:
		n := slices.IndexFunc(d.f.Fixtures, func(x schemas.FilmFixture) bool { return x.ID == e.Fixture })
		return d.f.Fixtures[n].Handle.X, true
	case schemas.FilmPuts:
		return e.Place.X, true
	case schemas.FilmPicks: // within reach, on the side that is not known here
		return e.From.X, true
	}
	return 0, false
}

// whereabouts returns where an actor is at t, and whether it is on the stage.
// more are events that have not been committed.
func (p *player) whereabouts(t float64, more []schemas.FilmEvent) (schemas.FilmPoint, bool) {
	for _, list := range [2][]schemas.FilmEvent{more, p.events} {
		for n := len(list) - 1; n >= 0; n-- {
			if e := &list[n]; e.Start <= t {
				return walkerAt(e, t), e.Kind != schemas.FilmLeaves || t < e.End
			}
		}
	}
	if p.first != nil {
		return *p.first, true
	}
	return schemas.FilmPoint{}, false
}
