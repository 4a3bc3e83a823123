package paint

import (
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// tableEdge is a table seen from the front, in the lower part of a picture.
func tableEdge(b *Brush, t scene.Thing) {
	f := over(t)
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

// monitor is a blood pressure monitor, with something right beside it.
func monitor(b *Brush, t scene.Thing) {
	f := over(t)
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
		paint(b, scene.Thing{Box: [4]int{side.x, side.y, side.w, side.h}, Look: t.Look})
	}
}

// single is a counted thing that stands alone.
func single(item func(*Brush, field, int)) Painter {
	return func(b *Brush, t scene.Thing) {
		f := over(t)
		side := min(f.w, f.h)
		item(b, field{f.x + (f.w-side)/2, f.y + f.h - side, side, side}, 0)
	}
}

func tallTeapot(b *Brush, t scene.Thing) {
	f := over(t)
	teapot(b, field{f.x - 10, f.y + f.h/4, f.w + 20, f.h * 3 / 4}, draw.Hex(0x4f7f86))
}

func apple(b *Brush, t scene.Thing) {
	f := over(t)
	side := f.w * 9 / 10
	f = field{f.x + f.w/20, f.y + f.h - side, side, side}
	p := new(draw.Path).Move(f.at(500, 170)).Cubic(f.at(1000, -60), f.at(1160, 760), f.at(660, 1000)).Cubic(f.at(560, 980), f.at(440, 980), f.at(340, 1000)).Cubic(f.at(-160, 760), f.at(0, -60), f.at(500, 170)).Close()
	b.Fill(p, draw.Radial{At: f.at(340, 340), Radius: f.wide(780), A: draw.Hex(0xe87a5a), B: draw.Hex(0xa82a2a)})
	b.Stroke(new(draw.Path).Move(f.at(500, 190)).Quad(f.at(500, 40), f.at(570, -40)), draw.Px(5), draw.Hex(0x5a3a20))
	b.Fill(f.blob(560, 60, 700, -60, 880, -40, 740, 100), draw.Hex(0x5a9a4a))
}

func alarmClock(b *Brush, t scene.Thing) {
	f := over(t)
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

func flowerVase(b *Brush, t scene.Thing) {
	f := over(t)
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

func bookStack(b *Brush, t scene.Thing) {
	f := over(t)
	for i, ink := range []uint32{0x35455c, 0xb5483a, 0xd9a441, 0x4f7a5a} {
		in := f.box(20*i+30*(i%2), 880-120*i, 940-30*i, 120)
		slab(b, in, 3, draw.Hex(ink))
		b.Rect(draw.Box{X: in.X + draw.Px(14), Y: in.Y + in.H/4, W: draw.Px(4), H: in.H / 2}, draw.Hex(0xf5e8c8))
	}
}

// display is the screen of a monitor with what it measured.
func display(b *Brush, t scene.Thing) {
	f := over(t)
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
func cuff(b *Brush, t scene.Thing) {
	f := over(t)
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
