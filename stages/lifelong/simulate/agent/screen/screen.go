// Package screen draws what an agent sees: windows of applications and views of places,
// each with the state of the thing in front.
package screen

import (
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
)

// Screen is what stands on one.
type Screen struct {
	// App is the domain, Title the thing in front, Around the other things there.
	App, Title string
	Rows       [][2]string
	Around     []string
}

// Sizes in pixels. A screen of a phone is narrow.
const (
	width, height           = 520, 300
	phoneWidth, phoneHeight = 300, 400
	rowHeight               = 25
	mostAround              = 6
)

// Size of a screen in pixels.
func (s Screen) Size() (w, h int) {
	if s.App == "phone" {
		return phoneWidth, phoneHeight
	}
	return width, height
}

// Caption says of what sort the picture is.
func Caption(app string) string {
	l, ok := layouts()[app]
	if !ok {
		return "a screenshot"
	}
	return l.caption
}

// layout is how one application or place looks: frame draws all but the rows and gives
// the box that they stand in.
type layout struct {
	caption string
	frame   func(b *brush, s Screen) draw.Box
	rows    func(b *brush, at draw.Box, rows [][2]string)
}

// Draw draws the screen.
func (s Screen) Draw(studio *draw.Studio) (*draw.Canvas, error) {
	l, ok := layouts()[s.App]
	if !ok {
		return nil, fmt.Errorf("nobody draws a screen of %q", s.App)
	}
	w, h := s.Size()
	c, err := studio.NewCanvas(w, h, draw.Hex(0xf4f5f7))
	if err != nil {
		return nil, err
	}
	if len(s.Around) > mostAround {
		s.Around = s.Around[:mostAround]
	}
	b := &brush{c}
	in := l.frame(b, s)
	if room := int(in.H / draw.Px(rowHeight)); len(s.Rows) > room {
		return nil, fmt.Errorf("screen of %q: %d rows, and there is room for %d", s.App, len(s.Rows), room)
	}
	l.rows(b, in, s.Rows)
	return c, c.Err()
}

// brush draws in few words: places in whole pixels, colours as 0xRRGGBB.
type brush struct{ c *draw.Canvas }

func (b *brush) box(x, y, w, h int, ink uint32) { b.c.Rect(draw.PixelBox(x, y, w, h), draw.Hex(ink)) }

func (b *brush) round(x, y, w, h, r int, ink uint32) {
	b.c.RoundRect(draw.PixelBox(x, y, w, h), draw.Px(r), draw.Hex(ink))
}

func (b *brush) disc(x, y, r int, ink uint32) {
	b.c.Oval(draw.Disc(draw.P(x, y), draw.Px(r)), draw.Hex(ink))
}

func (b *brush) line(x, y, x2, y2, thick int, ink uint32) {
	b.c.Stroke(new(draw.Path).Move(draw.P(x, y)).Line(draw.P(x2, y2)), draw.Px(thick), draw.Hex(ink))
}

func (b *brush) shape(ink uint32, points ...draw.Point) {
	b.c.Fill(new(draw.Path).Move(points[0]).Line(points[1:]...).Close(), draw.Hex(ink))
}

func (b *brush) text(x, y, w, size int, font draw.Font, ink uint32, text string) {
	b.c.Line(draw.Style{Font: font, Size: draw.Px(size), Ink: draw.Hex(ink)}, draw.PixelBox(x, y, w, size+8), draw.Left, text)
}

// list writes the names of other things, one a line.
func (b *brush) list(x, y, w int, ink uint32, around []string) {
	for i, name := range around {
		b.text(x, y+24*i, w, 11, draw.Sans, ink, name)
	}
}

func pairRows(font draw.Font, name, value uint32, form string) func(*brush, draw.Box, [][2]string) {
	return func(b *brush, at draw.Box, rows [][2]string) {
		for i, r := range rows {
			row := draw.Box{X: at.X, Y: at.Y + draw.Px(rowHeight*i), W: at.W, H: draw.Px(rowHeight)}
			left, right := row.Split(row.W * 2 / 5)
			b.c.Object("fact", r[0], r[1], func() {
				b.c.Line(draw.Style{Font: font, Size: draw.Px(12), Ink: draw.Hex(name)}, left, draw.Left, fmt.Sprintf(form, r[0]))
				b.c.Line(draw.Style{Font: font, Size: draw.Px(12), Ink: draw.Hex(value)}, right, draw.Left, r[1])
			})
		}
	}
}

// cssRows writes rows as declarations of a style sheet with custom properties.
func cssRows(b *brush, at draw.Box, rows [][2]string) {
	var out [][2]string
	for _, r := range rows {
		out = append(out, [2]string{"--" + strings.ReplaceAll(r[0], " ", "-"), r[1]})
	}
	pairRows(draw.Mono, 0x7dcfff, 0xe0af68, "%s:")(b, at, out)
}

// cellRows writes rows as cells of a sheet with row numbers.
func cellRows(b *brush, at draw.Box, rows [][2]string) {
	x, y, w := at.X.Round(), at.Y.Round(), at.W.Round()
	for i := range 8 {
		b.text(x-22, y+rowHeight*i+3, 20, 11, draw.Sans, 0x6b7280, fmt.Sprint(i+2))
		b.box(x-30, y+rowHeight*(i+1), w+30, 1, 0xd5d9de)
	}
	for _, col := range []int{0, w * 2 / 5, w * 4 / 5} {
		b.box(x+col-6, y-20, 1, rowHeight*8+20, 0xd5d9de)
	}
	pairRows(draw.Sans, 0x111827, 0x111827, "%s")(b, at, rows)
}
