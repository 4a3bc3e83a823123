package draw

import (
	"image"

	"github.com/golang/freetype/raster"
)

// maxPoints of one path.
const maxPoints = 1 << 16

type verb uint8

const (
	move verb = iota
	line
	quad
	cubic
	closed
)

// points that a verb takes.
var taken = [...]int{move: 1, line: 1, quad: 2, cubic: 3, closed: 0}

// Path is an outline. Its methods add to it and return it.
type Path struct {
	verbs  []verb
	points []Point
	long   bool
}

func (p *Path) add(v verb, points ...Point) *Path {
	if len(p.points)+len(points) > maxPoints || len(p.verbs) >= maxPoints {
		p.long = true
		return p
	}
	if len(p.verbs) == 0 && v != move {
		p.verbs, p.points = append(p.verbs, move), append(p.points, Point{})
	}
	p.verbs = append(p.verbs, v)
	for _, q := range points {
		p.points = append(p.points, Point{X: min(max(q.X, -maxCoordinate), maxCoordinate), Y: min(max(q.Y, -maxCoordinate), maxCoordinate)})
	}
	return p
}

// Move begins a new part at a point.
func (p *Path) Move(to Point) *Path { return p.add(move, to) }

// Line goes straight.
func (p *Path) Line(to ...Point) *Path {
	for _, q := range to {
		p.add(line, q)
	}
	return p
}

// Quad goes along a parabola.
func (p *Path) Quad(by, to Point) *Path { return p.add(quad, by, to) }

// Cubic goes along a cubic curve.
func (p *Path) Cubic(a, b, to Point) *Path { return p.add(cubic, a, b, to) }

// Close goes back to where the part began.
func (p *Path) Close() *Path { return p.add(closed) }

// Rect adds a box.
func (p *Path) Rect(b Box) *Path {
	return p.Move(Point{X: b.X, Y: b.Y}).Line(Point{X: b.X + b.W, Y: b.Y}, Point{X: b.X + b.W, Y: b.Y + b.H}, Point{X: b.X, Y: b.Y + b.H}).Close()
}

// handleDistance is how far from the corner the handles of a quarter circle lie.
func handleDistance(r Unit) Unit { return r - Unit(int64(r)*36195>>16) }

// Round adds a box with rounded corners.
func (p *Path) Round(b Box, r Unit) *Path { return p.Corners(b, [4]Unit{r, r, r, r}) }

// Corners adds a box with a radius for each corner, clockwise from the upper left.
func (p *Path) Corners(b Box, r [4]Unit) *Path {
	for i := range r {
		r[i] = min(max(r[i], 0), b.W/2, b.H/2)
	}
	x0, y0, x1, y1 := b.X, b.Y, b.X+b.W, b.Y+b.H
	at := func(x, y Unit) Point { return Point{X: x, Y: y} }
	k := [4]Unit{handleDistance(r[0]), handleDistance(r[1]), handleDistance(r[2]), handleDistance(r[3])}
	return p.Move(at(x0+r[0], y0)).
		Line(at(x1-r[1], y0)).Cubic(at(x1-k[1], y0), at(x1, y0+k[1]), at(x1, y0+r[1])).
		Line(at(x1, y1-r[2])).Cubic(at(x1, y1-k[2]), at(x1-k[2], y1), at(x1-r[2], y1)).
		Line(at(x0+r[3], y1)).Cubic(at(x0+k[3], y1), at(x0, y1-k[3]), at(x0, y1-r[3])).
		Line(at(x0, y0+r[0])).Cubic(at(x0, y0+k[0]), at(x0+k[0], y0), at(x0+r[0], y0)).Close()
}

// Oval adds the ellipse in a box.
func (p *Path) Oval(b Box) *Path {
	m, kx, ky := b.Mid(), handleDistance(b.W/2), handleDistance(b.H/2)
	x0, y0, x1, y1 := b.X, b.Y, b.X+b.W, b.Y+b.H
	at := func(x, y Unit) Point { return Point{X: x, Y: y} }
	return p.Move(at(x1, m.Y)).
		Cubic(at(x1, y1-ky), at(x1-kx, y1), at(m.X, y1)).Cubic(at(x0+kx, y1), at(x0, y1-ky), at(x0, m.Y)).
		Cubic(at(x0, y0+ky), at(x0+kx, y0), at(m.X, y0)).Cubic(at(x1-kx, y0), at(x1, y0+ky), at(x1, m.Y)).Close()
}

// Sector adds the part of a ring between two angles; inner is 0 for a slice of pie.
func (p *Path) Sector(at Point, inner, outer Unit, from, to Angle) *Path {
	const step = Turn / 360
	n := max(1, int((to-from)/step))
	for i := range n + 1 {
		q := Polar(at, outer, from+(to-from)*Angle(i)/Angle(n))
		if i == 0 {
			p.Move(q)
			continue
		}
		p.Line(q)
	}
	if inner <= 0 {
		return p.Line(at).Close()
	}
	for i := range n + 1 {
		p.Line(Polar(at, inner, to-(to-from)*Angle(i)/Angle(n)))
	}
	return p.Close()
}

// Transform is the path as an affine map shows it.
func (p *Path) Transform(m Affine) *Path {
	out := &Path{long: p.long}
	p.each(func(v verb, q []Point) {
		var to [3]Point
		for i := range q {
			to[i] = m.apply(q[i])
		}
		out.add(v, to[:len(q)]...)
	})
	return out
}

func (p *Path) each(f func(verb, []Point)) {
	at := 0
	for _, v := range p.verbs {
		f(v, p.points[at:at+taken[v]])
		at += taken[v]
	}
}

// bounds hold all points and so all curves.
func (p *Path) bounds() Box {
	if len(p.points) == 0 {
		return Box{}
	}
	a, z := p.points[0], p.points[0]
	for _, q := range p.points[1:] {
		a, z = Point{X: min(a.X, q.X), Y: min(a.Y, q.Y)}, Point{X: max(z.X, q.X), Y: max(z.Y, q.Y)}
	}
	return Box{a.X, a.Y, z.X - a.X, z.Y - a.Y}
}

// addTo gives the outline to the rasteriser, every part closed.
func (p *Path) addTo(r *raster.Rasterizer, by Point) {
	var start Point
	p.each(func(v verb, q []Point) {
		switch v {
		case move:
			r.Add1(start)
			start = q[0].Add(by)
			r.Start(start)
		case line:
			r.Add1(q[0].Add(by))
		case quad:
			r.Add2(q[0].Add(by), q[1].Add(by))
		case cubic:
			r.Add3(q[0].Add(by), q[1].Add(by), q[2].Add(by))
		case closed:
			r.Add1(start)
		}
	})
	r.Add1(start)
}

// strokeTo gives the outline of a stroke to the rasteriser, whose stroker knows
// no cubic curves and takes no point twice: curves become lines first.
func (p *Path) strokeTo(r *raster.Rasterizer, by Point, width Unit) {
	for _, part := range p.flat() {
		if len(part) == 1 { // a dot
			dot := new(Path).Oval(Disc(part[0], width/2))
			dot.addTo(r, by)
			continue
		}
		var q raster.Path
		q.Start(part[0].Add(by))
		for _, at := range part[1:] {
			q.Add1(at.Add(by))
		}
		r.AddStroke(q, width, raster.RoundCapper, raster.RoundJoiner)
	}
}

// flat are the path's parts as chains of points without repetition.
func (p *Path) flat() [][]Point {
	var parts [][]Point
	var now []Point
	seeded := false // now holds only where the part before was closed
	to := func(q Point) {
		if len(now) == 0 || now[len(now)-1] != q {
			now = append(now, q)
		}
	}
	end := func() {
		if len(now) > 1 || len(now) == 1 && !seeded {
			parts = append(parts, now)
		}
		now, seeded = nil, false
	}
	p.each(func(v verb, q []Point) {
		switch v {
		case move:
			end()
			to(q[0])
		case line:
			to(q[0])
		case quad, cubic:
			curve(now[len(now)-1], q, to)
		case closed:
			start := now[0]
			to(start)
			end()
			to(start)
			seeded = true
		}
	})
	end()
	return parts
}

// curve gives points of a curve behind from, about as many as it is long in steps
// of four pixels.
func curve(from Point, q []Point, to func(Point)) {
	long, last := 0, from
	for _, c := range q {
		d := image.Pt(int(c.X-last.X), int(c.Y-last.Y))
		long, last = long+max(d.X, -d.X)+max(d.Y, -d.Y), c
	}
	n := int64(min(max(8, long/256), 512))
	for i := int64(1); i <= n; i++ {
		c := [4]Point{from}
		for d := copy(c[1:], q); d > 0; d-- {
			for k := range d {
				c[k] = Point{X: c[k].X + Unit((int64(c[k+1].X-c[k].X)*i)/n), Y: c[k].Y + Unit((int64(c[k+1].Y-c[k].Y)*i)/n)}
			}
		}
		to(c[0])
	}
}
