package paint

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// visitCard is the card of an appointment, without what is told of it.
func visitCard(b *Brush, t scene.Thing) {
	c, f := theme(t), over(t)
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

func dateTag(b *Brush, t scene.Thing) {
	c, f := theme(t), over(t)
	b.RoundRect(f.all(), draw.Px(10), c.Accent.Fade(38))
	b.Line(bold(17, c.Ink), f.all(), draw.Center, t.Look[scene.Text])
}

func smallTag(b *Brush, t scene.Thing) {
	c, f := theme(t), over(t)
	b.Rect(draw.PixelBox(f.x, f.y-4, f.w, 1), c.Line)
	b.Icon("circle-user", draw.PixelBox(f.x, f.y+8, 18, 18), c.Faint)
	b.Line(words(16, c.Ink), draw.PixelBox(f.x+25, f.y, f.w-25, f.h), draw.Left, t.Look[scene.Text])
}

// mapPin is a small map with a pin, and right beside it what is told.
func mapPin(b *Brush, t scene.Thing) {
	f := over(t)
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

// mapGround are blocks, a park and streets.
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

func weekPanel(b *Brush, t scene.Thing) {
	c, f := theme(t), over(t)
	surface(b, c, f.all(), 14)
	b.Icon("footprints", draw.PixelBox(f.x+22, f.y+20, 24, 24), c.Accent)
	b.Line(bold(19, c.Ink), draw.PixelBox(f.x+56, f.y+12, 300, 40), draw.Left, "Steps of the week")
	for i := range 5 {
		b.Rect(draw.PixelBox(f.x+20, f.y+110+(f.h-250)*i/4, f.w-40, 1), c.Line)
	}
}

// weekBar is a day's bar with its value above, its name and a symbol below.
func weekBar(b *Brush, t scene.Thing) {
	c, f := theme(t), over(t)
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
