package draw

import (
	"image"
	"math"

	"golang.org/x/image/math/fixed"
)

// Unit is 1/64 of a pixel. Point is a place in units, y downwards.
type (
	Unit  = fixed.Int26_6
	Point = fixed.Point26_6
)

// Px is n whole pixels.
func Px(n int) Unit { return Unit(min(max(n, -1<<14), 1<<14)) * 64 }

// At is x pixels to the nearest unit. A scene that multiplies before it adds
// writes float64(a*b) + c, or its sums differ between architectures before they
// are rounded here. What is no number is 0.
func At(x float64) Unit {
	if math.IsNaN(x) {
		return 0
	}
	return Unit(math.Round(min(max(x, -1<<14), 1<<14) * 64))
}

// P is a point of whole pixels.
func P(x, y int) Point { return Point{X: Px(x), Y: Px(y)} }

// Box is an upright rectangle.
type Box struct{ X, Y, W, H Unit }

// PixelBox is a box of whole pixels.
func PixelBox(x, y, w, h int) Box { return Box{Px(x), Px(y), Px(w), Px(h)} }

// Disc is the box around a circle.
func Disc(at Point, radius Unit) Box {
	return Box{at.X - radius, at.Y - radius, 2 * radius, 2 * radius}
}

// Inset is the box without a margin at each side.
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

// Mid is the middle of the box.
func (b Box) Mid() Point { return Point{X: b.X + b.W/2, Y: b.Y + b.H/2} }

func (b Box) grow(by Unit) Box { return Box{b.X - by, b.Y - by, b.W + 2*by, b.H + 2*by} }

// pixels are those that the box touches.
func (b Box) pixels() image.Rectangle {
	return image.Rect(b.X.Floor(), b.Y.Floor(), (b.X + b.W).Ceil(), (b.Y + b.H).Ceil())
}

// Angle is a part of a full turn, clockwise from the right.
type Angle int

// Turn is a full turn.
const Turn Angle = 1 << 16

// sine of an angle in 1/65536, by five terms of its series in integers.
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

// Polar is the point at a distance and an angle from another.
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
