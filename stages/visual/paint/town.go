package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// town paints what all views of a town have: sky, ground, weather and signposts.
func town() painters {
	return painters{
		backdrops: map[string]Painter{"town": townView},
		kinds:     map[string]Painter{"weather": veil, "waymark": waymark, "street-sign": streetSign},
	}
}

// daylight is how a sky colours what is below it.
type daylight struct {
	top, low draw.Color
	// ground is mixed into the ground, in steps of 256.
	ground draw.Color
	by     int
	clouds draw.Color
	dark   bool // lamps are lit
	wet    bool
}

func moodOf(s scene.Scene) daylight {
	sky := func(top, low, ground uint32, by int, clouds uint32) daylight {
		return daylight{top: draw.Hex(top), low: draw.Hex(low), ground: draw.Hex(ground), by: by, clouds: draw.Hex(clouds)}
	}
	var m daylight
	switch s.Look[scene.Weather] {
	case "heavy rain":
		m = sky(0x66737f, 0xb2bcc3, 0x3e4a56, 110, 0x59646f)
		m.wet = true
	case "snowfall":
		m = sky(0x93a5ba, 0xdfe7ee, 0xf6f9fc, 205, 0xc3cedb)
	case "thick fog":
		m = sky(0xbec5ca, 0xd9dddf, 0xc9cdcf, 120, 0xd3d8da)
	case "a thunderstorm":
		m = sky(0x2c3145, 0x6f748a, 0x2f3446, 130, 0x23273a)
		m.wet, m.dark = true, true
	case "a clear night":
		m = sky(0x0c1534, 0x33497c, 0x1d2748, 130, 0x22305c)
		m.dark = true
	case "a red sunset":
		m = sky(0x6a4a8c, 0xfa9a54, 0x8a4a4a, 70, 0xf07a6a)
	case "a rainbow":
		m = sky(0x74aedb, 0xdcecf2, 0x6a8aa6, 50, 0xf2f5f6)
		m.wet = true
	default:
		m = sky(0x4fa3e4, 0xd8eef8, 0xfff0c0, 40, 0xffffff)
	}
	return m
}

// below is a colour of the ground or of a building under the sky.
func (m daylight) below(rgb uint32) draw.Color { return draw.Hex(rgb).Mix(m.ground, m.by) }

func townView(b *Brush, t scene.Thing, f field) {
	m := moodOf(b.Scene)
	b.Rect(f.all(), draw.Down(f.box(0, 0, 1000, 500), m.top, m.low))
	heavens(b, f, m)
	skyline(b, t, m)
	switch t.Look["view"] {
	case "river":
		water(b, draw.PixelBox(0, 520, f.w, f.h-520), m)
	case "street":
		roadway(b, f, m)
	case "station":
		tarmac(b, f, m)
	default:
		cobbles(b, f, m)
	}
	if m.wet && t.Look["view"] != "river" {
		for range 7 {
			p := draw.PixelBox(b.Rnd.IntN(f.w), 600+b.Rnd.IntN(140), 90+b.Rnd.IntN(110), 12+b.Rnd.IntN(9))
			b.Oval(p, draw.Down(p, m.low.Fade(190), m.top.Fade(150)))
		}
	}
}

func heavens(b *Brush, f field, m daylight) {
	x := 120 + b.Rnd.IntN(760)
	switch b.Scene.Look[scene.Weather] {
	case "bright sunshine":
		sun(b, draw.P(x, 62), 36, draw.Hex(0xfff7c8), draw.Hex(0xffd84a))
	case "a red sunset":
		sun(b, draw.P(x, 92), 50, draw.Hex(0xffd070), draw.Hex(0xf0502e))
	case "a clear night":
		for range 90 {
			b.Rect(draw.PixelBox(b.Rnd.IntN(f.w), b.Rnd.IntN(330), 2, 2), draw.Hex(0xf4f4ff).Fade(uint8(110+b.Rnd.IntN(140))))
		}
		b.Oval(draw.Disc(draw.P(x, 60), draw.Px(34)), draw.Hex(0xf6f0d4))
		b.Oval(draw.Disc(draw.P(x+15, 52), draw.Px(29)), m.top.Mix(m.low, 36))
		return
	case "a rainbow":
		for i, ink := range []uint32{0xd8443c, 0xf09030, 0xf6d848, 0x52b060, 0x3c80d0, 0x6a4ab0} {
			b.Stroke(new(draw.Path).Oval(draw.Disc(draw.P(512, 620), draw.Px(600-13*i))), draw.Px(14), draw.Hex(ink).Fade(170))
		}
	}
	for range 5 {
		cumulus(b, b.Rnd.IntN(f.w), 20+b.Rnd.IntN(70), 44+b.Rnd.IntN(30), m.clouds)
	}
	switch b.Scene.Look[scene.Weather] {
	case "heavy rain", "a thunderstorm":
		for x := 0; x < f.w; x += 90 {
			cumulus(b, x+b.Rnd.IntN(60), b.Rnd.IntN(34), 60+b.Rnd.IntN(26), m.clouds)
		}
	}
	if b.Scene.Look[scene.Weather] == "a thunderstorm" {
		for _, x := range []int{60 + b.Rnd.IntN(40), 300 + b.Rnd.IntN(400), 955 - b.Rnd.IntN(30)} {
			bolt(b, x)
		}
	}
}

func sun(b *Brush, at draw.Point, radius int, core, rim draw.Color) {
	b.Oval(draw.Disc(at, draw.Px(4*radius)), draw.Radial{At: at, Radius: draw.Px(4 * radius), A: core.Fade(170), B: core.Fade(0)})
	b.Oval(draw.Disc(at, draw.Px(radius)), draw.Radial{At: at, Radius: draw.Px(radius), A: core, B: rim})
}

func cumulus(b *Brush, x, y, side int, ink draw.Color) {
	p := new(draw.Path)
	for i, at := range [][3]int{{-100, 10, 60}, {-50, -20, 80}, {10, -34, 100}, {70, -10, 74}, {110, 14, 54}} {
		r := side * (at[2] + b.Rnd.IntN(16)) / 170
		p.Oval(draw.Disc(draw.P(x+at[0]*side/90, y+at[1]*side/90+i%2*4), draw.Px(r)))
	}
	b.Fill(p, draw.Linear{From: draw.P(x, y-side), To: draw.P(x, y+side), A: ink.Mix(paper(), 90), B: ink})
}

func bolt(b *Brush, x int) {
	p := new(draw.Path).Move(draw.P(x, 10)).Line(draw.P(x-26, 92), draw.P(x-4, 88), draw.P(x-34, 186), draw.P(x+22, 70), draw.P(x, 74), draw.P(x+30, 10)).Close()
	b.Shadow(p, 14, 0, 0, draw.Hex(0xfff6b0).Fade(200))
	b.Fill(p, draw.Hex(0xfffbe0))
}

// skyline is hills and roofs far away, the same in all pictures of a view.
func skyline(b *Brush, t scene.Thing, m daylight) {
	r := steady(t)
	for i, rgb := range []uint32{0x8fb3a4, 0x6f9a7c} {
		y := 400 + 50*i
		hill := new(draw.Path).Move(draw.P(-10, y+30)).Cubic(draw.P(200, y-70-r.IntN(40)), draw.P(380, y+60), draw.P(600, y-10)).Cubic(draw.P(760, y-60), draw.P(900, y+20-r.IntN(30)), draw.P(1040, y)).Line(draw.P(1040, 600), draw.P(-10, 600)).Close()
		b.Fill(hill, m.below(rgb).Mix(m.low, 110-40*i))
	}
	for x := -10; x < 1030; {
		w, h := 46+r.IntN(40), 50+r.IntN(60)
		tone := m.below([]uint32{0xcdb79c, 0xb99d86, 0xd8cbb4, 0xa9988c}[r.IntN(4)]).Mix(m.low, 70)
		b.Rect(draw.PixelBox(x, 530-h, w, h+30), tone)
		b.Fill(new(draw.Path).Move(draw.P(x-4, 530-h)).Line(draw.P(x+w/2, 500-h), draw.P(x+w+4, 530-h)).Close(), m.roof(r.IntN(3)).Mix(m.low, 60))
		for k := range 2 {
			b.Rect(draw.PixelBox(x+10+k*(w-28), 548-h, 8, 12), m.pane())
		}
		x += w + r.IntN(30) - 4
	}
}

func (m daylight) roof(kind int) draw.Color {
	if m.by > 200 {
		return draw.Hex(0xf2f5f9)
	}
	return m.below([]uint32{0xa34a38, 0x5d6470, 0x8a5a40}[kind%3])
}

func (m daylight) pane() draw.Color {
	if m.dark {
		return draw.Hex(0xffd978)
	}
	return draw.Hex(0x5f7d94).Mix(m.low, 60)
}

func cobbles(b *Brush, f field, m daylight) {
	low := draw.PixelBox(0, 552, f.w, f.h-552)
	b.Rect(low, draw.Down(low, m.below(0x9a9184), m.below(0xbcb2a2)))
	line := m.below(0x6d655a).Fade(90)
	for i, y := 0, 556; y < f.h; i++ {
		step := 8 + i*2
		b.Rect(draw.PixelBox(0, y, f.w, 2), line)
		for x := -i % 2 * step; x < f.w; x += 2 * step {
			b.Rect(draw.PixelBox(x, y, 2, step), line)
		}
		y += step
	}
}

func roadway(b *Brush, f field, m daylight) {
	walk := draw.PixelBox(0, 520, f.w, 56)
	b.Rect(walk, draw.Down(walk, m.below(0xb2aa9e), m.below(0xcfc8bb)))
	for x := 0; x < f.w; x += 64 {
		b.Rect(draw.PixelBox(x, 520, 2, 56), m.below(0x8d867b).Fade(120))
	}
	b.Rect(draw.PixelBox(0, 576, f.w, 12), m.below(0xe2ddd3))
	road := draw.PixelBox(0, 588, f.w, f.h-588)
	b.Rect(road, draw.Down(road, m.below(0x55585e), m.below(0x6c6f74)))
	for x := 20; x < f.w; x += 150 {
		b.Rect(draw.PixelBox(x, 740, 84, 9), m.below(0xf2f0e8).Fade(220))
	}
}

func tarmac(b *Brush, f field, m daylight) {
	low := draw.PixelBox(0, 520, f.w, f.h-520)
	b.Rect(low, draw.Down(low, m.below(0x5c6066), m.below(0x74777c)))
	b.Rect(draw.PixelBox(0, 690, f.w, 10), m.below(0xe2ddd3))
	edge := draw.PixelBox(0, 700, f.w, f.h-700)
	b.Rect(edge, draw.Down(edge, m.below(0xc9c2b5), m.below(0xb0a99c)))
}

func water(b *Brush, in draw.Box, m daylight) {
	b.Rect(in, draw.Down(in, m.low.Mix(draw.Hex(0x2f6f8f), 120), m.top.Mix(draw.Hex(0x1d4a6a), 150)))
	for range 70 {
		y := 536 + b.Rnd.IntN(230)
		b.Rect(draw.PixelBox(b.Rnd.IntN(1024), y, 20+(y-520)/3, 2), paper().Fade(uint8(40+b.Rnd.IntN(60))))
	}
}

// veil is what falls or hangs before everything, thin enough to read through.
func veil(b *Brush, t scene.Thing, f field) {
	switch t.Look[scene.Weather] {
	case "heavy rain", "a thunderstorm":
		b.Rect(f.all(), draw.Hex(0x2a3440).Fade(16))
		p := new(draw.Path)
		for range 230 {
			x, y := b.Rnd.IntN(f.w+60), b.Rnd.IntN(f.h)
			p.Move(draw.P(x, y)).Line(draw.P(x+2, y), draw.P(x-9, y+34), draw.P(x-10, y+34)).Close()
		}
		b.Fill(p, draw.Hex(0xeaf2f8).Fade(150))
	case "snowfall":
		b.Rect(f.all(), paper().Fade(10))
		p := new(draw.Path)
		for range 260 {
			p.Oval(draw.Disc(draw.P(b.Rnd.IntN(f.w), b.Rnd.IntN(f.h)), draw.Px(1)+draw.Unit(b.Rnd.IntN(130))))
		}
		b.Fill(p, paper().Fade(235))
	case "thick fog":
		b.Rect(f.all(), draw.Hex(0xd8dcde).Fade(38))
		upper := f.box(0, 0, 1000, 380)
		b.Rect(upper, draw.Down(upper, draw.Hex(0xd8dcde).Fade(190), draw.Hex(0xd8dcde).Fade(0)))
		for _, y := range []int{500, 540, 690} {
			in, out := f.box(0, y*1000/768, 1000, 60), f.box(0, y*1000/768+60, 1000, 60)
			b.Rect(in, draw.Down(in, draw.Hex(0xe2e5e6).Fade(0), draw.Hex(0xe2e5e6).Fade(70)))
			b.Rect(out, draw.Down(out, draw.Hex(0xe2e5e6).Fade(70), draw.Hex(0xe2e5e6).Fade(0)))
		}
	case "a clear night":
		b.Rect(f.all(), draw.Hex(0x0e1636).Fade(22))
	case "a red sunset":
		b.Rect(f.all(), draw.Hex(0xf06a3a).Fade(22))
	default:
		b.Rect(f.all(), draw.Hex(0xfff2cc).Fade(10))
	}
}

func waymark(b *Brush, t scene.Thing, f field) {
	pole := f.box(440, 300, 120, 690)
	ground(b, f.part(200, 0, 600, 1000))
	b.Rect(pole, draw.Across(pole, draw.Hex(0x9a6a42), draw.Hex(0x5c3a20)))
	board := draw.PixelBox(f.x, f.y, f.w, f.w)
	slab(b, board, 10, draw.Hex(0x1f6a52))
	b.Stroke(new(draw.Path).Round(board.Inset(draw.Px(4), draw.Px(4)), draw.Px(7)), draw.Px(2), draw.Hex(0xf6f0dc))
	in := board.Inset(draw.Px(13), draw.Px(13))
	b.Icon(iconOf(t.Look[scene.Which]), in, draw.Hex(0xfdf8e6))
}

func streetSign(b *Brush, t scene.Thing, f field) {
	pole := draw.PixelBox(f.x+f.w/2-4, f.y, 8, f.h)
	ground(b, f.part(300, 0, 400, 1000))
	b.Rect(pole, draw.Across(pole, draw.Hex(0xb4bac0), draw.Hex(0x5c636b)))
	plate := draw.PixelBox(f.x, f.y+12, f.w, 44)
	slab(b, plate, 5, draw.Hex(0x1d4f91))
	b.Stroke(new(draw.Path).Round(plate.Inset(draw.Px(3), draw.Px(3)), draw.Px(3)), draw.Px(1), paper())
	b.Line(draw.Style{Font: draw.SansMedium, Size: draw.Px(16), Ink: paper()}, plate, draw.Center, t.Look[scene.Text])
}
