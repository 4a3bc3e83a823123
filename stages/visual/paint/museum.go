package paint

import (
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// museum paints the rooms of a collection: cases, pedestals, benches and racks.
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

// gallery is a high room with coloured walls, lit from spots under its ceiling.
func gallery(b *Brush, t scene.Thing) {
	f := over(t)
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

// displayCase is a glass case on a plinth with its letter.
func displayCase(b *Brush, t scene.Thing) {
	f := over(t)
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

// caseGlass are the panes' edges and their gloss, over what lies in a case.
func caseGlass(b *Brush, t scene.Thing) {
	f := over(t)
	for _, x := range []int{20, 960} {
		b.Rect(f.box(x, 0, 20, 1000), draw.Hex(0xe9f2f2).Fade(190))
	}
	b.Fill(f.shape(60, 20, 160, 20, 60, 400), paper().Fade(90))
	b.Fill(f.shape(200, 20, 240, 20, 60, 720, 60, 560), paper().Fade(60))
}

// velvet is the cushion on which a specimen lies.
func velvet(b *Brush, t scene.Thing) {
	f := over(t)
	ink := Ink(t, scene.Colour, 0x7a2f3a)
	p := new(draw.Path).Move(f.at(60, 0)).Line(f.at(940, 0)).Quad(f.at(1060, 500), f.at(960, 1000)).Line(f.at(40, 1000)).Quad(f.at(-60, 500), f.at(60, 0)).Close()
	b.Shadow(p, 5, 2, 3, umber().Fade(90))
	lit(b, p, f.all(), ink)
	b.Stroke(new(draw.Path).Move(f.at(60, 60)).Line(f.at(940, 60)), draw.Px(2), ink.Mix(paper(), 70))
}

// pedestal is a white column with a number, and a vase on it.
func pedestal(b *Brush, t scene.Thing) {
	f := over(t)
	vase(b, f.part(190, 0, 620, 520), strings.TrimSuffix(strings.TrimPrefix(t.Look[scene.Which], "the "), " vase"), t)
	ground(b, f)
	slab(b, f.box(90, 540, 820, 460), 2, draw.Hex(0xece8e0))
	slab(b, f.box(30, 510, 940, 60), 3, draw.Hex(0xf6f3ec))
	b.Line(draw.Style{Font: draw.SerifBold, Size: draw.Px(34), Ink: draw.Hex(0x4a423a)}, f.box(100, 640, 800, 200), draw.Center, t.Look["letter"])
}

// vase is a clay vase; vases differ in the band about them or in their handles.
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
	side := max(16, f.h*22/100)
	belt := f.part(215, 398, 570, 226)
	n := max(2, belt.w/side)
	patterned(b, draw.PixelBox(belt.x+(belt.w-n*side)/2, belt.y+(belt.h-side)/2, n*side, side), band, side, dark)
}

// labBench is a white bench before the tiles of a laboratory.
func labBench(b *Brush, t scene.Thing) {
	f := over(t)
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

// tray is a white tray with counted things in a row.
func tray(b *Brush, t scene.Thing) {
	f := over(t)
	slab(b, f.box(0, 620, 1000, 380), 8, draw.Hex(0xf6f8f8))
	b.RoundRect(f.box(30, 660, 940, 200), draw.Px(6), draw.Hex(0xdde4e6))
	inner := t
	inner.Box = [4]int{f.x + 10, f.y, f.w - 20, f.h * 82 / 100}
	counted(b, inner)
}

func microscope(b *Brush, t scene.Thing) {
	f := over(t)
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

func flasks(b *Brush, t scene.Thing) {
	f := over(t)
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
