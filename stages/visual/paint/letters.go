package paint

import (
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// letters paints a laboratory's letter.
func letters() painters {
	return painters{
		backdrops: map[string]Painter{"letter": letterSheet},
		kinds:     map[string]Painter{"report-line": reportLine, "stamp": stamp, "clip": clip},
	}
}

func letterSheet(b *Brush, t scene.Thing) {
	f := over(t)
	_, mid, dark := wood(t)
	b.Rect(f.all(), draw.Linear{From: draw.P(0, 0), To: draw.P(f.w, f.h), A: mid.Mix(draw.Hex(0x5a6068), 150), B: dark.Mix(draw.Hex(0x3a4048), 150)})
	under := draw.PixelBox(190+b.Rnd.IntN(16), 40, 660, 740)
	b.Shadow(new(draw.Path).Rect(under), 8, 4, 6, umber().Fade(120))
	b.Rect(under, draw.Hex(0xece6d8))
	sheet := draw.PixelBox(172, 52, 676, 730)
	b.Shadow(new(draw.Path).Rect(sheet), 12, 4, 8, umber().Fade(130))
	b.Rect(sheet, draw.Linear{From: draw.P(172, 52), To: draw.P(848, 760), A: draw.Hex(0xfffefb), B: draw.Hex(0xf1eee6)})
	c := theme(t).Accent
	b.Rect(draw.PixelBox(172, 52, 676, 10), c)
	b.Icon("heart-pulse", draw.PixelBox(232, 98, 40, 40), c)
	ink := draw.Hex(0x2a3038)
	b.Line(draw.Style{Font: draw.SerifBold, Size: draw.Px(25), Ink: ink}, draw.PixelBox(284, 96, 420, 42), draw.Left, t.Look["product"]+" Laboratory")
	small := draw.Style{Font: draw.Serif, Size: draw.Px(15), Ink: draw.Hex(0x6a6f76)}
	b.Line(small, draw.PixelBox(232, 146, 540, 24), draw.Left, "Results of the last sample, for your records")
	b.Rect(draw.PixelBox(232, 184, 560, 1), draw.Hex(0xc4c0b6))
	b.Line(draw.Style{Font: draw.SerifBold, Size: draw.Px(20), Ink: ink}, draw.PixelBox(232, 198, 400, 36), draw.Left, "Laboratory report")
	head := draw.PixelBox(232, 244, 560, 34)
	b.Rect(head, c.Mix(paper(), 210))
	for i, name := range []string{"Value", "Result"} {
		b.Line(draw.Style{Font: draw.SerifBold, Size: draw.Px(16), Ink: ink}, draw.PixelBox(244+270*i, 244, 240, 34), draw.Left, name)
	}
	signature(b, ink)
}

func signature(b *Brush, ink draw.Color) {
	b.Rect(draw.PixelBox(232, 664, 230, 1), draw.Hex(0xa9a59a))
	p := new(draw.Path).Move(draw.P(248, 650))
	x := 248
	for range 7 {
		w, up := 18+b.Rnd.IntN(16), 10+b.Rnd.IntN(40)
		p.Cubic(draw.P(x+4, 650-up), draw.P(x+w, 650-up), draw.P(x+w-6, 646))
		x += w
	}
	b.Stroke(p, draw.Px(2), draw.Hex(0x2a4a8a))
	b.Line(draw.Style{Font: draw.Serif, Size: draw.Px(15), Ink: ink}, draw.PixelBox(232, 668, 230, 28), draw.Left, "Head of laboratory")
}

func reportLine(b *Brush, t scene.Thing) {
	f := over(t)
	ink := draw.Hex(0x2a3038)
	name := t.Look["title"]
	b.Line(draw.Style{Font: draw.Serif, Size: draw.Px(19), Ink: ink}, draw.PixelBox(f.x+12, f.y, 230, f.h), draw.Left, strings.ToUpper(name[:1])+name[1:])
	b.Line(draw.Style{Font: draw.SerifBold, Size: draw.Px(20), Ink: ink}, draw.PixelBox(f.x+282, f.y, 250, f.h), draw.Left, t.Look[scene.Text])
	b.Rect(draw.PixelBox(f.x, f.y+f.h-1, f.w, 1), draw.Hex(0xd8d4ca))
}

// stamp is a rubber stamp's print.
func stamp(b *Brush, t scene.Thing) {
	f := over(t)
	ink := tint(0xb03a4a, 0x2f5d9a, 0x3f7a4a)(steady(t))
	b.Stroke(new(draw.Path).Round(f.all().Inset(draw.Px(4), draw.Px(4)), draw.Px(8)), draw.Px(4), ink.Fade(200))
	b.Stroke(new(draw.Path).Round(f.all().Inset(draw.Px(11), draw.Px(11)), draw.Px(4)), draw.Px(1), ink.Fade(180))
	b.Line(bold(26, ink.Fade(225)), f.all(), draw.Center, t.Look[scene.Text])
}

// clip holds the sheets at their upper edge.
func clip(b *Brush, t scene.Thing) {
	f := over(t)
	ink := Ink(t, scene.Colour, 0x888888)
	for _, x := range []int{200, 620} {
		b.Stroke(new(draw.Path).Move(f.at(x, 200)).Line(f.at(x+40, -300), f.at(x+140, -300), f.at(x+180, 200)), draw.Px(4), draw.Hex(0xa9b0b8))
	}
	slab(b, f.all(), 8, ink)
	b.RoundRect(f.box(40, 60, 920, 120), draw.Px(4), ink.Mix(paper(), 70))
}
