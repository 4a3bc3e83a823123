package film

import "math"

func globe(b *brush, c rgb) {
	b.oval(oak.dark(0.2), 0, -2, 10, 3)
	b.line(oak, 3, 0, -3, 0, -8)
	b.arc(brass, 2.6, 0, -21, 16, 16, -0.35*math.Pi, 0.6*math.Pi)
	b.DrawCircle(0, -21, 13)
	b.body(c)
	b.oval(c.light(0.55), -4, -25, 5, 4)
	b.oval(c.light(0.55), 4, -16, 5, 3)
	b.oval(c.light(0.55), -7, -15, 2.4, 3)
}

func trophy(b *brush, c rgb) {
	b.arc(c.dark(0.2), 3, -11, -26, 6, 6, 0.5*math.Pi, 1.5*math.Pi)
	b.arc(c.dark(0.2), 3, 11, -26, 6, 6, -0.5*math.Pi, 0.5*math.Pi)
	b.round(ink, -10, -6, 20, 6, 1)
	b.line(c.dark(0.2), 4, 0, -6, 0, -15)
	b.MoveTo(-12, -35)
	b.LineTo(12, -35)
	b.CubicTo(12, -18, 5, -13, 0, -13)
	b.CubicTo(-5, -13, -12, -18, -12, -35)
	b.ClosePath()
	b.body(c)
	b.shine(-5, -28, 2, 5)
}

func suitcase(b *brush, c rgb) {
	b.arc(ink, 3, 0, -25, 6, 6, math.Pi, 2*math.Pi)
	b.DrawRoundedRectangle(-21, -25, 42, 25, 4)
	b.body(c)
	b.rect(c.dark(0.4), -14, -25, 4, 25)
	b.rect(c.dark(0.4), 10, -25, 4, 25)
	b.rect(brass, -3, -15, 6, 4)
}

func backpack(b *brush, c rgb) {
	b.arc(c.dark(0.4), 2.6, 0, -33, 5, 5, math.Pi, 2*math.Pi)
	b.DrawRoundedRectangle(-14, -34, 28, 34, 10)
	b.body(c)
	b.DrawRoundedRectangle(-10, -15, 20, 13, 4)
	b.body(c.light(0.2))
	b.line(c.dark(0.5), 1.8, -11, -22, 11, -22)
	b.rect(brass, -1.5, -23, 3, 5)
}

func basket(b *brush, c rgb) {
	b.arc(c.dark(0.25), 3.4, 0, -16, 15, 17, math.Pi, 2*math.Pi)
	b.poly(-19, -17, 19, -17, 14, 0, -14, 0)
	b.body(c)
	for n := range 3 {
		y := -13 + 5*float64(n)
		b.line(c.dark(0.35), 1.3, -16, y, 16, y)
	}
	for n := range 4 {
		x := -9 + 6*float64(n)
		b.line(c.dark(0.35), 1.3, x*1.3, -16, x, -1)
	}
}

func umbrella(b *brush, c rgb) {
	b.line(oak, 2.6, 0, -36, 0, -4)
	b.arc(oak, 2.6, 4, -4, 4, 4, 0.1, math.Pi)
	b.MoveTo(-22, -20)
	b.CubicTo(-18, -44, 18, -44, 22, -20)
	b.QuadraticTo(17, -25, 11, -20)
	b.QuadraticTo(5, -25, 0, -20)
	b.QuadraticTo(-5, -25, -11, -20)
	b.QuadraticTo(-17, -25, -22, -20)
	b.ClosePath()
	b.body(c)
	b.line(c.dark(0.35), 1.2, 0, -37, -10, -21)
	b.line(c.dark(0.35), 1.2, 0, -37, 10, -21)
}

func topHat(b *brush, c rgb) {
	b.poly(-12, -3, -13, -30, 13, -30, 12, -3)
	b.body(c)
	b.oval(c.dark(0.2), 0, -30, 13, 3)
	b.rect(c.dark(0.6), -12.4, -12, 24.8, 6)
	b.DrawEllipse(0, -3, 21, 4)
	b.body(c)
}

func boot(b *brush, c rgb) {
	b.MoveTo(-11, -32)
	b.LineTo(3, -32)
	b.LineTo(4, -14)
	b.CubicTo(12, -13, 18, -10, 18, -3)
	b.LineTo(-12, -3)
	b.ClosePath()
	b.body(c)
	b.round(ink, -13, -4, 32, 4, 1)
	b.rect(c.light(0.35), -11.5, -32, 15, 5)
}

func ball(b *brush, c rgb) {
	b.DrawCircle(0, -15, 15)
	b.body(c)
	b.arc(cream, 3.6, -8, -15, 12, 13, -0.9, 0.9)
	b.arc(cream, 3.6, 14, -15, 9, 13, 0.75*math.Pi, 1.25*math.Pi)
	b.shine(-5, -22, 3, 2.4)
}

func kite(b *brush, c rgb) {
	b.line(ink, 1.4, 0, -6, -5, -2, 2, 2, -4, 5)
	b.poly(0, -42, 16, -25, 0, -4, -16, -25)
	b.body(c)
	b.poly(0, -42, 16, -25, 0, -25)
	b.fill(c.light(0.5))
	b.poly(0, -4, -16, -25, 0, -25)
	b.fill(c.light(0.5))
	b.line(ink, 1.2, 0, -42, 0, -4)
	b.line(ink, 1.2, -16, -25, 16, -25)
}

func drum(b *brush, c rgb) {
	b.DrawRoundedRectangle(-18, -24, 36, 24, 5)
	b.body(c)
	for n := range 4 {
		x := -18 + 9*float64(n)
		b.line(cream, 1.6, x, -20, x+4.5, -4, x+9, -20)
	}
	b.DrawEllipse(0, -23, 18, 5)
	b.body(cream)
	b.line(oak, 2.4, -8, -26, -20, -36)
	b.line(oak, 2.4, 8, -26, 18, -37)
}

func guitar(b *brush, c rgb) {
	b.line(oak.dark(0.3), 4.4, 4, -22, 13, -44)
	b.line(ink, 6, 12.5, -43, 14, -47)
	b.DrawCircle(2, -20, 8)
	b.body(c)
	b.DrawCircle(-3, -10, 11)
	b.body(c)
	b.disc(c, 0, -15, 6.5)
	b.disc(c.dark(0.7), 0, -15, 3.6)
	b.line(cream, 1, -5, -5, 12, -43)
}

func trumpet(b *brush, c rgb) {
	b.line(c.dark(0.15), 3.4, -22, -16, 10, -16)
	b.arc(c.dark(0.15), 3, -3, -11, 9, 5, 0, 2*math.Pi)
	b.poly(8, -18, 24, -27, 24, -5, 8, -14)
	b.body(c)
	for n := range 3 {
		b.line(c.dark(0.4), 2.8, -8+5*float64(n), -16, -8+5*float64(n), -24)
	}
	b.line(c.dark(0.3), 4.6, -23, -18, -23, -14)
}

func teddy(b *brush, c rgb) {
	for _, p := range [6]vec{{-9, -33}, {9, -33}, {-12, -15}, {12, -15}, {-8, -3}, {8, -3}} {
		b.DrawCircle(p.x, p.y, 5)
		b.body(c)
	}
	b.DrawEllipse(0, -10, 11, 11)
	b.body(c)
	b.oval(c.light(0.5), 0, -9, 6, 6)
	b.DrawCircle(0, -26, 11)
	b.body(c)
	b.oval(c.light(0.6), 0, -23, 5, 4)
	b.disc(ink, 0, -25, 1.8)
	b.disc(ink, -4.5, -29, 1.6)
	b.disc(ink, 4.5, -29, 1.6)
}

func toyCar(b *brush, c rgb) {
	b.MoveTo(-21, -5)
	b.QuadraticTo(-21, -14, -13, -14)
	b.LineTo(-8, -23)
	b.LineTo(7, -23)
	b.LineTo(13, -14)
	b.QuadraticTo(21, -13, 21, -5)
	b.ClosePath()
	b.body(c)
	b.poly(-9, -14, -5, -20, -1, -20, -1, -14)
	b.fill(rgb{0.8, 0.92, 0.98})
	b.poly(2, -14, 2, -20, 6, -20, 9, -14)
	b.fill(rgb{0.8, 0.92, 0.98})
	for _, x := range [2]float64{-11, 11} {
		b.disc(ink, x, -5, 5.4)
		b.disc(steel, x, -5, 2.4)
	}
}

func toyBoat(b *brush, c rgb) {
	b.line(oak, 2.4, -1, -8, -1, -40)
	b.poly(1, -38, 18, -14, 1, -14)
	b.body(cream)
	b.poly(-3, -34, -15, -14, -3, -14)
	b.body(c)
	b.poly(-21, -11, 21, -11, 14, 0, -14, 0)
	b.body(c)
	b.line(cream, 2, -18, -7.5, 18, -7.5)
}
