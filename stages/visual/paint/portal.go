package paint

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/stages/visual/scene"
)

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

func portalFrame(b *Brush, t scene.Thing, f field) {
	c := theme(t)
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

// portalUser is the bell and the portrait at the right of the heading.
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
func vitalTile(b *Brush, t scene.Thing, f field) {
	c := theme(t)
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

func vitalField(b *Brush, t scene.Thing, f field) {
	b.Line(bold(30, theme(t).Ink), f.all(), draw.Left, t.Look[scene.Text])
}

func planHead(b *Brush, t scene.Thing, f field) {
	c := theme(t)
	b.RoundRect(f.all(), draw.Px(10), c.Accent.Mix(c.Paper, 190))
	for i, name := range []string{"Medicine", "Dose", "Box", "Tablets"} {
		x := []int{30, 270, 470, 630}[i]
		b.Line(bold(16, c.Ink), f.box(x, 0, 200, 1000), draw.Left, name)
	}
}

func planRow(b *Brush, t scene.Thing, f field) {
	c := theme(t)
	surface(b, c, f.all(), 10)
	at := draw.PixelBox(f.x+18, f.y+f.h/2-20, 40, 40)
	b.RoundRect(at, draw.Px(12), c.Accent.Fade(40))
	b.Icon("pill", at.Inset(draw.Px(9), draw.Px(9)), c.Accent)
	b.Line(bold(20, c.Ink), draw.PixelBox(f.x+70, f.y+f.h/2-28, 130, 32), draw.Left, t.Look["title"])
	notes := []string{"tablet, coated", "tablet", "tablet, scored", "film tablet"}
	b.Line(words(14, c.Muted), draw.PixelBox(f.x+70, f.y+f.h/2+4, 130, 22), draw.Left, notes[len(t.Look["title"])%4])
}

func doseLabel(b *Brush, t scene.Thing, f field) {
	c := theme(t)
	b.RoundRect(f.all(), draw.Px(24), c.Back)
	b.Line(draw.Style{Font: draw.SansMedium, Size: draw.Px(20), Ink: c.Ink}, f.all(), draw.Center, t.Look[scene.Text])
}

func boxCell(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0x888888)
	slab(b, f.all(), 8, ink)
	b.RoundRect(f.box(60, 80, 880, 90), draw.Px(3), ink.Mix(paper(), 70))
	b.Rect(f.box(0, 780, 1000, 30), ink.Mix(umber(), 60).Fade(140))
}

func tabletRow(b *Brush, t scene.Thing, f field) {
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

// visitCard is the card of an appointment, without what parts tell.
func visitCard(b *Brush, t scene.Thing, f field) {
	c := theme(t)
	surface(b, c, f.all(), 14)
	name := t.Look["title"]
	icons := map[string]string{
		"dentist": "smile", "eye doctor": "eye", "physiotherapy": "activity", "dietitian": "apple", "skin clinic": "hand", "blood test": "droplets", "hearing test": "headphones", "heart clinic": "heart",
	}
	b.Icon(icons[name], draw.PixelBox(f.x+16, f.y+17, 24, 24), c.Accent)
	b.Line(bold(20, c.Ink), draw.PixelBox(f.x+50, f.y+10, f.w-70, 38), draw.Left, strings.ToUpper(name[:1])+name[1:])
	y := f.y + 134
	for i, text := range []string{"Room " + strconv.Itoa(2+len(name)), "Bring your card"} {
		b.Icon([]string{"door-open", "credit-card"}[i], draw.PixelBox(f.x+18, y+26*i, 16, 16), c.Faint)
		b.Line(words(14, c.Muted), draw.PixelBox(f.x+42, y-4+26*i, f.w*46/100-58, 24), draw.Left, text)
	}
}

func dateTag(b *Brush, t scene.Thing, f field) {
	c := theme(t)
	b.RoundRect(f.all(), draw.Px(10), c.Accent.Fade(38))
	b.Line(bold(17, c.Ink), f.all(), draw.Center, t.Look[scene.Text])
}

func smallTag(b *Brush, t scene.Thing, f field) {
	c := theme(t)
	b.Rect(draw.PixelBox(f.x, f.y-4, f.w, 1), c.Line)
	b.Icon("circle-user", draw.PixelBox(f.x, f.y+8, 18, 18), c.Faint)
	b.Line(words(16, c.Ink), draw.PixelBox(f.x+25, f.y, f.w-25, f.h), draw.Left, t.Look[scene.Text])
}

// mapPin is a small map with a pin, and beside it what is told.
func mapPin(b *Brush, t scene.Thing, f field) {
	r := rand.New(rand.NewPCG(uint64(Number(t, "vary", 1)), uint64(Number(t, "map", 0))))
	whole := new(draw.Path).Round(f.all(), draw.Px(10))
	b.Fill(whole, draw.Hex(0xe6ebe2))
	b.Clip(f.all(), func() { mapGround(b, f, r) })
	b.Stroke(whole, draw.Px(2), draw.Hex(0xc4ccc4))
	x, y := 330+r.IntN(60), 440+r.IntN(60)
	pin := f.at(x, y)
	b.Oval(draw.Box{X: pin.X - 448, Y: pin.Y - 128, W: 896, H: 320}, umber().Fade(70))
	drop := new(draw.Path).Move(pin).Cubic(draw.Point{X: pin.X - 1100, Y: pin.Y - 1400}, draw.Point{X: pin.X - 1000, Y: pin.Y - 2700}, draw.Point{X: pin.X, Y: pin.Y - 2700}).
		Cubic(draw.Point{X: pin.X + 1000, Y: pin.Y - 2700}, draw.Point{X: pin.X + 1100, Y: pin.Y - 1400}, pin).Close()
	b.Fill(drop, draw.Hex(0xd64545))
	b.Oval(draw.Disc(draw.Point{X: pin.X, Y: pin.Y - 1750}, draw.Px(6)), paper())
	landmark(b, draw.Point{X: pin.X + draw.Px(64), Y: pin.Y - draw.Px(14)}, t.Look[scene.Beside])
}

func landmark(b *Brush, at draw.Point, name string) {
	icons := map[string]string{
		"a café": "coffee", "a bus stop": "bus", "a library": "library", "a train station": "train-front", "a shop": "shopping-bag", "a petrol station": "fuel", "a factory": "factory",
		"a school": "graduation-cap", "a harbour": "sailboat", "a hotel": "bed-double", "a restaurant": "utensils", "a music school": "music",
	}
	disc := draw.Disc(at, draw.Px(23))
	b.Shadow(new(draw.Path).Oval(disc), 3, 0, 2, umber().Fade(90))
	b.Oval(disc, paper())
	b.Icon(icons[name], disc.Inset(draw.Px(9), draw.Px(9)), draw.Hex(0x2f5d8a))
}

func mapGround(b *Brush, f field, r *rand.Rand) {
	b.Fill(f.blob(0, 700, 300, 620, 420, 1000, 0, 1100), draw.Hex(0xbfdcae))
	if r.IntN(2) == 0 {
		b.Stroke(new(draw.Path).Move(f.at(-50, 120)).Cubic(f.at(300, 60), f.at(600, 260), f.at(1050, 40)), f.tall(110), draw.Hex(0xa9cfe6))
	}
	for _, s := range [][4]int{{-50, 560, 1050, 500 + r.IntN(160)}, {180 + r.IntN(80), -50, 120, 1050}, {700 + r.IntN(160), -50, 760, 1050}, {-50, 250, 1050, 280 + r.IntN(100)}} {
		road := new(draw.Path).Move(f.at(s[0], s[1])).Line(f.at(s[2], s[3]))
		b.Stroke(road, draw.Px(15), draw.Hex(0xd2d6d0))
		b.Stroke(road, draw.Px(12), paper())
	}
	for range 12 {
		in := f.box(r.IntN(900), r.IntN(900), 50+r.IntN(50), 50+r.IntN(60))
		b.RoundRect(in, draw.Px(2), draw.Hex(0xd3cfc4).Fade(170))
	}
}

func weekPanel(b *Brush, t scene.Thing, f field) {
	c := theme(t)
	surface(b, c, f.all(), 14)
	b.Icon("footprints", draw.PixelBox(f.x+22, f.y+20, 24, 24), c.Accent)
	b.Line(bold(19, c.Ink), draw.PixelBox(f.x+56, f.y+12, 300, 40), draw.Left, "Steps of the week")
	for i := range 5 {
		b.Rect(draw.PixelBox(f.x+20, f.y+110+(f.h-250)*i/4, f.w-40, 1), c.Line)
	}
}

// weekBar is a day's bar with its value above, its name and a symbol below.
func weekBar(b *Brush, t scene.Thing, f field) {
	c := theme(t)
	n, err := strconv.Atoi(strings.ReplaceAll(t.Look[scene.Text], ",", ""))
	if err != nil {
		n = 0
	}
	room := f.h - 130
	h := max(24, (room-30)*min(n, 12_000)/12_000)
	foot := f.y + f.h - 96
	bar := draw.PixelBox(f.x+f.w/2-24, foot-h, 48, h)
	b.Fill(new(draw.Path).Corners(bar, [4]draw.Unit{512, 512, 0, 0}), draw.Down(bar, c.Accent.Mix(paper(), 40), c.Accent))
	b.Line(bold(16, c.Ink), draw.PixelBox(f.x, foot-h-28, f.w, 24), draw.Center, t.Look[scene.Text])
	b.Line(words(16, c.Muted), draw.PixelBox(f.x, foot+4, f.w, 28), draw.Center, t.Look["title"])
	icon := strings.TrimSuffix(strings.TrimPrefix(t.Look[scene.Which], "the "), " symbol")
	disc := draw.Disc(draw.P(f.x+f.w/2, foot+62), draw.Px(26))
	b.Oval(disc, c.Back)
	b.Icon(icon, disc.Inset(draw.Px(11), draw.Px(11)), c.Ink)
}

func letters() painters {
	return painters{
		backdrops: map[string]Painter{"letter": letterSheet},
		kinds:     map[string]Painter{"report-line": reportLine, "stamp": stamp, "clip": clip},
	}
}

func letterSheet(b *Brush, t scene.Thing, f field) {
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

func reportLine(b *Brush, t scene.Thing, f field) {
	ink := draw.Hex(0x2a3038)
	name := t.Look["title"]
	b.Line(draw.Style{Font: draw.Serif, Size: draw.Px(19), Ink: ink}, draw.PixelBox(f.x+12, f.y, 230, f.h), draw.Left, strings.ToUpper(name[:1])+name[1:])
	b.Line(draw.Style{Font: draw.SerifBold, Size: draw.Px(20), Ink: ink}, draw.PixelBox(f.x+282, f.y, 250, f.h), draw.Left, t.Look[scene.Text])
	b.Rect(draw.PixelBox(f.x, f.y+f.h-1, f.w, 1), draw.Hex(0xd8d4ca))
}

func stamp(b *Brush, t scene.Thing, f field) {
	ink := tint(0xb03a4a, 0x2f5d9a, 0x3f7a4a)(steady(t))
	b.Stroke(new(draw.Path).Round(f.all().Inset(draw.Px(4), draw.Px(4)), draw.Px(8)), draw.Px(4), ink.Fade(200))
	b.Stroke(new(draw.Path).Round(f.all().Inset(draw.Px(11), draw.Px(11)), draw.Px(4)), draw.Px(1), ink.Fade(180))
	b.Line(bold(26, ink.Fade(225)), f.all(), draw.Center, t.Look[scene.Text])
}

func clip(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0x888888)
	for _, x := range []int{200, 620} {
		b.Stroke(new(draw.Path).Move(f.at(x, 200)).Line(f.at(x+40, -300), f.at(x+140, -300), f.at(x+180, 200)), draw.Px(4), draw.Hex(0xa9b0b8))
	}
	slab(b, f.all(), 8, ink)
	b.RoundRect(f.box(40, 60, 920, 120), draw.Px(4), ink.Mix(paper(), 70))
}
