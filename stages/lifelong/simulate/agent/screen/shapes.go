package screen

import (
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
)

// kindOf is what sort of thing a title names: its last word but "order".
func kindOf(title string) string {
	words := strings.Fields(strings.TrimSuffix(title, " order"))
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// drawThing draws a thing that stands on y, with its middle at x. What none of the places has
// is goods of a shop, and a box where the kind has no shape of its own.
func (b *brush) drawThing(kind string, l appearance, x, y int) {
	shapes := []map[string]func(*brush, appearance, int, int) int{householdShapes(), otherShapes(), shopShapes()}
	for _, of := range shapes {
		if shape := of[kind]; shape != nil {
			b.drawMosaic(l, x, y-shape(b, l, x, y))
			return
		}
	}
	b.fill(l.trim, draw.P(x-33, y-56), draw.P(x, y-86), draw.P(x+33, y-56))
	b.plane(x-25, y-56, 50, 56, l.ink)
	b.drawMosaic(l, x, y-24)
}

// plane, pill, and fill draw in the colour of a thing.
func (b *brush) plane(x, y, w, h int, ink draw.Color) { b.c.Rect(draw.PixelBox(x, y, w, h), ink) }

func (b *brush) pill(x, y, w, h, r int, ink draw.Color) {
	b.c.RoundRect(draw.PixelBox(x, y, w, h), draw.Px(r), ink)
}

func (b *brush) fill(ink draw.Color, points ...draw.Point) {
	b.c.Fill(new(draw.Path).Move(points[0]).Line(points[1:]...).Close(), ink)
}

func (b *brush) ring(x, y, w, h, thick int, ink draw.Color) {
	b.c.Stroke(new(draw.Path).Oval(draw.PixelBox(x, y, w, h)), draw.Px(thick), ink)
}

// householdShapes are the shapes of things of a household. Each says how high above its foot the
// middle of its mosaic is.
func householdShapes() map[string]func(*brush, appearance, int, int) int {
	return map[string]func(*brush, appearance, int, int) int{
		"mug": func(b *brush, l appearance, x, y int) int {
			b.ring(x+12, y-32, 20, 24, 5, l.ink)
			b.pill(x-22, y-40, 40, 40, 6, l.ink)
			b.plane(x-22, y-36, 40, 4, l.trim)
			return 17
		},
		"vase": func(b *brush, l appearance, x, y int) int {
			b.fill(l.ink, draw.P(x-10, y-64), draw.P(x+10, y-64), draw.P(x+8, y-48), draw.P(x+24, y-24), draw.P(x+12, y), draw.P(x-12, y), draw.P(x-24, y-24), draw.P(x-8, y-48))
			b.line(x, y-64, x, y-84, 3, 0x3f7d20)
			b.c.Oval(draw.Disc(draw.P(x, y-86), draw.Px(9)), l.trim)
			return 22
		},
		"toolbox": func(b *brush, l appearance, x, y int) int {
			b.pill(x-42, y-34, 84, 34, 4, l.ink)
			b.plane(x-42, y-34, 84, 5, l.trim)
			b.line(x-16, y-34, x-16, y-48, 4, 0x374151)
			b.line(x+16, y-34, x+16, y-48, 4, 0x374151)
			b.line(x-18, y-48, x+18, y-48, 5, 0x374151)
			return 15
		},
		"blanket": func(b *brush, l appearance, x, y int) int {
			for i, ink := range []draw.Color{l.ink, l.ink.Mix(draw.Hex(0xffffff), 50), l.ink} {
				b.pill(x-46, y-14*(i+1), 92, 13, 6, ink)
			}
			b.plane(x-34, y-41, 6, 40, l.trim)
			b.plane(x+28, y-41, 6, 40, l.trim)
			return 21
		},
	}
}

// shopShapes are the shapes of what a shop sells.
func shopShapes() map[string]func(*brush, appearance, int, int) int {
	return map[string]func(*brush, appearance, int, int) int{
		"lamp": func(b *brush, l appearance, x, y int) int {
			b.line(x, y-58, x, y-8, 4, 0x4b5563)
			b.fill(l.ink, draw.P(x-20, y-100), draw.P(x+20, y-100), draw.P(x+36, y-52), draw.P(x-36, y-52))
			b.pill(x-22, y-10, 44, 10, 4, l.trim)
			return 74
		},
		"desk": func(b *brush, l appearance, x, y int) int {
			b.plane(x-56, y-62, 112, 10, l.ink)
			b.plane(x-50, y-52, 8, 52, l.ink.Mix(draw.Hex(0), 60))
			b.plane(x+42, y-52, 8, 52, l.ink.Mix(draw.Hex(0), 60))
			b.plane(x-18, y-52, 60, 24, l.ink.Mix(draw.Hex(0xffffff), 40))
			b.c.Oval(draw.Disc(draw.P(x+28, y-40), draw.Px(3)), l.trim)
			return 40
		},
		"kettle": func(b *brush, l appearance, x, y int) int {
			b.pill(x-30, y-56, 60, 56, 18, l.ink)
			b.fill(l.ink, draw.P(x+26, y-44), draw.P(x+48, y-54), draw.P(x+28, y-26))
			b.ring(x-22, y-84, 44, 40, 5, draw.Hex(0x374151))
			b.pill(x-26, y-60, 52, 10, 5, l.trim)
			return 26
		},
		"rug": func(b *brush, l appearance, x, y int) int {
			b.plane(x-58, y-76, 116, 70, l.ink)
			b.plane(x-46, y-66, 92, 50, l.trim)
			b.fill(l.ink, draw.P(x, y-62), draw.P(x+34, y-41), draw.P(x, y-20), draw.P(x-34, y-41))
			return 41
		},
	}
}
