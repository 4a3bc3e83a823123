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

// thing draws a thing of a household that stands on y, with its middle at x; what stands
// in none is goods of a shop.
func (b *brush) thing(kind string, x, y int) {
	switch kind {
	case "mug":
		b.round(x-22, y-40, 40, 40, 6, 0xd9534f)
		b.c.Stroke(new(draw.Path).Oval(draw.Pixels(x+12, y-32, 20, 24)), draw.Px(5), draw.Hex(0xd9534f))
	case "vase":
		b.shape(0x3a7ca5, draw.P(x-10, y-64), draw.P(x+10, y-64), draw.P(x+8, y-48), draw.P(x+24, y-24), draw.P(x+12, y), draw.P(x-12, y), draw.P(x-24, y-24), draw.P(x-8, y-48))
		b.line(x, y-64, x, y-92, 3, 0x3f7d20)
		b.disc(x, y-94, 9, 0xe9a23b)
	case "toolbox":
		b.round(x-42, y-34, 84, 34, 4, 0xc0392b)
		b.box(x-42, y-22, 84, 4, 0x7f1d1d)
		b.line(x-16, y-34, x-16, y-48, 4, 0x374151)
		b.line(x+16, y-34, x+16, y-48, 4, 0x374151)
		b.line(x-18, y-48, x+18, y-48, 5, 0x374151)
	case "blanket":
		for i, ink := range []uint32{0x6d5bd0, 0x8f80e3, 0x6d5bd0} {
			b.round(x-46, y-14*(i+1), 92, 13, 6, ink)
		}
	default:
		b.goods(kind, x, y)
	}
}

// goods draws what a shop sells, and a parcel where the kind has no shape of its own.
func (b *brush) goods(kind string, x, y int) {
	switch kind {
	case "lamp":
		b.shape(0xf2c14e, draw.P(x-20, y-100), draw.P(x+20, y-100), draw.P(x+36, y-58), draw.P(x-36, y-58))
		b.line(x, y-58, x, y-8, 4, 0x4b5563)
		b.round(x-22, y-10, 44, 10, 4, 0x4b5563)
	case "desk":
		b.box(x-56, y-62, 112, 10, 0x8a5a35)
		b.box(x-50, y-52, 8, 52, 0x6b4526)
		b.box(x+42, y-52, 8, 52, 0x6b4526)
		b.box(x+6, y-52, 36, 24, 0xa8744a)
		b.disc(x+24, y-40, 3, 0x3b2614)
	case "kettle":
		b.round(x-30, y-56, 60, 56, 18, 0x9aa5b1)
		b.shape(0x9aa5b1, draw.P(x+26, y-44), draw.P(x+48, y-54), draw.P(x+28, y-26))
		b.c.Stroke(new(draw.Path).Oval(draw.Pixels(x-22, y-84, 44, 40)), draw.Px(5), draw.Hex(0x374151))
		b.round(x-26, y-60, 52, 10, 5, 0x6b7280)
	case "rug":
		b.box(x-58, y-76, 116, 70, 0xb4442c)
		b.box(x-46, y-66, 92, 50, 0xe8c07d)
		b.shape(0xb4442c, draw.P(x, y-62), draw.P(x+34, y-41), draw.P(x, y-20), draw.P(x-34, y-41))
	default:
		b.shape(0xc98b5e, draw.P(x-33, y-56), draw.P(x, y-86), draw.P(x+33, y-56))
		b.box(x-25, y-56, 50, 56, 0xe0a878)
	}
}
