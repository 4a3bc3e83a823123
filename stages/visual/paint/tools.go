package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// tools lie beside samples, by the names that questions give them.
func tools() map[string]Painter {
	return map[string]Painter{
		"a tape measure": tapeMeasure, "a pencil": pencilTool, "a brass handle": brassHandle, "a paint brush": paintBrush,
		"a pair of scissors": iconTool("scissors", 0x4a4f58), "a key": keyTool, "a magnifying glass": loupe, "a screwdriver": screwdriver,
	}
}

func tapeMeasure(b *Brush, t scene.Thing) {
	f := over(t)
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

func pencilTool(b *Brush, t scene.Thing) {
	f := over(t)
	body := f.shape(380, 160, 620, 160, 620, 850, 380, 850)
	b.Shadow(body, 3, 3, 3, umber().Fade(110))
	b.Fill(body, draw.Across(f.box(380, 0, 240, 1), draw.Hex(0xf0b840), draw.Hex(0xc07a1c)))
	b.Fill(f.shape(380, 850, 620, 850, 500, 1000), draw.Hex(0xe8cfa4))
	b.Fill(f.shape(460, 950, 540, 950, 500, 1000), draw.Hex(0x2a2420))
	b.Rect(f.box(380, 100, 240, 70), draw.Hex(0xb8bcc2))
	b.RoundRect(f.box(380, 0, 240, 110), f.wide(70), draw.Hex(0xe07a86))
}

func brassHandle(b *Brush, t scene.Thing) {
	f := over(t)
	brass := draw.Across(f.box(300, 0, 400, 1), draw.Hex(0xf6dc92), draw.Hex(0x9a7224))
	bow := new(draw.Path).Move(f.at(380, 170)).Cubic(f.at(820, 220), f.at(820, 780), f.at(380, 830))
	b.Stroke(bow.Transform(draw.Shift(draw.Px(3), draw.Px(4))), f.wide(130), umber().Fade(70))
	b.Stroke(bow, f.wide(120), brass)
	for _, y := range []int{170, 830} {
		b.Oval(draw.Disc(f.at(380, y), f.wide(170)), draw.Radial{At: f.at(340, y-30), Radius: f.wide(200), A: draw.Hex(0xfbe9b4), B: draw.Hex(0x9a7224)})
		b.Oval(draw.Disc(f.at(380, y), f.wide(40)), draw.Hex(0x5a431c))
	}
}

func paintBrush(b *Brush, t scene.Thing) {
	f := over(t)
	grip := f.blob(440, 0, 560, 0, 600, 300, 580, 560, 420, 560, 400, 300)
	b.Shadow(grip, 3, 3, 3, umber().Fade(110))
	b.Fill(grip, draw.Across(f.box(400, 0, 200, 1), draw.Hex(0xd8a468), draw.Hex(0x8a5a2c)))
	b.Rect(f.box(290, 520, 420, 160), draw.Across(f.box(290, 0, 420, 1), draw.Hex(0xe6e8ea), draw.Hex(0x8a9098)))
	b.Fill(f.shape(290, 680, 710, 680, 690, 980, 560, 1000, 310, 970), draw.Down(f.all(), draw.Hex(0x3a2a1c), draw.Hex(0x7a5a38)))
}

// iconTool draws a tool as its icon.
func iconTool(icon string, ink uint32) Painter {
	return func(b *Brush, t scene.Thing) {
		f := over(t)
		side := min(f.w, f.h)
		in := draw.PixelBox(f.x+(f.w-side)/2, f.y+(f.h-side)/2, side, side)
		b.Icon(icon, draw.Box{X: in.X + 160, Y: in.Y + 192, W: in.W, H: in.H}, umber().Fade(60))
		b.Icon(icon, in, draw.Hex(ink))
	}
}

func keyTool(b *Brush, t scene.Thing) {
	f := over(t)
	brass := draw.Hex(0xc39a3c)
	b.Stroke(new(draw.Path).Oval(f.box(300, 60, 400, 280)), f.wide(90), brass)
	b.Rect(f.box(455, 330, 90, 640), draw.Across(f.box(455, 0, 90, 1), brass.Mix(paper(), 90), brass.Mix(umber(), 60)))
	for _, y := range []int{760, 890} {
		b.Rect(f.box(540, y, 170, 70), brass)
	}
}

func loupe(b *Brush, t scene.Thing) {
	f := over(t)
	b.Stroke(new(draw.Path).Move(f.at(560, 560)).Line(f.at(700, 960)), f.wide(120), draw.Hex(0x3a2a20))
	glass := draw.Disc(f.at(450, 320), f.wide(380))
	b.Shadow(new(draw.Path).Oval(glass), 4, 3, 4, umber().Fade(90))
	b.Oval(glass, draw.Hex(0x6a6f78))
	lens := glass.Inset(f.wide(70), f.wide(70))
	b.Oval(lens, draw.Radial{At: f.at(380, 260), Radius: f.wide(400), A: draw.Hex(0xf4fbff), B: draw.Hex(0xa9c8d8)})
}

func screwdriver(b *Brush, t scene.Thing) {
	f := over(t)
	slab(b, f.box(350, 0, 300, 440), f.w/8, draw.Hex(0xc23b32))
	b.Rect(f.box(350, 90, 300, 20), umber().Fade(80))
	shaft := f.box(450, 440, 100, 500)
	b.Rect(shaft, draw.Across(shaft, draw.Hex(0xe0e4e8), draw.Hex(0x7a8088)))
	b.Fill(f.shape(420, 920, 580, 920, 560, 1000, 440, 1000), draw.Hex(0x6a7078))
}
