package procedural

import (
	"math"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// writeBeat gives a beat its events and times; nothing happens yet.
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

// restSeconds is how long somebody does nothing.
func (d *director) restSeconds() float64 { return d.idle * 2 * d.r.Float64() }

// restPlaces are where people wait: between the columns, and below the sign.
func (d *director) restPlaces() []float64 {
	sign := d.f.Fixtures[signAt(d.f.Fixtures)].At.X
	return []float64{sign - 18, sign + 18, 140, 260, 380, 500}
}

// enter brings an actor in, with a thing or without.
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

// leave takes an actor out by the nearer side. Who stands so close to it that
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

// noteCarried notes what is carried on or off.
func (b *beat) noteCarried(f *schemas.Film) {
	if b.prop >= 0 {
		b.events[0].Prop = f.Props[b.prop].ID
	}
}

// walk writes a movement that begins at start.
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

// commit lets a beat happen.
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
		d.props[b.prop].taken++
	case schemas.FilmPuts:
		d.props[b.prop].held, d.props[b.prop].at, p.prop = false, b.slot, -1
		d.props[b.prop].since = b.ready
		d.props[b.prop].put++
	case schemas.FilmOpens:
		d.opened[b.fixture] = true
	}
	if b.kind != "" && b.kind != schemas.FilmWalks && p.on {
		p.ready += d.restSeconds() / 2
	}
}

// elbowRoom is how close another actor may stand to what happens.
const elbowRoom = 46.0

// cost is how much p would be in the way, of others and they of p, while events
// happen: less is easier to see.
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

// crowded is how much q is in the way of an event, 0 to 3. more are events of q
// that have not been committed.
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

// sceneX is where an event is to be seen.
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

// whereabouts of an actor at t, and whether it is on the stage. more are events
// that have not been committed.
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
