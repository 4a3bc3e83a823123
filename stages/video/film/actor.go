package film

import (
	"math"

	"github.com/memforge/memforge/schemas"
)

// wardrobe is a look with its colours read.
type wardrobe struct {
	look                                        schemas.FilmLook
	colour, shirt, trousers, skin, hair, sleeve rgb
	shoes                                       rgb
}

func newWardrobe(l schemas.FilmLook) wardrobe {
	w := wardrobe{
		look: l, colour: hex(l.Colour), shirt: hex(l.Shirt), trousers: hex(l.Trousers), skin: hex(l.Skin), hair: hex(l.HairTone),
		shoes: rgb{0.24, 0.17, 0.15},
	}
	w.sleeve = w.colour
	switch l.Garment {
	case "apron", "overalls", "waistcoat", "scarf":
		w.sleeve = w.shirt
	}
	switch l.Garment {
	case "overalls", "tracksuit":
		w.trousers = w.colour
	case "dress":
		w.trousers = w.skin
	}
	return w
}

// actor draws a person with the feet at the state's point. The held prop comes
// between body and near hand.
func (b *brush) actor(a schemas.FilmActor, s actorState, t float64, prop func()) {
	g, w := figureOf(a, s, t), newWardrobe(a.Look)
	lift := math.Max(0, -math.Max(g.foot[far].y, g.foot[near].y))
	b.shadow(s.at.X, s.at.Y+1, 34*a.Look.Size*(1-lift/140))
	b.Push()
	b.Translate(s.at.X, s.at.Y)
	b.Scale(s.facing*a.Look.Size, a.Look.Size)
	b.actBehind(s)
	b.backHair(g, w)
	b.arm(g, w, far)
	b.leg(g, w, far)
	b.leg(g, w, near)
	b.trunk(g, w)
	b.face(g, w)
	b.Pop()
	prop()
	b.Push()
	b.Translate(s.at.X, s.at.Y)
	b.Scale(s.facing*a.Look.Size, a.Look.Size)
	b.actFront(s)
	b.arm(g, w, near)
	b.Pop()
}

func (b *brush) leg(g figure, w wardrobe, side int) {
	c, hip := w.trousers, g.hip.add(vec{5, 2})
	if side == far {
		c = c.dark(0.28)
	} else {
		hip.x -= 9
	}
	foot := g.foot[side]
	ankle := foot.add(vec{0, -5})
	knee := joint(hip, ankle, thigh, shin, -1)
	b.line(c, 14, hip.x, hip.y, knee.x, knee.y)
	b.line(c, 11.5, knee.x, knee.y, ankle.x, ankle.y)
	shoe := w.shoes
	if side == far {
		shoe = shoe.dark(0.3)
	}
	b.Push()
	b.RotateAbout(clamp(-foot.y/40)*0.6, foot.x, foot.y)
	b.MoveTo(foot.x-7, foot.y)
	b.LineTo(foot.x-6.5, foot.y-8)
	b.LineTo(foot.x+4, foot.y-8)
	b.QuadraticTo(foot.x+14, foot.y-6, foot.x+14, foot.y)
	b.ClosePath()
	b.fill(shoe)
	b.Pop()
}

func (b *brush) arm(g figure, w wardrobe, side int) {
	c, skin := w.sleeve, w.skin
	if side == far {
		c, skin = c.dark(0.28), skin.dark(0.16)
	}
	from, hand := g.shoulder(side), g.hand[side]
	if v := hand.sub(from); v.length() > upper+lower {
		hand = from.add(v.mul((upper + lower) / v.length()))
	}
	elbow := joint(from, hand, upper, lower, 1)
	cuff := elbow.to(hand, 0.86)
	if w.look.Garment == "dress" {
		b.line(skin, 7.5, from.x, from.y, elbow.x, elbow.y, hand.x, hand.y)
		mid := from.to(elbow, 0.55)
		b.line(c, 11, from.x, from.y, mid.x, mid.y)
	} else {
		b.line(skin, 7, elbow.x, elbow.y, hand.x, hand.y)
		if side == near {
			b.line(c.dark(0.22), 12, from.x, from.y, elbow.x, elbow.y, cuff.x, cuff.y)
		}
		b.line(c, 9.6, from.x, from.y, elbow.x, elbow.y, cuff.x, cuff.y)
	}
	b.disc(skin, hand.x, hand.y, 5.4)
}

func (b *brush) trunk(g figure, w wardrobe) {
	neck := g.chest.to(g.head, 0.4)
	b.line(w.skin.dark(0.14), 9, g.chest.x+1, g.chest.y, neck.x+1, neck.y)
	b.torso(g)
	c := w.colour
	switch w.look.Garment {
	case "apron", "overalls", "scarf":
		c = w.shirt
	}
	b.fill(c)
	b.wear(g, w)
	b.MoveTo(g.chest.x-9, g.chest.y-4) // the back lies in shade
	b.QuadraticTo(g.chest.x-17, g.chest.y-2, g.chest.x-16, g.chest.y+10)
	b.LineTo(g.hip.x-13, g.hip.y+4)
	b.LineTo(g.hip.x-6, g.hip.y+5)
	b.QuadraticTo(g.chest.x-9, g.chest.y+26, g.chest.x-4, g.chest.y-4)
	b.ClosePath()
	b.glaze(black, 0.12)
}

func (b *brush) torso(g figure) {
	c, h := g.chest, g.hip
	b.MoveTo(c.x-8, c.y-5)
	b.QuadraticTo(c.x-17, c.y-3, c.x-16, c.y+10)
	b.LineTo(h.x-13, h.y+3)
	b.QuadraticTo(h.x, h.y+10, h.x+13, h.y+3)
	b.LineTo(c.x+16, c.y+10)
	b.QuadraticTo(c.x+16, c.y-4, c.x+8, c.y-5)
	b.ClosePath()
}

func (b *brush) face(g figure, w wardrobe) {
	b.Push()
	b.Translate(g.head.x, g.head.y)
	b.Rotate(g.nod)
	b.oval(w.skin, 0, 0, 15, 16.5)
	b.oval(w.skin.dark(0.1), -4, 3, 3.2, 4.4)
	b.oval(mix(w.skin, rgb{0.9, 0.35, 0.3}, 0.3), 7.5, 6.5, 3.2, 2.2)
	b.line(w.skin.dark(0.18), 2, 11.5, 0.5, 14.6, 4, 11.8, 4.6)
	for _, x := range [2]float64{4, 11} {
		if g.blink {
			b.line(ink, 1.4, x-1.8, -0.6, x+1.8, -0.6)
			continue
		}
		b.oval(ink, x, -1, 1.75, 2.5)
		b.disc(white, x+0.6, -1.8, 0.6)
	}
	b.line(w.hair.dark(0.3), 1.5, 1.8, -6.2, 6, -6.8)
	b.line(w.hair.dark(0.3), 1.5, 9.4, -6.8, 12.8, -6.2)
	b.arc(w.skin.dark(0.5), 1.5, 7.6, 6.8, 4, 3, 0.25, math.Pi-0.5)
	b.frontHair(w)
	b.hat(w)
	b.Pop()
}

func (b *brush) frontHair(w wardrobe) {
	if w.look.Hair == "bald" {
		b.oval(w.hair, -12.5, 2, 3.6, 7)
		b.arc(w.hair, 3.4, 7, 4.6, 5.4, 2.2, math.Pi, 2*math.Pi)
		return
	}
	if w.look.Hair == "curly" {
		for n := range 8 {
			p := polar(14.5, math.Pi*(0.86+0.128*float64(n)))
			b.disc(w.hair.light(0.03*float64(n%3)), p.x-1, p.y+1, 6.2)
		}
		return
	}
	b.MoveTo(-14, 9)
	b.CubicTo(-23, -24, 15, -29, 15.5, -4)
	b.QuadraticTo(8, -8, 3, -12)
	b.QuadraticTo(-3, -5, -8, -5)
	b.QuadraticTo(-8.5, 3, -10.5, 10)
	b.ClosePath()
	b.fill(w.hair)
	b.arc(w.hair.light(0.22), 1.8, -2, -6, 10, 11, 1.25*math.Pi, 1.62*math.Pi)
}

func (b *brush) backHair(g figure, w wardrobe) {
	h := g.head
	c := w.hair.dark(0.15)
	switch w.look.Hair {
	case "bun":
		b.disc(c, h.x-14, h.y-10, 7.5)
	case "long":
		b.round(c, h.x-18, h.y-10, 22, 42, 10)
	case "ponytail":
		b.line(c, 8, h.x-12, h.y-8, h.x-22, h.y+2, h.x-20, h.y+22)
	}
}

func (b *brush) wear(g figure, w wardrobe) {
	switch w.look.Garment {
	case "apron":
		b.apron(g, w)
	case "overalls":
		b.overalls(g, w)
	case "waistcoat":
		b.opening(g, white, 9)
		b.bowTie(g, ink)
		b.buttons(g, w.colour.light(0.6))
	case "jacket":
		b.skirt(g, w.colour, 8, 2)
		b.opening(g, w.shirt, 7)
		b.line(w.colour.dark(0.4), 2.6, g.chest.x+8, g.chest.y-2, g.chest.x+9, g.chest.y+17)
		b.buttons(g, rgb{0.95, 0.82, 0.4})
	case "dress":
		b.skirt(g, w.colour, 44, 13)
		b.line(w.colour.dark(0.35), 3, g.hip.x-12, g.hip.y-7, g.hip.x+13, g.hip.y-7)
		b.arc(white, 3, g.chest.x+4, g.chest.y-5, 7, 4, 0.1, math.Pi-0.1)
	case "hoodie":
		b.hoodie(g, w)
	case "tracksuit":
		b.line(white, 2.4, g.chest.x+6, g.chest.y-4, g.chest.x+7, g.chest.y+14, g.hip.x+6, g.hip.y)
		b.line(white, 2.4, g.chest.x-13, g.chest.y+18, g.chest.x+15, g.chest.y+18)
	case "smock":
		b.smock(g, w)
	case "raincoat":
		b.skirt(g, w.colour, 34, 6)
		b.line(w.colour.dark(0.35), 3.4, g.hip.x-13, g.hip.y-6, g.hip.x+13, g.hip.y-6)
		b.line(w.colour.dark(0.3), 1.4, g.chest.x+7, g.chest.y, g.hip.x+7, g.hip.y+32)
		b.buttons(g, w.colour.light(0.7))
	case "scarf":
		b.scarf(g, w)
	}
}

func (b *brush) hoodie(g figure, w wardrobe) {
	b.arc(w.colour.dark(0.3), 6, g.chest.x, g.chest.y-4, 9, 5, 0.2, math.Pi)
	b.round(w.colour.dark(0.2), g.hip.x-3, g.hip.y-19, 17, 13, 4)
	b.line(white, 1.3, g.chest.x+6, g.chest.y+2, g.chest.x+6, g.chest.y+12)
	b.line(white, 1.3, g.chest.x+10, g.chest.y+2, g.chest.x+10, g.chest.y+11)
}

func (b *brush) smock(g figure, w wardrobe) {
	b.skirt(g, w.colour, 22, 5)
	for n, c := range [3]rgb{{0.9, 0.3, 0.25}, {0.95, 0.8, 0.25}, {0.25, 0.55, 0.8}} {
		b.disc(c, g.hip.x-4+7*float64(n), g.hip.y-14+13*float64(n%2), 2.8)
	}
}

func (b *brush) apron(g figure, w wardrobe) {
	c, h := g.chest, g.hip
	b.line(w.colour.dark(0.15), 2.4, c.x+1, c.y-5, c.x+1, c.y+10)
	b.line(w.colour.dark(0.15), 2.6, h.x-13, h.y-8, h.x+2, h.y-8)
	b.poly(c.x-1, c.y+8, c.x+14, c.y+6, h.x+14, h.y-8, h.x+17, h.y+27, h.x-7, h.y+29, h.x-7, h.y-8)
	b.fill(w.colour)
	b.round(w.colour.dark(0.16), h.x, h.y+2, 13, 11, 2)
	b.line(w.colour.light(0.3), 1.2, h.x-6, h.y+25, h.x+16, h.y+23)
}

func (b *brush) overalls(g figure, w wardrobe) {
	c, h := g.chest, g.hip
	b.line(w.colour, 4, c.x-5, c.y-3, c.x+1, c.y+18)
	b.line(w.colour, 4, c.x+9, c.y-3, c.x+11, c.y+18)
	b.poly(c.x-2, c.y+15, c.x+15, c.y+14, h.x+14, h.y+6, h.x-14, h.y+6, h.x-13, h.y-14, c.x-3, h.y-17)
	b.fill(w.colour)
	b.round(w.colour.dark(0.2), c.x+2, c.y+20, 10, 10, 2)
	b.disc(rgb{0.95, 0.85, 0.5}, c.x+1, c.y+17, 1.7)
	b.disc(rgb{0.95, 0.85, 0.5}, c.x+11.5, c.y+16.5, 1.7)
}

func (b *brush) scarf(g figure, w wardrobe) {
	c := g.chest
	b.line(w.colour.dark(0.2), 9, c.x-3, c.y-3, c.x-9, c.y+28)
	b.line(w.colour, 10, c.x-7, c.y-5, c.x+9, c.y-5)
	b.line(w.colour, 9, c.x+8, c.y-3, c.x+9, c.y+34)
	for n := range 3 {
		y := c.y + 10 + 9*float64(n)
		b.line(w.colour.light(0.55), 2.2, c.x+5.5, y, c.x+12.5, y)
	}
}

func (b *brush) skirt(g figure, c rgb, length, flare float64) {
	sway := (g.foot[near].x + g.foot[far].x) * 0.25
	spread := math.Abs(g.foot[near].x-g.foot[far].x) * 0.14 * length / 44
	h := g.hip
	b.MoveTo(h.x-13, h.y-8)
	b.LineTo(h.x-13-flare-spread+sway, h.y+length-1)
	b.QuadraticTo(h.x+sway, h.y+length+4, h.x+13+flare+spread+sway, h.y+length-1)
	b.LineTo(h.x+13, h.y-8)
	b.ClosePath()
	b.fill(c)
}

// opening draws the V through which the shirt shows.
func (b *brush) opening(g figure, c rgb, width float64) {
	b.poly(g.chest.x+8-width/2, g.chest.y-5, g.chest.x+8+width/2, g.chest.y-5, g.hip.x+9, g.hip.y-width*1.6)
	b.fill(c)
}

func (b *brush) bowTie(g figure, c rgb) {
	x, y := g.chest.x+7, g.chest.y-2
	b.poly(x, y, x-5, y-3.4, x-5, y+3.4)
	b.fill(c)
	b.poly(x, y, x+5, y-3.4, x+5, y+3.4)
	b.fill(c)
}

func (b *brush) buttons(g figure, c rgb) {
	for n := range 3 {
		at := g.chest.add(vec{10, 20}).to(g.hip.add(vec{9, -3}), float64(n)/2)
		b.disc(c, at.x, at.y, 1.6)
	}
}

func (b *brush) hat(w wardrobe) {
	c := w.colour
	switch w.look.Hat {
	case "toque":
		for _, p := range [3]vec{{-9, -27}, {8, -27}, {0, -31}} {
			b.disc(rgb{0.97, 0.96, 0.94}, p.x, p.y, 9.5)
		}
		b.round(rgb{0.92, 0.91, 0.9}, -13.5, -24, 27, 12, 3)
	case "cap":
		b.dome(c, -9, 15.5, 13)
		b.round(c.dark(0.35), 6, -11, 19, 4, 2)
	case "kepi":
		b.poly(-15, -9, -14, -23, 15, -26, 16, -9)
		b.fill(c)
		b.rect(rgb{0.95, 0.8, 0.35}, -15, -13, 31, 3.4)
		b.round(ink, 8, -10.5, 15, 4, 2)
	case "straw":
		b.dome(rgb{0.93, 0.79, 0.45}, -9, 13, 14)
		b.rect(c, -13, -13, 26, 4)
		b.oval(rgb{0.88, 0.72, 0.38}, 1, -8.5, 25, 4)
	case "band":
		b.line(c, 4.6, -14.5, -7, 0, -10.5, 14.5, -8)
	case "beret":
		b.oval(c, -2, -14, 18, 7)
		b.line(c.dark(0.3), 2.4, -2, -20, -1, -23)
	case "helmet":
		b.dome(c, -7, 17, 17)
		b.line(c.light(0.5), 2.6, -12, -12, -2, -22)
		b.round(c.dark(0.3), -17, -8.5, 37, 4, 2)
	case "fedora":
		b.poly(-12, -10, -11, -24, 1, -21, 11, -25, 13, -10)
		b.fill(c.dark(0.5))
		b.rect(c, -12.3, -14, 25, 4)
		b.oval(c.dark(0.55), 1, -9.5, 22, 3.6)
	}
}

// dome draws the upper half of an ellipse over y.
func (b *brush) dome(c rgb, y, rx, ry float64) {
	b.NewSubPath()
	b.DrawEllipticalArc(0, y, rx, ry, math.Pi, 2*math.Pi)
	b.ClosePath()
	b.fill(c)
}
