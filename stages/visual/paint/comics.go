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

// lettering is the hand of a comic.
func lettering(size int) draw.Style {
	return draw.Style{Font: draw.Comic, Size: draw.Px(size), Ink: draw.Hex(0x2b2026)}
}

// comicPage is the paper with a headline.
func comicPage(b *Brush, t scene.Thing) {
	all := Box(t)
	paper := draw.Hex([]uint32{0xfbf3e0, 0xf3efe6, 0xf6ece4, 0xeef1ea}[b.Rnd.IntN(4)])
	b.Rect(all, draw.Down(all, paper, shaded(paper, -14)))
	band := draw.PixelBox(24, 12, t.Box[2]-48, 30)
	b.Line(lettering(24), band, draw.Left, t.Look["title"])
	b.Line(lettering(18).In(draw.Hex(0x6a5a58)), band, draw.Right, "page "+t.Look["page"])
}

// place is how a setting looks behind its landmarks.
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

// panel is a picture of a place; what stands there is drawn after it.
func panel(b *Brush, t scene.Thing) {
	box := Box(t)
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

// floor is what lies on the ground: tufts and pebbles, or boards.
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
func frame(b *Brush, t scene.Thing) {
	box := Box(t)
	b.Stroke(new(draw.Path).Rect(box), draw.Px(4), draw.Hex(0x2b2026))
	text := t.Look["caption"]
	w := b.Width(lettering(18), text) + draw.Px(20)
	note := draw.Box{X: box.X, Y: box.Y, W: w, H: draw.Px(30)}
	b.Rect(note, draw.Hex(0xffe9a2))
	b.Stroke(new(draw.Path).Rect(note), draw.Px(3), draw.Hex(0x2b2026))
	b.Line(lettering(18), note, draw.Center, text)
}

// bubble holds what somebody says; its tail points down to who says it.
func bubble(b *Brush, t scene.Thing) {
	style := lettering(18)
	box := Box(t)
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

// overhead draws so many things in the sky, apart from each other, each marked as a
// part.
func overhead(b *Brush, t scene.Thing) {
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
