package film

import "math"

func (b *brush) fridge(c rgb, open float64) {
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

func (b *brush) oven(c rgb, open float64) {
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

func (b *brush) wardrobe(c rgb, open float64) {
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

func (b *brush) mailbox(c rgb, open float64) {
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

func (b *brush) parasol(c rgb, open float64) {
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
