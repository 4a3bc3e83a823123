package procedural

import (
	"math"

	"github.com/memforge/memforge/schemas"
)

// elbowRoom is how close another actor may stand to what happens.
const elbowRoom = 42.0

// crowding counts how often somebody stands in front of, or at, the place
// where another acts. Less is easier to see.
func (d *director) crowding() float64 {
	var sum float64
	for _, e := range d.events {
		x, ok := d.scene(e)
		if !ok {
			continue
		}
		for n := range d.players {
			p := &d.players[n]
			if p.id == e.Actor {
				continue
			}
			for _, t := range [3]float64{e.Start + 0.1, (e.Start + e.End) / 2, e.End - 0.1} {
				at, on := d.whereabouts(p.id, t)
				if !on {
					continue
				}
				near := math.Min(math.Abs(at.X-x), math.Abs(at.X-e.From.X))
				sum += math.Max(0, elbowRoom-near) / elbowRoom
			}
		}
	}
	return sum
}

// scene is where an event is to be seen.
func (d *director) scene(e schemas.FilmEvent) (float64, bool) {
	switch e.Kind {
	case schemas.FilmOpens:
		for _, x := range d.f.Fixtures {
			if x.ID == e.Fixture {
				return x.Handle.X, true
			}
		}
	case schemas.FilmPuts:
		return e.Place.X, true
	case schemas.FilmPicks: // within reach, on the side that is not known here
		return e.From.X, true
	}
	return 0, false
}

// whereabouts of an actor at t, and whether it is on the stage.
func (d *director) whereabouts(id string, t float64) (schemas.FilmPoint, bool) {
	var at schemas.FilmPoint
	on := false
	for _, e := range d.events {
		if e.Actor != id || e.Start > t {
			continue
		}
		u := math.Min(1, (t-e.Start)/(e.End-e.Start))
		at = schemas.FilmPoint{X: e.From.X + (e.To.X-e.From.X)*u, Y: e.To.Y}
		on = e.Kind != schemas.FilmLeaves || u < 1
	}
	return at, on
}
