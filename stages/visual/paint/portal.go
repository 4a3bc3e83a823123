package paint

import (
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/stages/visual/scene"
)

// portal paints the screens of a patient's portal.
func portal() painters {
	return painters{
		backdrops: map[string]Painter{"portal": portalFrame},
		kinds: map[string]Painter{
			"vital-tile": vitalTile, "vital-field": vitalField, "plan-head": planHead, "plan-row": planRow, "dose": doseLabel, "box-cell": boxCell,
			"tablet-row": tabletRow, "visit-card": visitCard, "map-pin": mapPin, "small-tag": smallTag, "date-tag": dateTag,
			"week-panel": weekPanel, "week-bar": weekBar,
		},
	}
}

// theme is that of the life's portal.
func theme(t scene.Thing) widget.Theme {
	accents := []uint32{0x1f7a8c, 0x3b6fd4, 0x7a4fb5, 0xb8475a, 0x2f8a57, 0xb8702a}
	accent := draw.Hex(accents[Number(t, "accent", 0)%len(accents)])
	if t.Look["dark"] == "1" {
		return widget.Dark(accent.Mix(paper(), 60))
	}
	return widget.Light(accent)
}

func words(size int, ink draw.Color) draw.Style {
	return draw.Style{Font: draw.Sans, Size: draw.Px(size), Ink: ink}
}
func bold(size int, ink draw.Color) draw.Style {
	return draw.Style{Font: draw.SansBold, Size: draw.Px(size), Ink: ink}
}

// surface is a raised box of a screen.
func surface(b *Brush, c widget.Theme, in draw.Box, radius int) {
	p := new(draw.Path).Round(in, draw.Px(radius))
	shade := draw.Hex(0x1e3250)
	b.Shadow(p, 2, 0, 1, shade.Fade(36))
	b.Shadow(p, 10, 0, 4, shade.Fade(26))
	b.Fill(p, c.Paper)
}

func sections() [][2]string {
	return [][2]string{{"Overview", "house"}, {"Medication", "pill"}, {"Visits", "calendar"}, {"Week", "chart-column"}, {"Messages", "mail"}, {"Documents", "folder"}}
}

func portalFrame(b *Brush, t scene.Thing) {
	c, f := theme(t), over(t)
	b.Rect(f.all(), c.Back)
	section := t.Look["section"]
	if t.Look["bar"] == "side" {
		portalSide(b, t, c, section)
		b.Line(bold(28, c.Ink), draw.PixelBox(232, 34, 400, 44), draw.Left, section)
		portalUser(b, t, c, 1000)
		return
	}
	bar := draw.PixelBox(0, 0, f.w, 72)
	b.Rect(bar, draw.Across(bar, c.Accent, c.Accent.Mix(umber(), 70)))
	b.Icon("heart-pulse", draw.PixelBox(40, 20, 32, 32), paper())
	b.Line(bold(21, paper()), draw.PixelBox(82, 14, 220, 44), draw.Left, t.Look["product"])
	x := 330
	for _, s := range sections()[:5] {
		style := words(15, paper().Fade(200))
		if s[0] == section {
			style = bold(15, paper())
			b.RoundRect(draw.PixelBox(x, 66, b.Width(style, s[0]).Ceil(), 6), draw.Px(3), paper())
		}
		x += b.Line(style, draw.PixelBox(x, 14, 160, 44), draw.Left, s[0]).Ceil() + 30
	}
	b.Line(bold(26, c.Ink), draw.PixelBox(40, 88, 500, 44), draw.Left, section)
	portalUser(b, t, c, 984)
}

func portalSide(b *Brush, t scene.Thing, c widget.Theme, section string) {
	side := draw.PixelBox(0, 0, 208, 768)
	b.Rect(side, draw.Down(side, c.Accent.Mix(umber(), 90), c.Accent.Mix(umber(), 150)))
	b.Icon("heart-pulse", draw.PixelBox(22, 34, 32, 32), paper())
	b.Line(bold(20, paper()), draw.PixelBox(62, 28, 140, 44), draw.Left, t.Look["product"])
	for i, s := range sections() {
		y, ink := 118+56*i, paper().Fade(190)
		if s[0] == section {
			b.RoundRect(draw.PixelBox(12, y, 184, 44), draw.Px(10), paper().Fade(48))
			ink = paper()
		}
		b.Icon(s[1], draw.PixelBox(28, y+12, 20, 20), ink)
		b.Line(words(16, ink), draw.PixelBox(60, y, 136, 44), draw.Left, s[0])
	}
	b.Icon("settings", draw.PixelBox(28, 716, 20, 20), paper().Fade(170))
	b.Icon("log-out", draw.PixelBox(166, 716, 20, 20), paper().Fade(170))
}

// portalUser are the bell and the portrait at the right of the heading, up to a place.
func portalUser(b *Brush, t scene.Thing, c widget.Theme, right int) {
	r := steady(t)
	y := 56
	if right == 984 {
		y = 110
	}
	person := widget.Person{Back: c.Accent.Mix(paper(), 110), Skin: draw.Hex(0xd9a27a), Hair: tint(0x3a2a20, 0x6d4a30, 0x24262a)(r), Long: r.IntN(2) == 0}
	widget.Portrait(b.Canvas, person, draw.P(right-22, y), draw.Px(22))
	b.Icon("bell", draw.PixelBox(right-84, y-11, 22, 22), c.Muted)
	if b.Rnd.IntN(2) == 0 {
		b.Oval(draw.Disc(draw.P(right-66, y-9), draw.Px(5)), c.Bad)
	}
	b.RoundRect(draw.PixelBox(right-330, y-18, 226, 36), draw.Px(18), c.Paper)
	b.Icon("search", draw.PixelBox(right-316, y-9, 18, 18), c.Faint)
	b.Line(words(14, c.Faint), draw.PixelBox(right-288, y-18, 150, 36), draw.Left, "Search")
}

// vitalTile is a card of the overview: icon, name and a small curve.
func vitalTile(b *Brush, t scene.Thing) {
	c, f := theme(t), over(t)
	name := t.Look["title"]
	icons := map[string]string{
		"heart rate": "heart-pulse", "steps": "footprints", "sleep": "moon", "weight": "scale", "water": "droplets", "temperature": "thermometer", "energy": "flame", "breathing": "wind",
	}
	surface(b, c, f.all(), 14)
	ink := c.Series[Number(t, "series", 0)%len(c.Series)]
	b.RoundRect(draw.PixelBox(f.x+16, f.y+18, 36, 36), draw.Px(10), ink.Fade(44))
	b.Icon(icons[name], draw.PixelBox(f.x+24, f.y+26, 20, 20), ink)
	b.Line(words(17, c.Muted), draw.PixelBox(f.x+62, f.y+18, f.w-76, 36), draw.Left, strings.ToUpper(name[:1])+name[1:])
	spark := field{f.x + 16, f.y + 136, f.w - 32, f.h - 156}
	if b.Rnd.IntN(2) == 0 {
		sparkBars(b, spark, ink)
		return
	}
	sparkLine(b, spark, ink)
}

func sparkBars(b *Brush, f field, ink draw.Color) {
	for i := range 9 {
		h := 250 + b.Rnd.IntN(700)
		in := f.box(i*112, 1000-h, 74, h)
		b.RoundRect(in, draw.Px(4), draw.Down(in, ink.Fade(230), ink.Fade(120)))
	}
}

func sparkLine(b *Brush, f field, ink draw.Color) {
	var at []draw.Point
	for i := range 8 {
		at = append(at, f.at(i*1000/7, 100+b.Rnd.IntN(600)))
	}
	line, area := new(draw.Path).Move(at[0]), new(draw.Path).Move(f.at(0, 1000)).Line(at[0])
	for i, p := range at[1:] {
		last := at[i]
		mid := (last.X + p.X) / 2
		one, two := draw.Point{X: mid, Y: last.Y}, draw.Point{X: mid, Y: p.Y}
		line.Cubic(one, two, p)
		area.Cubic(one, two, p)
	}
	b.Fill(area.Line(f.at(1000, 1000)).Close(), draw.Down(f.all(), ink.Fade(110), ink.Fade(10)))
	b.Stroke(line, draw.Px(3), ink)
	b.Oval(draw.Disc(at[7], draw.Px(5)), ink)
}

// vitalField is the value on a tile.
func vitalField(b *Brush, t scene.Thing) {
	b.Line(bold(30, theme(t).Ink), over(t).all(), draw.Left, t.Look[scene.Text])
}

func planHead(b *Brush, t scene.Thing) {
	c, f := theme(t), over(t)
	b.RoundRect(f.all(), draw.Px(10), c.Accent.Mix(c.Paper, 190))
	for i, name := range []string{"Medicine", "Dose", "Box", "Tablets"} {
		x := []int{30, 270, 470, 630}[i]
		b.Line(bold(16, c.Ink), f.box(x, 0, 200, 1000), draw.Left, name)
	}
}

func planRow(b *Brush, t scene.Thing) {
	c, f := theme(t), over(t)
	surface(b, c, f.all(), 10)
	at := draw.PixelBox(f.x+18, f.y+f.h/2-20, 40, 40)
	b.RoundRect(at, draw.Px(12), c.Accent.Fade(40))
	b.Icon("pill", at.Inset(draw.Px(9), draw.Px(9)), c.Accent)
	b.Line(bold(20, c.Ink), draw.PixelBox(f.x+70, f.y+f.h/2-28, 130, 32), draw.Left, t.Look["title"])
	notes := []string{"tablet, coated", "tablet", "tablet, scored", "film tablet"}
	b.Line(words(14, c.Muted), draw.PixelBox(f.x+70, f.y+f.h/2+4, 130, 22), draw.Left, notes[len(t.Look["title"])%4])
}

func doseLabel(b *Brush, t scene.Thing) {
	c, f := theme(t), over(t)
	b.RoundRect(f.all(), draw.Px(24), c.Back)
	b.Line(draw.Style{Font: draw.SansMedium, Size: draw.Px(20), Ink: c.Ink}, f.all(), draw.Center, t.Look[scene.Text])
}

// boxCell is the picture of a pill box in its colour.
func boxCell(b *Brush, t scene.Thing) {
	f := over(t)
	ink := Ink(t, scene.Colour, 0x888888)
	slab(b, f.all(), 8, ink)
	b.RoundRect(f.box(60, 80, 880, 90), draw.Px(3), ink.Mix(paper(), 70))
	b.Rect(f.box(0, 780, 1000, 30), ink.Mix(umber(), 60).Fade(140))
}

func tabletRow(b *Brush, t scene.Thing) {
	f := over(t)
	n := Number(t, scene.Count, 0)
	for i := range n {
		at := draw.PixelBox(f.x+f.w*i/7, f.y+(f.h-34)/2, 34, 34)
		b.Object(MarkItem, t.Class, "", func() { flatTablet(b, at) })
	}
}

func flatTablet(b *Brush, at draw.Box) {
	b.Shadow(new(draw.Path).Oval(at), 2, 1, 2, draw.Hex(0x1e3250).Fade(90))
	b.Oval(at, draw.Radial{At: draw.Point{X: at.X + at.W/3, Y: at.Y + at.H/3}, Radius: at.W, A: draw.Hex(0xffffff), B: draw.Hex(0x9fb0c2)})
	b.Rect(draw.Box{X: at.X + at.W/2 - 64, Y: at.Y + 320, W: 128, H: at.H - 640}, draw.Hex(0x9aa6b4))
}
