package film

import (
	"math"

	"github.com/memforge/memforge/schemas"
)

// openingBack draws an opening: its frame, what is behind it, and its leaf
// swung by open from 0 (closed) to 1.
func (b *brush) openable(x schemas.FilmFixture, open float64, sky rgb) {
	c := hex(x.Colour)
	b.Push()
	defer b.Pop()
	b.Translate(x.At.X, x.At.Y)
	switch x.Kind {
	case "door":
		b.door(c, sky, open)
	case "window":
		b.window(c, sky, open)
	case "curtain":
		b.curtain(c, sky, open)
	case "cupboard":
		b.cupboard(c, open)
	case "drawer":
		b.drawers(c, open)
	case "chest":
		b.chest(c, open)
	case "box":
		b.box(c, open)
	case "fridge":
		b.fridge(c, open)
	case "oven":
		b.oven(c, open)
	case "wardrobe":
		b.wardrobe(c, open)
	case "mailbox":
		b.mailbox(c, open)
	case "parasol":
		b.parasol(c, open)
	}
}

// leaf is a panel hinged at x whose free edge stands w away, seen from the
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
	b.use(c, 1)
	b.SetLineWidth(4.4)
	b.Stroke()
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

func (b *brush) cupboard(c rgb, open float64) {
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

func (b *brush) drawers(c rgb, open float64) {
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

func (b *brush) chest(c rgb, open float64) {
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

func (b *brush) box(c rgb, open float64) {
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
