package film

import "math"

// icon draws one kind of prop with its foot at the origin, about 34 wide and
// 34 high, in a colour that names it.
type icon func(b *brush, c rgb)

var (
	steel = rgb{0.66, 0.68, 0.73}
	brass = rgb{0.93, 0.76, 0.32}
	oak   = rgb{0.72, 0.5, 0.3}
	cream = rgb{0.98, 0.95, 0.87}
)

// icons covers every noun of the procedural source.
var icons = map[string]icon{
	"kettle": kettle, "teapot": teapot, "mug": mug, "bottle": bottle, "jar": jar, "bowl": bowl, "cake": cake,
	"frying pan": pan, "book": book, "table lamp": lamp, "alarm clock": alarm, "vase": vase, "flower pot": flowerPot,
	"candle": candle, "lantern": lantern, "radio": radio, "camera": camera, "telephone": telephone, "globe": globe,
	"trophy": trophy, "suitcase": suitcase, "backpack": backpack, "basket": basket, "umbrella": umbrella,
	"top hat": topHat, "boot": boot, "ball": ball, "kite": kite, "drum": drum, "guitar": guitar, "trumpet": trumpet,
	"teddy bear": teddy, "toy car": toyCar, "toy boat": toyBoat, "watering can": wateringCan, "hammer": mallet,
	"spanner": spanner, "saw": saw, "bucket": bucket, "toolbox": toolbox, "envelope": envelope, "gift box": gift,
	"bell": bell, "balloon": balloon,
}

// prop draws a prop on the stage.
func (b *brush) prop(kind string, c rgb, x, y float64) {
	draw, ok := icons[kind]
	if !ok {
		draw = ball
	}
	b.Push()
	b.Translate(x, y)
	draw(b, c)
	b.Pop()
}

func (b *brush) shine(x, y, rx, ry float64) {
	b.DrawEllipse(x, y, rx, ry)
	b.glaze(white, 0.45)
}

func kettle(b *brush, c rgb) {
	b.arc(ink, 3, 0, -24, 11, 10, math.Pi, 2*math.Pi)
	b.poly(10, -12, 21, -24, 17, -26, 8, -20)
	b.body(c)
	b.MoveTo(-15, 0)
	b.CubicTo(-18, -16, -10, -25, 0, -25)
	b.CubicTo(10, -25, 18, -16, 15, 0)
	b.ClosePath()
	b.body(c)
	b.disc(ink, 0, -27, 2.6)
	b.shine(-7, -14, 2.6, 5)
}

func teapot(b *brush, c rgb) {
	b.arc(c.dark(0.2), 3.4, -16, -12, 6, 7, 0.5*math.Pi, 1.5*math.Pi)
	b.MoveTo(12, -6)
	b.QuadraticTo(20, -8, 22, -20)
	b.LineTo(18, -20)
	b.QuadraticTo(16, -13, 10, -14)
	b.ClosePath()
	b.body(c)
	b.DrawEllipse(0, -11, 16, 12)
	b.body(c)
	b.line(c.dark(0.5), 1.6, -9, -20, 9, -20)
	b.disc(c.dark(0.3), 0, -25, 3)
	for n := range 3 {
		b.disc(cream, -8+8*float64(n), -10, 2.2)
	}
}

func mug(b *brush, c rgb) {
	b.arc(c.dark(0.15), 4, 11, -13, 7, 7, -0.5*math.Pi, 0.5*math.Pi)
	b.DrawRoundedRectangle(-12, -25, 23, 25, 3)
	b.body(c)
	b.oval(c.dark(0.6), -0.5, -24, 10, 2.6)
	b.rect(cream, -12, -14, 23, 4)
}

func bottle(b *brush, c rgb) {
	b.MoveTo(-8, 0)
	b.LineTo(-8, -18)
	b.QuadraticTo(-8, -24, -3.5, -27)
	b.LineTo(-3.5, -36)
	b.LineTo(3.5, -36)
	b.LineTo(3.5, -27)
	b.QuadraticTo(8, -24, 8, -18)
	b.LineTo(8, 0)
	b.ClosePath()
	b.body(c)
	b.rect(cream, -8, -16, 16, 9)
	b.round(oak, -3.5, -40, 7, 5, 1)
	b.shine(-5, -20, 1.2, 4)
}

func jar(b *brush, c rgb) {
	b.DrawRoundedRectangle(-11, -25, 22, 25, 6)
	b.body(rgb{0.86, 0.93, 0.95})
	b.round(c, -9, -18, 18, 16, 4)
	b.DrawRoundedRectangle(-10, -31, 20, 7, 2)
	b.body(c)
	b.rect(cream, -6, -14, 12, 7)
}

func bowl(b *brush, c rgb) {
	for n, f := range [3]rgb{{0.9, 0.3, 0.2}, {0.98, 0.75, 0.2}, {0.5, 0.75, 0.25}} {
		b.disc(f, -9+9*float64(n), -17-2*float64(n%2), 6.5)
	}
	b.MoveTo(-19, -16)
	b.CubicTo(-16, 2, 16, 2, 19, -16)
	b.ClosePath()
	b.body(c)
	b.round(c.dark(0.3), -7, -3, 14, 3, 1)
}

func cake(b *brush, c rgb) {
	b.oval(cream, 0, -2, 20, 4)
	b.DrawRoundedRectangle(-16, -19, 32, 17, 3)
	b.body(c)
	b.round(cream, -16, -21, 32, 7, 3)
	for n := range 4 {
		b.disc(cream, -12+8*float64(n), -14, 3.6)
	}
	b.line(rgb{0.85, 0.3, 0.35}, 2.4, 0, -21, 0, -29)
	b.oval(rgb{1, 0.75, 0.2}, 0, -32, 2, 3.6)
}

func pan(b *brush, c rgb) {
	b.line(ink, 4.4, 10, -10, 26, -18)
	b.DrawEllipse(-4, -8, 17, 8)
	b.body(c)
	b.oval(ink.light(0.15), -4, -9.5, 13.5, 5)
	b.oval(white, -6, -10, 6.5, 2.8)
	b.disc(rgb{0.98, 0.75, 0.2}, -5, -10.5, 2)
}

func book(b *brush, c rgb) {
	b.poly(-13, -32, 10, -32, 14, -28, 14, 0, -13, 0)
	b.body(cream)
	b.DrawRoundedRectangle(-15, -33, 25, 33, 2)
	b.body(c)
	b.rect(c.dark(0.3), -15, -33, 5, 33)
	b.rect(brass, -6, -26, 12, 3)
	b.rect(brass, -6, -20, 9, 2)
}

func lamp(b *brush, c rgb) {
	b.oval(brass.dark(0.3), 0, -2, 9, 3)
	b.line(brass, 3, 0, -3, 0, -18)
	b.DrawEllipse(0, -18, 16, 5)
	b.glaze(rgb{1, 0.93, 0.6}, 0.8)
	b.poly(-8, -37, 8, -37, 16, -17, -16, -17)
	b.body(c)
	b.line(c.light(0.4), 1.6, -14, -20, 14, -20)
}

func alarm(b *brush, c rgb) {
	b.line(c.dark(0.4), 3.4, -8, -3, -11, 0)
	b.line(c.dark(0.4), 3.4, 8, -3, 11, 0)
	b.DrawCircle(-9, -29, 5)
	b.body(c)
	b.DrawCircle(9, -29, 5)
	b.body(c)
	b.DrawCircle(0, -15, 14)
	b.body(c)
	b.disc(cream, 0, -15, 10)
	b.line(ink, 1.8, 0, -15, 0, -22)
	b.line(ink, 1.8, 0, -15, 5, -13)
}

func vase(b *brush, c rgb) {
	for n, f := range [3]rgb{{0.95, 0.5, 0.6}, {1, 0.9, 0.5}, {0.75, 0.6, 0.9}} {
		x := -9 + 9*float64(n)
		b.line(rgb{0.3, 0.55, 0.3}, 1.8, 0, -22, x, -35)
		b.disc(f, x, -37, 4.2)
	}
	b.MoveTo(-6, -25)
	b.CubicTo(-2, -18, -14, -14, -9, 0)
	b.LineTo(9, 0)
	b.CubicTo(14, -14, 2, -18, 6, -25)
	b.ClosePath()
	b.body(c)
	b.arc(c.light(0.5), 1.8, 0, -9, 8, 2, 0.1, math.Pi-0.1)
}

func flowerPot(b *brush, c rgb) {
	leaf := rgb{0.27, 0.6, 0.32}
	for n := range 5 {
		p := polar(17, -math.Pi*(0.15+0.175*float64(n)))
		b.line(leaf.dark(0.1*float64(n%2)), 5, 0, -16, p.x*0.9, -17+p.y)
	}
	b.poly(-12, -15, 12, -15, 8, 0, -8, 0)
	b.body(c)
	b.DrawRoundedRectangle(-14, -19, 28, 6, 2)
	b.body(c)
}

func candle(b *brush, c rgb) {
	b.glow(rgb{1, 0.8, 0.4}, 0.35, 0, -33, 16)
	b.oval(brass, 0, -2, 13, 4)
	b.arc(brass.dark(0.2), 2.4, 13, -4, 4, 4, 0, 2*math.Pi)
	b.DrawRoundedRectangle(-5.5, -25, 11, 24, 2)
	b.body(c)
	b.line(ink, 1.2, 0, -25, 0, -28)
	b.oval(rgb{1, 0.62, 0.15}, 0, -32, 3.2, 5.4)
	b.oval(rgb{1, 0.95, 0.6}, 0, -31, 1.5, 3)
}

func lantern(b *brush, c rgb) {
	b.arc(c.dark(0.4), 2, 0, -31, 8, 8, math.Pi, 2*math.Pi)
	b.rect(rgb{1, 0.9, 0.55}, -8, -24, 16, 19)
	b.oval(rgb{1, 0.65, 0.2}, 0, -13, 3, 6)
	b.line(c.dark(0.3), 1.8, -8, -24, -8, -5)
	b.line(c.dark(0.3), 1.8, 8, -24, 8, -5)
	b.poly(-6, -32, 6, -32, 12, -23, -12, -23)
	b.body(c)
	b.DrawRoundedRectangle(-11, -6, 22, 6, 1)
	b.body(c)
}

func radio(b *brush, c rgb) {
	b.line(steel, 1.6, 10, -23, 18, -38)
	b.DrawRoundedRectangle(-19, -24, 38, 24, 4)
	b.body(c)
	b.disc(c.dark(0.5), -9, -12, 8)
	b.disc(c.dark(0.2), -9, -12, 4)
	b.round(cream, 2, -20, 14, 7, 1)
	b.line(rgb{0.8, 0.2, 0.2}, 1.4, 8, -20, 8, -13)
	b.disc(cream, 5, -7, 2.4)
	b.disc(cream, 13, -7, 2.4)
}

func camera(b *brush, c rgb) {
	b.DrawRoundedRectangle(-7, -28, 14, 8, 2)
	b.body(c.dark(0.2))
	b.DrawRoundedRectangle(-18, -23, 36, 23, 3)
	b.body(c)
	b.rect(ink, -18, -14, 36, 7)
	b.disc(steel, 0, -11, 9.5)
	b.disc(ink, 0, -11, 7)
	b.disc(rgb{0.35, 0.5, 0.75}, -2, -13, 2.6)
	b.disc(rgb{0.9, 0.2, 0.2}, 13, -19, 1.8)
}

func telephone(b *brush, c rgb) {
	b.poly(-12, -18, 12, -18, 18, 0, -18, 0)
	b.body(c)
	b.disc(cream, 0, -8, 7)
	b.disc(c.dark(0.3), 0, -8, 2.6)
	b.line(c.dark(0.35), 6.5, -15, -23, -13, -26, 13, -26, 15, -23)
	b.line(c.dark(0.35), 4, -6, -19, -6, -22)
	b.line(c.dark(0.35), 4, 6, -19, 6, -22)
}
