package paint

import (
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

func remedies() painters {
	return painters{kinds: map[string]Painter{
		"organiser": organiser, "slot": slot, "blister": blister, "bottle-cap": bottleCap, "glass-of-water": waterGlass, "spoon": spoon, "banana": banana, "thermometer": thermometer,
		"monitor": monitor, "display": display, "cuff": cuff, "table-edge": tableEdge,
	}}
}

// organiser is a box for a day's pills, seen from above, with its lids open.
func organiser(b *Brush, t scene.Thing, f field) {
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

func slot(b *Brush, t scene.Thing, f field) {
	shell := tint(0xa9c4dc, 0xc9d8c0, 0xd8cfe0, 0xe2d6c4)(steady(t))
	in := new(draw.Path).Round(f.all(), draw.Px(12))
	b.Fill(in, draw.Linear{From: f.at(0, 0), To: f.at(700, 1000), A: shell.Mix(umber(), 110), B: shell.Mix(umber(), 50)})
	bed := draw.PixelBox(f.x+8, f.y+12, f.w-14, f.h-18)
	b.RoundRect(bed, draw.Px(9), draw.Down(bed, shell.Mix(umber(), 66), shell.Mix(umber(), 30)))
	side := 112
	x, y := f.x+18+b.Rnd.IntN(24), f.y+24+b.Rnd.IntN(30)
	pill(b, field{x, y, side, side}, t.Look[scene.Which])
}

// pill is a white pill. Pills differ in form and in what is pressed into them.
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

// blister is a foil of ten pockets, some with a tablet.
func blister(b *Brush, t scene.Thing, f field) {
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

func emptyPocket(b *Brush, f field) {
	b.Oval(f.all(), draw.Hex(0xaab2ba))
	b.Fill(f.shape(300, 260, 520, 360, 720, 250, 660, 500, 760, 720, 520, 640, 280, 760, 360, 520), draw.Hex(0x5f6870))
	b.Fill(f.shape(720, 250, 860, 330, 660, 500), draw.Hex(0xe6eaee))
	b.Fill(f.shape(280, 760, 180, 620, 360, 520), draw.Hex(0xe6eaee))
}

func bottleCap(b *Brush, t scene.Thing, f field) {
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

func waterGlass(b *Brush, t scene.Thing, f field) {
	at := f.at(500, 500)
	disc := draw.Disc(at, f.wide(480))
	b.Shadow(new(draw.Path).Oval(disc), 10, 5, 8, umber().Fade(100))
	b.Oval(disc, draw.Hex(0xeaf3f7))
	b.Oval(draw.Disc(at, f.wide(420)), draw.Radial{At: f.at(380, 440), Radius: f.wide(520), A: draw.Hex(0xd6eef8), B: draw.Hex(0x79b4d2)})
	b.Stroke(new(draw.Path).Oval(draw.Disc(at, f.wide(300))), draw.Px(2), paper().Fade(120))
	b.Fill(f.blob(280, 380, 400, 330, 460, 380, 340, 430), paper().Fade(210))
}

func spoon(b *Brush, t scene.Thing, f field) {
	steel := draw.Across(f.box(300, 0, 400, 1000), draw.Hex(0xf4f6f8), draw.Hex(0x8a929c))
	p := f.blob(460, 260, 540, 260, 560, 700, 600, 1010, 400, 1010, 440, 700)
	b.Shadow(p, 4, 3, 4, umber().Fade(110))
	b.Fill(p, steel)
	bowl := f.box(300, 0, 400, 360)
	b.Shadow(new(draw.Path).Oval(bowl), 5, 3, 4, umber().Fade(110))
	b.Oval(bowl, steel)
	b.Oval(f.box(350, 40, 300, 280), draw.Radial{At: f.at(580, 240), Radius: f.wide(320), A: draw.Hex(0xeef1f4), B: draw.Hex(0x9aa2ac)})
}

func banana(b *Brush, t scene.Thing, f field) {
	p := new(draw.Path).Move(f.at(640, 20)).Cubic(f.at(1100, 300), f.at(1000, 860), f.at(260, 980)).Line(f.at(180, 920)).Cubic(f.at(640, 780), f.at(700, 400), f.at(540, 60)).Close()
	b.Shadow(p, 6, 4, 6, umber().Fade(110))
	b.Fill(p, draw.Linear{From: f.at(500, 200), To: f.at(900, 700), A: draw.Hex(0xfbe27a), B: draw.Hex(0xd9a520)})
	b.Stroke(new(draw.Path).Move(f.at(620, 120)).Cubic(f.at(880, 380), f.at(820, 780), f.at(300, 930)), draw.Px(2), draw.Hex(0xb8861c).Fade(160))
	b.Fill(f.shape(530, 60, 560, -40, 640, -40, 650, 40), draw.Hex(0x7a5a20))
	b.Oval(draw.Disc(f.at(215, 955), f.wide(50)), draw.Hex(0x4a3414))
}

func thermometer(b *Brush, t scene.Thing, f field) {
	slab(b, f.box(390, 0, 220, 720), f.w/9, draw.Hex(0xf4f6f8))
	slab(b, f.box(450, 700, 100, 240), 4, draw.Hex(0xd8dde2))
	b.RoundRect(f.box(460, 920, 80, 80), draw.Px(4), draw.Hex(0x8a929c))
	b.RoundRect(f.box(430, 200, 140, 220), draw.Px(4), draw.Hex(0xb9c7b0))
	b.RoundRect(f.box(430, 60, 140, 80), draw.Px(6), draw.Hex(0x3b6fd4))
}

func tableEdge(b *Brush, t scene.Thing, f field) {
	light, mid, dark := wood(t)
	b.Shadow(new(draw.Path).Rect(f.all()), 16, 0, -6, umber().Fade(90))
	b.Rect(f.all(), draw.Down(f.all(), light, mid))
	r := steady(t)
	for range 26 {
		x, y := r.IntN(1000), 30+r.IntN(900)
		b.Stroke(new(draw.Path).Move(f.at(x-160, y)).Quad(f.at(x, y-8+r.IntN(16)), f.at(x+180, y)), draw.Px(1), dark.Fade(80))
	}
	b.Rect(f.box(0, 0, 1000, 12), light.Mix(paper(), 110))
}

// monitor is a blood pressure monitor, with something beside it.
func monitor(b *Brush, t scene.Thing, f field) {
	ground(b, f)
	slab(b, f.all(), 30, draw.Hex(0xeceff2))
	slab(b, f.box(40, 50, 920, 640), 22, draw.Hex(0xdfe4e9))
	trim := tint(0x3b6fd4, 0x2f8a7a, 0x6a5a9a, 0x5a6470)(steady(t))
	key := f.box(780, 250, 130, 173)
	b.Oval(key, draw.Radial{At: f.at(820, 290), Radius: f.wide(140), A: trim.Mix(paper(), 80), B: trim})
	b.Line(bold(16, trim), f.box(60, 790, 460, 120), draw.Left, "Pulsoline 3")
	for _, x := range []int{620, 760} {
		slab(b, f.box(x, 790, 110, 110), 12, draw.Hex(0xc9d0d8))
	}
	x := 1080
	if t.Look["mirrored"] == "1" {
		x = -480
	}
	things := map[string]Painter{
		"a mug": single(mug), "an apple": apple, "an alarm clock": alarmClock, "a vase of flowers": flowerVase, "a teapot": tallTeapot,
		"a stack of books": bookStack, "a candle": single(candle), "a bottle": single(bottle),
	}
	if paint, ok := things[t.Look[scene.Beside]]; ok {
		side := f.part(x, 330, 400, 660)
		ground(b, side)
		paint(b, t, side)
	}
}

func single(item func(*Brush, field, int)) Painter {
	return func(b *Brush, t scene.Thing, f field) {
		side := min(f.w, f.h)
		item(b, field{f.x + (f.w-side)/2, f.y + f.h - side, side, side}, 0)
	}
}

func tallTeapot(b *Brush, t scene.Thing, f field) {
	teapot(b, field{f.x - 10, f.y + f.h/4, f.w + 20, f.h * 3 / 4}, draw.Hex(0x4f7f86))
}

func apple(b *Brush, t scene.Thing, f field) {
	side := f.w * 9 / 10
	f = field{f.x + f.w/20, f.y + f.h - side, side, side}
	p := new(draw.Path).Move(f.at(500, 170)).Cubic(f.at(1000, -60), f.at(1160, 760), f.at(660, 1000)).Cubic(f.at(560, 980), f.at(440, 980), f.at(340, 1000)).Cubic(f.at(-160, 760), f.at(0, -60), f.at(500, 170)).Close()
	b.Fill(p, draw.Radial{At: f.at(340, 340), Radius: f.wide(780), A: draw.Hex(0xe87a5a), B: draw.Hex(0xa82a2a)})
	b.Stroke(new(draw.Path).Move(f.at(500, 190)).Quad(f.at(500, 40), f.at(570, -40)), draw.Px(5), draw.Hex(0x5a3a20))
	b.Fill(f.blob(560, 60, 700, -60, 880, -40, 740, 100), draw.Hex(0x5a9a4a))
}

func alarmClock(b *Brush, t scene.Thing, f field) {
	side := f.w * 96 / 100
	f = field{f.x, f.y + f.h - side, side, side}
	for _, x := range []int{200, 800} {
		b.Stroke(new(draw.Path).Move(f.at(500, 560)).Line(f.at(x, 980)), draw.Px(9), draw.Hex(0x4a5058))
		b.Oval(draw.Disc(f.at(x, 150), f.wide(150)), draw.Hex(0xc9a23c))
	}
	b.Oval(draw.Disc(f.at(500, 540), f.wide(430)), draw.Hex(0x3f6f7a))
	b.Oval(draw.Disc(f.at(500, 540), f.wide(350)), draw.Hex(0xfbf8f0))
	b.Stroke(new(draw.Path).Move(f.at(500, 320)).Line(f.at(500, 540), f.at(640, 620)), draw.Px(5), draw.Hex(0x2a2e34))
	for i := range 12 {
		b.Oval(draw.Disc(draw.Polar(f.at(500, 540), f.wide(300), draw.Turn*draw.Angle(i)/12), draw.Px(2)), draw.Hex(0x2a2e34))
	}
}

func flowerVase(b *Brush, t scene.Thing, f field) {
	r := steady(t)
	bloom := tint(0xd9475a, 0xf0a63c, 0x9a6ac0, 0xf06a9a)(r)
	for k := range 6 {
		tip := f.at(60+175*k, 40+(k%2)*150+r.IntN(90))
		b.Stroke(new(draw.Path).Move(f.at(500, 620)).Quad(f.at(480+30*k-70, 400), tip), draw.Px(3), draw.Hex(0x4c8a4a))
		for j := range 6 {
			b.Oval(draw.Disc(draw.Polar(tip, f.wide(95), draw.Turn*draw.Angle(j)/6), f.wide(72)), bloom.Mix(paper(), 20*k))
		}
		b.Oval(draw.Disc(tip, f.wide(55)), draw.Hex(0xfff0b8))
	}
	lit(b, f.blob(330, 500, 500, 520, 670, 500, 620, 640, 860, 800, 700, 1010, 300, 1010, 140, 800, 380, 640), f.all(), draw.Hex(0xdfe6ea))
}

func bookStack(b *Brush, t scene.Thing, f field) {
	for i, ink := range []uint32{0x35455c, 0xb5483a, 0xd9a441, 0x4f7a5a} {
		in := f.box(20*i+30*(i%2), 880-120*i, 940-30*i, 120)
		slab(b, in, 3, draw.Hex(ink))
		b.Rect(draw.Box{X: in.X + draw.Px(14), Y: in.Y + in.H/4, W: draw.Px(4), H: in.H / 2}, draw.Hex(0xf5e8c8))
	}
}

func display(b *Brush, t scene.Thing, f field) {
	b.RoundRect(f.all(), draw.Px(8), draw.Hex(0x3a4248))
	in := f.all().Inset(draw.Px(7), draw.Px(7))
	b.RoundRect(in, draw.Px(4), draw.Linear{From: f.at(0, 0), To: f.at(1000, 1000), A: draw.Hex(0xc9d6bd), B: draw.Hex(0xaebda2)})
	upper, lower := in.Cut(in.H * 66 / 100)
	ink := draw.Hex(0x1f2a20)
	b.Line(draw.Style{Font: draw.Mono, Size: draw.Px(58), Ink: ink}, upper, draw.Center, t.Look[scene.Text])
	b.Icon("heart", draw.Box{X: lower.X + draw.Px(16), Y: lower.Y + draw.Px(8), W: draw.Px(24), H: draw.Px(24)}, ink)
	b.Line(draw.Style{Font: draw.Mono, Size: draw.Px(18), Ink: ink}, lower.Inset(draw.Px(18), 0), draw.Right, "mmHg")
}

// cuff is rolled up, with its tube to the monitor.
func cuff(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0x3a4a5a)
	from, to := f.at(900, 600), f.at(1260, 520)
	if t.Look["mirrored"] == "1" {
		from, to = f.at(100, 600), f.at(-260, 520)
	}
	b.Stroke(new(draw.Path).Move(from).Quad(draw.Point{X: (from.X + to.X) / 2, Y: from.Y + draw.Px(60)}, to), draw.Px(9), draw.Hex(0x3a3f46))
	ground(b, f)
	slab(b, f.box(0, 150, 1000, 850), 44, ink)
	b.Oval(f.box(60, 20, 880, 330), ink.Mix(umber(), 60))
	b.Oval(f.box(150, 70, 700, 220), ink.Mix(umber(), 130))
	b.Rect(f.box(60, 800, 880, 50), ink.Mix(umber(), 50).Fade(140))
	b.Line(bold(16, paper().Fade(220)), f.box(620, 850, 300, 130), draw.Center, strings.ToUpper("arm"))
}
