package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// remedies paints what lies on the table of somebody who takes tablets.
func remedies() painters {
	return painters{kinds: map[string]Painter{
		"organiser": organiser, "slot": slot, "blister": blister, "bottle-cap": bottleCap, "glass-of-water": waterGlass, "spoon": spoon, "banana": banana, "thermometer": thermometer,
		"monitor": monitor, "display": display, "cuff": cuff, "table-edge": tableEdge,
	}}
}

// organiser is a box for a day's pills, seen from above, with its lids open.
func organiser(b *Brush, t scene.Thing) {
	f := over(t)
	shell := tint(0xa9c4dc, 0xc9d8c0, 0xd8cfe0, 0xe2d6c4)(steady(t))
	for i := range 4 {
		lid := draw.PixelBox(f.x+22+174*i, f.y, 164, 62)
		p := new(draw.Path).Round(lid, draw.Px(10))
		b.Shadow(p, 6, 2, 4, umber().Fade(80))
		b.Fill(p, draw.Down(lid, shell.Mix(paper(), 150), shell.Mix(paper(), 60)))
		b.Line(bold(18, draw.Hex(0x34404c)), lid, draw.Center, []string{"Morning", "Noon", "Evening", "Bedtime"}[i])
	}
	slab(b, draw.PixelBox(f.x, f.y+52, f.w, f.h-52), 16, shell)
}

// slot is one of an organiser's compartments with one pill.
func slot(b *Brush, t scene.Thing) {
	f := over(t)
	shell := tint(0xa9c4dc, 0xc9d8c0, 0xd8cfe0, 0xe2d6c4)(steady(t))
	in := new(draw.Path).Round(f.all(), draw.Px(12))
	b.Fill(in, draw.Linear{From: f.at(0, 0), To: f.at(700, 1000), A: shell.Mix(umber(), 110), B: shell.Mix(umber(), 50)})
	bed := draw.PixelBox(f.x+8, f.y+12, f.w-14, f.h-18)
	b.RoundRect(bed, draw.Px(9), draw.Down(bed, shell.Mix(umber(), 66), shell.Mix(umber(), 30)))
	side := 112
	x, y := f.x+18+b.Rnd.IntN(24), f.y+24+b.Rnd.IntN(30)
	pill(b, field{x, y, side, side}, t.Look[scene.Which])
}

// pill is a white pill; pills differ in form and in what is pressed into them.
func pill(b *Brush, f field, which string) {
	body := new(draw.Path).Oval(f.all())
	switch which {
	case "the oval pill", "the scored oval pill":
		body = new(draw.Path).Oval(f.box(0, 210, 1000, 580))
	case "the triangular pill":
		// Straight sides: points of the outline lie on them, near the corners.
		body = f.blob(425, 155, 575, 155, 925, 785, 850, 920, 150, 920, 75, 785)
	case "the heart-shaped pill":
		body = new(draw.Path).Move(f.at(500, 960)).Cubic(f.at(-300, 420), f.at(160, -160), f.at(500, 230)).Cubic(f.at(840, -160), f.at(1300, 420), f.at(500, 960)).Close()
	case "the diamond pill":
		body = f.shape(500, 0, 1000, 500, 500, 1000, 0, 500)
	case "the hexagonal pill":
		body = f.shape(250, 60, 750, 60, 1000, 500, 750, 940, 250, 940, 0, 500)
	case "the capsule":
		body = new(draw.Path).Round(f.box(0, 290, 1000, 420), f.tall(210))
	}
	b.Shadow(body, 6, 4, 6, umber().Fade(130))
	b.Fill(body, draw.Radial{At: f.at(360, 320), Radius: f.wide(820), A: draw.Hex(0xffffff), B: draw.Hex(0xc6ccd4)})
	pressed(b, f, which)
}

// pressed is what is pressed into a pill.
func pressed(b *Brush, f field, which string) {
	line := func(x0, y0, x1, y1 int) {
		b.Stroke(new(draw.Path).Move(f.at(x0, y0)).Line(f.at(x1, y1)), f.wide(36), draw.Hex(0x8d98a6))
		b.Stroke(new(draw.Path).Move(f.at(x0+22, y0+22)).Line(f.at(x1+22, y1+22)), f.wide(16), paper())
	}
	switch which {
	case "the scored pill":
		line(500, 60, 500, 940)
	case "the scored oval pill":
		line(500, 240, 500, 760)
	case "the cross-scored pill":
		line(500, 60, 500, 940)
		line(60, 500, 940, 500)
	case "the ring pill":
		b.Stroke(new(draw.Path).Oval(f.box(250, 250, 500, 500)), f.wide(40), draw.Hex(0x8d98a6))
	case "the dotted pill":
		for _, at := range [][2]int{{320, 340}, {680, 340}, {500, 680}} {
			b.Oval(draw.Disc(f.at(at[0], at[1]), f.wide(70)), draw.Hex(0x8d98a6))
		}
	case "the capsule":
		b.Fill(new(draw.Path).Corners(f.box(500, 290, 500, 420), [4]draw.Unit{0, f.tall(210), f.tall(210), 0}), draw.Down(f.box(0, 290, 1, 420), draw.Hex(0xe4e8ec), draw.Hex(0x9aa4b0)))
		line(500, 300, 500, 690)
	}
}

// blister is a foil of ten pockets, so many of them with a tablet.
func blister(b *Brush, t scene.Thing) {
	f := over(t)
	slab(b, f.all(), 14, draw.Hex(0xc9ced4))
	for i := range 9 {
		b.Fill(f.shape(110*i, 0, 110*i+60, 0, 110*i-10, 1000, 110*i-70, 1000), paper().Fade(34))
	}
	full := steady(t).Perm(10)[:min(10, Number(t, scene.Count, 0))]
	has := map[int]bool{}
	for _, i := range full {
		has[i] = true
	}
	for i := range 10 {
		x, y := f.x+f.w*(4+19*(i%5))/100, f.y+f.h*(8+46*(i/5))/100
		cup := field{x, y, f.w * 16 / 100, f.h * 38 / 100}
		if has[i] {
			b.Object(MarkItem, t.Class, "", func() { fullPocket(b, cup) })
			continue
		}
		emptyPocket(b, cup)
	}
}

func fullPocket(b *Brush, f field) {
	b.Oval(f.all(), draw.Hex(0x9aa4ae))
	in := f.box(110, 90, 780, 800)
	b.Oval(in, draw.Radial{At: f.at(380, 340), Radius: f.tall(620), A: draw.Hex(0xfff4ec), B: draw.Hex(0xe0876c)})
	b.Oval(f.box(240, 190, 260, 160), paper().Fade(170))
}

// emptyPocket is pressed flat and its foil is torn.
func emptyPocket(b *Brush, f field) {
	b.Oval(f.all(), draw.Hex(0xaab2ba))
	b.Fill(f.shape(300, 260, 520, 360, 720, 250, 660, 500, 760, 720, 520, 640, 280, 760, 360, 520), draw.Hex(0x5f6870))
	b.Fill(f.shape(720, 250, 860, 330, 660, 500), draw.Hex(0xe6eaee))
	b.Fill(f.shape(280, 760, 180, 620, 360, 520), draw.Hex(0xe6eaee))
}

// bottleCap is a pill bottle seen from above.
func bottleCap(b *Brush, t scene.Thing) {
	f := over(t)
	ink := Ink(t, scene.Colour, 0xeeeeee)
	disc := new(draw.Path).Oval(f.all())
	b.Shadow(disc, 12, 6, 10, umber().Fade(130))
	b.Fill(disc, ink.Mix(umber(), 60))
	for i := range 40 {
		a := draw.Turn * draw.Angle(i) / 40
		b.Stroke(new(draw.Path).Move(draw.Polar(f.at(500, 500), f.wide(440), a)).Line(draw.Polar(f.at(500, 500), f.wide(492), a)), draw.Px(3), ink.Mix(paper(), 40))
	}
	in := f.box(60, 60, 880, 880)
	lit(b, new(draw.Path).Oval(in), in, ink)
	b.Stroke(new(draw.Path).Oval(f.box(150, 150, 700, 700)), draw.Px(3), ink.Mix(umber(), 40))
}

func waterGlass(b *Brush, t scene.Thing) {
	f := over(t)
	at := f.at(500, 500)
	disc := draw.Disc(at, f.wide(480))
	b.Shadow(new(draw.Path).Oval(disc), 10, 5, 8, umber().Fade(100))
	b.Oval(disc, draw.Hex(0xeaf3f7))
	b.Oval(draw.Disc(at, f.wide(420)), draw.Radial{At: f.at(380, 440), Radius: f.wide(520), A: draw.Hex(0xd6eef8), B: draw.Hex(0x79b4d2)})
	b.Stroke(new(draw.Path).Oval(draw.Disc(at, f.wide(300))), draw.Px(2), paper().Fade(120))
	b.Fill(f.blob(280, 380, 400, 330, 460, 380, 340, 430), paper().Fade(210))
}

func spoon(b *Brush, t scene.Thing) {
	f := over(t)
	steel := draw.Across(f.box(300, 0, 400, 1000), draw.Hex(0xf4f6f8), draw.Hex(0x8a929c))
	p := f.blob(460, 260, 540, 260, 560, 700, 600, 1010, 400, 1010, 440, 700)
	b.Shadow(p, 4, 3, 4, umber().Fade(110))
	b.Fill(p, steel)
	bowl := f.box(300, 0, 400, 360)
	b.Shadow(new(draw.Path).Oval(bowl), 5, 3, 4, umber().Fade(110))
	b.Oval(bowl, steel)
	b.Oval(f.box(350, 40, 300, 280), draw.Radial{At: f.at(580, 240), Radius: f.wide(320), A: draw.Hex(0xeef1f4), B: draw.Hex(0x9aa2ac)})
}

func banana(b *Brush, t scene.Thing) {
	f := over(t)
	p := new(draw.Path).Move(f.at(640, 20)).Cubic(f.at(1100, 300), f.at(1000, 860), f.at(260, 980)).Line(f.at(180, 920)).Cubic(f.at(640, 780), f.at(700, 400), f.at(540, 60)).Close()
	b.Shadow(p, 6, 4, 6, umber().Fade(110))
	b.Fill(p, draw.Linear{From: f.at(500, 200), To: f.at(900, 700), A: draw.Hex(0xfbe27a), B: draw.Hex(0xd9a520)})
	b.Stroke(new(draw.Path).Move(f.at(620, 120)).Cubic(f.at(880, 380), f.at(820, 780), f.at(300, 930)), draw.Px(2), draw.Hex(0xb8861c).Fade(160))
	b.Fill(f.shape(530, 60, 560, -40, 640, -40, 650, 40), draw.Hex(0x7a5a20))
	b.Oval(draw.Disc(f.at(215, 955), f.wide(50)), draw.Hex(0x4a3414))
}

func thermometer(b *Brush, t scene.Thing) {
	f := over(t)
	slab(b, f.box(390, 0, 220, 720), f.w/9, draw.Hex(0xf4f6f8))
	slab(b, f.box(450, 700, 100, 240), 4, draw.Hex(0xd8dde2))
	b.RoundRect(f.box(460, 920, 80, 80), draw.Px(4), draw.Hex(0x8a929c))
	b.RoundRect(f.box(430, 200, 140, 220), draw.Px(4), draw.Hex(0xb9c7b0))
	b.RoundRect(f.box(430, 60, 140, 80), draw.Px(6), draw.Hex(0x3b6fd4))
}
