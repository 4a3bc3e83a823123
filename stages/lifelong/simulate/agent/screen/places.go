package screen

import (
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
)

// board is the label with what stands on a thing, at the right of a view.
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

// spots are where in a room or shed the foot of a thing is that lies there.
func spots() map[string][2]int {
	return map[string][2]int{
		"upper": {132, 128}, "lower": {62, 272}, "left": {62, 216}, "right": {130, 216}, "corner": {136, 264}, "window": {66, 160}, "back": {96, 184}, "front": {94, 246},
	}
}

// drawAt draws a thing where it lies, "upper shelf" for example, with what it lies on or in.
func (b *brush) drawAt(spot, kind string, l appearance) bool {
	where, on, _ := strings.Cut(spot, " ")
	at, known := spots()[where]
	draws := furniture()[on]
	if !known || draws == nil {
		return false
	}
	draws(b, at[0], at[1], func() { b.drawThing(kind, l, at[0], at[1]) })
	return true
}

// furniture draws what a thing lies on or in: its middle is at x, its top at y. What is to
// stand there is drawn in front of its back.
func furniture() map[string]func(b *brush, x, y int, thing func()) {
	return map[string]func(b *brush, x, y int, thing func()){
		"shelf": shelf, "drawer": drawer, "bench": bench, "rack": rack, "cupboard": cupboard, "hook": hook, "ledge": ledge, "basket": basket,
	}
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
