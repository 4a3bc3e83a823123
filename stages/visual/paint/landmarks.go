package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// landmarks paints the buildings of a square and what stands on a bridge.
func landmarks() painters {
	return painters{kinds: map[string]Painter{
		"clock-tower": clockTower, "church": church, "town-hall": townHall, "fountain": fountain, "theatre": theatre, "bridge": bridge, "pillar": pillar, "quay": quay,
	}}
}

func clockTower(b *Brush, t scene.Thing) {
	f, r, m := over(t), steady(t), moodOf(b.Scene)
	brick := m.below([]uint32{0xb0664a, 0xc9b48e, 0x9a8f86}[r.IntN(3)])
	ground(b, f)
	b.Fill(f.shape(120, 250, 500, 0, 880, 250), draw.Across(f.all(), m.roof(1), m.roof(1).Mix(umber(), 80)))
	b.Rect(f.box(480, -40, 40, 70), draw.Hex(0xd9b44a))
	lit(b, new(draw.Path).Rect(f.box(180, 245, 640, 755)), f.all(), brick)
	slab(b, f.box(110, 240, 780, 250), 2, brick.Mix(paper(), 40))
	dial := draw.Disc(f.at(500, 364), f.wide(270))
	b.Oval(dial, draw.Hex(0x2a2624))
	b.Oval(dial.Inset(draw.Px(4), draw.Px(4)), draw.Hex(0xfdf8e8))
	at := dial.Mid()
	for k := range 12 {
		a := draw.Turn * draw.Angle(k) / 12
		b.Stroke(new(draw.Path).Move(draw.Polar(at, f.wide(200), a)).Line(draw.Polar(at, f.wide(225), a)), draw.Px(2), draw.Hex(0x2a2624))
	}
	hour := draw.Turn * draw.Angle(b.Rnd.IntN(144)) / 144
	b.Stroke(new(draw.Path).Move(at).Line(draw.Polar(at, f.wide(120), hour)), draw.Px(4), draw.Hex(0x2a2624))
	b.Stroke(new(draw.Path).Move(at).Line(draw.Polar(at, f.wide(185), hour*12)), draw.Px(3), draw.Hex(0x2a2624))
	for _, y := range []int{560, 700} {
		b.Fill(arch(f.part(420, y, 160, 90)), m.pane())
	}
	b.Fill(arch(f.part(360, 850, 280, 150)), draw.Hex(0x4a3020))
}

// arch is a box with a round top.
func arch(f field) *draw.Path {
	return new(draw.Path).Corners(f.all(), [4]draw.Unit{f.wide(500), f.wide(500), 0, 0})
}

func church(b *Brush, t scene.Thing) {
	f, r, m := over(t), steady(t), moodOf(b.Scene)
	wall := m.below([]uint32{0xece4d2, 0xd8ccb8, 0xe6d8d0}[r.IntN(3)])
	ground(b, f)
	lit(b, new(draw.Path).Rect(f.box(300, 540, 690, 460)), f.all(), wall)
	b.Fill(f.shape(280, 550, 420, 380, 900, 380, 1010, 550), draw.Down(f.box(0, 380, 1, 170), m.roof(0), m.roof(0).Mix(umber(), 60)))
	lit(b, new(draw.Path).Rect(f.box(40, 360, 330, 640)), f.all(), wall.Mix(paper(), 30))
	b.Fill(f.shape(10, 365, 205, 70, 400, 365), draw.Across(f.box(0, 0, 400, 1), m.roof(1), m.roof(1).Mix(umber(), 80)))
	b.Rect(f.box(194, 0, 22, 90), draw.Hex(0xc9a03c))
	b.Rect(f.box(160, 22, 90, 16), draw.Hex(0xc9a03c))
	b.Oval(draw.Disc(f.at(205, 470), f.wide(75)), draw.Hex(0x3f6a8a))
	b.Stroke(new(draw.Path).Oval(draw.Disc(f.at(205, 470), f.wide(75))), draw.Px(3), draw.Hex(0x8a7a62))
	for i := range 4 {
		w := f.part(425+140*i, 610, 80, 240)
		b.Fill(arch(field{w.x - 3, w.y - 3, w.w + 6, w.h + 6}), draw.Hex(0x8a7a62))
		b.Fill(arch(w), draw.Down(w.all(), draw.Hex([]uint32{0x5a8ac0, 0xc05a5a, 0xd9b04a, 0x5aa07a}[i]), draw.Hex(0x3a4a6a)))
	}
	b.Fill(arch(f.part(125, 760, 160, 240)), draw.Hex(0x5a3a24))
}

// townHall has a balcony; flags fly from its roof.
func townHall(b *Brush, t scene.Thing) {
	f, r, m := over(t), steady(t), moodOf(b.Scene)
	wall := m.below([]uint32{0xd9b98a, 0xc98a72, 0xe2d6b8}[r.IntN(3)])
	ground(b, f)
	lit(b, new(draw.Path).Rect(f.box(0, 330, 1000, 670)), f.all(), wall)
	b.Fill(f.shape(-15, 335, 70, 255, 930, 255, 1015, 335), draw.Down(f.box(0, 255, 1, 80), m.roof(2), m.roof(2).Mix(umber(), 60)))
	for _, y := range []int{390, 600} {
		for i := range 5 {
			w := f.part(65+190*i, y, 110, 150)
			b.Fill(arch(field{w.x - 3, w.y - 3, w.w + 6, w.h + 6}), m.below(0xf4eee0))
			b.Fill(arch(w), m.pane())
		}
	}
	b.Rect(f.box(280, 770, 440, 30), m.below(0xf4eee0))
	for i := range 3 {
		b.Fill(arch(f.part(300+145*i, 810, 110, 190)), draw.Hex(0x5a3a28))
	}
	for i := range 4 {
		pillar := f.box(290+140*i-25, 800, 24, 200)
		b.Rect(pillar, draw.Across(pillar, m.below(0xfaf5ea), m.below(0xbfb4a2)))
	}
	counted(b, scene.Thing{Class: t.Class, Look: t.Look, Box: [4]int{t.Box[0], t.Box[1] + t.Box[3]*20/1000, t.Box[2], t.Box[3] * 240 / 1000}})
}

func flag(b *Brush, f field, i int) {
	b.Rect(f.box(180, 0, 60, 1000), draw.Across(f.box(180, 0, 60, 1), draw.Hex(0xd8d8d8), draw.Hex(0x6a6a6a)))
	cloth := new(draw.Path).Move(f.at(240, 50)).Quad(f.at(500, -60), f.at(640, 70)).Quad(f.at(800, 170), f.at(960, 70)).Line(f.at(960, 520)).Quad(f.at(800, 620), f.at(640, 520)).Quad(f.at(500, 400), f.at(240, 500)).Close()
	lit(b, cloth, f.all(), draw.Hex([]uint32{0xc8443c, 0x2f6fb0, 0xe8b93c, 0x3f8f5a}[i%4]))
}

func fountain(b *Brush, t scene.Thing) {
	f, m := over(t), moodOf(b.Scene)
	ground(b, f)
	stone := m.below(0xc4bbab)
	slab(b, f.box(0, 780, 1000, 220), 12, stone)
	b.Oval(f.box(10, 720, 980, 130), stone.Mix(umber(), 50))
	b.Oval(f.box(50, 735, 900, 100), draw.Hex(0x5aa0c0).Mix(m.low, 40))
	lit(b, f.shape(440, 430, 560, 430, 590, 800, 410, 800), f.all(), stone)
	for _, bowl := range [][3]int{{180, 500, 640}, {320, 270, 360}} {
		lit(b, f.blob(bowl[0], bowl[1], bowl[0]+bowl[2], bowl[1], bowl[0]+bowl[2]*3/4, bowl[1]+110, bowl[0]+bowl[2]/4, bowl[1]+110), f.all(), stone)
		b.Rect(f.box(470, bowl[1]-60, 60, 200), stone)
	}
	spray := draw.Hex(0xf2fbff).Fade(210)
	for k := range 7 {
		x := 500 + (k-3)*(55+b.Rnd.IntN(16))
		b.Stroke(new(draw.Path).Move(f.at(500, 230)).Quad(f.at((500+x)/2, -90+b.Rnd.IntN(60)), f.at(x, 330)), draw.Px(2), spray)
	}
	for k := range 8 {
		x := 215 + 81*k
		b.Stroke(new(draw.Path).Move(f.at(x, 540)).Quad(f.at(x+(x-500)/8, 620), f.at(x+(x-500)/5, 780)), draw.Px(2), spray)
	}
}

func theatre(b *Brush, t scene.Thing) {
	f, m := over(t), moodOf(b.Scene)
	ground(b, f)
	stone := m.below([]uint32{0xe9e2d4, 0xd9cfc4}[Number(t, "vary", 0)%2])
	b.Rect(f.box(20, 300, 960, 640), stone.Mix(umber(), 70))
	b.Fill(arch(f.part(400, 560, 200, 380)), draw.Hex(0x4a2c20))
	for _, x := range []int{215, 655} {
		b.Rect(f.box(x, 560, 110, 200), draw.Hex(0xb0303c))
	}
	lit(b, f.shape(-30, 290, 500, 30, 1030, 290), f.all(), stone)
	b.Fill(f.shape(130, 262, 500, 82, 870, 262), stone.Mix(umber(), 50))
	b.Icon("music", f.box(430, 130, 140, 130), stone.Mix(paper(), 90))
	slab(b, f.box(-10, 285, 1020, 90), 2, stone)
	b.Line(draw.Style{Font: draw.SerifBold, Size: draw.Px(17), Ink: draw.Hex(0x4a4038)}, f.box(0, 288, 1000, 84), draw.Center, "THEATRE")
	for i := range 5 {
		c := f.box(20+215*i, 375, 100, 565)
		b.Rect(c, draw.Across(c, stone.Mix(paper(), 60), stone.Mix(umber(), 60)))
		b.Rect(f.box(5+215*i, 375, 130, 28), stone)
	}
	for i := range 3 {
		b.Rect(f.box(-10-20*i, 935+22*i, 1020+40*i, 22), stone.Mix(umber(), 20*i))
	}
}

// bridge spans the river in four arches, with a parapet.
func bridge(b *Brush, t scene.Thing) {
	f, r, m := over(t), steady(t), moodOf(b.Scene)
	rgb := []uint32{0xbfae94, 0xa9a39a, 0xb08a70}[r.IntN(3)]
	stone := m.below(rgb)
	deck := new(draw.Path).Rect(f.box(0, 240, 1000, 760))
	lit(b, deck, f.all(), stone)
	for y := 260; y < 1000; y += 90 {
		for x := y / 90 % 2 * 30; x < 1000; x += 60 {
			b.Stroke(f.shape(x, y, x+58, y, x+58, y+86, x, y+86), draw.Px(1), stone.Mix(umber(), 60).Fade(80))
		}
	}
	for i := range 4 {
		a := f.part(20+250*i, 430, 210, 570)
		b.Fill(arch(field{a.x - 7, a.y - 7, a.w + 14, a.h + 7}), stone.Mix(paper(), 50))
		b.Fill(arch(a), draw.Down(a.all(), draw.Hex(0x2c3a40), draw.Hex(0x3f6478)))
	}
	for x := 8; x < 1000; x += 24 {
		c := f.box(x, 110, 12, 130)
		b.Rect(c, draw.Across(c, stone.Mix(paper(), 60), stone.Mix(umber(), 60)))
	}
	b.Rect(f.box(0, 90, 1000, 40), stone.Mix(paper(), 60))
	b.Rect(f.box(0, 215, 1000, 40), stone.Mix(paper(), 30))
}

// pillar is a numbered plinth on the bridge with a statue.
func pillar(b *Brush, t scene.Thing) {
	f, m := over(t), moodOf(b.Scene)
	stone := m.below(0xcfc4b0)
	slab(b, f.box(180, 430, 640, 570), 2, stone)
	slab(b, f.box(110, 398, 780, 50), 2, stone.Mix(paper(), 50))
	plate := f.box(340, 500, 320, 100)
	b.RoundRect(plate, draw.Px(4), draw.Hex(0x3a3430))
	b.Line(draw.Style{Font: draw.SerifBold, Size: draw.Px(24), Ink: draw.Hex(0xf3e2b0)}, plate, draw.Center, t.Look["letter"])
	if paint, ok := statues()[t.Look[scene.Which]]; ok {
		paint(b, f.part(0, 0, 1000, 400), draw.Hex(0x4f6f66))
	}
}

// quay is where boats lie.
func quay(b *Brush, t scene.Thing) { counted(b, t) }

func boat(b *Brush, f field, i int) {
	b.Oval(f.box(60, 900, 880, 110), draw.Hex(0x16384a).Fade(110))
	b.Rect(f.box(470, 40, 30, 660), draw.Hex(0x6a4a2c))
	sail := draw.Hex([]uint32{0xfaf4e4, 0xf0d9a0, 0xe8ece8}[b.Rnd.IntN(3)])
	lit(b, f.shape(520, 60, 900, 620, 520, 620), f.all(), sail)
	lit(b, f.shape(450, 120, 450, 620, 170, 620), f.all(), sail.Mix(umber(), 18))
	hull := new(draw.Path).Move(f.at(40, 700)).Line(f.at(970, 700)).Quad(f.at(900, 930), f.at(740, 950)).Line(f.at(260, 950)).Quad(f.at(120, 930), f.at(40, 700)).Close()
	lit(b, hull, f.all(), draw.Hex([]uint32{0x9a3f30, 0x2f5a7a, 0x6a4a2c, 0x3f6a4a}[i%4]))
	b.Rect(f.box(60, 720, 890, 36), paper().Fade(200))
}
