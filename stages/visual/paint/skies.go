package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// sky is its colour at the top and at the horizon in a weather.
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

// cloud is one outline of round heaps.
func cloud(b *Brush, x, y, w int, ink draw.Color) {
	p := new(draw.Path)
	for i := range 6 {
		r := w/6 + b.Rnd.IntN(w/8+1) - i%2*w/14
		p.Oval(draw.Disc(draw.P(x+i*w/6, y-r/3), draw.Px(r)))
	}
	p.Round(draw.PixelBox(x-w/8, y, w+w/12, w/7), draw.Px(w/14))
	b.Fill(p, ink)
}

// skyOf draws what hangs in the sky.
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

// gust is a curl of wind.
func gust(b *Brush, x, y int) {
	p := new(draw.Path).Move(draw.P(x, y)).Cubic(draw.P(x+50, y-12), draw.P(x+90, y+10), draw.P(x+122, y-6)).
		Cubic(draw.P(x+146, y-22), draw.P(x+118, y-42), draw.P(x+108, y-22))
	b.Stroke(p, draw.Px(3), draw.Hex(0xffffff).Fade(220))
}
