package paint

import (
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// samples paints what lies on a table, seen from above: tiles and cabinet fronts to
// choose from, tags, and tools.
func samples() painters {
	s := painters{
		backdrops: map[string]Painter{"table-top": tableTop},
		kinds:     map[string]Painter{"mat": mat, "tag": tag, "front-stand": frontStand, "paint-card": paintCard},
	}
	for name, p := range tools() {
		s.kinds[toolKind(name)] = p
	}
	return s
}

func toolKind(name string) string {
	_, rest, _ := strings.Cut(name, " ")
	return strings.ReplaceAll(rest, " ", "-")
}

func tableTop(b *Brush, t scene.Thing, f field) {
	light, mid, dark := wood(t)
	b.Rect(f.all(), draw.Down(f.all(), light, mid.Mix(light, 128)))
	r := steady(t)
	for y := 0; y < f.h; y += 128 {
		b.Rect(draw.PixelBox(0, y, f.w, 126), mid.Mix(light, r.IntN(256)).Fade(90))
		b.Rect(draw.PixelBox(0, y+126, f.w, 2), dark.Fade(120))
		for range 9 {
			x, yy := r.IntN(f.w), y+8+r.IntN(110)
			b.Stroke(new(draw.Path).Move(draw.P(x-120, yy)).Quad(draw.P(x, yy-6+r.IntN(12)), draw.P(x+140, yy)), draw.Px(1), dark.Fade(70))
		}
	}
	glow := f.at(150+b.Rnd.IntN(700), b.Rnd.IntN(500))
	b.Rect(f.all(), draw.Radial{At: glow, Radius: draw.Px(620), A: draw.Hex(0xfff1cf).Fade(70), B: draw.Hex(0xfff1cf).Fade(0)})
}

func mat(b *Brush, t scene.Thing, f field) {
	felt := tint(0x44525c, 0x4a5a4c, 0x5a4a58, 0x5c5348)(steady(t))
	slab(b, f.all(), 8, felt)
	b.Stroke(new(draw.Path).Round(f.all().Inset(draw.Px(6), draw.Px(6)), draw.Px(6)), draw.At(1.5), paper().Fade(70))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(26), Ink: draw.Hex(0xf4efe2)}, draw.PixelBox(f.x+8, f.y+6, 30, 34), draw.Center, t.Look["letter"])
	tile(b, f.part(190, 130, 740, 800), t.Look[scene.Which], t)
}

func tile(b *Brush, f field, which string, t scene.Thing) {
	side := min(f.w, f.h)
	f = field{f.x + (f.w-side)/2, f.y + (f.h-side)/2, side, side}
	inks := []uint32{0x2f5d8a, 0x8a3f34, 0x3c6e54, 0x5a4a7a}
	ink := draw.Hex(inks[Number(t, "vary", 0)%len(inks)])
	slab(b, f.all(), 4, draw.Hex(0xefe8d8))
	for _, c := range [][2]int{{0, 0}, {1000, 0}, {0, 1000}, {1000, 1000}} {
		b.Clip(f.all(), func() { b.Oval(draw.Disc(f.at(c[0], c[1]), f.wide(170)), ink.Mix(paper(), 40)) })
	}
	b.Stroke(new(draw.Path).Rect(f.box(50, 50, 900, 900)), f.wide(22), ink)
	p := new(draw.Path)
	mid, s := f.at(500, 500), f.wide(700)
	tileFigure(p, strings.TrimSuffix(strings.TrimPrefix(which, "the "), " tile"), mid, s)
	b.Fill(p, ink)
	b.Rect(f.box(60, 60, 880, 10), paper().Fade(120))
}

func tileFigure(p *draw.Path, name string, at draw.Point, s draw.Unit) {
	switch name {
	case "star":
		spikes(p, at, 16, s/2, s/4)
	case "diamond":
		spikes(p, at, 4, s/2, s/2)
	case "cross":
		cross(p, at, s*3/2)
	case "ring":
		p.Sector(at, s/4, s/2, 0, draw.Turn)
	case "clover", "flower":
		n := map[string]int{"clover": 4, "flower": 8}[name]
		for k := range n {
			p.Oval(draw.Disc(draw.Polar(at, s*3/10, draw.Turn*draw.Angle(k)/draw.Angle(n)), s/4-s/90*draw.Unit(n)))
		}
	case "pinwheel":
		for k := range 4 {
			a := draw.Turn * draw.Angle(k) / 4
			p.Sector(at, 0, s/2, a, a+draw.Turn/8)
		}
	case "triangle":
		spikes(p, at, 3, s/2, s/2)
	case "hexagon":
		spikes(p, at, 6, s/2, s/2)
	case "dotted":
		for k := range 9 {
			p.Oval(draw.Disc(draw.Point{X: at.X + s/3*draw.Unit(k%3-1), Y: at.Y + s/3*draw.Unit(k/3-1)}, s/9))
		}
	}
}

func tag(b *Brush, t scene.Thing, f field) {
	p := f.shape(0, 0, 1000, 0, 1000, 1000, 0, 1000)
	b.Shadow(p, 3, 1, 2, umber().Fade(110))
	b.Fill(p, draw.Down(f.all(), draw.Hex(0xfdfaf0), draw.Hex(0xf0e8d4)))
	size := min(22, max(16, f.h*60/100))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(size), Ink: draw.Hex(0x2a2420)}, f.all().Inset(draw.Px(4), 0), draw.Center, t.Look[scene.Text])
}

func paintCard(b *Brush, t scene.Thing, f field) {
	slab(b, f.all(), 6, draw.Hex(0xfbf9f4))
	b.Rect(f.box(50, 40, 900, 760), Ink(t, scene.Colour, 0x888888))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(22), Ink: draw.Hex(0x2a2420)}, f.box(40, 810, 920, 180), draw.Center, t.Look["letter"])
}

func frontStand(b *Brush, t scene.Thing, f field) {
	door := f.part(100, 0, 800, 800)
	ground(b, f)
	cabinetFront(b, door, strings.TrimSuffix(strings.TrimPrefix(t.Look[scene.Which], "the "), " front"), t)
	slab(b, f.box(40, 800, 920, 200), 4, draw.Hex(0x6b5138))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(24), Ink: draw.Hex(0xfbf5e6)}, f.box(40, 810, 920, 180), draw.Center, t.Look["letter"])
}

func cabinetFront(b *Brush, f field, name string, t scene.Thing) {
	ink := draw.Hex([]uint32{0x8fa69a, 0xd8cdb8, 0x7f93a8, 0xb08a5a}[Number(t, "vary", 0)%4])
	slab(b, f.all(), 3, ink)
	cut := func(p *draw.Path) {
		b.Fill(p, ink.Mix(umber(), 70))
		b.Fill(p.Transform(draw.Shift(draw.Px(2), draw.Px(2))), ink.Mix(paper(), 20))
	}
	switch name {
	case "framed":
		cut(f.shape(180, 140, 820, 140, 820, 860, 180, 860))
	case "louvred":
		for y := 140; y < 860; y += 80 {
			cut(f.shape(160, y, 840, y, 840, y+42, 160, y+42))
		}
	case "grooved":
		for x := 150; x < 900; x += 140 {
			cut(f.shape(x, 40, x+20, 40, x+20, 960, x, 960))
		}
	case "arched":
		cut(new(draw.Path).Move(f.at(180, 860)).Line(f.at(180, 380)).Quad(f.at(500, 0), f.at(820, 380)).Line(f.at(820, 860)).Close())
	case "glazed":
		for i := range 4 {
			pane := f.box(150+360*(i%2), 120+390*(i/2), 340, 370)
			b.Rect(pane, draw.Linear{From: draw.Point{X: pane.X, Y: pane.Y}, To: draw.Point{X: pane.X + pane.W, Y: pane.Y + pane.H}, A: draw.Hex(0xe8f2f4), B: draw.Hex(0x9ab2ba)})
		}
	case "two-panel":
		cut(f.shape(180, 110, 820, 110, 820, 460, 180, 460))
		cut(f.shape(180, 540, 820, 540, 820, 890, 180, 890))
	case "diagonal":
		for k := -4; k < 9; k++ {
			b.Clip(f.box(60, 50, 880, 900), func() { cut(f.shape(k*120, 1000, k*120+22, 1000, k*120+622, 0, k*120+600, 0)) })
		}
	}
	b.Oval(draw.Disc(f.at(910, 520), draw.Px(6)), draw.Hex(0xc9a24a))
}

// tools are those beside samples, by their names in questions.
func tools() map[string]Painter {
	return map[string]Painter{
		"a tape measure": tapeMeasure, "a pencil": pencilTool, "a brass handle": brassHandle, "a paint brush": paintBrush,
		"a pair of scissors": iconTool("scissors", 0x4a4f58), "a key": keyTool, "a magnifying glass": loupe, "a screwdriver": screwdriver,
	}
}

func tapeMeasure(b *Brush, t scene.Thing, f field) {
	slab(b, f.box(150, 120, 700, 380), f.w/5, draw.Hex(0xe8b528))
	b.Oval(draw.Disc(f.at(500, 310), f.wide(190)), draw.Hex(0x3a3f45))
	strip := f.box(560, 440, 200, 560)
	b.Rect(strip, draw.Hex(0xf8e27a))
	for y := 480; y < 990; y += 36 {
		w := 60
		if y/36%4 == 0 {
			w = 110
		}
		b.Rect(f.box(560, y, w, 8), draw.Hex(0x2a2420))
	}
}

func pencilTool(b *Brush, t scene.Thing, f field) {
	body := f.shape(380, 160, 620, 160, 620, 850, 380, 850)
	b.Shadow(body, 3, 3, 3, umber().Fade(110))
	b.Fill(body, draw.Across(f.box(380, 0, 240, 1), draw.Hex(0xf0b840), draw.Hex(0xc07a1c)))
	b.Fill(f.shape(380, 850, 620, 850, 500, 1000), draw.Hex(0xe8cfa4))
	b.Fill(f.shape(460, 950, 540, 950, 500, 1000), draw.Hex(0x2a2420))
	b.Rect(f.box(380, 100, 240, 70), draw.Hex(0xb8bcc2))
	b.RoundRect(f.box(380, 0, 240, 110), f.wide(70), draw.Hex(0xe07a86))
}

func brassHandle(b *Brush, t scene.Thing, f field) {
	brass := draw.Across(f.box(300, 0, 400, 1), draw.Hex(0xf6dc92), draw.Hex(0x9a7224))
	bow := new(draw.Path).Move(f.at(380, 170)).Cubic(f.at(820, 220), f.at(820, 780), f.at(380, 830))
	b.Stroke(bow.Transform(draw.Shift(draw.Px(3), draw.Px(4))), f.wide(130), umber().Fade(70))
	b.Stroke(bow, f.wide(120), brass)
	for _, y := range []int{170, 830} {
		b.Oval(draw.Disc(f.at(380, y), f.wide(170)), draw.Radial{At: f.at(340, y-30), Radius: f.wide(200), A: draw.Hex(0xfbe9b4), B: draw.Hex(0x9a7224)})
		b.Oval(draw.Disc(f.at(380, y), f.wide(40)), draw.Hex(0x5a431c))
	}
}

func paintBrush(b *Brush, t scene.Thing, f field) {
	grip := f.blob(440, 0, 560, 0, 600, 300, 580, 560, 420, 560, 400, 300)
	b.Shadow(grip, 3, 3, 3, umber().Fade(110))
	b.Fill(grip, draw.Across(f.box(400, 0, 200, 1), draw.Hex(0xd8a468), draw.Hex(0x8a5a2c)))
	b.Rect(f.box(290, 520, 420, 160), draw.Across(f.box(290, 0, 420, 1), draw.Hex(0xe6e8ea), draw.Hex(0x8a9098)))
	b.Fill(f.shape(290, 680, 710, 680, 690, 980, 560, 1000, 310, 970), draw.Down(f.all(), draw.Hex(0x3a2a1c), draw.Hex(0x7a5a38)))
}

func iconTool(icon string, ink uint32) Painter {
	return func(b *Brush, t scene.Thing, f field) {
		side := min(f.w, f.h)
		in := draw.PixelBox(f.x+(f.w-side)/2, f.y+(f.h-side)/2, side, side)
		b.Icon(icon, draw.Box{X: in.X + 160, Y: in.Y + 192, W: in.W, H: in.H}, umber().Fade(60))
		b.Icon(icon, in, draw.Hex(ink))
	}
}

func keyTool(b *Brush, t scene.Thing, f field) {
	brass := draw.Hex(0xc39a3c)
	b.Stroke(new(draw.Path).Oval(f.box(300, 60, 400, 280)), f.wide(90), brass)
	b.Rect(f.box(455, 330, 90, 640), draw.Across(f.box(455, 0, 90, 1), brass.Mix(paper(), 90), brass.Mix(umber(), 60)))
	for _, y := range []int{760, 890} {
		b.Rect(f.box(540, y, 170, 70), brass)
	}
}

func loupe(b *Brush, t scene.Thing, f field) {
	b.Stroke(new(draw.Path).Move(f.at(560, 560)).Line(f.at(700, 960)), f.wide(120), draw.Hex(0x3a2a20))
	glass := draw.Disc(f.at(450, 320), f.wide(380))
	b.Shadow(new(draw.Path).Oval(glass), 4, 3, 4, umber().Fade(90))
	b.Oval(glass, draw.Hex(0x6a6f78))
	lens := glass.Inset(f.wide(70), f.wide(70))
	b.Oval(lens, draw.Radial{At: f.at(380, 260), Radius: f.wide(400), A: draw.Hex(0xf4fbff), B: draw.Hex(0xa9c8d8)})
}

func screwdriver(b *Brush, t scene.Thing, f field) {
	slab(b, f.box(350, 0, 300, 440), f.w/8, draw.Hex(0xc23b32))
	b.Rect(f.box(350, 90, 300, 20), umber().Fade(80))
	shaft := f.box(450, 440, 100, 500)
	b.Rect(shaft, draw.Across(shaft, draw.Hex(0xe0e4e8), draw.Hex(0x7a8088)))
	b.Fill(f.shape(420, 920, 580, 920, 560, 1000, 440, 1000), draw.Hex(0x6a7078))
}
