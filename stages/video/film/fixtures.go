package film

import (
	"math"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// openable draws an opening: its frame, what is behind it, and its leaf swung
// by open from 0 (closed) to 1.
func (b *brush) openable(x schemas.FilmFixture, open float64, sky rgb) {
	c := hex(x.Colour)
	b.Push()
	defer b.Pop()
	b.Translate(x.At.X, x.At.Y)
	if draw, known := openings[x.Kind]; known {
		draw(b, c, sky, open)
	}
}

// openings draw the kinds of openings, in their colour and with the sky behind.
var openings = map[string]func(b *brush, c, sky rgb, open float64){
	"door": (*brush).door, "window": (*brush).window, "curtain": (*brush).curtain, "cupboard": (*brush).cupboard,
	"drawer": (*brush).drawers, "chest": (*brush).chest, "box": (*brush).box, "fridge": (*brush).fridge,
	"oven": (*brush).oven, "wardrobe": (*brush).wardrobe, "mailbox": (*brush).mailbox, "parasol": (*brush).parasol,
}

// leaf draws a panel hinged at x whose free edge stands w away, seen from the
// front: opening narrows it and makes its free edge grow towards the viewer.
func (b *brush) leaf(c rgb, x, y, w, h, open float64) {
	turn := open * 1.95
	reach := w * math.Cos(turn)
	near := math.Abs(w) * 0.2 * math.Sin(turn)
	shade := 0.34 * math.Sin(turn)
	b.poly(x, y, x+reach, y-near*0.35, x+reach, y+h+near, x, y+h)
	b.body(c.dark(shade))
	in := func(u, v float64) (float64, float64) {
		grow := near * u
		return x + reach*u, y - grow*0.35 + (h+grow*1.35)*v
	}
	for _, p := range [2][2]float64{{0.1, 0.46}, {0.54, 0.9}} {
		x0, y0 := in(0.16, p[0])
		x1, y1 := in(0.84, p[0])
		x2, y2 := in(0.84, p[1])
		x3, y3 := in(0.16, p[1])
		b.poly(x0, y0, x1, y1, x2, y2, x3, y3)
		b.fill(c.dark(shade + 0.14))
	}
	kx, ky := in(0.9, 0.52)
	b.disc(brass, kx, ky, 2.8)
}

func (b *brush) door(c, sky rgb, open float64) {
	b.rect(cream.dark(0.12), -35, -146, 70, 146)
	b.fade(sky.light(0.3), sky.dark(0.15), -29, -140, 58, 140)
	b.poly(-29, -18, 29, -34, 29, 0, -29, 0)
	b.fill(rgb{0.5, 0.6, 0.42})
	b.leaf(c, -29, -140, 58, 140, open)
	b.rect(rgb{0.35, 0.3, 0.28}, -35, -2, 70, 4)
}

func (b *brush) window(c, sky rgb, open float64) {
	b.rect(c.dark(0.3), -46, -86, 92, 90)
	b.fade(sky, sky.light(0.5), -40, -80, 80, 78)
	b.oval(rgb{0.45, 0.62, 0.45}, -16, -9, 22, 10)
	b.oval(rgb{0.38, 0.55, 0.4}, 20, -8, 19, 10)
	b.rect(c.dark(0.3), -40, -8, 80, 10)
	for _, side := range [2]float64{-1, 1} {
		b.casement(c, side, open)
	}
	b.round(c.light(0.25), -50, 0, 100, 7, 2)
}

func (b *brush) casement(c rgb, side, open float64) {
	turn := open * 1.9
	reach := -side * 39 * math.Cos(turn)
	near := 9 * math.Sin(turn)
	x := side * 40
	b.poly(x, -80, x+reach, -80-near*0.4, x+reach, -4+near, x, -4)
	b.use(rgb{0.85, 0.94, 1}, 0.32)
	b.FillPreserve()
	b.outline(c, 1, 4.4)
	b.line(c, 3, x, -42, x+reach, -42+near*0.3)
}

func (b *brush) curtain(c, sky rgb, open float64) {
	b.rect(cream.dark(0.15), -44, -104, 88, 96)
	b.fade(sky, sky.light(0.5), -38, -98, 76, 84)
	b.rect(cream.dark(0.15), -2, -98, 4, 84)
	b.rect(cream.dark(0.15), -38, -58, 76, 3)
	for _, side := range [2]float64{-1, 1} {
		width := lerp(48, 13, open)
		folds := 5.0
		for k := range 5 {
			u := float64(k) / folds
			left := side * (50 - width*u)
			tone := c
			if k%2 == 1 {
				tone = c.dark(0.2)
			}
			b.rect(tone, math.Min(left, left-side*width/folds), -108, width/folds+0.6, 112+2*float64(k%2))
		}
	}
	b.line(brass.dark(0.2), 4, -56, -109, 56, -109)
}

func (b *brush) cupboard(c, _ rgb, open float64) {
	b.rect(c.dark(0.5), -42, -70, 84, 70)
	b.rect(c.dark(0.8), -38, -66, 76, 62)
	b.rect(c.dark(0.35), -38, -36, 76, 3)
	for n := range 3 {
		b.round(rgb{0.85, 0.8, 0.7}.dark(0.12*float64(n)), -30+22*float64(n), -50, 12, 14, 2)
		b.oval(rgb{0.8, 0.84, 0.86}, -22+22*float64(n), -9, 9, 4)
	}
	b.leaf(c, -38, -66, 37.5, 62, open)
	b.leaf(c, 38, -66, -37.5, 62, open)
}

func (b *brush) drawers(c, _ rgb, open float64) {
	b.shadow(0, 0, 46)
	b.DrawRoundedRectangle(-40, -78, 80, 76, 3)
	b.body(c)
	b.poly(-40, -78, -34, -86, 34, -86, 40, -78)
	b.fill(c.light(0.35))
	for n := range 2 {
		y := -46 + 22*float64(n)
		b.round(c.dark(0.18), -35, y, 70, 19, 2)
		b.disc(brass, 0, y+9, 3)
	}
	out := 15 * open
	b.rect(c.dark(0.75), -35, -71, 70, 20)
	b.poly(-35, -71, 35, -71, 37+out*0.2, -71+out, -37-out*0.2, -71+out)
	b.fill(c.dark(0.6))
	if open > 0.2 {
		b.round(cream, -22, -70+out*0.2, 20, out*0.7, 2)
		b.round(rgb{0.5, 0.65, 0.85}, 4, -69+out*0.2, 22, out*0.6, 2)
	}
	b.DrawRoundedRectangle(-35-out*0.22, -71+out, 70+out*0.44, 20, 2)
	b.body(c.light(0.12))
	b.disc(brass, 0, -61+out, 3.2)
}

func (b *brush) chest(c, _ rgb, open float64) {
	b.shadow(0, 0, 52)
	turn := open
	lidFoot, lidTop := -34.0, -34-22-24*turn
	if open > 0.05 {
		b.poly(-44, lidFoot, 44, lidFoot, 40, lidTop, -40, lidTop)
		b.body(c.dark(0.45 * turn))
		b.poly(-40, -34, 40, -34, 36, -34-9*turn, -36, -34-9*turn)
		b.fill(rgb{0.12, 0.08, 0.08})
		b.glow(rgb{1, 0.85, 0.4}, 0.55*turn, 0, -38, 40)
		for n := range 5 {
			b.disc(brass, -24+12*float64(n), -35-4*turn*float64(n%2+1), 4.4*turn)
		}
	} else {
		b.MoveTo(-44, -34)
		b.CubicTo(-42, -60, 42, -60, 44, -34)
		b.ClosePath()
		b.body(c.light(0.1))
	}
	b.DrawRoundedRectangle(-44, -36, 88, 35, 3)
	b.body(c)
	for _, x := range [3]float64{-36, -4, 28} {
		b.rect(c.dark(0.5), x, -36, 8, 35)
	}
	b.round(brass, -6, -38, 12, 13, 2)
}

func (b *brush) box(c, _ rgb, open float64) {
	b.shadow(0, 0, 44)
	b.poly(-32, -40, 32, -40, 36, -34, -36, -34)
	b.fill(c.dark(0.75))
	for _, side := range [2]float64{-1, 1} {
		tipX := side * lerp(0.5, 58, open)
		tipY := lerp(-37, -34-16*math.Sin(open*math.Pi*0.8)-4, open) - 20*math.Sin(open*math.Pi)
		b.poly(side*33, -40, tipX, tipY-2, tipX, tipY+4, side*36, -34)
		b.body(c.light(0.25))
	}
	b.DrawRectangle(-36, -35, 72, 34)
	b.body(c)
	b.rect(c.light(0.45), -7, -35, 14, lerp(34, 12, open))
	b.poly(-26, -10, -18, -20, -10, -10)
	b.glaze(ink, 0.4)
}

func (b *brush) fridge(c, _ rgb, open float64) {
	b.shadow(0, 0, 44)
	b.DrawRoundedRectangle(-35, -134, 70, 132, 6)
	b.body(c.dark(0.1))
	b.fade(rgb{0.96, 0.98, 1}, rgb{0.78, 0.86, 0.9}, -30, -90, 60, 84)
	for n := range 3 {
		y := -64 + 26*float64(n)
		b.rect(rgb{0.6, 0.7, 0.75}, -30, y, 60, 2.4)
		b.disc(rgb{0.9, 0.35, 0.25}, -17, y-6, 6)
		b.round(rgb{0.98, 0.85, 0.35}, 0, y-11, 9, 11, 2)
		b.round(rgb{0.45, 0.7, 0.4}, 14, y-15, 8, 15, 3)
	}
	b.DrawRoundedRectangle(-33, -131, 66, 36, 5)
	b.body(c)
	b.line(steel.light(0.4), 4, -25, -104, -25, -120)
	turn := open * 1.85
	reach := 66 * math.Cos(turn)
	near := 11 * math.Sin(turn)
	b.poly(33, -92, 33-reach, -92-near*0.3, 33-reach, -5+near, 33, -5)
	b.body(c.dark(0.3 * math.Sin(turn)))
	hx := 33 - reach*0.88
	b.line(steel.light(0.4), 4, hx, -84, hx, -62)
}

func (b *brush) oven(c, _ rgb, open float64) {
	b.shadow(0, 0, 46)
	b.DrawRoundedRectangle(-40, -84, 80, 82, 4)
	b.body(c)
	b.poly(-40, -84, -33, -92, 33, -92, 40, -84)
	b.fill(ink.light(0.12))
	b.oval(rgb{0.85, 0.3, 0.2}, -16, -88, 11, 2.4)
	b.oval(ink, 16, -88, 11, 2.4)
	for n := range 4 {
		b.disc(cream, -24+16*float64(n), -77, 3.4)
	}
	b.rect(rgb{0.16, 0.1, 0.09}, -33, -68, 66, 46)
	b.glow(rgb{1, 0.55, 0.2}, 0.2+0.7*open, 0, -42, 34)
	b.round(rgb{0.82, 0.55, 0.28}, -15, -46, 30, 12, 6)
	b.rect(steel, -33, -35, 66, 2)
	foot := -20 + 8*open
	top := lerp(-68, foot-6, open)
	flare := 9 * open
	b.poly(-33-flare*0.2, foot, 33+flare*0.2, foot, 33+flare, top+12*open, -33-flare, top+12*open)
	b.body(c.dark(0.25))
	if open < 0.6 {
		b.poly(-22, foot-8, 22, foot-8, 22, top+14, -22, top+14)
		b.glaze(rgb{1, 0.75, 0.4}, 0.5)
	}
	b.line(steel.light(0.4), 4, -24-flare, top+5+12*open, 24+flare, top+5+12*open)
}

func (b *brush) wardrobe(c, _ rgb, open float64) {
	b.shadow(0, 0, 50)
	b.DrawRoundedRectangle(-42, -148, 84, 146, 3)
	b.body(c.dark(0.35))
	b.rect(c.dark(0.82), -37, -140, 74, 130)
	b.line(steel, 3, -36, -128, 36, -128)
	for n, d := range [4]rgb{{0.8, 0.35, 0.35}, {0.35, 0.55, 0.75}, {0.9, 0.8, 0.5}, {0.45, 0.65, 0.5}} {
		x := -30 + 16*float64(n)
		b.poly(x, -122, x+12, -122, x+15, -60-10*float64(n%2), x-3, -60-10*float64(n%2))
		b.fill(d.dark(0.25))
	}
	b.leaf(c, -37, -140, 36.5, 130, open)
	b.leaf(c, 37, -140, -36.5, 130, open)
	b.DrawRoundedRectangle(-46, -154, 92, 10, 3)
	b.body(c.light(0.15))
}

func (b *brush) mailbox(c, _ rgb, open float64) {
	b.shadow(0, 0, 28)
	b.line(rgb{0.45, 0.33, 0.26}, 9, 0, -3, 0, -56)
	b.MoveTo(-30, -56)
	b.LineTo(-30, -82)
	b.CubicTo(-30, -106, 30, -106, 30, -82)
	b.LineTo(30, -56)
	b.ClosePath()
	b.body(c)
	b.rect(rgb{0.1, 0.08, 0.1}, -22, -86, 44, 26)
	if open > 0.15 {
		b.poly(-14, -62, 8, -62, 12, -80, -10, -80)
		b.fill(cream)
		b.poly(0, -62, 18, -62, 18, -76, 4, -76)
		b.fill(rgb{0.85, 0.9, 0.98})
	}
	top := lerp(-87, -47, open)
	out := 7 * math.Sin(open*math.Pi/2)
	b.poly(-23, -60, 23, -60, 23+out, top, -23-out, top)
	b.body(c.light(0.25))
	b.disc(brass, 0, lerp(-78, -52, open), 3)
	b.line(rgb{0.85, 0.2, 0.2}, 3.4, 30, -72, 30, -92)
	b.rect(rgb{0.85, 0.2, 0.2}, 30, -97, 14, 9)
}

func (b *brush) parasol(c, _ rgb, open float64) {
	b.shadow(0, 0, lerp(26, 56, open))
	b.round(rgb{0.5, 0.5, 0.52}, -16, -8, 32, 8, 3)
	b.line(oak, 5, 0, -6, 0, -168)
	half, drop := lerp(9, 74, open), lerp(84, 30, open)
	top, rim := -172.0, -172+drop
	dip := lerp(2, 11, open)
	for n := range 6 {
		left, right := -half+half*float64(n)/3, -half+half*float64(n+1)/3
		tone := c
		if n%2 == 1 {
			tone = mix(c, cream, 0.75)
		}
		b.MoveTo(0, top)
		b.LineTo(left, rim)
		b.QuadraticTo((left+right)/2, rim+dip, right, rim)
		b.ClosePath()
		b.fill(tone)
	}
	b.line(c.dark(0.5), 1.4, -half, rim, 0, top, half, rim)
	b.disc(c.dark(0.4), 0, top-2, 4)
}

const (
	topBack  = 217.0 // far edge of a table top
	topFront = 231.0 // near edge
)

// surface draws what props stand on. It never moves, so it is part of the
// backdrop.
func (b *brush) surface(x schemas.FilmFixture, accent rgb) {
	c, at := hex(x.Colour), x.At
	b.shadow(at.X, at.Y, 66)
	switch x.Kind {
	case "counter", "sideboard", "desk":
		b.cabinet(c, accent, at.X, at.Y, x.Kind)
	case "round table":
		b.line(c.dark(0.45), 7, at.X, topFront, at.X, at.Y-4)
		b.oval(c.dark(0.5), at.X, at.Y-2, 26, 6)
		b.oval(c.dark(0.35), at.X, topFront-3, 62, 12)
		b.oval(accent.light(0.72), at.X, topFront-7, 62, 12)
		b.oval(accent.light(0.82), at.X, topFront-8, 54, 9)
	case "crate":
		b.crate(c, at.X-30, at.Y)
		b.crate(c.light(0.08), at.X+30, at.Y)
		b.top(c.light(0.2), at.X, 60)
	case "stone ledge":
		b.ledge(at.X, at.Y)
	case "workbench":
		b.legs(c, at.X, at.Y, 9)
		b.rect(c.dark(0.35), at.X-48, at.Y-20, 96, 6)
		b.round(accent.dark(0.1), at.X-30, at.Y-36, 34, 16, 2)
		b.top(c.light(0.25), at.X, 62)
		b.rect(c.light(0.02), at.X-62, topFront, 124, 9)
		b.round(steel.dark(0.4), at.X+48, topFront+2, 16, 14, 2)
	default: // table, picnic table
		b.legs(c, at.X, at.Y, 7)
		b.top(c.light(0.28), at.X, 58)
		b.rect(c.light(0.05), at.X-58, topFront, 116, 6)
	}
}

func (b *brush) top(c rgb, x, half float64) {
	b.poly(x-half+7, topBack, x+half-7, topBack, x+half, topFront, x-half, topFront)
	b.fill(c)
	b.poly(x-half+7, topBack, x+half-7, topBack, x+half-5, topBack+3, x-half+5, topBack+3)
	b.glaze(white, 0.14)
}

func (b *brush) legs(c rgb, x, foot, width float64) {
	for _, dx := range [2]float64{-42, 42} {
		b.line(c.dark(0.5), width-1, x+dx, topFront, x+dx*0.95, foot-10)
	}
	for _, dx := range [2]float64{-52, 52} {
		b.line(c.dark(0.22), width, x+dx, topFront, x+dx, foot-3)
	}
}

func (b *brush) cabinet(c, accent rgb, x, foot float64, kind string) {
	b.rect(c, x-56, topFront, 112, foot-topFront)
	b.veil(black, 0.0, black, 0.28, x-56, topFront, 112, foot-topFront)
	b.rect(black.light(0.1), x-52, foot-3, 104, 4)
	for n := range 3 {
		left := x - 52 + 35.5*float64(n)
		if kind == "desk" && n == 1 {
			b.rect(c.dark(0.6), left, topFront+10, 33, foot-topFront-10)
			continue
		}
		b.round(c.light(0.1), left, topFront+8, 33, foot-topFront-15, 3)
		b.round(c.light(0.02), left+4, topFront+12, 25, foot-topFront-23, 2)
		b.disc(brass, left+16.5, topFront+16, 2.2)
	}
	light := c.light(0.32)
	if kind == "counter" {
		light = accent.light(0.68)
	}
	b.top(light, x, 61)
	b.rect(light.dark(0.25), x-61, topFront, 122, 5)
}

func (b *brush) crate(c rgb, x, foot float64) {
	b.rect(c.light(0.12), x-29, topFront, 58, foot-topFront)
	for n := range 4 {
		y := topFront + 2 + 12.5*float64(n)
		b.rect(c.light(0.22), x-27, y, 54, 10)
	}
	b.line(c.dark(0.1), 5, x-24, topFront+5, x+24, foot-5)
	b.line(c.dark(0.1), 5, x-26, topFront+2, x-26, foot-2)
	b.line(c.dark(0.1), 5, x+26, topFront+2, x+26, foot-2)
}

func (b *brush) ledge(x, foot float64) {
	stone := rgb{0.62, 0.6, 0.57}
	b.rect(stone.dark(0.25), x-56, topFront, 112, foot-topFront)
	for row := range 3 {
		for n := range 4 {
			left := x - 55 + 28*float64(n) - 9*float64(row%2)
			w := 26.0
			if left < x-55 {
				left, w = x-55, 17
			}
			b.round(stone.light(0.06*float64((n+2*row)%3)), left, topFront+3+16*float64(row), min(w, x+55-left), 14, 4)
		}
	}
	b.top(stone.light(0.35), x, 62)
	b.rect(stone.light(0.1), x-62, topFront, 124, 6)
}

// signBoard is the plate of a sign: its size, paint and lettering.
type signBoard struct {
	width, height float64
	plate, frame  rgb
	text          rgb
	mono          bool
}

func signBoardOf(x schemas.FilmFixture) signBoard {
	accent := hex(x.Colour)
	switch x.Kind {
	case "chalkboard":
		return signBoard{width: 122, height: 58, plate: rgb{0.17, 0.23, 0.21}, frame: oak, text: cream}
	case "post":
		return signBoard{width: 122, height: 52, plate: rgb{0.96, 0.93, 0.84}, frame: rgb{0.25, 0.42, 0.3}, text: rgb{0.15, 0.25, 0.18}}
	case "departures":
		return signBoard{width: 128, height: 52, plate: rgb{0.09, 0.1, 0.13}, frame: rgb{0.3, 0.32, 0.36}, text: rgb{1, 0.8, 0.25}, mono: true}
	case "frame":
		return signBoard{width: 118, height: 58, plate: cream, frame: accent.dark(0.15), text: accent.dark(0.45)}
	}
	return signBoard{width: 122, height: 54, plate: white, frame: accent.dark(0.2), text: rgb{0.12, 0.14, 0.2}}
}

// sign draws a board. While it changes it turns about its long axis.
func (b *brush) sign(x schemas.FilmFixture, s signState) {
	p := signBoardOf(x)
	text, squash := s.text, 1.0
	if s.next != "" {
		squash = math.Max(0.06, math.Abs(math.Cos(s.turn*math.Pi)))
		if s.turn >= half {
			text = s.next
		}
	}
	b.Push()
	defer b.Pop()
	b.Translate(x.At.X, x.At.Y)
	b.hang(x.Kind, p)
	b.Scale(1, squash)
	w, h := p.width, p.height
	b.DrawRoundedRectangle(-w/2-2, -h/2+3, w+4, h, 4)
	b.glaze(black, 0.22)
	b.round(p.frame, -w/2-4, -h/2-4, w+8, h+8, 5)
	b.round(p.plate, -w/2, -h/2, w, h, 2)
	b.DrawRectangle(-w/2, -h/2, w, h/2)
	b.glaze(white, 0.05)
	b.lettering(p, text)
}

func (b *brush) hang(kind string, p signBoard) {
	switch kind {
	case "post":
		b.shadow(0, 182, 20)
		b.line(p.frame.dark(0.3), 7, 0, 0, 0, 180)
	case "departures":
		b.line(p.frame, 3, -44, -90, -44, 0)
		b.line(p.frame, 3, 44, -90, 44, 0)
	default:
		b.line(ink, 1.4, -40, -p.height/2, 0, -p.height/2-20, 40, -p.height/2)
		b.disc(brass, 0, -p.height/2-20, 2.4)
	}
}

func (b *brush) lettering(p signBoard, text string) {
	face := b.kit.bold
	if p.mono {
		face = b.kit.mono
	}
	lines := wrap(text)
	most := 25.0
	if len(lines) == 2 {
		most = 21
	}
	size := most
	for _, l := range lines {
		size = math.Min(size, fitted(face, l, most, p.width-14))
	}
	pitch := size * 1.08
	y := size*0.36 - pitch*float64(len(lines)-1)/2
	for n, l := range lines {
		b.write(face, l, 0, y+pitch*float64(n), size, 0, p.text, 1)
	}
}

// wrap breaks a text of more than nine letters at the space nearest its middle.
func wrap(text string) []string {
	if len(text) <= 9 {
		return []string{text}
	}
	best := -1
	for n, r := range text {
		if r == ' ' && (best < 0 || abs(2*n-len(text)) < abs(2*best-len(text))) {
			best = n
		}
	}
	if best < 0 {
		return []string{text}
	}
	return []string{strings.TrimSpace(text[:best]), text[best+1:]}
}

func abs(n int) int { return max(n, -n) }
