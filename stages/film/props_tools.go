package film

import "math"

func wateringCan(b *brush, c rgb) {
	b.arc(c.dark(0.25), 3.4, -9, -18, 10, 10, 0.75*math.Pi, 1.9*math.Pi)
	b.line(c.dark(0.5), 6, 8, -8, 21, -24)
	b.line(c, 3.4, 8, -8, 21, -24)
	b.poly(15, -26, 22, -31, 27, -23, 22, -19)
	b.body(c)
	b.poly(-13, -22, 10, -22, 12, 0, -15, 0)
	b.body(c)
	b.line(c.light(0.45), 2, -13, -14, 10, -14)
}

func mallet(b *brush, c rgb) {
	b.line(c.dark(0.55), 7.4, -3, -2, 3, -26)
	b.line(c, 5, -3, -2, 3, -26)
	b.DrawRoundedRectangle(-12, -38, 29, 12, 3)
	b.body(steel)
	b.poly(-12, -37, -20, -31, -12, -27)
	b.body(steel)
}

func spanner(b *brush, c rgb) {
	b.line(c.dark(0.55), 8.6, -9, -8, 8, -27)
	b.line(c, 6, -9, -8, 8, -27)
	b.DrawCircle(10, -30, 8.5)
	b.body(c)
	b.poly(8, -32, 14, -40, 20, -35, 13, -28)
	b.fill(cream.dark(0.25))
	b.DrawCircle(-10, -7, 6.5)
	b.body(c)
	b.disc(c.dark(0.7), -10, -7, 2.8)
}

func saw(b *brush, c rgb) {
	b.poly(-4, -20, 24, -13, 24, -8, -4, -4)
	b.body(steel.light(0.3))
	for n := range 6 {
		x := -1 + 4*float64(n)
		b.poly(x, -5.2, x+4, -5.6, x+2, -1)
		b.fill(steel)
	}
	b.DrawRoundedRectangle(-22, -24, 19, 22, 6)
	b.body(c)
	b.round(cream.dark(0.25), -17, -18, 9, 10, 3)
}

func bucket(b *brush, c rgb) {
	b.arc(steel.dark(0.3), 2, 0, -26, 15, 12, math.Pi, 2*math.Pi)
	b.poly(-16, -26, 16, -26, 11, 0, -11, 0)
	b.body(c)
	b.oval(c.dark(0.5), 0, -26, 15, 3.6)
	b.line(c.light(0.4), 2, -14, -17, 14, -17)
}

func toolbox(b *brush, c rgb) {
	b.arc(ink, 3.2, 0, -23, 9, 8, math.Pi, 2*math.Pi)
	b.poly(-20, -17, -14, -24, 14, -24, 20, -17)
	b.body(c.light(0.2))
	b.DrawRoundedRectangle(-21, -18, 42, 18, 2)
	b.body(c)
	b.rect(steel, -14, -19, 6, 6)
	b.rect(steel, 8, -19, 6, 6)
}

func envelope(b *brush, c rgb) {
	b.DrawRoundedRectangle(-19, -27, 38, 26, 2)
	b.body(c)
	b.line(c.dark(0.45), 1.8, -18, -26, 0, -12, 18, -26)
	b.disc(rgb{0.75, 0.12, 0.15}, 0, -12, 4.4)
}

func gift(b *brush, c rgb) {
	ribbon := cream
	if c.r > 0.9 && c.g > 0.9 {
		ribbon = rgb{0.85, 0.25, 0.3}
	}
	b.DrawRoundedRectangle(-15, -22, 30, 22, 1)
	b.body(c)
	b.DrawRoundedRectangle(-18, -28, 36, 9, 1)
	b.body(c.light(0.15))
	b.rect(ribbon, -3, -28, 6, 28)
	b.arc(ribbon, 3.2, -6, -32, 6, 4, 0, 2*math.Pi)
	b.arc(ribbon, 3.2, 6, -32, 6, 4, 0, 2*math.Pi)
}

func bell(b *brush, c rgb) {
	b.line(oak, 5, 0, -30, 0, -41)
	b.disc(c.dark(0.5), 0, -2, 4)
	b.MoveTo(-17, -4)
	b.CubicTo(-10, -10, -12, -31, 0, -31)
	b.CubicTo(12, -31, 10, -10, 17, -4)
	b.ClosePath()
	b.body(c)
	b.shine(-4, -20, 2, 5)
}

func balloon(b *brush, c rgb) {
	b.line(ink, 1.2, 0, -18, 2, -10, -2, -5, 0, 0)
	b.DrawEllipse(0, -32, 13, 16)
	b.body(c)
	b.poly(-3, -14, 3, -14, 0, -18)
	b.body(c)
	b.shine(-5, -38, 2.6, 4.4)
}
