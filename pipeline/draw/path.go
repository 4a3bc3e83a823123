package draw

import (
	"image"
	"math"

	"github.com/golang/freetype/raster"
	"golang.org/x/image/math/fixed"
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

// handleDistance returns how far from the corner the handles of a quarter
// circle lie.
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

// Transform returns the path as an affine map shows it.
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

// flat returns the path's parts as chains of points without repetition.
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

// curve yields points of a curve behind from, about as many as it is long in
// steps of four pixels.
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

// Unit is 1/64 of a pixel. Point is a place in units, y downwards.
type (
	Unit  = fixed.Int26_6
	Point = fixed.Point26_6
)

// Px returns n whole pixels.
func Px(n int) Unit { return Unit(min(max(n, -1<<14), 1<<14)) * 64 }

// At returns x pixels to the nearest unit. A scene that multiplies before it
// adds writes float64(a*b) + c, or its sums differ between architectures before
// they are rounded here. NaN gives 0.
func At(x float64) Unit {
	if math.IsNaN(x) {
		return 0
	}
	return Unit(math.Round(min(max(x, -1<<14), 1<<14) * 64))
}

// P returns a point of whole pixels.
func P(x, y int) Point { return Point{X: Px(x), Y: Px(y)} }

// Box is an upright rectangle.
type Box struct{ X, Y, W, H Unit }

// PixelBox returns a box of whole pixels.
func PixelBox(x, y, w, h int) Box { return Box{Px(x), Px(y), Px(w), Px(h)} }

// Disc returns the box around a circle.
func Disc(at Point, radius Unit) Box {
	return Box{at.X - radius, at.Y - radius, 2 * radius, 2 * radius}
}

// Inset returns the box without a margin at each side.
func (b Box) Inset(x, y Unit) Box { return Box{b.X + x, b.Y + y, max(0, b.W-2*x), max(0, b.H-2*y)} }

// Cut divides a box at a distance from its top.
func (b Box) Cut(h Unit) (upper, lower Box) {
	h = min(max(h, 0), b.H)
	return Box{b.X, b.Y, b.W, h}, Box{b.X, b.Y + h, b.W, b.H - h}
}

// Split divides a box at a distance from its left side.
func (b Box) Split(w Unit) (left, right Box) {
	w = min(max(w, 0), b.W)
	return Box{b.X, b.Y, w, b.H}, Box{b.X + w, b.Y, b.W - w, b.H}
}

// Mid returns the middle of the box.
func (b Box) Mid() Point { return Point{X: b.X + b.W/2, Y: b.Y + b.H/2} }

func (b Box) grow(by Unit) Box { return Box{b.X - by, b.Y - by, b.W + 2*by, b.H + 2*by} }

func (b Box) pixels() image.Rectangle {
	return image.Rect(b.X.Floor(), b.Y.Floor(), (b.X + b.W).Ceil(), (b.Y + b.H).Ceil())
}

// Angle is a part of a full turn, clockwise from the right.
type Angle int

// Turn is a full turn.
const Turn Angle = 1 << 16

// sine returns the sine of an angle in 1/65536, by five terms of its series in
// integers.
func sine(a Angle) int64 {
	a = (a%Turn + Turn) % Turn
	if a >= Turn/2 {
		return -sine(a - Turn/2)
	}
	const halfPi = 1686629713 // in 2^-30
	x := int64(min(a, Turn/2-a)) * halfPi >> 14
	q := x * x >> 30
	s := int64(1 << 30)
	for _, n := range []int64{72, 42, 20, 6} {
		s = 1<<30 - (q*s>>30)/n
	}
	return (x*s>>30 + 1<<13) >> 14
}

// Polar returns the point at a distance and an angle from another.
func Polar(from Point, distance Unit, a Angle) Point {
	return Point{
		X: from.X + Unit(int64(distance)*sine(a+Turn/4)>>16),
		Y: from.Y + Unit(int64(distance)*sine(a)>>16),
	}
}

// Affine maps points: XX, XY, YX and YY are in 1/65536.
type Affine struct {
	XX, XY, YX, YY int64
	DX, DY         Unit
}

// Shift moves.
func Shift(x, y Unit) Affine { return Affine{XX: 1 << 16, YY: 1 << 16, DX: x, DY: y} }

// Into maps a grid of w x h units onto a box.
func Into(w, h Unit, b Box) Affine {
	return Affine{XX: int64(b.W) << 16 / int64(max(w, 1)), YY: int64(b.H) << 16 / int64(max(h, 1)), DX: b.X, DY: b.Y}
}

// Rotate turns about a point.
func Rotate(a Angle, about Point) Affine {
	s, c := sine(a), sine(a+Turn/4)
	m := Affine{XX: c, XY: -s, YX: s, YY: c}
	p := m.apply(about)
	m.DX, m.DY = about.X-p.X, about.Y-p.Y
	return m
}

// Mirror swaps left and right about a vertical line.
func Mirror(x Unit) Affine { return Affine{XX: -1 << 16, YY: 1 << 16, DX: 2 * x} }

func (m Affine) apply(p Point) Point {
	x, y := int64(p.X), int64(p.Y)
	return Point{X: m.DX + Unit((m.XX*x+m.XY*y+1<<15)>>16), Y: m.DY + Unit((m.YX*x+m.YY*y+1<<15)>>16)}
}
