package paint

import (
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

func museum() painters {
	return painters{
		backdrops: map[string]Painter{"gallery": gallery, "drawer": drawerBack},
		kinds: map[string]Painter{
			"display-case": displayCase, "case-glass": caseGlass, "velvet": velvet, "pedestal": pedestal, "lab-bench": labBench, "tray": tray,
			"rack": rack, "crate": crate, "compartment": compartment, "specimen": specimen, "banner": banner, "microscope": microscope, "flasks": flasks,
			"column": column, "archive-boxes": archiveBoxes, "ticket-desk": ticketDesk,
		},
	}
}

// gallery is a high room with coloured walls, lit by spots under its ceiling.
func gallery(b *Brush, t scene.Thing, f field) {
	walls := []uint32{0x4a5f66, 0x6b4f4a, 0x55604a, 0x5a5470, 0x7a7468}
	wall := draw.Hex(walls[Number(t, "tone", 0)%len(walls)])
	upper := draw.PixelBox(0, 0, f.w, floorLine)
	b.Rect(upper, draw.Down(upper, wall.Mix(paper(), 40), wall.Mix(umber(), 40)))
	b.Rect(draw.PixelBox(0, 0, f.w, 34), draw.Hex(0xece6da))
	b.Rect(draw.PixelBox(0, 34, f.w, 4), umber().Fade(90))
	for x := 128; x < f.w; x += 256 {
		at := x + b.Rnd.IntN(20)
		b.Rect(draw.PixelBox(at-3, 38, 6, 14), draw.Hex(0x24282c))
		b.RoundRect(draw.PixelBox(at-11, 50, 22, 26), draw.Px(5), draw.Hex(0x24282c))
		beam := new(draw.Path).Move(draw.P(at-9, 76)).Line(draw.P(at+9, 76), draw.P(at+120, floorLine), draw.P(at-120, floorLine)).Close()
		b.Fill(beam, draw.Down(upper, draw.Hex(0xfff0c8).Fade(74), draw.Hex(0xfff0c8).Fade(6)))
	}
	dado := draw.PixelBox(0, 400, f.w, floorLine-400)
	b.Rect(dado, draw.Across(dado, umber().Fade(70), umber().Fade(100)))
	b.Rect(draw.PixelBox(0, 394, f.w, 6), wall.Mix(paper(), 90))
	flooring(b, t, f)
	skirting(b, f)
}

func displayCase(b *Brush, t scene.Thing, f field) {
	_, mid, dark := wood(t)
	ground(b, f)
	inside := f.box(30, 40, 940, 530)
	b.Rect(inside, draw.Down(inside, draw.Hex(0xeef4f4).Fade(200), draw.Hex(0xcfdcdc).Fade(200)))
	slab(b, f.box(0, 0, 1000, 46), 3, dark)
	slab(b, f.box(40, 590, 920, 410), 3, mid)
	slab(b, f.box(0, 560, 1000, 50), 3, dark)
	b.Rect(f.box(90, 650, 820, 300), mid.Mix(umber(), 36))
	b.Rect(f.box(100, 658, 800, 284), mid)
	plaque := draw.Disc(f.at(500, 800), f.wide(150))
	b.Oval(plaque, draw.Radial{At: f.at(440, 770), Radius: f.wide(300), A: draw.Hex(0xf6e3a4), B: draw.Hex(0xa8843a)})
	b.Line(draw.Style{Font: draw.SerifBold, Size: draw.Px(32), Ink: draw.Hex(0x33261a)}, plaque, draw.Center, t.Look["letter"])
}

// caseGlass is the edges and gloss of the panes, over what is in a case.
func caseGlass(b *Brush, t scene.Thing, f field) {
	for _, x := range []int{20, 960} {
		b.Rect(f.box(x, 0, 20, 1000), draw.Hex(0xe9f2f2).Fade(190))
	}
	b.Fill(f.shape(60, 20, 160, 20, 60, 400), paper().Fade(90))
	b.Fill(f.shape(200, 20, 240, 20, 60, 720, 60, 560), paper().Fade(60))
}

func velvet(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0x7a2f3a)
	p := new(draw.Path).Move(f.at(60, 0)).Line(f.at(940, 0)).Quad(f.at(1060, 500), f.at(960, 1000)).Line(f.at(40, 1000)).Quad(f.at(-60, 500), f.at(60, 0)).Close()
	b.Shadow(p, 5, 2, 3, umber().Fade(90))
	lit(b, p, f.all(), ink)
	b.Stroke(new(draw.Path).Move(f.at(60, 60)).Line(f.at(940, 60)), draw.Px(2), ink.Mix(paper(), 70))
}

func pedestal(b *Brush, t scene.Thing, f field) {
	vase(b, f.part(190, 0, 620, 520), strings.TrimSuffix(strings.TrimPrefix(t.Look[scene.Which], "the "), " vase"), t)
	ground(b, f)
	slab(b, f.box(90, 540, 820, 460), 2, draw.Hex(0xece8e0))
	slab(b, f.box(30, 510, 940, 60), 3, draw.Hex(0xf6f3ec))
	b.Line(draw.Style{Font: draw.SerifBold, Size: draw.Px(34), Ink: draw.Hex(0x4a423a)}, f.box(100, 640, 800, 200), draw.Center, t.Look["letter"])
}

// vase is a clay vase. Vases differ in the band about them or in their handles.
func vase(b *Brush, f field, name string, t scene.Thing) {
	clay := draw.Hex([]uint32{0xc97a4a, 0xb9694a, 0xcf9460}[Number(t, "vary", 0)%3])
	dark := draw.Hex(0x33211a)
	if name == "two-handled" || name == "one-handled" {
		b.Stroke(new(draw.Path).Move(f.at(380, 130)).Cubic(f.at(40, 60), f.at(40, 420), f.at(190, 440)), f.wide(60), clay.Mix(umber(), 60))
	}
	if name == "two-handled" {
		b.Stroke(new(draw.Path).Move(f.at(620, 130)).Cubic(f.at(960, 60), f.at(960, 420), f.at(810, 440)), f.wide(60), clay.Mix(umber(), 60))
	}
	body := new(draw.Path).Move(f.at(360, 30)).Line(f.at(640, 30)).Cubic(f.at(600, 240), f.at(880, 260), f.at(860, 520)).Cubic(f.at(840, 760), f.at(640, 860), f.at(640, 960)).Line(f.at(360, 960)).Cubic(f.at(360, 860), f.at(160, 760), f.at(140, 520)).Cubic(f.at(120, 260), f.at(400, 240), f.at(360, 30)).Close()
	b.Shadow(body, 6, 3, 4, umber().Fade(90))
	b.Fill(body, draw.Across(f.box(140, 0, 720, 1), clay.Mix(paper(), 60), clay.Mix(umber(), 80)))
	slab(b, f.box(320, 0, 360, 60), 4, clay.Mix(umber(), 40))
	slab(b, f.box(320, 940, 360, 60), 3, clay.Mix(umber(), 60))
	band := map[string]string{"wave": "waves", "zigzag": "zigzags", "dotted": "dots", "star": "stars", "diamond": "diamonds", "leaf": "leaves", "ring": "rings", "cross": "crosses"}[name]
	if band == "" {
		return
	}
	for _, y := range []int{370, 640} {
		b.Rect(f.box(165, y, 670, 12), dark.Fade(200))
	}
	belt := f.part(215, 398, 570, 226)
	side := max(16, min(f.h*22/100, belt.w/2)) // two figures at least, within the outline
	n := belt.w / side
	patterned(b, draw.PixelBox(belt.x+(belt.w-n*side)/2, belt.y+(belt.h-side)/2, n*side, side), band, side, dark)
}

func labBench(b *Brush, t scene.Thing, f field) {
	ground(b, f)
	slab(b, f.box(20, 60, 960, 900), 2, draw.Hex(0xdfe5e8))
	for i := range 4 {
		x := 40 + 240*i
		for j := range 2 {
			front := f.box(x, 160+390*j, 210, 360)
			slab(b, front, 3, draw.Hex(0xf2f5f6))
			b.RoundRect(draw.Box{X: front.X + front.W/2 - draw.Px(20), Y: front.Y + draw.Px(12), W: draw.Px(40), H: draw.Px(6)}, draw.Px(3), draw.Hex(0x8a949c))
		}
	}
	slab(b, f.box(0, 0, 1000, 90), 3, draw.Hex(0x3f4a52))
}

func tray(b *Brush, t scene.Thing, f field) {
	slab(b, f.box(0, 620, 1000, 380), 8, draw.Hex(0xf6f8f8))
	b.RoundRect(f.box(30, 660, 940, 200), draw.Px(6), draw.Hex(0xdde4e6))
	counted(b, t, field{f.x + 10, f.y, f.w - 20, f.h * 82 / 100})
}

func microscope(b *Brush, t scene.Thing, f field) {
	steel, black := draw.Hex(0xe2e6ea), draw.Hex(0x2a2e34)
	ground(b, f)
	slab(b, f.box(120, 900, 760, 100), 6, black)
	b.Stroke(new(draw.Path).Move(f.at(700, 900)).Cubic(f.at(960, 700), f.at(900, 330), f.at(600, 270)), f.wide(110), steel.Mix(umber(), 30))
	slab(b, f.box(220, 640, 480, 60), 3, black)
	tube := new(draw.Path).Round(f.box(380, 60, 190, 480), draw.Px(6)).Transform(draw.Rotate(-draw.Turn/24, f.at(470, 300)))
	raised(b, tube, f.all(), steel)
	lens := new(draw.Path).Round(f.box(420, 520, 120, 110), draw.Px(3)).Transform(draw.Rotate(-draw.Turn/24, f.at(470, 300)))
	b.Fill(lens, black)
	eye := new(draw.Path).Round(f.box(400, 0, 150, 90), draw.Px(4)).Transform(draw.Rotate(-draw.Turn/24, f.at(470, 300)))
	b.Fill(eye, black)
}

func flasks(b *Brush, t scene.Thing, f field) {
	for i := range 3 {
		g := f.part(i*330, 0, 300, 1000)
		ink := tint(0x6ab0c8, 0xd9a24a, 0x9a7ac8, 0x7ab88a)(b.Rnd)
		glass := g.shape(380, 60, 620, 60, 620, 420, 980, 960, 20, 960, 380, 420)
		b.Fill(glass, draw.Hex(0xe4eef0).Fade(210))
		b.Fill(g.shape(230, 660, 770, 660, 960, 950, 40, 950), ink)
		b.Rect(g.box(340, 30, 320, 50), draw.Hex(0xcfdadd))
		b.Stroke(new(draw.Path).Move(g.at(420, 130)).Line(g.at(420, 440), g.at(160, 860)), draw.Px(2), paper().Fade(190))
	}
}

func rack(b *Brush, t scene.Thing, f field) {
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

func crate(b *Brush, t scene.Thing, f field) {
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

func archiveBoxes(b *Brush, t scene.Thing, f field) {
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

func drawerBack(b *Brush, t scene.Thing, f field) {
	light, mid, dark := wood(t)
	b.Rect(f.all(), draw.Across(f.all(), mid, dark))
	b.Rect(draw.PixelBox(16, 16, f.w-32, f.h-32), dark.Mix(umber(), 120))
	b.Rect(draw.PixelBox(28, 28, f.w-56, f.h-56), draw.Hex(0xe6dcc6).Mix(light, 60))
	glow := draw.P(200+b.Rnd.IntN(600), 100+b.Rnd.IntN(400))
	b.Rect(f.all(), draw.Radial{At: glow, Radius: draw.Px(560), A: draw.Hex(0xfff6dc).Fade(70), B: draw.Hex(0x3a2a18).Fade(30)})
}

func compartment(b *Brush, t scene.Thing, f field) {
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

func banner(b *Brush, t scene.Thing, f field) {
	ink := tint(0x7a2f3a, 0x2f4f6a, 0x3f5f46, 0x5a3f6a)(steady(t))
	b.Stroke(new(draw.Path).Move(f.at(60, 0)).Line(f.at(60, -200)), draw.Px(2), draw.Hex(0x8a8078))
	b.Stroke(new(draw.Path).Move(f.at(940, 0)).Line(f.at(940, -200)), draw.Px(2), draw.Hex(0x8a8078))
	p := f.shape(0, 0, 1000, 0, 1000, 1000, 500, 860, 0, 1000)
	raised(b, p, f.all(), ink)
	b.Stroke(f.shape(20, 40, 980, 40, 980, 940, 500, 800, 20, 940), draw.Px(2), draw.Hex(0xe8cf8a))
	b.Line(draw.Style{Font: draw.SerifBold, Size: draw.Px(30), Ink: draw.Hex(0xfbf3dc)}, f.box(30, 120, 940, 620), draw.Center, t.Look[scene.Text])
}

func column(b *Brush, t scene.Thing, f field) {
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

func ticketDesk(b *Brush, t scene.Thing, f field) {
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

// specimen is a piece of a collection, by its name.
func specimen(b *Brush, t scene.Thing, f field) {
	of := map[string]func(*Brush, field){
		"the ammonite": ammonite, "the trilobite": trilobite, "the fish fossil": fishFossil, "the fern fossil": fernFossil, "the skull": skull,
		"the geode": geode, "the piece of amber": amber, "the nest of eggs": nestOfEggs, "the claw": claw, "the footprint": footprint,
	}
	if paint, ok := of[t.Name]; ok {
		paint(b, f)
	}
}

func ammonite(b *Brush, f field) {
	stone := draw.Hex(0xb08a5c)
	side := min(f.w, f.h)
	mid := draw.Point{X: draw.Px(f.x + f.w/2), Y: draw.Px(f.y + f.h - side/2)}
	whole := draw.Disc(mid, draw.Px(side/2))
	b.Shadow(new(draw.Path).Oval(whole), 6, 3, 4, umber().Fade(110))
	b.Oval(whole, draw.Radial{At: draw.Point{X: whole.X + whole.W/3, Y: whole.Y + whole.H/3}, Radius: whole.W, A: stone.Mix(paper(), 110), B: stone.Mix(umber(), 90)})
	coil := new(draw.Path)
	for i := range 170 {
		a := draw.Turn * draw.Angle(i) / 56
		q := draw.Polar(mid, draw.Px(side)*draw.Unit(176-i)/360, a)
		if i == 0 {
			coil.Move(q)
			continue
		}
		coil.Line(q)
	}
	for k := range 26 {
		a := draw.Turn * draw.Angle(k) / 26
		b.Stroke(new(draw.Path).Move(draw.Polar(mid, draw.Px(side)*30/100, a)).Quad(draw.Polar(mid, draw.Px(side)*40/100, a+800), draw.Polar(mid, draw.Px(side)*49/100, a)), draw.At(2), stone.Mix(umber(), 130).Fade(170))
	}
	b.Stroke(coil, draw.At(3.5), stone.Mix(umber(), 170))
}

func trilobite(b *Brush, f field) {
	f = f.part(160, 0, 680, 1000)
	stone := draw.Hex(0x6b6054)
	line := stone.Mix(umber(), 200)
	trunk := f.blob(120, 250, 880, 250, 900, 560, 760, 900, 500, 1060, 240, 900, 100, 560)
	raised(b, trunk, f.all(), stone)
	for i := range 9 {
		y, in := 400+58*i, i*i*4
		for _, way := range []int{-1, 1} {
			edge := 500 + way*(390-in)
			b.Stroke(new(draw.Path).Move(f.at(500+way*120, y)).Quad(f.at(500+way*280, y-20), f.at(edge, y+50)), draw.Px(3), line)
		}
		b.Stroke(new(draw.Path).Move(f.at(390, y)).Quad(f.at(500, y+30), f.at(610, y)), draw.Px(2), line)
	}
	for _, way := range []int{-1, 1} {
		b.Stroke(new(draw.Path).Move(f.at(500+way*130, 330)).Quad(f.at(500+way*120, 700), f.at(500+way*30, 960)), draw.Px(2), line)
	}
	head := new(draw.Path).Move(f.at(20, 560)).Quad(f.at(0, 20), f.at(500, 10)).Quad(f.at(1000, 20), f.at(980, 560)).Quad(f.at(900, 360), f.at(500, 350)).Quad(f.at(100, 360), f.at(20, 560)).Close()
	raised(b, head, f.all(), stone.Mix(paper(), 50))
	b.Oval(f.box(360, 60, 280, 290), stone.Mix(paper(), 90))
	for _, x := range []int{230, 690} {
		b.Oval(f.box(x, 150, 90, 120), draw.Hex(0x241e1a))
	}
}

func slabOf(b *Brush, f field, rock draw.Color) {
	p := f.shape(60, 120, 340, 20, 700, 60, 960, 160, 1000, 560, 930, 960, 560, 1000, 140, 970, 0, 600)
	raised(b, p, f.all(), rock)
	b.Stroke(f.shape(80, 140, 340, 44, 690, 84, 940, 180), draw.Px(2), rock.Mix(paper(), 110))
}

func fishFossil(b *Brush, f field) {
	slabOf(b, f, draw.Hex(0xcdb88e))
	bone := draw.Hex(0x5a4028)
	b.Stroke(new(draw.Path).Move(f.at(260, 520)).Quad(f.at(500, 470), f.at(780, 520)), draw.Px(3), bone)
	for i := range 9 {
		x := 340 + 46*i
		h := 190 - 17*i
		b.Stroke(new(draw.Path).Move(f.at(x, 500)).Quad(f.at(x+30, 500-h/2), f.at(x+36, 500-h)), draw.Px(2), bone)
		b.Stroke(new(draw.Path).Move(f.at(x, 510)).Quad(f.at(x+30, 510+h/2), f.at(x+36, 510+h)), draw.Px(2), bone)
	}
	b.Fill(f.blob(130, 520, 220, 390, 340, 420, 350, 600, 220, 640), bone)
	b.Oval(draw.Disc(f.at(225, 500), draw.Px(3)), draw.Hex(0xcdb88e))
	b.Fill(f.shape(760, 520, 900, 360, 860, 520, 900, 680), bone)
}

func fernFossil(b *Brush, f field) {
	slabOf(b, f, draw.Hex(0x9aa09a))
	leaf := draw.Hex(0x33382f)
	b.Stroke(new(draw.Path).Move(f.at(260, 900)).Quad(f.at(420, 500), f.at(740, 160)), draw.Px(3), leaf)
	for i := range 10 {
		x, y := 290+44*i, 840-66*i
		long := 250 - 20*i
		for _, way := range []int{-1, 1} {
			tip := f.at(x+way*long*6/10+40, y+way*long*5/10-60)
			mid := f.at(x+way*long*3/10+50, y+way*long*2/10-70)
			b.Fill(new(draw.Path).Move(f.at(x, y)).Quad(mid, tip).Quad(f.at(x+way*long*4/10+10, y+way*long*4/10), f.at(x, y)).Close(), leaf)
		}
	}
}

func skull(b *Brush, f field) {
	bone := draw.Hex(0xe2d3b0)
	head := f.blob(40, 420, 160, 160, 460, 20, 820, 60, 980, 320, 940, 620, 700, 700, 420, 690, 140, 760, 20, 620)
	raised(b, head, f.all(), bone)
	jaw := f.blob(80, 800, 420, 740, 760, 720, 900, 640, 900, 820, 620, 960, 160, 980)
	raised(b, jaw, f.all(), bone.Mix(umber(), 40))
	for i := range 7 {
		x := 90 + 62*i
		b.Fill(f.shape(x, 690, x+48, 690, x+24, 820), draw.Hex(0xfbf4e2))
	}
	b.Fill(f.blob(600, 220, 740, 200, 790, 330, 700, 440, 580, 380), draw.Hex(0x2c2018))
	b.Fill(f.blob(160, 380, 260, 330, 280, 430, 180, 470), draw.Hex(0x2c2018))
	b.Fill(f.blob(830, 420, 900, 400, 900, 520, 820, 540), draw.Hex(0x4a3828))
}

func geode(b *Brush, f field) {
	raised(b, f.blob(80, 300, 300, 40, 700, 20, 960, 300, 940, 760, 700, 1000, 260, 980, 40, 720), f.all(), draw.Hex(0x7d7064))
	in := f.part(150, 160, 700, 700)
	violet := draw.Hex(0x8a5ac0)
	b.Fill(in.blob(100, 300, 300, 40, 700, 20, 960, 300, 940, 760, 700, 1000, 260, 980, 40, 720), paper().Mix(violet, 70))
	core := in.part(120, 120, 760, 760)
	b.Fill(core.blob(100, 300, 300, 40, 700, 20, 960, 300, 940, 760, 700, 1000, 260, 980, 40, 720), violet)
	for k := range 16 {
		a := draw.Turn * draw.Angle(k) / 16
		at := draw.Polar(core.at(500, 500), core.wide(210+b.Rnd.IntN(200)), a)
		p := new(draw.Path)
		spikes(p, at, 4, core.wide(90), core.wide(90))
		b.Fill(p, violet.Mix(paper(), 60+b.Rnd.IntN(120)))
	}
}

func amber(b *Brush, f field) {
	gold := draw.Hex(0xe39a2c)
	p := f.blob(200, 240, 500, 60, 860, 220, 940, 620, 700, 960, 300, 960, 60, 640)
	b.Shadow(p, 6, 3, 4, umber().Fade(110))
	b.Fill(p, draw.Radial{At: f.at(380, 340), Radius: f.wide(760), A: draw.Hex(0xfbd98a), B: gold.Mix(umber(), 40)})
	dark := draw.Hex(0x3a2410)
	for _, leg := range [][4]int{{430, 520, 300, 420}, {430, 560, 280, 600}, {560, 520, 700, 420}, {560, 560, 720, 600}} {
		b.Stroke(new(draw.Path).Move(f.at(leg[0], leg[1])).Line(f.at(leg[2], leg[3])), draw.At(1.5), dark)
	}
	b.Oval(f.box(430, 420, 140, 300), dark)
	b.Oval(f.box(450, 350, 100, 100), dark)
	b.Fill(f.blob(280, 300, 400, 200, 460, 240, 340, 380), paper().Fade(130))
}

func nestOfEggs(b *Brush, f field) {
	nest := f.part(0, 420, 1000, 580)
	raised(b, nest.blob(0, 300, 200, 100, 800, 100, 1000, 300, 900, 1000, 100, 1000), nest.all(), draw.Hex(0x8a6f4c))
	for i, x := range []int{80, 370, 650} {
		e := f.part(x-30, 150-60*(i%2), 340, 520)
		b.Fill(eggShape(e), draw.Radial{At: e.at(380, 380), Radius: e.tall(700), A: draw.Hex(0xf6efdc), B: draw.Hex(0xa08a66)})
	}
	for range 34 {
		x, y := b.Rnd.IntN(800), 350+b.Rnd.IntN(560)
		b.Stroke(new(draw.Path).Move(nest.at(x, y)).Quad(nest.at(x+100, y-60), nest.at(x+200, y+20)), draw.At(1.5), draw.Hex(0x5a4428).Mix(draw.Hex(0xc0a070), b.Rnd.IntN(256)))
	}
}

func claw(b *Brush, f field) {
	p := new(draw.Path).Move(f.at(120, 960)).Cubic(f.at(60, 300), f.at(480, -40), f.at(960, 260)).Cubic(f.at(620, 260), f.at(480, 560), f.at(440, 960)).Close()
	b.Shadow(p, 6, 3, 4, umber().Fade(110))
	b.Fill(p, draw.Linear{From: f.at(100, 100), To: f.at(800, 900), A: draw.Hex(0x6a5848), B: draw.Hex(0x241a14)})
	b.Stroke(new(draw.Path).Move(f.at(210, 880)).Cubic(f.at(200, 400), f.at(480, 160), f.at(800, 240)), draw.Px(3), draw.Hex(0xa08a70).Fade(190))
	slab(b, f.box(70, 880, 420, 120), 8, draw.Hex(0x8a7a66))
}

func footprint(b *Brush, f field) {
	slabOf(b, f, draw.Hex(0xb5714e))
	dark := draw.Hex(0x5c3320)
	b.Fill(f.blob(420, 620, 580, 620, 640, 800, 500, 900, 360, 800), dark)
	for _, toe := range []draw.Angle{draw.Turn * 5 / 8, draw.Turn * 3 / 4, draw.Turn * 7 / 8} {
		root := f.at(500, 700)
		tip, mid := draw.Polar(root, f.tall(520), toe), draw.Polar(root, f.tall(300), toe)
		b.Fill(new(draw.Path).Move(root).Quad(draw.Polar(mid, f.wide(130), toe-draw.Turn/4), tip).Quad(draw.Polar(mid, f.wide(130), toe+draw.Turn/4), root).Close(), dark)
	}
}
