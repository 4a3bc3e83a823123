package film

import "math"

// actBehind draws what an action needs behind the actor, in figure units.
func (b *brush) actBehind(s actorState, w wardrobe) {
	switch s.act {
	case "hammering":
		b.anvil(s.since)
	case "dancing":
		b.shadow(0, 2, 42)
	}
}

// actFront draws what the actor handles, before the near arm.
func (b *brush) actFront(s actorState, w wardrobe) {
	t := s.since
	switch s.act {
	case "sweeping":
		b.sweeper(t)
	case "pouring":
		b.jug(t)
	case "throwing a ball":
		b.thrown(t)
	case "juggling":
		for n, c := range [3]rgb{{0.88, 0.25, 0.2}, {0.98, 0.8, 0.2}, {0.2, 0.5, 0.85}} {
			p := juggled(t, n)
			b.DrawCircle(p.x, p.y, 8)
			b.body(c)
		}
	case "hammering":
		b.hammer(t)
	}
}

func (b *brush) sweeper(t float64) {
	top, tip := broom(t)
	b.line(rgb{0.72, 0.5, 0.28}, 4.4, top.x, top.y, tip.x, tip.y)
	v := tip.sub(top)
	u := v.mul(1 / v.length())
	n := vec{-u.y, u.x}
	foot := tip.add(u.mul(16))
	b.poly(tip.x-n.x*7, tip.y-n.y*7, tip.x+n.x*7, tip.y+n.y*7, foot.x+n.x*17, foot.y+n.y*17, foot.x-n.x*17, foot.y-n.y*17)
	b.body(rgb{0.93, 0.74, 0.32})
	for k := range 3 { // dust rises where the brush goes
		p := clamp(math.Mod(t*1.9+float64(k)/3, 1))
		b.DrawCircle(foot.x+14+22*p, foot.y-14*p-2*float64(k), 3+5*p)
		b.glaze(rgb{0.8, 0.75, 0.68}, 0.4*(1-p))
	}
}

func (b *brush) jug(t float64) {
	tilt := jugTilt(t)
	level := smooth(math.Mod(t+0.1, 1.6), 0.4, 1.2)
	water := rgb{0.3, 0.66, 0.9}
	glass, hand := pourGlass, jugHand(tilt)
	if tilt > 0.7 {
		b.line(water, 4, hand.x+26, hand.y+20, glass.x, glass.y)
	}
	b.rect(water, glass.x-7, glass.y+2-16*level, 14, 16*level)
	b.poly(glass.x-9, glass.y-22, glass.x+9, glass.y-22, glass.x+7, glass.y+3, glass.x-7, glass.y+3)
	b.use(white, 0.35)
	b.FillPreserve()
	b.use(white, 0.9)
	b.SetLineWidth(1.6)
	b.Stroke()
	b.Push()
	b.Translate(hand.x, hand.y)
	b.Rotate(1.25 * tilt)
	b.MoveTo(3, -17)
	b.LineTo(27, -20)
	b.LineTo(24, -14)
	b.QuadraticTo(33, 8, 22, 17)
	b.LineTo(6, 17)
	b.QuadraticTo(0, 4, 5, -12)
	b.ClosePath()
	b.body(rgb{0.9, 0.45, 0.3})
	b.line(cream, 3, 5, 2, 27, 1)
	b.arc(rgb{0.7, 0.32, 0.2}, 3.4, 1, 0, 7, 9, 0.6*math.Pi, 1.4*math.Pi)
	b.Pop()
}

func (b *brush) thrown(t float64) {
	p, flying := ballFlight(t)
	if !flying {
		p = throwing(standing(0), t).hand[near].add(vec{5, -7})
	}
	b.DrawCircle(p.x, p.y, 11)
	b.body(rgb{0.93, 0.4, 0.18})
	b.arc(white, 2.2, p.x-4, p.y, 11, 10, -0.7, 0.7)
	b.disc(rgb{1, 0.75, 0.55}, p.x-3, p.y-5, 2.6)
}

// anvil is the block that is hammered on; sparks fly at each blow.
func (b *brush) anvil(t float64) {
	b.shadow(48, 1, 24)
	b.poly(34, 0, 36, -34, 60, -34, 62, 0)
	b.body(rgb{0.55, 0.37, 0.24})
	b.poly(28, -58, 72, -58, 66, -47, 58, -44, 60, -34, 36, -34, 38, -44, 30, -48)
	b.body(rgb{0.42, 0.44, 0.5})
	b.round(rgb{0.98, 0.55, 0.2}, 40, -63, 22, 5, 2)
	since := math.Mod(t, hammerTime)/hammerTime - 0.78
	if since < 0 {
		return
	}
	for k := range 7 {
		p := polar(14+150*since, -math.Pi*(0.12+0.13*float64(k)))
		b.disc(rgb{1, 0.85, 0.35}, 50+p.x, -62+p.y+120*since*since, 2.2)
	}
}

func (b *brush) hammer(t float64) {
	g := hammering(standing(0), t)
	h := g.hand[near]
	u := math.Mod(t, hammerTime) / hammerTime
	blow := smooth(u, 0.62, 0.78) * (1 - smooth(u, 0.9, 1))
	b.Push()
	b.Translate(h.x, h.y)
	b.Rotate(lerp(-0.9, 1.5, blow))
	b.line(rgb{0.7, 0.48, 0.27}, 4.6, 0, 9, 0, -24)
	b.DrawRoundedRectangle(-10, -34, 22, 12, 2)
	b.body(rgb{0.5, 0.52, 0.58})
	b.Pop()
}
