package screen

import (
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
)

// board draws the label with the rows at the right of a view.
func board(b *brush, title string, paper, edge uint32) {
	b.round(196, 14, 312, 262, 8, edge)
	b.round(199, 17, 306, 256, 6, paper)
	b.text(212, 24, 280, 15, draw.SansBold, 0x1f2937, title)
}

func household(b *brush, s Screen) draw.Box {
	b.box(0, 0, width, 200, 0xf3e6d0)
	b.box(0, 200, width, height-200, 0xb98b5e)
	b.box(20, 16, 74, 64, 0xffffff)
	b.box(24, 20, 66, 56, 0x9fd3ee)
	b.box(55, 20, 4, 56, 0xffffff)
	b.box(24, 46, 66, 4, 0xffffff)
	if !b.drawAt(s.value("resting place"), kindOf(s.Title), s.appearance("tint", "")) {
		b.box(14, 196, 160, 12, 0x7a5230)
		b.box(24, 208, 10, 70, 0x7a5230)
		b.box(154, 208, 10, 70, 0x7a5230)
		b.drawThing(kindOf(s.Title), s.appearance("tint", ""), 94, 196)
	}
	board(b, s.Title, 0xfffaf0, 0xb98b5e)
	return draw.PixelBox(212, 56, 292, 8*rowHeight)
}

func workshop(b *brush, s Screen) draw.Box {
	b.box(0, 0, width, height, 0xd2b48c)
	for i := range 9 {
		b.box(i*60, 0, 2, height, 0xbd9c70)
	}
	b.box(0, 284, width, 16, 0x8c6a45)
	if !b.drawAt(s.value("berth"), kindOf(s.Title), s.appearance("", "label colour")) {
		b.drawThing(kindOf(s.Title), s.appearance("", "label colour"), 94, 284)
	}
	if full, err := strconv.Atoi(strings.TrimSuffix(s.value("fill level"), " percent")); err == nil {
		b.box(4, 20, 12, 204, 0x374151)
		b.box(6, 222-2*full, 8, 2*full, 0x22c55e)
	}
	board(b, s.Title, 0xf3f7ee, 0x5f4426)
	return draw.PixelBox(212, 56, 292, 8*rowHeight)
}

// drawAt draws a thing on or in the furniture of its spot, such as "upper shelf".
func (b *brush) drawAt(spot, kind string, l appearance) bool {
	where, on, _ := strings.Cut(spot, " ")
	at, known := map[string][2]int{"upper": {132, 128}, "lower": {62, 272}, "left": {62, 216}, "right": {130, 216}, "corner": {136, 264}, "window": {66, 160}, "back": {96, 184}, "front": {94, 246}}[where]
	draws := map[string]func(b *brush, x, y int, thing func()){"shelf": shelf, "drawer": drawer, "bench": bench, "rack": rack, "cupboard": cupboard, "hook": hook, "ledge": ledge, "basket": basket}[on]
	if !known || draws == nil {
		return false
	}
	draws(b, at[0], at[1], func() { b.drawThing(kind, l, at[0], at[1]) })
	return true
}

// Colours of furniture.
const wood, darkWood = 0x8b6b4a, 0x5f4426

func shelf(b *brush, x, y int, thing func()) {
	b.box(x-56, y, 112, 8, wood)
	b.shape(darkWood, draw.P(x-44, y+8), draw.P(x-34, y+8), draw.P(x-44, y+22))
	b.shape(darkWood, draw.P(x+44, y+8), draw.P(x+34, y+8), draw.P(x+44, y+22))
	thing()
}

func drawer(b *brush, x, y int, thing func()) {
	b.box(x-56, y-10, 112, 10, darkWood)
	thing()
	b.box(x-58, y-6, 116, 28, wood)
	b.disc(x, y+9, 5, 0xd6b98c)
}

func bench(b *brush, x, y int, thing func()) {
	b.box(x-58, y, 116, 7, darkWood)
	b.box(x-50, y+7, 12, 20, wood)
	b.box(x+38, y+7, 12, 20, wood)
	thing()
}

func rack(b *brush, x, y int, thing func()) {
	b.box(x-58, y-80, 5, 102, 0x6b7280)
	b.box(x+53, y-80, 5, 102, 0x6b7280)
	for i := range 3 {
		b.box(x-58, y-76+38*i, 116, 4, 0x9ca3af)
	}
	thing()
}

func cupboard(b *brush, x, y int, thing func()) {
	b.box(x-60, y-100, 120, 108, wood)
	b.box(x-54, y-94, 108, 94, 0x3f2d1c)
	thing()
}

func hook(b *brush, x, y int, thing func()) {
	b.line(x, y-108, x, y-30, 4, 0x374151)
	b.box(x-12, y-114, 24, 8, darkWood)
	thing()
}

func ledge(b *brush, x, y int, thing func()) {
	b.box(x-60, y, 120, 14, 0xcbd5e1)
	b.box(x-60, y+14, 120, 3, 0x94a3b8)
	thing()
}

func basket(b *brush, x, y int, thing func()) {
	thing()
	b.shape(0xc9a26b, draw.P(x-56, y-12), draw.P(x+56, y-12), draw.P(x+48, y+18), draw.P(x-48, y+18))
	for i := range 7 {
		b.line(x-45+15*i, y-12, x-42+14*i, y+18, 2, 0x8b6b4a)
	}
}

// navigation draws a map with north at the top: the robot in the middle, the thing at its
// bearing, its bay at the edge. The name determines the streets.
func navigation(b *brush, s Screen) draw.Box {
	l := s.appearance("", "")
	b.box(0, 0, width, height, 0xdfe8d8)
	shift := int(l.mosaic)
	for i := range 4 {
		b.box(0, 16+70*i+shift%44, width, 12, 0xffffff)
		b.box(4+58*i+shift/44%40, 0, 10, height, 0xffffff)
	}
	b.drawBays(s.value("parking bay"), l)
	x, y := 96, 150
	at := draw.P(x+40, y+20)
	if degrees, err := strconv.Atoi(strings.TrimSuffix(s.value("bearing"), " degrees")); err == nil {
		up := draw.Angle(degrees-90) * draw.Turn / 360
		at = draw.Polar(draw.P(x, y), draw.Px(64), up)
		b.c.Stroke(new(draw.Path).Move(draw.P(x, y)).Line(draw.Polar(draw.P(x, y), draw.Px(50), up)), draw.Px(4), draw.Hex(0x2563eb))
	}
	b.drawThing(kindOf(s.Title), l, at.X.Round(), at.Y.Round()+24)
	b.round(x-12, y-12, 24, 24, 5, 0x334155)
	b.disc(x-5, y-2, 3, 0x67e8f9)
	b.disc(x+5, y-2, 3, 0x67e8f9)
	board(b, s.Title, 0xffffff, 0x94a3b8)
	return draw.PixelBox(212, 56, 292, 8*rowHeight)
}

// drawBays draws the nine bays of each side of a map, and marks one.
func (b *brush) drawBays(of string, l appearance) {
	side, n, _ := strings.Cut(of, " bay ")
	for i := range 9 {
		for _, at := range []struct {
			side string
			x, y int
		}{{"north", 6 + 21*i, 4}, {"south", 6 + 21*i, 282}, {"west", 2, 24 + 28*i}, {"east", 180, 24 + 28*i}} {
			ink := draw.Hex(0x9ca3af)
			if at.side == side && n == strconv.Itoa(i+1) {
				ink = l.ink
				b.box(at.x-2, at.y-2, 16, 18, 0x111827)
			}
			b.plane(at.x, at.y, 12, 14, ink)
		}
	}
}

// crafting draws a world of blocks with the thing at its box.
func crafting(b *brush, s Screen) draw.Box {
	b.box(0, 0, width, height, 0x8ec5ff)
	const side = 26
	for x := range width/side + 1 {
		top := 196 + side*((x*5+2)%3/2)
		b.box(x*side, top, side-1, side-1, 0x5da130)
		for y := top + side; y < height; y += side {
			b.box(x*side, y, side-1, side-1, []uint32{0x8a5a35, 0x7d5230, 0x6f6f6f}[(x+y)%3])
		}
	}
	b.box(20, 118, 18, 78, 0x6b4a2b)
	for _, at := range [][2]int{{0, 92}, {20, 66}, {20, 92}, {40, 92}} {
		b.box(at[0], at[1], 20, 26, 0x3f7d20)
	}
	l := s.appearance("metal", "dye")
	where, in, _ := strings.Cut(s.value("stowage"), " ")
	x, y := 110, 196
	if at, known := map[string][2]int{"upper": {110, 96}, "lower": {110, 262}, "left": {60, 196}, "right": {142, 196}, "corner": {142, 262}, "middle": {100, 176}, "back": {126, 150}, "front": {70, 240}}[where]; known {
		x, y = at[0], at[1]
		b.drawBox(in, x, y)
	}
	b.drawThing(kindOf(s.Title), l, x, y)
	b.box(196, 14, 312, 240, 0x1f1f1f)
	b.text(212, 20, 280, 14, draw.Mono, 0xfde047, s.Title)
	return draw.PixelBox(212, 46, 290, 8*rowHeight)
}

func (b *brush) drawBox(kind string, x, y int) {
	switch kind {
	case "chest":
		b.box(x-40, y, 80, 36, 0xa0692f)
		b.box(x-40, y+12, 80, 3, 0x4a2f14)
		b.box(x-5, y+8, 10, 10, 0xd1d5db)
	case "barrel":
		b.round(x-28, y, 56, 38, 12, 0x8a5a2b)
		b.box(x-28, y+8, 56, 4, 0x4b5563)
		b.box(x-28, y+26, 56, 4, 0x4b5563)
	case "crate":
		b.box(x-36, y, 72, 36, 0xc9a26b)
		b.line(x-36, y, x+36, y+36, 5, 0x8b6b4a)
	case "locker":
		b.box(x-30, y, 60, 40, 0x64748b)
		for i := range 3 {
			b.box(x-20, y+6+6*i, 40, 2, 0x1e293b)
		}
	case "hopper":
		b.shape(0x374151, draw.P(x-40, y), draw.P(x+40, y), draw.P(x+12, y+36), draw.P(x-12, y+36))
	default:
		b.box(x-34, y, 68, 6, 0x15803d)
		b.shape(0x16a34a, draw.P(x-32, y+6), draw.P(x+32, y+6), draw.P(x+26, y+38), draw.P(x-26, y+38))
	}
}
