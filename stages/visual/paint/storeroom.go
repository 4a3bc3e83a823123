package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// rack is a steel rack with three boards, seen from the front.
func rack(b *Brush, t scene.Thing) {
	f := over(t)
	ground(b, f)
	b.Rect(f.box(10, 0, 980, 980), umber().Fade(46))
	steel := draw.Hex(0x7d8890)
	for _, y := range []int{290, 620, 950} {
		board := f.box(0, y, 1000, 34)
		b.Shadow(new(draw.Path).Rect(board), 6, 0, 8, umber().Fade(100))
		b.Rect(board, draw.Down(board, steel.Mix(paper(), 90), steel.Mix(umber(), 60)))
	}
	for _, x := range []int{0, 970} {
		post := f.box(x, 0, 30, 1000)
		b.Rect(post, draw.Across(post, steel.Mix(paper(), 60), steel.Mix(umber(), 70)))
		for y := 30; y < 980; y += 48 {
			b.Oval(draw.Disc(f.at(x+15, y), draw.Px(2)), draw.Hex(0x33393f))
		}
	}
}

// crate is of planks, with words stencilled on its front.
func crate(b *Brush, t scene.Thing) {
	f := over(t)
	pine := draw.Hex(0xcfa468)
	ground(b, f)
	slab(b, f.all(), 2, pine)
	r := steady(t)
	for y := 0; y < 1000; y += 250 {
		b.Rect(f.box(0, y, 1000, 238), pine.Mix(draw.Hex(0xa97c42), r.IntN(140)))
	}
	for _, x := range []int{0, 900} {
		slab(b, f.box(x, 0, 100, 1000), 1, pine.Mix(umber(), 40))
		for _, y := range []int{100, 350, 600, 850} {
			b.Oval(draw.Disc(f.at(x+50, y), draw.Px(2)), draw.Hex(0x4a3a2c))
		}
	}
	b.Rect(f.box(130, 290, 740, 420), draw.Hex(0xf1e3c2))
	b.Line(draw.Style{Font: draw.Mono, Size: draw.Px(24), Ink: draw.Hex(0x2a2018)}, f.box(130, 290, 740, 420), draw.Center, t.Look[scene.Text])
}

// archiveBoxes stand closed in a row.
func archiveBoxes(b *Brush, t scene.Thing) {
	f := over(t)
	r := steady(t)
	for x := 0; x < 900; {
		w := 130 + r.IntN(90)
		if x+w > 1000 {
			break
		}
		h := 700 + r.IntN(300)
		ink := tint(0x6b7a86, 0x8a7a5c, 0x5f6b58, 0x7a5a52, 0x9a9282)(r)
		in := f.box(x, 1000-h, w-12, h)
		slab(b, in, 2, ink)
		b.Rect(f.box(x+24, 1000-h*6/10, w-60, 140), draw.Hex(0xf1ebdc))
		b.Oval(draw.Disc(f.at(x+w/2-6, 1000-h/6), draw.Px(5)), ink.Mix(umber(), 110))
		x += w
	}
}

// drawerBack is an open drawer seen from above.
func drawerBack(b *Brush, t scene.Thing) {
	f := over(t)
	light, mid, dark := wood(t)
	b.Rect(f.all(), draw.Across(f.all(), mid, dark))
	b.Rect(draw.PixelBox(16, 16, f.w-32, f.h-32), dark.Mix(umber(), 120))
	b.Rect(draw.PixelBox(28, 28, f.w-56, f.h-56), draw.Hex(0xe6dcc6).Mix(light, 60))
	glow := draw.P(200+b.Rnd.IntN(600), 100+b.Rnd.IntN(400))
	b.Rect(f.all(), draw.Radial{At: glow, Radius: draw.Px(560), A: draw.Hex(0xfff6dc).Fade(70), B: draw.Hex(0x3a2a18).Fade(30)})
}

// compartment is a numbered part of a drawer with counted things in rows.
func compartment(b *Brush, t scene.Thing) {
	f := over(t)
	_, mid, dark := wood(t)
	slab(b, f.all(), 3, mid)
	in := field{f.x + 10, f.y + 10, f.w - 20, f.h - 20}
	b.Rect(in.all(), dark.Mix(umber(), 80))
	bed := field{in.x + 3, in.y + 5, in.w - 3, in.h - 5}
	b.Rect(bed.all(), draw.Down(bed.all(), draw.Hex(0xd9cfba), draw.Hex(0xf0e8d6)))
	badge := draw.PixelBox(bed.x+8, bed.y+8, 36, 36)
	b.Oval(badge, draw.Hex(0xfbf7ec))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(22), Ink: draw.Hex(0x2a2420)}, badge, draw.Center, t.Look["letter"])
	n, columns := Number(t, scene.Count, 0), 4
	paint, ok := items()[t.Class]
	if !ok {
		return
	}
	cell := min((bed.w-60)/columns, bed.h*31/100)
	for i := range n {
		x := bed.x + 54 + i%columns*cell + b.Rnd.IntN(8)
		y := bed.y + bed.h*5/100 + i/columns*cell + b.Rnd.IntN(8)
		side := cell * 80 / 100
		b.Object(MarkItem, t.Class, "", func() { paint(b, field{x, y, side, side}, i) })
	}
}

// banner hangs from the ceiling with a title on it.
func banner(b *Brush, t scene.Thing) {
	f := over(t)
	ink := tint(0x7a2f3a, 0x2f4f6a, 0x3f5f46, 0x5a3f6a)(steady(t))
	b.Stroke(new(draw.Path).Move(f.at(60, 0)).Line(f.at(60, -200)), draw.Px(2), draw.Hex(0x8a8078))
	b.Stroke(new(draw.Path).Move(f.at(940, 0)).Line(f.at(940, -200)), draw.Px(2), draw.Hex(0x8a8078))
	p := f.shape(0, 0, 1000, 0, 1000, 1000, 500, 860, 0, 1000)
	raised(b, p, f.all(), ink)
	b.Stroke(f.shape(20, 40, 980, 40, 980, 940, 500, 800, 20, 940), draw.Px(2), draw.Hex(0xe8cf8a))
	b.Line(draw.Style{Font: draw.SerifBold, Size: draw.Px(30), Ink: draw.Hex(0xfbf3dc)}, f.box(30, 120, 940, 620), draw.Center, t.Look[scene.Text])
}

func column(b *Brush, t scene.Thing) {
	f := over(t)
	ground(b, f)
	shaft := f.box(140, 60, 720, 900)
	b.Rect(shaft, draw.Across(shaft, draw.Hex(0xf8f4ec), draw.Hex(0xb9b0a2)))
	for x := 220; x < 840; x += 110 {
		flute := f.box(x, 70, 40, 880)
		b.Rect(flute, draw.Across(flute, umber().Fade(50), paper().Fade(60)))
	}
	for _, y := range []int{0, 950} {
		slab(b, f.box(0, y, 1000, 50), 2, draw.Hex(0xe9e3d8))
		slab(b, f.box(70, 40+y*91/100, 860, 40), 2, draw.Hex(0xf3eee4))
	}
}

func ticketDesk(b *Brush, t scene.Thing) {
	f := over(t)
	light, mid, _ := wood(t)
	ground(b, f)
	slab(b, f.box(30, 80, 940, 920), 6, mid)
	for x := 90; x < 900; x += 170 {
		b.Rect(f.box(x, 180, 130, 720), light.Fade(70))
	}
	slab(b, f.box(0, 0, 1000, 110), 4, light)
	b.Icon("ticket", f.box(400, 340, 200, 420), draw.Hex(0x3a2a1c))
	slab(b, f.box(640, -330, 200, 330), 4, draw.Hex(0x2a2e34))
}
