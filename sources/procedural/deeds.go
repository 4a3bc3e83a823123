package procedural

import (
	"math"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// take picks up the nearest prop nobody has touched.
func (d *director) take(p *player) bool {
	if p.prop >= 0 {
		return d.put(p) && d.take(p)
	}
	best := d.wanted(p)
	if best < 0 {
		return false
	}
	d.touched[best] = true
	prop := d.f.Props[best]
	start := d.approach(p, prop.At.X)
	d.act(p, schemas.FilmEvent{Kind: schemas.FilmPicks, Prop: prop.ID, Start: start}, takeTime)
	d.release(prop.At)
	p.prop = best
	return true
}

// wanted is the prop to take next, or -1: the nearest one. Whoever takes last
// takes the first prop, which the twin shows as well, if nobody has.
func (d *director) wanted(p *player) int {
	last := !slices.ContainsFunc(d.players, func(q player) bool { return slices.Contains(q.todo, take) })
	if last && !d.touched[0] {
		return 0
	}
	best := -1
	for n, q := range d.f.Props {
		if !d.touched[n] && (best < 0 || math.Abs(q.At.X-p.at.X) < math.Abs(d.f.Props[best].At.X-p.at.X)) {
			best = n
		}
	}
	return best
}

// release makes a slot available again.
func (d *director) release(at schemas.FilmPoint) {
	n := 0
	if math.Abs(at.X-d.surfaceX(1)) < math.Abs(at.X-d.surfaceX(0)) {
		n = 1
	}
	d.free[n] = append(d.free[n], at)
}

func (d *director) surfaceX(n int) float64 {
	for _, x := range d.f.Fixtures {
		if x.Group != schemas.FilmSurface {
			continue
		}
		if n == 0 {
			return x.At.X
		}
		n--
	}
	return 0
}

// put lays down what the actor carries, on the surface farther from where
// the prop was, so that it visibly changes its place.
func (d *director) put(p *player) bool {
	if p.prop < 0 {
		return true
	}
	prop := d.f.Props[p.prop]
	n := 0
	if math.Abs(d.surfaceX(1)-prop.At.X) > math.Abs(d.surfaceX(0)-prop.At.X) {
		n = 1
	}
	if len(d.free[n]) == 0 {
		return false
	}
	slot := d.free[n][0]
	d.free[n] = slices.Delete(d.free[n], 0, 1)
	start := d.approach(p, slot.X)
	d.act(p, schemas.FilmEvent{Kind: schemas.FilmPuts, Prop: prop.ID, Start: start, Place: &slot}, takeTime)
	p.prop = -1
	return true
}

// unlock opens the nearest closed opening.
func (d *director) unlock(p *player) bool {
	best := -1
	for n, x := range d.f.Fixtures {
		if x.Group != schemas.FilmOpening || d.opened[n] {
			continue
		}
		if best < 0 || math.Abs(x.At.X-p.at.X) < math.Abs(d.f.Fixtures[best].At.X-p.at.X) {
			best = n
		}
	}
	if best < 0 {
		return false
	}
	d.opened[best] = true
	x := d.f.Fixtures[best]
	start := d.approach(p, x.Handle.X)
	d.act(p, schemas.FilmEvent{Kind: schemas.FilmOpens, Fixture: x.ID, Start: start}, openTime)
	return true
}

// changeSign spreads the changes of the sign over the film, in gaps between
// the other events, and reports whether there was room.
func (d *director) changeSign(texts []string) bool {
	sign := d.f.Fixtures[signAt(d.f.Fixtures)]
	first, length := d.f.Card+1.3, d.f.Duration()-d.f.Card-1.3-2*tail
	last := 0.0
	for n, text := range texts {
		wish := first + length*(float64(n)+0.3+0.5*d.r.Float64())/float64(len(texts))
		start := d.clear(max(wish, last+1.6))
		end := d.onFrame(start + flipTime)
		if end > d.f.Duration()-tail {
			return false
		}
		d.events = append(d.events, schemas.FilmEvent{Kind: schemas.FilmChanges, Fixture: sign.ID, Text: text, Start: start, End: end})
		d.starts = append(d.starts, start)
		last = start
	}
	return true
}
