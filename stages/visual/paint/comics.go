package paint

import (
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// comics paints pages of a comic strip: panels of places with weather, and figures.
func comics() painters {
	return painters{
		backdrops: map[string]Painter{"comic": comicPage},
		kinds: map[string]Painter{
			"panel": panel, "frame": frame, "bubble": bubble, "overhead": overhead,
			"figure": castFigure, "garment": garment, "head": head, "held": held,
			"landmark": standing("", true), "prop": standing("a ", true), "beside": standing("by ", true),
		},
	}
}

func lettering(size int) draw.Style {
	return draw.Style{Font: draw.Comic, Size: draw.Px(size), Ink: draw.Hex(0x2b2026)}
}

func comicPage(b *Brush, t scene.Thing, f field) {
	all := f.all()
	paper := draw.Hex([]uint32{0xfbf3e0, 0xf3efe6, 0xf6ece4, 0xeef1ea}[b.Rnd.IntN(4)])
	b.Rect(all, draw.Down(all, paper, shaded(paper, -14)))
	band := draw.PixelBox(24, 12, t.Box[2]-48, 30)
	b.Line(lettering(24), band, draw.Left, t.Look["title"])
	b.Line(lettering(18).In(draw.Hex(0x6a5a58)), band, draw.Right, "page "+t.Look["page"])
}

// place is the look of a setting behind its landmarks.
type place struct {
	ground, deep uint32
	indoors      bool
	far          func(b *Brush, box draw.Box, horizon int)
}

func placeOf(setting string) place {
	return map[string]place{
		"a beach": {0xf2dca6, 0xdcb878, false, farSea}, "a harbour": {0xc4b8a8, 0x9a8c7c, false, farSea},
		"a forest": {0x7ab060, 0x4a7a3e, false, farTrees}, "a farm": {0xa6c860, 0x7a9c40, false, farHills},
		"a market": {0xd8c4a4, 0xb09878, false, farHouses}, "a city street": {0xa8acb4, 0x7c808a, false, farHouses},
		"a desert": {0xeec888, 0xd09a58, false, farDunes}, "a castle": {0x9ab878, 0x6c8a50, false, farWall},
		"a playground": {0x9cd078, 0x6aa04c, false, farHills}, "a mountain top": {0xb8c0b0, 0x848e80, false, farPeaks},
		"a space ship": {0x8a94a8, 0x5c667c, true, farStars}, "a kitchen": {0xd8b088, 0xb08458, true, farTiles},
		"a library": {0xa87a50, 0x7a5230, true, farShelves},
	}[setting]
}

// panel is a place. What stands there is drawn after it.
func panel(b *Brush, t scene.Thing, f field) {
	box := f.all()
	at := placeOf(t.Look["setting"])
	b.Clip(box, func() {
		horizon := t.Box[1] + t.Box[3]*Number(t, "horizon", 48)/100
		upper, lower := box.Cut(draw.Px(horizon) - box.Y)
		top, low := sky(t.Look[scene.Weather])
		b.Rect(upper, draw.Down(upper, top, low))
		if !at.indoors {
			skyOf(b, t, upper)
		}
		if at.far != nil {
			at.far(b, upper, horizon)
		}
		ground, deep := draw.Hex(at.ground), draw.Hex(at.deep)
		if t.Look[scene.Weather] == "snowy" {
			ground, deep = ground.Mix(draw.Hex(0xfbfdff), 230), deep.Mix(draw.Hex(0xd4e0f0), 210)
		}
		b.Rect(lower, draw.Down(lower, ground, deep))
		floor(b, lower, at, deep)
		if !at.indoors {
			weather(b, t, box)
		}
	})
}

func floor(b *Brush, box draw.Box, at place, deep draw.Color) {
	if at.indoors {
		for i := -12; i <= 12; i++ {
			x0, x1 := box.Mid().X+box.W*draw.Unit(i)/12, box.Mid().X+box.W*draw.Unit(i)/6
			b.Stroke(new(draw.Path).Move(draw.Point{X: x0, Y: box.Y}).Line(draw.Point{X: x1, Y: box.Y + box.H}), 80, shaded(deep, -60).Fade(90))
		}
		return
	}
	for range 26 {
		x, y := box.X+draw.Unit(b.Rnd.IntN(int(box.W))), box.Y+draw.Px(8)+draw.Unit(b.Rnd.IntN(int(box.H)))
		w := draw.Px(8 + b.Rnd.IntN(22))
		b.Oval(draw.Box{X: x, Y: y, W: w, H: w / 4}, shaded(deep, b.Rnd.IntN(60)-30).Fade(120))
	}
}

// frame is the line around a panel, and the caption in its corner.
func frame(b *Brush, t scene.Thing, f field) {
	box := f.all()
	b.Stroke(new(draw.Path).Rect(box), draw.Px(4), draw.Hex(0x2b2026))
	text := t.Look["caption"]
	w := b.Width(lettering(18), text) + draw.Px(20)
	note := draw.Box{X: box.X, Y: box.Y, W: w, H: draw.Px(30)}
	b.Rect(note, draw.Hex(0xffe9a2))
	b.Stroke(new(draw.Path).Rect(note), draw.Px(3), draw.Hex(0x2b2026))
	b.Line(lettering(18), note, draw.Center, text)
}

// bubble holds what somebody says. Its tail points down to the speaker.
func bubble(b *Brush, t scene.Thing, f field) {
	style := lettering(18)
	box := f.all()
	lines := b.Wrap(style, t.Look["words"], box.W-draw.Px(28))
	h := draw.Unit(len(lines))*style.Leading() + draw.Px(14)
	w := draw.Unit(0)
	for _, l := range lines {
		w = max(w, b.Width(style, l))
	}
	w += draw.Px(30)
	cloud := draw.Box{X: box.X + (box.W-w)/2, Y: box.Y + box.H - draw.Px(16) - h, W: w, H: h}
	x, y := box.Mid().X, cloud.Y+cloud.H
	tip := draw.Point{X: x + draw.Px(Number(t, "lean", 0)), Y: y + draw.Px(16)}
	tail := func(by draw.Unit) *draw.Path {
		return new(draw.Path).Move(draw.Point{X: x - draw.Px(9), Y: y - by}).Line(tip, draw.Point{X: x + draw.Px(9), Y: y - by})
	}
	round := new(draw.Path).Round(cloud, draw.Px(18))
	white, line := draw.Hex(0xffffff), draw.Hex(0x2b2026)
	b.Fill(round, white)
	b.Stroke(round, draw.Px(2), line)
	b.Fill(tail(draw.Px(2)).Close(), white)
	b.Stroke(tail(0), draw.Px(2), line)
	b.Rect(draw.Box{X: x - draw.Px(8), Y: y - draw.Px(3), W: draw.Px(16), H: draw.Px(4)}, white)
	b.Block(style, draw.Box{X: cloud.X, Y: cloud.Y + draw.Px(7), W: cloud.W, H: cloud.H}, draw.Center, strings.TrimSpace(t.Look["words"]))
}

// overhead draws things in the sky, apart from each other, each marked as a part.
func overhead(b *Brush, t scene.Thing, _ field) {
	wide := Number(t, "cell", 100)
	n, high := Number(t, scene.Count, 0), wide*62/100
	cells, rows := max(1, t.Box[2]/wide), max(1, t.Box[3]/high)
	for i, cell := range b.Rnd.Perm(cells * rows)[:min(n, cells*rows)] {
		x := t.Box[0] + cell%cells*wide + b.Rnd.IntN(wide/5)
		y := t.Box[1] + cell/cells*high + b.Rnd.IntN(high/6)
		b.Object("part", t.Class, strconv.Itoa(i+1), func() {
			b.Art("over "+t.Class, draw.PixelBox(x, y, wide*7/10, high*7/10), edge, b.Rnd.IntN(2) == 0)
		})
	}
}

const edge = draw.Unit(115)

// creature is how a species is drawn (see art/figures.txt).
type creature struct {
	ink, second, third uint32
	tail               bool
	// eyes and mouth say that the drawing of the head has them already.
	eyes, mouth bool
}

func creatureOf(species string) creature {
	return map[string]creature{
		"fox": {0xe2762a, 0xfdf2e4, 0x4a2a22, true, false, false}, "bear": {0x8a5a3a, 0xe0b88a, 0, true, false, false},
		"panda": {0x3a3a44, 0xf6f3ee, 0, false, true, false}, "cat": {0x8f95a3, 0xf4f1ea, 0xf0a8b0, true, false, false},
		"rabbit": {0xf2ece2, 0xffffff, 0xf3b3b8, true, false, false}, "frog": {0x5aae4a, 0xf2f6d8, 0, false, true, true},
		"penguin": {0x2c3448, 0xf8f5ee, 0, false, false, true}, "owl": {0x9a6a3e, 0xf6e6c8, 0, false, true, true},
		"pig": {0xf2a8b4, 0xf8c8d0, 0, false, false, false}, "dragon": {0x3aa890, 0xd8f0c0, 0xe8843a, true, false, false},
		"mouse": {0xb8b0b4, 0xf4ecea, 0xf0b8c0, true, false, false}, "lion": {0xe8b050, 0xfae6c0, 0xa8622a, true, false, false},
		"robot": {0x9ab2c4, 0, 0, false, true, true}, "knight": {0xf0c8a4, 0, 0, false, false, false},
		"girl": {0xf2c8a4, 0, 0x6a3a22, false, false, false}, "boy": {0xb87a4e, 0, 0x2e2224, false, false, false},
		"wizard": {0xf0c8a4, 0, 0xe8e6ec, false, false, true}, "pirate": {0xd8a070, 0, 0x3a2a26, false, true, true},
		"alien": {0x8ad060, 0xf4e04a, 0, false, true, false},
	}[species]
}

func (k creature) inks(garment draw.Color) []draw.Color {
	return []draw.Color{draw.Hex(k.ink), draw.Hex(k.second), draw.Hex(k.third), garment}
}

func flipped(t scene.Thing) bool { return t.Look["flip"] != "" }

// castFigure is what is below the garment: shade, tail and legs.
func castFigure(b *Brush, t scene.Thing, f field) {
	k, box := creatureOf(t.Look["species"]), f.all()
	b.Art("shade", box, 0, false)
	inks := k.inks(draw.Hex(0x888888))
	if k.tail {
		b.Art("tail "+t.Look["species"], box, edge, flipped(t), inks...)
	}
	if t.Look["species"] == "dragon" {
		b.Art("wings dragon", box, edge, flipped(t), inks...)
	}
	b.Art("legs "+t.Look["legs"], box, edge, flipped(t), inks...)
}

// garment is the trunk with the arms, in the colour that it tells.
func garment(b *Brush, t scene.Thing, f field) {
	k, box := creatureOf(t.Look["species"]), f.all()
	cloth := Ink(t, scene.Colour, 0x888888)
	inks := k.inks(cloth)
	b.Art("arms "+t.Look["arms"], box, edge, flipped(t), inks...)
	if t.Look["holds"] == "" {
		b.Art("arms "+t.Look["arms"], box, edge, !flipped(t), inks...)
	}
	b.Art("trunk", box, edge, flipped(t), inks...)
	b.Art("pattern "+t.Look[scene.Pattern], box, 0, flipped(t), contrast(cloth))
	b.Art("collar", box, 0, false, inks...)
	if t.Look["holds"] != "" {
		b.Art("arm hold", box, edge, flipped(t), inks...)
	}
}

func contrast(c draw.Color) draw.Color {
	if 3*int(c.R)+6*int(c.G)+int(c.B) > 1900 {
		return draw.Hex(0x3a3448)
	}
	return draw.Hex(0xfff8e6)
}

// head is drawn over the garment, with a face and a hat.
func head(b *Brush, t scene.Thing, f field) {
	k, box, species := creatureOf(t.Look["species"]), f.all(), t.Look["species"]
	inks := k.inks(draw.Hex(0x888888))
	b.Art("head "+species, box, edge, flipped(t), inks...)
	if !k.eyes {
		b.Art("eyes "+t.Look["mood"], box, 0, false, inks...)
	}
	if !k.mouth {
		b.Art("mouth "+t.Look["mood"], box, edge/2, false, inks...)
	}
	if letter := t.Look["letter"]; letter != "" {
		plate := draw.Disc(draw.Point{X: box.X + box.W*78/100, Y: box.Y + box.H*54/100}, box.W*11/100)
		b.Oval(plate, draw.Hex(0xfdfaf0))
		b.Stroke(new(draw.Path).Oval(plate), edge, draw.Hex(0x2b2026))
		b.Line(draw.Style{Font: draw.Comic, Size: plate.H * 9 / 10, Ink: draw.Hex(0x2b2026)}, plate, draw.Center, letter)
	}
	if hat := b.owner(t).Look[scene.Which]; hat != "" {
		b.Art("hat "+bareName(hat), draw.Box{X: box.X + box.W*14/100, Y: box.Y + box.H*3/100, W: box.W * 72 / 100, H: box.W * 43 / 100}, edge, flipped(t))
	}
}

func held(b *Brush, t scene.Thing, f field) {
	b.Art("held "+bareName(t.Look[scene.Which]), f.all(), edge, flipped(t))
	box := f.all()
	k := creatureOf(t.Look["species"])
	grip := draw.Disc(draw.Point{X: box.X + box.W/2, Y: box.Y + box.H*85/100}, box.W*13/100)
	b.Lit(new(draw.Path).Oval(grip), grip, draw.Hex(k.ink))
	b.Stroke(new(draw.Path).Oval(grip), edge, shaded(draw.Hex(k.ink), -150))
}

// bareName returns a phrase without its article.
func bareName(phrase string) string {
	for _, article := range []string{"the ", "an ", "a "} {
		if rest, ok := strings.CutPrefix(phrase, article); ok {
			return rest
		}
	}
	return phrase
}

// owner returns the thing that a look names: it tells what this one shows.
func (b *Brush) owner(t scene.Thing) scene.Thing {
	of, _ := b.Scene.Find(t.Look["of"])
	return of
}

// standing draws what its look names, or the value of an aspect of its owner, from a
// list of drawings.
func standing(list string, shadow bool) Painter {
	return func(b *Brush, t scene.Thing, f field) {
		box, line, what := f.all(), edge, t.Look["what"]
		if t.Look["of"] != "" {
			what = bareName(b.owner(t).Look[t.Look["aspect"]])
		}
		if what == "" {
			return // its owner is not there
		}
		if shadow {
			b.Shadow(new(draw.Path).Oval(draw.Box{X: box.X + box.W/8, Y: box.Y + box.H*88/100, W: box.W * 3 / 4, H: box.H / 10}), 5, 3, 2, draw.Hex(0x2a2030).Fade(80))
		}
		if t.Look["soft"] != "" {
			line = 0
		}
		b.Art(list+what, box, line, flipped(t))
	}
}

// sky returns the colours at the top and at the horizon in a weather.
func sky(weather string) (top, low draw.Color) {
	inks := map[string][2]uint32{
		"sunny": {0x5ab4ee, 0xd8f0fa}, "cloudy": {0x94aac0, 0xd4dce4}, "rainy": {0x6a7c90, 0xa8b6c2}, "snowy": {0xb8c8dc, 0xeef2f8},
		"stormy": {0x34384e, 0x6c7086}, "foggy": {0xb4bcc2, 0xdce0e2}, "windy": {0x8cc0dc, 0xe6f0e4},
	}[weather]
	if inks[0] == 0 {
		inks = [2]uint32{0xe8dcc8, 0xd8c8b0} // a wall
	}
	return draw.Hex(inks[0]), draw.Hex(inks[1])
}

func cloud(b *Brush, x, y, w int, ink draw.Color) {
	p := new(draw.Path)
	for i := range 6 {
		r := w/6 + b.Rnd.IntN(w/8+1) - i%2*w/14
		p.Oval(draw.Disc(draw.P(x+i*w/6, y-r/3), draw.Px(r)))
	}
	p.Round(draw.PixelBox(x-w/8, y, w+w/12, w/7), draw.Px(w/14))
	b.Fill(p, ink)
}

func skyOf(b *Brush, t scene.Thing, upper draw.Box) {
	x, y, w, h := t.Box[0], t.Box[1], t.Box[2], upper.H.Round()
	clouds := func(n, size int, ink uint32) {
		for i := range n {
			cloud(b, x+w*i/n+b.Rnd.IntN(w/n), y+46+b.Rnd.IntN(max(1, h/3)), size+b.Rnd.IntN(40), draw.Hex(ink).Fade(235))
		}
	}
	switch t.Look[scene.Weather] {
	case "sunny":
		sun := draw.P(x+w-70-b.Rnd.IntN(40), y+62)
		for i := range 12 {
			a := draw.Turn * draw.Angle(i) / 12
			b.Stroke(new(draw.Path).Move(draw.Polar(sun, draw.Px(46), a)).Line(draw.Polar(sun, draw.Px(60), a)), draw.Px(6), draw.Hex(0xffd84a))
		}
		b.Oval(draw.Disc(sun, draw.Px(36)), draw.Radial{At: sun, Radius: draw.Px(40), A: draw.Hex(0xfff0a0), B: draw.Hex(0xffc830)})
		clouds(1, 50, 0xffffff)
	case "cloudy":
		clouds(max(3, w/130), 100, 0xf2f4f6)
		clouds(max(2, w/190), 90, 0xc6ccd4)
	case "rainy":
		clouds(max(3, w/120), 110, 0x8894a2)
	case "stormy":
		clouds(max(4, w/100), 120, 0x4c5064)
	case "snowy":
		clouds(max(2, w/200), 90, 0xe4eaf2)
	case "windy":
		clouds(max(2, w/260), 70, 0xfafcfc)
	}
}

// weather is what falls or blows, behind those who stand in it.
func weather(b *Brush, t scene.Thing, box draw.Box) {
	x, y, w, h := t.Box[0], t.Box[1], t.Box[2], t.Box[3]
	some := func(every int, each func(x, y int)) {
		for range w * h / every {
			each(x+b.Rnd.IntN(w), y+30+b.Rnd.IntN(h-30))
		}
	}
	switch t.Look[scene.Weather] {
	case "rainy", "stormy":
		some(2200, func(x, y int) {
			b.Stroke(new(draw.Path).Move(draw.P(x, y)).Line(draw.P(x-7, y+22)), draw.Px(2), draw.Hex(0xd8ecfa).Fade(170))
		})
		if t.Look[scene.Weather] == "stormy" {
			lightning(b, x+w/5+b.Rnd.IntN(w/2), y+40)
		}
	case "snowy":
		some(2600, func(x, y int) { b.Oval(draw.Disc(draw.P(x, y), draw.Px(2+b.Rnd.IntN(4))), draw.Hex(0xffffff)) })
	case "foggy":
		for i := range 7 {
			band := draw.PixelBox(x-60+b.Rnd.IntN(100), y+h*(16+9*i)/100, w*(50+b.Rnd.IntN(50))/100, h/11)
			b.Shadow(new(draw.Path).Round(band, band.H/2), 14, 0, 0, draw.Hex(0xf4f6f6).Fade(210))
		}
		b.Rect(box, draw.Hex(0xe8ecec).Fade(90))
	case "windy":
		some(36000, func(x, y int) { gust(b, x, y) })
		some(9000, func(x, y int) {
			leaf := draw.PixelBox(x, y, 13, 7)
			b.Fill(new(draw.Path).Oval(leaf).Transform(draw.Rotate(draw.Angle(b.Rnd.IntN(int(draw.Turn))), leaf.Mid())), draw.Hex([]uint32{0xc8762a, 0xd8a030, 0x8a9a3a}[b.Rnd.IntN(3)]))
		})
	}
}

func lightning(b *Brush, x, y int) {
	p := new(draw.Path).Move(draw.P(x+20, y)).Line(draw.P(x-14, y+62), draw.P(x+8, y+62), draw.P(x-18, y+128), draw.P(x+38, y+46), draw.P(x+14, y+46), draw.P(x+40, y)).Close()
	b.Fill(p, draw.Hex(0xffe24a))
	b.Stroke(p, draw.Px(2), draw.Hex(0xfff8c8))
}

func gust(b *Brush, x, y int) {
	p := new(draw.Path).Move(draw.P(x, y)).Cubic(draw.P(x+50, y-12), draw.P(x+90, y+10), draw.P(x+122, y-6)).
		Cubic(draw.P(x+146, y-22), draw.P(x+118, y-42), draw.P(x+108, y-22))
	b.Stroke(p, draw.Px(3), draw.Hex(0xffffff).Fade(220))
}

// What lies behind a place, down to the horizon.

func farSea(b *Brush, box draw.Box, horizon int) {
	sea := draw.Box{X: box.X, Y: draw.Px(horizon) - box.H/4, W: box.W, H: box.H / 4}
	b.Rect(sea, draw.Down(sea, draw.Hex(0x3a8ac0), draw.Hex(0x6ac4d8)))
	for range 14 {
		x, y := sea.X+draw.Unit(b.Rnd.IntN(int(sea.W))), sea.Y+draw.Px(4)+draw.Unit(b.Rnd.IntN(int(sea.H)))
		b.Stroke(new(draw.Path).Move(draw.Point{X: x, Y: y}).Quad(draw.Point{X: x + draw.Px(9), Y: y - draw.Px(6)}, draw.Point{X: x + draw.Px(18), Y: y}), draw.Px(2), draw.Hex(0xffffff).Fade(150))
	}
}

func ridge(b *Brush, box draw.Box, base, high int, ink draw.Color) {
	x, end := box.X.Round(), (box.X + box.W).Round()
	p := new(draw.Path).Move(draw.P(x-40, base))
	for x -= 40; x < end+60; {
		w := 120 + b.Rnd.IntN(140)
		p.Quad(draw.P(x+w/2, base-2*(high/2+b.Rnd.IntN(high/2+1))), draw.P(x+w, base))
		x += w
	}
	p.Close()
	b.Fill(p, draw.Down(draw.PixelBox(0, base-high, 1, high), shaded(ink, 26), shaded(ink, -30)))
}

func farHills(b *Brush, box draw.Box, horizon int) {
	ridge(b, box, horizon+6, 90, draw.Hex(0x9cc48a))
	ridge(b, box, horizon+10, 60, draw.Hex(0x82b46a))
}

func farDunes(b *Brush, box draw.Box, horizon int) {
	for i := range 3 {
		x, h := box.X.Round()+box.W.Round()*(2*i+1)/7+b.Rnd.IntN(60), 60+b.Rnd.IntN(50)
		b.Fill(new(draw.Path).Move(draw.P(x, horizon-h)).Line(draw.P(x+h, horizon+4), draw.P(x-h, horizon+4)).Close(), draw.Hex(0xd8a868))
		b.Fill(new(draw.Path).Move(draw.P(x, horizon-h)).Line(draw.P(x+h, horizon+4), draw.P(x+h/3, horizon+4)).Close(), draw.Hex(0xb07e48))
	}
	ridge(b, box, horizon+8, 44, draw.Hex(0xeac488))
}

func farPeaks(b *Brush, box draw.Box, horizon int) {
	for i := range 5 {
		x, h := box.X.Round()+box.W.Round()*i/4-30+b.Rnd.IntN(60), box.H.Round()*(44+b.Rnd.IntN(26))/100
		b.Fill(new(draw.Path).Move(draw.P(x, horizon-h)).Line(draw.P(x+h, horizon+4), draw.P(x-h, horizon+4)).Close(), draw.Down(draw.PixelBox(0, horizon-h, 1, h), draw.Hex(0x8a9cb4), draw.Hex(0xb4c4cc)))
		b.Fill(new(draw.Path).Move(draw.P(x, horizon-h)).Line(draw.P(x+h/3, horizon-h*2/3), draw.P(x+h/8, horizon-h*3/4), draw.P(x, horizon-h*3/5), draw.P(x-h/8, horizon-h*3/4), draw.P(x-h/3, horizon-h*2/3)).Close(), draw.Hex(0xfafcff))
	}
}

func farTrees(b *Brush, box draw.Box, horizon int) {
	for row, ink := range []uint32{0x5c9a60, 0x437f4c, 0x32683e} {
		for x := box.X.Round() - 20; x < (box.X+box.W).Round()+20; x += 34 + b.Rnd.IntN(26) {
			h := box.H.Round()*(58-12*row)/100 + b.Rnd.IntN(40)
			c := shaded(draw.Hex(ink), b.Rnd.IntN(40)-20)
			b.Rect(draw.PixelBox(x-4, horizon-h/2, 8, h/2+4), draw.Hex(0x5a4030))
			b.Fill(new(draw.Path).Move(draw.P(x, horizon-h)).Quad(draw.P(x+34, horizon-h/2), draw.P(x+30, horizon-h/4)).Line(draw.P(x-30, horizon-h/4)).Quad(draw.P(x-34, horizon-h/2), draw.P(x, horizon-h)).Close(), c)
		}
	}
}

func farHouses(b *Brush, box draw.Box, horizon int) {
	for x := box.X.Round() - b.Rnd.IntN(40); x < (box.X + box.W).Round(); {
		w, h := 84+b.Rnd.IntN(60), box.H.Round()*(44+b.Rnd.IntN(28))/100
		wall := draw.Hex([]uint32{0xe0a890, 0xe8cfa0, 0xa8c0c8, 0xc8a8b4, 0xb4c4a0, 0xd8c8b8}[b.Rnd.IntN(6)])
		house := draw.PixelBox(x, horizon-h, w, h+6)
		b.Rect(house, draw.Down(house, wall, shaded(wall, -24)))
		roof := new(draw.Path).Move(draw.P(x-6, horizon-h)).Line(draw.P(x+w/2, horizon-h-36), draw.P(x+w+6, horizon-h)).Close()
		b.Fill(roof, draw.Hex([]uint32{0xa8503c, 0x7a4a3a, 0x5a6a7a}[b.Rnd.IntN(3)]))
		for wy := horizon - h + 16; wy < horizon-34; wy += 42 {
			for wx := x + 14; wx < x+w-26; wx += 34 {
				b.Rect(draw.PixelBox(wx, wy, 18, 24), draw.Hex(0xfdf6e0))
				b.Rect(draw.PixelBox(wx+2, wy+2, 14, 20), draw.Hex(0x6a8aa4))
			}
		}
		x += w
	}
}

func farWall(b *Brush, box draw.Box, horizon int) {
	x0, w, h := box.X.Round(), box.W.Round(), box.H.Round()*46/100
	stone := draw.Hex(0xb4aca4)
	p := new(draw.Path).Rect(draw.PixelBox(x0, horizon-h, w, h+6))
	for x := x0; x < x0+w; x += 44 {
		p.Rect(draw.PixelBox(x, horizon-h-18, 24, 20))
	}
	tower := x0 + w/4 + b.Rnd.IntN(w/2)
	p.Rect(draw.PixelBox(tower-46, horizon-h-50, 92, h+50))
	for i := range 4 {
		p.Rect(draw.PixelBox(tower-54+i*29, horizon-h-68, 21, 20))
	}
	b.Fill(p, draw.Down(draw.PixelBox(0, horizon-h-60, 1, h+60), shaded(stone, 30), shaded(stone, -40)))
	for range w * h / 2400 {
		x, y := x0+b.Rnd.IntN(w), horizon-b.Rnd.IntN(h)
		b.RoundRect(draw.PixelBox(x, y, 22, 10), draw.Px(3), shaded(stone, -50).Fade(90))
	}
	b.RoundRect(draw.PixelBox(tower-9, horizon-h-20, 18, 40), draw.Px(9), draw.Hex(0x4a4450))
}

func farStars(b *Brush, box draw.Box, horizon int) {
	b.Rect(box, draw.Down(box, draw.Hex(0xc4ccd8), draw.Hex(0x94a0b4)))
	x0, w, h := box.X.Round(), box.W.Round(), box.H.Round()
	for x := x0; x < x0+w; x += 118 {
		b.Rect(draw.PixelBox(x, box.Y.Round(), 3, h), draw.Hex(0x7c889c))
	}
	r := min(h*3/10, 84)
	for i := range max(1, w/330) {
		at := draw.P(x0+w*(2*i+1)/(2*max(1, w/330)), horizon-h*42/100)
		b.Oval(draw.Disc(at, draw.Px(r+12)), draw.Hex(0x5c687c))
		b.Oval(draw.Disc(at, draw.Px(r)), draw.Hex(0x141a34))
		for range 16 {
			b.Oval(draw.Disc(draw.Polar(at, draw.Px(b.Rnd.IntN(r-6)), draw.Angle(b.Rnd.IntN(int(draw.Turn)))), draw.Px(1+b.Rnd.IntN(3))), draw.Hex(0xfff6d8))
		}
		b.Oval(draw.Disc(draw.Point{X: at.X + draw.Px(r/3), Y: at.Y + draw.Px(r/4)}, draw.Px(r/4)), draw.Hex([]uint32{0xd88a5a, 0x8ab0d8, 0xc8a0d8}[b.Rnd.IntN(3)]))
	}
}

func farTiles(b *Brush, box draw.Box, horizon int) {
	wall := draw.Hex([]uint32{0xf2e2c4, 0xdcead8, 0xe4e0ee, 0xf4dcd4}[b.Rnd.IntN(4)])
	b.Rect(box, draw.Down(box, shaded(wall, 20), shaded(wall, -16)))
	x0, w, h := box.X.Round(), box.W.Round(), box.H.Round()
	for y := horizon - h*4/10; y < horizon; y += 30 {
		for x := x0; x < x0+w; x += 30 {
			b.RoundRect(draw.PixelBox(x+1, y+1, 28, 28), draw.Px(3), shaded(draw.Hex(0xbcd8dc), b.Rnd.IntN(70)-20))
		}
	}
	for i := range max(1, w/340) {
		x, y := x0+70+i*330+b.Rnd.IntN(60), box.Y.Round()+h*22/100
		b.Rect(draw.PixelBox(x, y, 150, 8), draw.Hex(0x8a5a34))
		for k, ink := range []uint32{0xd8503c, 0x4a8ab0, 0xe8b84a, 0x5aa05a} {
			b.RoundRect(draw.PixelBox(x+8+36*k, y-32, 24, 32), draw.Px(6), draw.Hex(ink))
			b.Rect(draw.PixelBox(x+10+36*k, y-36, 20, 6), draw.Hex(0xf4ecdc))
		}
	}
}

func farShelves(b *Brush, box draw.Box, horizon int) {
	b.Rect(box, draw.Down(box, draw.Hex(0x7a5434), draw.Hex(0x5c3c22)))
	x0, end := box.X.Round(), (box.X + box.W).Round()
	for y := horizon - 62; y > box.Y.Round()-60; y -= 70 {
		for x := x0 + 6; x < end; {
			w, h := 10+b.Rnd.IntN(12), 38+b.Rnd.IntN(20)
			c := draw.Hex([]uint32{0xa8443c, 0x3f6a8a, 0xc89a3f, 0x5a7a4a, 0x7a4a6a, 0xd8c8a8}[b.Rnd.IntN(6)])
			b.RoundRect(draw.PixelBox(x, y+56-h, w, h), draw.Px(2), shaded(c, b.Rnd.IntN(40)-30))
			if x += w + 1; b.Rnd.IntN(14) == 0 {
				x += 16
			}
		}
		b.Rect(draw.PixelBox(x0, y+56, end-x0, 8), draw.Hex(0x9a6e44))
	}
}
