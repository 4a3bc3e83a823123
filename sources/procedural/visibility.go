package procedural

import (
	"math"
	"slices"

	"github.com/memforge/memforge/schemas"
)

const (
	// glimpse is how many seconds on end an actor who comes or goes is in the picture
	// with no other in front, at least.
	glimpse = 1.0
	// longestWay is how many seconds coming in or going out takes at most: with
	// the calm around it, it fits a tenth of a film of 30 s.
	longestWay = 2.16
	// patience is how many seconds an actor waits who can do nothing now.
	patience = 0.4
)

// An actor whose middle is between these is at least half in the picture, however near
// the camera is.
const (
	seenLeft  = 22.0
	seenRight = 618.0
)

// walkSeconds returns how many seconds it takes to come in to x, or to go out
// from it: so many that the part of it within the picture is seen. Close to the
// edge it may be more than longestWay.
func (d *director) walkSeconds(off, x float64) float64 {
	dist, hidden := math.Abs(x-off), seenLeft-offLeft
	length := max(enterTime, min(dist/d.pace, longestWay))
	if dist <= hidden {
		return math.Inf(1)
	}
	margin := 2 / float64(d.f.FPS) // the edge is passed between two frames
	return max(length, (glimpse+margin)/(1-schemas.WalkTime(hidden/dist)))
}

// keepsVisible reports whether everybody who comes or goes, p included, is
// still seen if p does something.
func (d *director) keepsVisible(p *player, events []schemas.FilmEvent) bool {
	if len(events) == 0 {
		return true
	}
	for n := range events {
		if e := &events[n]; !d.isSeen(e, p, events) || e.Kind == schemas.FilmEnters && d.entersTogether(e) {
			return false
		}
	}
	for n := range d.players {
		q := &d.players[n]
		if q.at.Y >= p.at.Y {
			continue // actors behind do not hide
		}
		for k := len(q.events) - 1; k >= 0 && q.events[k].End > events[0].Start; k-- {
			if !d.isSeen(&q.events[k], p, events) {
				return false
			}
		}
	}
	return true
}

// entersTogether reports whether somebody else comes into the picture at about
// the time of an entrance, so that a viewer could not tell who was first. The
// starts are apart, but they are outside the picture.
func (d *director) entersTogether(e *schemas.FilmEvent) bool {
	return slices.ContainsFunc(d.events, func(o schemas.FilmEvent) bool {
		return o.Kind == schemas.FilmEnters && math.Abs(appearsAt(&o)-appearsAt(e)) < minGap
	})
}

func appearsAt(e *schemas.FilmEvent) float64 {
	return e.Start + (e.End-e.Start)*schemas.WalkTime((seenLeft-offLeft)/math.Abs(e.To.X-e.From.X))
}

// isSeen reports whether an entrance or an exit is seen, and is true of all
// else. more are events of p that have not been committed.
func (d *director) isSeen(e *schemas.FilmEvent, p *player, more []schemas.FilmEvent) bool {
	if e.Kind != schemas.FilmEnters && e.Kind != schemas.FilmLeaves {
		return true
	}
	fps := float64(d.f.FPS)
	first, end := int(math.Round(e.Start*fps)), int(math.Round(e.End*fps))
	want := int(math.Ceil(glimpse * fps))
	for first+want <= end {
		last := first + want - 1
		for last >= first && !d.isHidden(e, float64(last)/fps, p, more) {
			last--
		}
		if last < first {
			return true
		}
		first = last + 1
	}
	return false
}

// isHidden reports whether the actor of e is outside the picture at t, or
// behind somebody.
func (d *director) isHidden(e *schemas.FilmEvent, t float64, p *player, more []schemas.FilmEvent) bool {
	at := walkerAt(e, t)
	if at.X < seenLeft || at.X > seenRight {
		return true
	}
	for n := range d.players {
		q := &d.players[n]
		if q.at.Y <= at.Y {
			continue
		}
		var its []schemas.FilmEvent
		if q == p {
			its = more
		}
		if other, on := q.whereabouts(t, its); on && math.Abs(other.X-at.X) < elbowRoom {
			return true
		}
	}
	return false
}

// walkerAt returns where the actor of an event is at t, which is not before it.
func walkerAt(e *schemas.FilmEvent, t float64) schemas.FilmPoint {
	u := 1.0
	if t < e.End {
		u = schemas.WalkProgress((t - e.Start) / (e.End - e.Start))
	}
	return schemas.FilmPoint{X: e.From.X + (e.To.X-e.From.X)*u, Y: e.To.Y}
}
