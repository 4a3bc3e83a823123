package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// clinic paints waiting rooms and sports halls.
func clinic() painters {
	return painters{kinds: map[string]Painter{
		"weather-window": weatherWindow, "aquarium": aquarium, "call-screen": callScreen, "waiting-bench": waitingBench, "magazines": magazines,
		"ball-shelf": shelfBoard, "locker": locker, "wall-bars": wallBars, "exercise": exercise,
	}}
}

// weatherWindow looks out on a meadow with a tree, in the weather that it tells.
func weatherWindow(b *Brush, t scene.Thing) {
	f := over(t)
	frame := new(draw.Path).Rect(f.all())
	b.Shadow(frame, 8, 0, 5, umber().Fade(70))
	b.Fill(frame, draw.Hex(0xfdfbf7))
	pane := f.box(40, 40, 920, 920)
	b.Clip(draw.PixelBox(pane.X.Round(), pane.Y.Round(), pane.W.Round(), pane.H.Round()), func() { view(b, t) })
	b.Rect(f.box(488, 40, 24, 920), draw.Hex(0xfdfbf7))
	ledge := f.box(-40, 975, 1080, 60)
	b.Rect(ledge, draw.Down(ledge, paper(), draw.Hex(0xd4c9ba)))
}

// view is a meadow with a tree under the sky of a weather.
func view(b *Brush, t scene.Thing) {
	f := over(t)
	how := t.Look[scene.Weather]
	top, low := sky(how)
	b.Rect(f.all(), draw.Down(f.all(), top, low))
	upper, _ := f.all().Cut(f.tall(620))
	skyOf(b, t, upper)
	ground, leaves := draw.Hex(0x86b85a), draw.Hex(0x4f8f4a).Mix(top, 60)
	if how == "snowy" {
		ground, leaves = draw.Hex(0xf4f7fa), draw.Hex(0xdfe8ee)
	}
	if how == "sunny" || how == "windy" {
		top = ground
	}
	b.Fill(f.blob(-200, 720, 200, 640, 600, 740, 1200, 660, 1200, 1100, -200, 1100), draw.Down(f.box(0, 660, 1, 340), ground.Mix(paper(), 40), ground.Mix(top, 90)))
	if how == "windy" {
		b.Stroke(new(draw.Path).Move(f.at(620, 780)).Quad(f.at(640, 560), f.at(800, 430)), draw.Px(9), draw.Hex(0x6d4a30))
		b.Fill(f.blob(640, 400, 760, 280, 1000, 330, 1080, 420, 960, 500, 780, 520), draw.Hex(0x5f9a4a))
	} else {
		tree(b, f.part(620, 360, 280, 460), leaves)
	}
	weather(b, t, f.all())
}

// aquarium has fish that swim apart from each other.
func aquarium(b *Brush, t scene.Thing) {
	f := over(t)
	_, mid, dark := wood(t)
	ground(b, f)
	slab(b, f.box(20, 700, 960, 300), 4, mid)
	b.Rect(f.box(490, 740, 20, 240), dark)
	slab(b, f.box(0, 0, 1000, 60), 4, draw.Hex(0x2e3440))
	water := field{f.x + f.w*2/100, f.y + f.h*6/100, f.w * 96 / 100, f.h * 64 / 100}
	b.Rect(water.all(), draw.Down(water.all(), draw.Hex(0x8fd8ea), draw.Hex(0x2f86b0)))
	b.Rect(water.box(0, 880, 1000, 120), draw.Hex(0xe0cc9a))
	for i, x := range []int{40, 120, 850, 930} {
		b.Stroke(new(draw.Path).Move(water.at(x, 900)).Cubic(water.at(x+50, 700), water.at(x-50, 500), water.at(x+20, 260+60*(i%2))), draw.Px(5), draw.Hex(0x3f8a4a))
	}
	cells := steady(t).Perm(9)
	for _, c := range cells[:min(9, Number(t, scene.Count, 0))] {
		in := water.part(110+260*(c%3)+b.Rnd.IntN(40), 60+270*(c/3)+b.Rnd.IntN(60), 170, 190)
		b.Object(MarkItem, t.Class, "", func() { goldfish(b, in) })
	}
	b.Rect(water.box(30, 30, 24, 800), paper().Fade(90))
}

func goldfish(b *Brush, f field) {
	ink := tint(0xf08030, 0xf6b83c, 0xe85a4a)(b.Rnd)
	b.Fill(f.shape(700, 500, 1000, 200, 940, 500, 1000, 800), ink.Mix(umber(), 30))
	body := f.box(0, 200, 780, 600)
	b.Oval(body, draw.Down(body, ink.Mix(paper(), 70), ink))
	b.Oval(draw.Disc(f.at(180, 430), draw.Px(4)), paper())
	b.Oval(draw.Disc(f.at(175, 430), draw.Px(2)), draw.Hex(0x1d1715))
}

// callScreen hangs on the wall and shows whose turn it is.
func callScreen(b *Brush, t scene.Thing) {
	f := over(t)
	c := theme(t).Accent
	slab(b, f.all(), 8, draw.Hex(0x22262c))
	in := f.all().Inset(draw.Px(8), draw.Px(8))
	upper, lower := in.Cut(draw.Px(40))
	b.Rect(upper, c)
	b.Rect(lower, draw.Hex(0xf4f7fa))
	b.Line(bold(18, paper()), upper, draw.Center, "Next please")
	b.Line(bold(52, draw.Hex(0x1d2630)), lower, draw.Center, t.Look[scene.Text])
}

// waitingBench is a row of padded seats; its colour is that of the seats and backs.
func waitingBench(b *Brush, t scene.Thing) {
	f := over(t)
	ink := Ink(t, scene.Colour, 0x888888)
	ground(b, f)
	for _, x := range []int{90, 880} {
		b.Rect(f.box(x, 700, 24, 300), draw.Hex(0x6a7078))
		b.RoundRect(f.box(x-40, 970, 110, 30), draw.Px(3), draw.Hex(0x4a5058))
	}
	for i := range 3 {
		slab(b, f.box(8+332*i, 0, 318, 640), 20, ink)
		slab(b, f.box(2+334*i, 600, 326, 150), 12, ink.Mix(paper(), 20))
	}
	b.Rect(f.box(40, 760, 920, 40), draw.Hex(0x8a9098))
}

func magazines(b *Brush, t scene.Thing) {
	f := over(t)
	_, mid, dark := wood(t)
	ground(b, f)
	for _, x := range []int{120, 840} {
		b.Fill(f.shape(x, 300, x+50, 300, x+40, 1000, x+10, 1000), dark)
	}
	top := f.box(0, 180, 1000, 300)
	b.Oval(top, draw.Down(top, mid.Mix(paper(), 50), mid))
	for i, ink := range []uint32{0xb5483a, 0x3f6f8a, 0xd9a441} {
		x := 250 + 180*i
		b.Fill(f.shape(x, 240+30*(i%2), x+160, 220+30*(i%2), x+210, 340, x+30, 370), draw.Hex(ink).Mix(paper(), 30))
		b.Rect(f.box(x+60, 280, 80, 16), paper().Fade(190))
	}
}

// exerciseBall lies on a shelf.
func exerciseBall(b *Brush, f field, _ int) {
	ink := tint(0xd9604a, 0x3f86b8, 0xe8b83c, 0x6aa860, 0x8a5ac0)(b.Rnd)
	b.Oval(f.all(), draw.Radial{At: f.at(340, 320), Radius: f.wide(820), A: ink.Mix(paper(), 120), B: ink.Mix(umber(), 40)})
	b.Stroke(new(draw.Path).Move(f.at(60, 620)).Quad(f.at(500, 760), f.at(940, 620)), draw.Px(2), ink.Mix(umber(), 80).Fade(160))
}

func locker(b *Brush, t scene.Thing) {
	f := over(t)
	ink := Ink(t, scene.Colour, 0x888888)
	ground(b, f)
	slab(b, f.all(), 4, ink)
	for _, y := range []int{90, 130, 170, 820, 860} {
		b.RoundRect(f.box(260, y, 480, 18), draw.Px(2), ink.Mix(umber(), 110))
	}
	b.RoundRect(f.box(800, 470, 80, 130), draw.Px(3), draw.Hex(0xd8dde2))
}

func wallBars(b *Brush, t scene.Thing) {
	f := over(t)
	light, mid, _ := wood(t)
	for x := 0; x <= 1000; x += 330 {
		slab(b, f.box(min(x, 960), 0, 40, 1000), 2, mid)
	}
	for y := 60; y < 980; y += 100 {
		bar := f.box(0, y, 1000, 30)
		b.Shadow(new(draw.Path).Rect(bar), 4, 0, 4, umber().Fade(80))
		b.Rect(bar, draw.Down(bar, light, mid))
	}
}
