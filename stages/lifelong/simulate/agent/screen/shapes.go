package screen

import (
	"hash/fnv"
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
)

// kindOf returns the last word of a title except "order".
func kindOf(title string) string {
	words := strings.Fields(strings.TrimSuffix(title, " order"))
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// drawThing draws a thing standing on y with its middle at x. Kinds outside the places
// are goods of a shop, or a plain box.
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

// householdShapes draw household things and return how high above the foot the middle of
// the mosaic is.
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

// appearance is how a thing looks: its body, its trim, and the mosaic that things of one name
// have and no others.
type appearance struct {
	ink, trim draw.Color
	mosaic    uint16
}

// value returns the value of a row, or "".
func (s Screen) value(name string) string {
	for _, r := range s.Rows {
		if r[0] == name {
			return r[1]
		}
	}
	return ""
}

// appearance returns the colours of body and trim from the rows, or else from the name.
func (s Screen) appearance(body, trim string) appearance {
	name, _, _ := strings.Cut(s.Title, " ")
	h := fnv.New32a()
	h.Write([]byte(name))
	n := int(h.Sum32() >> 1)
	inks := []uint32{0xd9534f, 0x3a7ca5, 0x6d5bd0, 0x2e8b57, 0xc98b2b, 0x8c5a3c, 0x0f7490, 0xb03a6f, 0x5b7553, 0x4f6272, 0xa0522d, 0x7a8f1f}
	out := appearance{draw.Hex(inks[n%len(inks)]), draw.Hex(inks[(n+1+n/16%(len(inks)-1))%len(inks)]), uint16(n >> 8)}
	if c, ok := colourOf(s.value(body)); ok {
		out.ink = c
	}
	if c, ok := colourOf(s.value(trim)); ok {
		out.trim = c
	}
	return out
}

// colourOf returns the colour of words such as "dusty teal" or "polished brass".
func colourOf(words string) (draw.Color, bool) {
	how, of, _ := strings.Cut(words, " ")
	ink, known := map[string]uint32{
		"teal": 0x128c8c, "crimson": 0xc81e3c, "ochre": 0xcc8a1e, "violet": 0x8038c8, "lime": 0x8cc81e, "navy": 0x1e3c96, "coral": 0xf0745a, "olive": 0x808a28,
		"slate": 0x64788c, "plum": 0x96327d,
		"iron": 0xa0a0a0, "copper": 0xc0703c, "brass": 0xc8aa46, "bronze": 0x96693c, "steel": 0x8296aa, "silver": 0xc8cdd2, "tin": 0xafb9b4, "nickel": 0xb4af9b,
	}[of]
	to, way := map[string]struct {
		ink uint32
		far int
	}{
		"pale": {0xffffff, 140}, "deep": {0x000000, 60}, "dusty": {0x8c8278, 130}, "bright": {0xffffff, 0}, "soft": {0xffffff, 72}, "dark": {0x000000, 130},
		"polished": {0xffffff, 90}, "rough": {0x5a5046, 70}, "forged": {0x000000, 90}, "hammered": {0x28323c, 40}, "plain": {0xffffff, 0},
	}[how]
	return draw.Hex(ink).Mix(draw.Hex(to.ink), to.far), known && way
}

// drawMosaic draws the mosaic of a name around x and y: three by three cells, the middle
// one always filled.
func (b *brush) drawMosaic(l appearance, x, y int) {
	b.box(x-8, y-8, 16, 16, 0xf8fafc)
	for i := range 9 {
		if i == 4 || l.mosaic>>i&1 == 1 {
			b.c.Rect(draw.PixelBox(x-8+5*(i%3)+1, y-8+5*(i/3)+1, 4, 4), l.trim.Mix(draw.Hex(0x000000), 60))
		}
	}
}

func otherShapes() map[string]func(*brush, appearance, int, int) int {
	return map[string]func(*brush, appearance, int, int) int{
		"crate": crate, "parcel": parcel, "trolley": trolley, "beacon": beacon,
		"pickaxe": pickaxe, "furnace": furnace, "lantern": lantern, "shield": shield,
		"pot": pot, "tin": tin, "mower": mower, "tray": tray,
	}
}

func crate(b *brush, l appearance, x, y int) int {
	b.plane(x-26, y-48, 52, 48, l.ink)
	for i := range 3 {
		b.plane(x-26, y-48+20*i, 52, 6, l.trim)
	}
	return 24
}

func parcel(b *brush, l appearance, x, y int) int {
	b.pill(x-30, y-40, 60, 40, 3, l.ink)
	b.plane(x-20, y-40, 7, 40, l.trim)
	b.ring(x-28, y-54, 11, 12, 4, l.trim)
	b.ring(x-16, y-54, 11, 12, 4, l.trim)
	return 20
}

func trolley(b *brush, l appearance, x, y int) int {
	b.line(x-34, y-58, x-22, y-12, 5, 0x374151)
	b.plane(x-24, y-40, 52, 28, l.ink)
	b.plane(x-26, y-12, 56, 4, l.trim)
	b.disc(x-16, y-4, 5, 0x1f2937)
	b.disc(x+20, y-4, 5, 0x1f2937)
	return 26
}

func beacon(b *brush, l appearance, x, y int) int {
	b.fill(l.ink, draw.P(x-8, y-46), draw.P(x+8, y-46), draw.P(x+20, y), draw.P(x-20, y))
	b.c.Oval(draw.Disc(draw.P(x, y-52), draw.Px(11)), l.trim)
	b.line(x-24, y-62, x-15, y-57, 3, 0xf59e0b)
	b.line(x+24, y-62, x+15, y-57, 3, 0xf59e0b)
	return 14
}

func pickaxe(b *brush, l appearance, x, y int) int {
	b.line(x-22, y, x+16, y-56, 7, 0x6b4a2b)
	b.fill(l.ink, draw.P(x-22, y-66), draw.P(x+6, y-68), draw.P(x+30, y-50), draw.P(x+36, y-22), draw.P(x+20, y-44), draw.P(x, y-56))
	b.c.Oval(draw.Disc(draw.P(x-14, y-11), draw.Px(6)), l.trim)
	return 32
}

func furnace(b *brush, l appearance, x, y int) int {
	b.plane(x-30, y-60, 60, 60, l.ink)
	b.plane(x-30, y-60, 60, 8, l.trim)
	b.box(x-18, y-24, 36, 20, 0x1f1f1f)
	b.shape(0xf59e0b, draw.P(x-12, y-4), draw.P(x-4, y-18), draw.P(x, y-10), draw.P(x+6, y-20), draw.P(x+12, y-4))
	return 38
}

func lantern(b *brush, l appearance, x, y int) int {
	b.ring(x-9, y-64, 18, 18, 4, l.ink)
	b.plane(x-20, y-52, 40, 8, l.ink)
	b.box(x-16, y-44, 32, 36, 0xfde68a)
	b.plane(x-20, y-8, 40, 8, l.trim)
	return 26
}

func shield(b *brush, l appearance, x, y int) int {
	b.fill(l.ink, draw.P(x-28, y-66), draw.P(x+28, y-66), draw.P(x+26, y-26), draw.P(x, y), draw.P(x-26, y-26))
	b.plane(x-5, y-62, 10, 50, l.trim)
	b.plane(x-24, y-46, 48, 10, l.trim)
	return 41
}

func label(b *brush, l appearance, x, y, w int) { b.plane(x-w/2, y, w, 22, l.trim) }

func pot(b *brush, l appearance, x, y int) int {
	b.line(x, y-48, x, y-74, 3, 0x3f7d20)
	b.disc(x-8, y-72, 8, 0x4f9d2f)
	b.disc(x+8, y-78, 8, 0x4f9d2f)
	b.fill(l.ink, draw.P(x-30, y-50), draw.P(x+30, y-50), draw.P(x+20, y), draw.P(x-20, y))
	label(b, l, x, y-34, 44)
	return 23
}

func tin(b *brush, l appearance, x, y int) int {
	b.ring(x-24, y-66, 48, 36, 3, draw.Hex(0x374151))
	b.pill(x-26, y-52, 52, 52, 4, l.ink)
	label(b, l, x, y-38, 52)
	return 27
}

func mower(b *brush, l appearance, x, y int) int {
	b.line(x+18, y-30, x+46, y-72, 4, 0x374151)
	b.pill(x-38, y-36, 64, 28, 8, l.ink)
	label(b, l, x-6, y-33, 40)
	b.disc(x-26, y-8, 9, 0x1f2937)
	b.disc(x+18, y-8, 9, 0x1f2937)
	return 22
}

func tray(b *brush, l appearance, x, y int) int {
	for i := range 5 {
		b.line(x-36+18*i, y-26, x-36+18*i, y-42, 3, 0x3f7d20)
		b.disc(x-36+18*i, y-44, 5, 0x6ab04c)
	}
	b.fill(l.ink, draw.P(x-48, y-28), draw.P(x+48, y-28), draw.P(x+42, y), draw.P(x-42, y))
	label(b, l, x, y-25, 50)
	return 14
}
