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

// actor draws a person with the feet at the state's point. The held prop
// comes between body and near hand.
func (b *brush) actor(a schemas.FilmActor, s actorState, t float64, prop func()) {
	g, w := figureOf(a, s, t), newWardrobe(a.Look)
	lift := math.Max(0, -math.Max(g.foot[far].y, g.foot[near].y))
	b.shadow(s.at.X, s.at.Y+1, 34*a.Look.Size*(1-lift/140))
	b.Push()
	b.Translate(s.at.X, s.at.Y)
	b.Scale(s.facing*a.Look.Size, a.Look.Size)
	b.actBehind(s, w)
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
	b.actFront(s, w)
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

// trunk draws neck, torso and what is worn over it.
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

// face draws the head in three-quarter view.
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

// frontHair is what frames the face.
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

// backHair hangs behind the body.
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
