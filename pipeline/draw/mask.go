package draw

import (
	"encoding/binary"
	"image"

	"github.com/golang/freetype/raster"
)

// mask is how much of each pixel a shape covers; at is where its first pixel lies
// from the shape's origin.
type mask struct {
	pix  []uint8
	w, h int
	at   image.Point
}

func (s *Studio) rasteriseMask(p *Path, b image.Rectangle) *mask {
	m := &mask{pix: make([]uint8, b.Dx()*b.Dy()), w: b.Dx(), h: b.Dy(), at: b.Min}
	s.raster.SetBounds(m.w, m.h)
	s.raster.Dx, s.raster.Dy, s.raster.UseNonZeroWinding = 0, 0, true
	p.addTo(s.raster, Point{X: -Px(b.Min.X), Y: -Px(b.Min.Y)})
	s.raster.Rasterize(raster.PainterFunc(func(found []raster.Span, _ bool) {
		for _, f := range found {
			row := m.pix[f.Y*m.w+f.X0 : f.Y*m.w+f.X1]
			for i := range row {
				row[i] = uint8(f.Alpha >> 8)
			}
		}
	}))
	return m
}

// stamp draws a colour through a mask whose origin is at a pixel, and returns
// which part of the canvas it touched.
func (c *Canvas) stamp(m *mask, at image.Point, ink Color) image.Rectangle {
	at = at.Add(m.at)
	part := image.Rect(at.X, at.Y, at.X+m.w, at.Y+m.h).Intersect(c.clip)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		covers := m.pix[(y-at.Y)*m.w+part.Min.X-at.X:][:part.Dx()]
		row := c.img.Pix[c.img.PixOffset(part.Min.X, y):]
		for i, cover := range covers {
			if cover != 0 {
				blend(row[4*i:4*i+3:4*i+3], ink, uint32(cover))
			}
		}
	}
	return part
}

// MaxBlur in pixels.
const MaxBlur = 64

// Shadow lays the blurred shape of a path under what is drawn next, moved by whole
// pixels. Blur is about the width of the soft edge, in pixels.
func (c *Canvas) Shadow(p *Path, blur, dx, dy int, ink Color) {
	blur = min(max(blur, 0), MaxBlur)
	b := p.bounds().pixels()
	seen := c.clip.Sub(image.Pt(dx, dy)).Inset(-2*blur - 1) // what a visible pixel is a mean of
	room := b.Inset(-2*blur - 2)
	if p.long || !room.Overlaps(seen) {
		return
	}
	if b.Dx() > 2*c.size.X || b.Dy() > 2*c.size.Y {
		m := c.studio.rasteriseMask(p, room.Intersect(seen))
		m.blur(blur)
		c.stamp(m, image.Pt(dx, dy), ink)
		return
	}
	here := p.Transform(Shift(-Px(b.Min.X), -Px(b.Min.Y)))
	key := here.key(blur)
	m := c.studio.shades.get(key)
	if m == nil {
		m = c.studio.rasteriseMask(here, room.Sub(b.Min))
		m.blur(blur)
		c.studio.shades.put(key, m)
	}
	c.stamp(m, b.Min.Add(image.Pt(dx, dy)), ink)
}

func (p *Path) key(blur int) string {
	out := make([]byte, 0, 1+len(p.verbs)+8*len(p.points))
	out = append(out, byte(blur))
	for _, v := range p.verbs {
		out = append(out, byte(v))
	}
	for _, q := range p.points {
		out = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(out, uint32(q.X)), uint32(q.Y))
	}
	return string(out)
}

// blur takes three means over 2r+1 pixels along rows, then along columns.
func (m *mask) blur(width int) {
	r := width * 2 / 3
	if r < 1 {
		return
	}
	from, to := make([]uint8, max(m.w, m.h)), make([]uint8, max(m.w, m.h))
	for y := range m.h {
		row := m.pix[y*m.w : (y+1)*m.w]
		mean(row, from[:m.w], r)
		mean(from[:m.w], to[:m.w], r)
		mean(to[:m.w], row, r)
	}
	m.columns(r)
}

// columns goes row by row, with a sum for each column, because rows are
// contiguous in memory.
func (m *mask) columns(r int) {
	n := 2*r + 1
	sums, src := make([]int, m.w), make([]uint8, len(m.pix))
	for range 3 {
		copy(src, m.pix)
		clear(sums)
		for y := -r; y < m.h; y++ {
			if in := y + r; in < m.h {
				for x, v := range src[in*m.w : (in+1)*m.w] {
					sums[x] += int(v)
				}
			}
			if out := y - r - 1; out >= 0 {
				for x, v := range src[out*m.w : (out+1)*m.w] {
					sums[x] -= int(v)
				}
			}
			if y >= 0 {
				for x, row := 0, m.pix[y*m.w:(y+1)*m.w]; x < len(row); x++ {
					row[x] = uint8((sums[x] + r) / n)
				}
			}
		}
	}
}

// mean writes the mean of the 2r+1 values around each.
func mean(from, to []uint8, r int) {
	n, sum := 2*r+1, 0
	for i := -r; i < len(from); i++ {
		if i+r < len(from) {
			sum += int(from[i+r])
		}
		if i-r-1 >= 0 {
			sum -= int(from[i-r-1])
		}
		if i >= 0 {
			to[i] = uint8((sum + r) / n)
		}
	}
}

// cache holds masks up to a number of bytes, and begins anew when they are more:
// pictures in a row need the same ones.
type cache[K comparable] struct {
	of          map[K]*mask
	bytes, most int
}

func newCache[K comparable](most int) *cache[K] { return &cache[K]{of: map[K]*mask{}, most: most} }

func (c *cache[K]) get(key K) *mask { return c.of[key] }

func (c *cache[K]) put(key K, m *mask) {
	size := len(m.pix) + 128
	if size > c.most/2 {
		return
	}
	if c.bytes+size > c.most {
		clear(c.of)
		c.bytes = 0
	}
	c.of[key] = m
	c.bytes += size
}
