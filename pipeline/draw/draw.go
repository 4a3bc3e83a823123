// Package draw makes pictures whose pixels are the same on every machine.
//
// Coordinates are whole numbers of 1/64 pixel, rounded once where they are made;
// everything behind is integer arithmetic, for a compiler may fuse a floating
// product with a sum on one architecture and not on another. A [Studio] holds
// what one worker draws with (fonts, caches), a [Canvas] is one picture. Errors
// stick to the canvas and come out when it is encoded.
package draw

import (
	"fmt"
	"image"

	"github.com/golang/freetype/raster"
)

// Bounds of a picture, and how far from it coordinates mean anything.
const (
	MaxSide       = 8192
	maxPixels     = 32 << 20
	maxCoordinate = Unit(1 << 20)
)

// Studio holds the fonts and caches that one worker draws with. It is not safe
// for concurrent use; its caches are bounded.
type Studio struct {
	fonts   [fontCount]*font
	glyphs  *cache[glyphKey]
	shades  *cache[string]
	raster  *raster.Rasterizer
	buffers pngBuffers
	icons   map[string]Drawing
}

// NewStudio makes a studio. Fonts are read when they are first used.
func NewStudio() *Studio {
	return &Studio{
		glyphs: newCache[glyphKey](8 << 20),
		shades: newCache[string](16 << 20),
		raster: raster.NewRasterizer(0, 0),
	}
}

// Canvas is a picture that is being drawn.
type Canvas struct {
	img    *image.RGBA
	size   image.Point // of the whole
	clip   image.Rectangle
	studio *Studio
	marks  []Mark
	open   []int // marks that were begun and not ended, outermost first
	err    error
}

// NewCanvas begins a picture of width x height pixels, all of one opaque
// colour.
func (s *Studio) NewCanvas(width, height int, back Color) (*Canvas, error) {
	return s.NewPartCanvas(width, height, back, PixelBox(0, 0, width, height))
}

// NewPartCanvas begins a picture that keeps no more than what lies in a box.
func (s *Studio) NewPartCanvas(width, height int, back Color, part Box) (*Canvas, error) {
	if width < 1 || height < 1 || width > MaxSide || height > MaxSide || width*height > maxPixels {
		return nil, fmt.Errorf("draw a picture of %d x %d pixels: want sides of 1 to %d and at most %d pixels", width, height, MaxSide, maxPixels)
	}
	r := part.pixels().Intersect(image.Rect(0, 0, width, height))
	c := &Canvas{img: image.NewRGBA(r), size: image.Pt(width, height), clip: r, studio: s}
	pix := c.img.Pix
	done := copy(pix, []uint8{back.R, back.G, back.B, 255})
	for done > 0 && done < len(pix) {
		done += copy(pix[done:], pix[:done])
	}
	return c, nil
}

// Size returns width and height in pixels.
func (c *Canvas) Size() (width, height int) { return c.size.X, c.size.Y }

// Image returns the picture itself, which later drawing changes.
func (c *Canvas) Image() *image.RGBA { return c.img }

// Err returns the first thing that could not be drawn.
func (c *Canvas) Err() error { return c.err }

func (c *Canvas) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// Clip lets f draw, and keeps what it draws inside a box of whole pixels.
func (c *Canvas) Clip(b Box, f func()) {
	outer := c.clip
	c.clip = b.pixels().Intersect(outer)
	f()
	c.clip = outer
}

// Fill fills a path by the non-zero rule. Open parts are closed.
func (c *Canvas) Fill(p *Path, with Paint) {
	c.rasterise(p, p.bounds(), with, p.addTo)
}

// Stroke draws along a path with round joins and ends.
func (c *Canvas) Stroke(p *Path, width Unit, with Paint) {
	width = min(max(width, 0), 1<<16)
	c.rasterise(p, p.bounds().grow(width/2+64), with, func(r *raster.Rasterizer, by Point) { p.strokeTo(r, by, width) })
}

// Rect fills a box.
func (c *Canvas) Rect(b Box, with Paint) { c.Fill(new(Path).Rect(b), with) }

// RoundRect fills a box with rounded corners.
func (c *Canvas) RoundRect(b Box, radius Unit, with Paint) { c.Fill(new(Path).Round(b, radius), with) }

// Oval fills the ellipse in a box.
func (c *Canvas) Oval(b Box, with Paint) { c.Fill(new(Path).Oval(b), with) }

// rasterise works in the part of the canvas that a shape touches. The part has a
// pixel more at the left and the top: the rasteriser rounds negative coordinates
// towards zero, and its first column and row are wrong where a shape reaches out.
func (c *Canvas) rasterise(p *Path, b Box, with Paint, add func(*raster.Rasterizer, Point)) {
	if p.long {
		c.fail("draw a path of more than %d points", maxPoints)
	}
	part := b.pixels().Intersect(c.clip)
	if part.Empty() || p.long {
		return
	}
	c.extendMarks(part)
	r := c.studio.raster
	r.SetBounds(part.Dx()+1, part.Dy()+1)
	r.Dx, r.Dy, r.UseNonZeroWinding = part.Min.X-1, part.Min.Y-1, true
	add(r, Point{X: -Px(part.Min.X - 1), Y: -Px(part.Min.Y - 1)})
	r.Rasterize(spans{img: c.img, part: part, with: with.shade()})
}

// Fail records an error of the caller, as if drawing had failed.
func (c *Canvas) Fail(err error) { c.fail("%w", err) }

// Mark says where something was drawn. Marks are in the order of painting, so a
// later one may lie over an earlier one.
type Mark struct {
	// Kind is text, or what the caller began; Name and Value are the caller's.
	Kind  string `json:"kind"`
	Name  string `json:"name,omitempty"`
	Value string `json:"value,omitempty"`
	// Parent is the place in the list of the mark that this one is part of, -1
	// where there is none.
	Parent int `json:"parent"`
	// Box holds the pixels that were touched, within the picture: left, top,
	// right and bottom, the latter two exclusive.
	Box [4]int `json:"box"`
	// Of a text: the text as written, its font, size in 1/64 pixel, colour, and
	// where its baseline begins, in 1/64 pixel. Cut says that part of it lies
	// outside.
	Text  string  `json:"text,omitempty"`
	Font  string  `json:"font,omitempty"`
	Size  Unit    `json:"size,omitempty"`
	Color string  `json:"color,omitempty"`
	At    [2]Unit `json:"at,omitzero"`
	Cut   bool    `json:"cut,omitempty"`
}

// Bounds returns the mark's box.
func (m Mark) Bounds() image.Rectangle { return image.Rect(m.Box[0], m.Box[1], m.Box[2], m.Box[3]) }

// Marks returns what was drawn so far.
func (c *Canvas) Marks() []Mark { return c.marks }

// Object marks what draw draws as one thing of a kind; things may have parts. Its
// box is that of all that was painted, shadows aside.
func (c *Canvas) Object(kind, name, value string, draw func()) {
	c.addMark(Mark{Kind: kind, Name: name, Value: value}, image.Rectangle{})
	c.open = append(c.open, len(c.marks)-1)
	draw()
	c.open = c.open[:len(c.open)-1]
}

func (c *Canvas) addMark(m Mark, box image.Rectangle) {
	m.Parent = -1
	if n := len(c.open); n > 0 {
		m.Parent = c.open[n-1]
	}
	m.Box = [4]int{box.Min.X, box.Min.Y, box.Max.X, box.Max.Y}
	c.marks = append(c.marks, m)
	c.extendMarks(box)
}

// extendMarks extends the boxes of all things that are being drawn to hold a
// part.
func (c *Canvas) extendMarks(part image.Rectangle) {
	for _, i := range c.open {
		b := c.marks[i].Bounds().Union(part)
		c.marks[i].Box = [4]int{b.Min.X, b.Min.Y, b.Max.X, b.Max.Y}
	}
}
