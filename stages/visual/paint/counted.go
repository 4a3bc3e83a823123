package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// MarkItem is the kind of mark of each counted thing.
const MarkItem = "item"

// counted draws as many things of a class as t tells on the lower edge of its box, in a
// row and apart from each other.
func counted(b *Brush, t scene.Thing, f field) {
	n := Number(t, scene.Count, 0)
	paint, ok := items()[t.Class]
	if n < 1 || !ok {
		return
	}
	pitch := f.w / n
	side := min(pitch*90/100, f.h*95/100)
	for i := range n {
		w := side * (90 + b.Rnd.IntN(11)) / 100
		x := f.x + pitch*i + (pitch-w)/2
		b.Object(MarkItem, t.Class, "", func() { paint(b, field{x, f.y + f.h - w, w, w}, i) })
	}
}

// items are the countable things. Each fills its field and stands on its lower edge.
func items() map[string]func(b *Brush, f field, i int) {
	return map[string]func(*Brush, field, int){
		"candles": candle, "flowerpots": flowerpot, "mugs": mug, "jars": jar, "shark teeth": tooth, "shells": shell, "eggs": egg, "crystals": crystal, "beetles": beetle,
		"bottles": bottle, "boats": boat, "flags": flag, "balls": exerciseBall,
	}
}

func candle(b *Brush, f field, _ int) {
	h := 380 + b.Rnd.IntN(240)
	wax := f.box(360, 900-h, 280, h)
	b.Rect(wax, draw.Across(wax, draw.Hex(0xfffaf0), draw.Hex(0xd9c8a8)))
	b.Fill(f.blob(500, 690-h, 590, 860-h, 500, 900-h, 410, 860-h), draw.Hex(0xf6b23c))
	foot := f.box(240, 880, 520, 120)
	b.RoundRect(foot, foot.H/2, draw.Down(foot, draw.Hex(0xd8b866), draw.Hex(0x8a6a2c)))
}

func flowerpot(b *Brush, f field, _ int) {
	bloom := tint(0xd9475a, 0xf0a63c, 0xf3e6f0, 0x9a6ac0, 0xf06a9a)(b.Rnd)
	for k := range 5 {
		tip := f.at(200+150*k, 180+(k%2)*130+b.Rnd.IntN(70))
		b.Stroke(new(draw.Path).Move(f.at(500, 560)).Quad(f.at(480, 400), tip), draw.Px(2), draw.Hex(0x4c8a4a))
		b.Oval(draw.Disc(tip, f.wide(90)), bloom)
		b.Oval(draw.Disc(tip, f.wide(32)), draw.Hex(0xfff0b8))
	}
	clay := draw.Hex(0xc06a3c)
	lit(b, f.shape(240, 540, 760, 540, 660, 1000, 340, 1000), f.all(), clay)
	lit(b, new(draw.Path).Round(f.box(190, 480, 620, 150), draw.Px(3)), f.all(), clay.Mix(paper(), 40))
}

func mug(b *Brush, f field, _ int) {
	ink := tint(0xd9604a, 0x4f86a8, 0xe3b04a, 0x6f9a72, 0xf0ebe0, 0x8a6a9c)(b.Rnd)
	b.Stroke(new(draw.Path).Move(f.at(700, 480)).Cubic(f.at(960, 460), f.at(960, 840), f.at(690, 820)), f.wide(80), ink.Mix(umber(), 40))
	lit(b, new(draw.Path).Corners(f.box(180, 340, 540, 660), [4]draw.Unit{0, 0, f.wide(130), f.wide(130)}), f.all(), ink)
	b.Oval(f.box(180, 270, 540, 140), ink.Mix(umber(), 70))
}

func jar(b *Brush, f field, _ int) {
	fill := tint(0xc98a3a, 0x8a4a2c, 0xd9c89a, 0x6f8a4a, 0xb0443a)(b.Rnd)
	b.RoundRect(f.box(200, 250, 600, 750), f.wide(110), draw.Hex(0xdfe9ea))
	b.RoundRect(f.box(240, 430, 520, 530), f.wide(80), draw.Across(f.all(), fill.Mix(paper(), 50), fill.Mix(umber(), 50)))
	lid := f.box(220, 140, 560, 150)
	b.RoundRect(lid, draw.Px(3), draw.Across(lid, draw.Hex(0xd8b866), draw.Hex(0x8a6a2c)))
	b.Rect(f.box(290, 300, 60, 600), paper().Fade(120))
}

func bottle(b *Brush, f field, _ int) {
	ink := tint(0x6b4a1e, 0x2f5d4a, 0x3d5a7a)(b.Rnd)
	p := f.shape(420, 80, 580, 80, 580, 360, 740, 520, 740, 1000, 260, 1000, 260, 520, 420, 360)
	b.Fill(p, draw.Across(f.box(260, 0, 480, 1000), ink.Mix(paper(), 70), ink.Mix(umber(), 60)))
	b.Rect(f.box(400, 20, 200, 100), draw.Hex(0xd9cdb8))
	b.Rect(f.box(270, 620, 460, 220), draw.Hex(0xf4efe2))
}

func tooth(b *Brush, f field, _ int) {
	p := f.blob(120, 60, 500, 150, 880, 60, 800, 480, 500, 1050, 200, 480)
	b.Shadow(p, 4, 2, 3, umber().Fade(110))
	b.Fill(p, draw.Linear{From: f.at(0, 0), To: f.at(700, 1000), A: draw.Hex(0xf6efdc), B: draw.Hex(0xb8a688)})
	b.Fill(f.blob(130, 60, 500, 160, 870, 60, 820, 300, 500, 360, 180, 300), draw.Hex(0x8a7458))
}

func shell(b *Brush, f field, _ int) {
	fan := new(draw.Path).Move(f.at(500, 960))
	for k := range 9 {
		a := draw.Turn*5/8 + draw.Turn/4*draw.Angle(k)/8
		fan.Line(draw.Polar(f.at(500, 900), f.tall(760-40*(k%2)), a))
	}
	fan.Close()
	ink := tint(0xe8b89a, 0xe6cdb0, 0xd9a9a0)(b.Rnd)
	b.Shadow(fan, 4, 2, 3, umber().Fade(110))
	lit(b, fan, f.all(), ink)
	for k := range 7 {
		a := draw.Turn*21/32 + draw.Turn*3/16*draw.Angle(k)/6
		b.Stroke(new(draw.Path).Move(f.at(500, 900)).Line(draw.Polar(f.at(500, 900), f.tall(680), a)), draw.Px(2), ink.Mix(umber(), 80).Fade(150))
	}
}

func egg(b *Brush, f field, _ int) {
	p := eggShape(f)
	b.Shadow(p, 4, 2, 3, umber().Fade(110))
	b.Fill(p, draw.Radial{At: f.at(380, 380), Radius: f.wide(760), A: draw.Hex(0xfaf3e2), B: draw.Hex(0xb09a78)})
	for range 7 {
		b.Oval(draw.Disc(f.at(330+b.Rnd.IntN(340), 300+b.Rnd.IntN(500)), draw.Px(2)), draw.Hex(0x7b6248).Fade(170))
	}
}

func eggShape(f field) *draw.Path {
	return new(draw.Path).Move(f.at(500, 20)).Cubic(f.at(720, 20), f.at(860, 340), f.at(860, 600)).Cubic(f.at(860, 850), f.at(700, 990), f.at(500, 990)).
		Cubic(f.at(300, 990), f.at(140, 850), f.at(140, 600)).Cubic(f.at(140, 340), f.at(280, 20), f.at(500, 20)).Close()
}

func crystal(b *Brush, f field, _ int) {
	ink := tint(0x9a7ac8, 0x6ab0c8, 0xd98aa8, 0x8ac0a0)(b.Rnd)
	for i, x := range []int{120, 400, 640} {
		top := []int{380, 60, 260}[i]
		b.Fill(f.shape(x, top+160, x+120, top, x+240, top+160, x+240, 1000, x, 1000), ink.Mix(paper(), 60))
		b.Fill(f.shape(x+120, top, x+240, top+160, x+240, 1000, x+150, 1000), ink.Mix(umber(), 50))
	}
}

func beetle(b *Brush, f field, _ int) {
	for k := range 3 {
		y := 380 + 190*k
		b.Stroke(new(draw.Path).Move(f.at(60, y+80)).Line(f.at(300, y), f.at(700, y), f.at(940, y+80)), draw.Px(2), draw.Hex(0x1d1715))
	}
	ink := tint(0x1f4f3c, 0x3a2a5a, 0x5a2a1c, 0x1c2f4a)(b.Rnd)
	b.Oval(f.box(340, 60, 320, 260), ink.Mix(umber(), 90))
	body := f.box(240, 230, 520, 720)
	b.Oval(body, draw.Radial{At: f.at(400, 420), Radius: f.wide(520), A: ink.Mix(paper(), 120), B: ink})
	b.Rect(draw.Box{X: body.X + body.W/2 - 32, Y: body.Y + 64, W: 64, H: body.H - 128}, draw.Hex(0x0f0b0a))
}
