package film

import "math"

// poses are the figure's by the action of a clip. Every action repeats at its
// own pace, so that any second of the clip shows it.
var poses = map[string]func(g figure, t float64) figure{
	"jumping": jumping, "waving": waving, "sweeping": sweeping, "pouring": pouring, "throwing a ball": throwing,
	"dancing": dancing, "doing squats": squatting, "juggling": juggling, "running": running, "hammering": hammering,
}

func (g figure) shift(d vec) figure {
	g.hip, g.chest, g.head = g.hip.add(d), g.chest.add(d), g.head.add(d)
	return g
}

const jumpTime = 0.8

func jumpHeight(t float64) float64 {
	u := math.Mod(t, jumpTime) / jumpTime
	if u < 0.25 || u > 0.85 {
		return 0
	}
	v := (u - 0.25) / 0.6
	return 4 * 38 * v * (1 - v)
}

func jumping(g figure, t float64) figure {
	u := math.Mod(t, jumpTime) / jumpTime
	h := jumpHeight(t)
	crouch := 0.0
	if h == 0 {
		crouch = 20 * math.Sin(math.Pi*math.Mod(u+0.15, 1)/0.4)
	}
	up := clamp(h / 30)
	g = g.shift(vec{0, crouch - h})
	tuck := 14 * up
	g.foot = [2]vec{{9 + 6*up, -h + tuck*0.3}, {-9 - 6*up, -h + tuck*0.3}}
	g.hand[far] = vec{14, -66 + crouch - h}.to(vec{30, -174 - h}, up)
	g.hand[near] = vec{-12, -66 + crouch - h}.to(vec{-24, -172 - h}, up)
	return g
}

func waving(g figure, t float64) figure {
	g.hand[far] = g.chest.add(vec{38 + 15*wave(t, 1.9), -38 + 8*wave(t, 1.9)})
	g.hand[near] = vec{-8, -70}
	g.nod = 0.06 * wave(t, 0.95)
	return g.shift(vec{1.5 * wave(t, 0.95), 0})
}

func sweeping(g figure, t float64) figure {
	w := wave(t, 0.95)
	g = g.shift(vec{4 + 3*w, 3})
	g.chest = g.chest.add(vec{9 + 3*w, 4})
	g.head = g.head.add(vec{13 + 3*w, 7})
	g.foot = [2]vec{{18, -1}, {-12, 0}}
	g.nod = 0.2
	top, tip := broom(t)
	g.hand[near] = top.to(tip, 0.12)
	g.hand[far] = top.to(tip, 0.42)
	return g
}

func broom(t float64) (top, tip vec) {
	w := wave(t, 0.95)
	return vec{14 + 6*w, -106}, vec{48 + 24*w, -8 - 5*math.Max(0, -math.Cos(2*math.Pi*0.95*t))}
}

func pouring(g figure, t float64) figure {
	tip := jugTilt(t)
	g.hand[far] = pourGlass.add(vec{-3, 6})
	g.hand[near] = jugHand(tip)
	g.nod = 0.16
	g.head = g.head.add(vec{3, 1})
	return g
}

// pourGlass is where the glass is held, jugHand where the jug is.
var pourGlass = vec{52, -84}

func jugHand(tilt float64) vec { return vec{24 + 2*tilt, -104 - 18*tilt} }

// jugTilt returns 0 with the jug upright and 1 while it pours.
func jugTilt(t float64) float64 {
	u := math.Mod(t+0.1, 1.6)
	return smooth(u, 0.1, 0.45) * (1 - smooth(u, 1.2, 1.5))
}

const throwTime = 1.2

func throwing(g figure, t float64) figure {
	u := math.Mod(t, throwTime)
	wind, fling := smooth(u, 0, 0.3), smooth(u, 0.3, 0.42)
	back := smooth(u, 0.75, 1.05)
	lean := -9*wind + 20*fling - 11*back
	g.chest, g.head = g.chest.add(vec{lean, 2}), g.head.add(vec{lean * 1.2, 3})
	g.foot = [2]vec{{20, -1}, {-16, 0}}
	rest := vec{24, -96}
	cocked, ahead := g.chest.add(vec{-34, -26}), g.chest.add(vec{50, -14})
	g.hand[near] = rest.to(cocked, wind).to(ahead, fling).to(rest, back)
	g.hand[far] = g.chest.add(vec{34 - 20*fling, 18 + 20*fling})
	return g
}

func ballFlight(t float64) (vec, bool) {
	u := math.Mod(t, throwTime)
	if u < 0.4 || u > 1.1 {
		return vec{}, false
	}
	v := (u - 0.4) / 0.7
	out := math.Sin(math.Pi * v)
	return vec{48 + 120*out, -128 - 80*math.Sin(math.Pi*math.Min(1, v*1.15)) + 34*v}, true
}

func dancing(g figure, t float64) figure {
	w, d := wave(t, 1.1), wave(t, 2.2)
	g = g.shift(vec{11 * w, 3 + 3*math.Abs(w)})
	g.chest = g.chest.add(vec{-9 * w, 0})
	g.head = g.head.add(vec{-5 * w, 1.5 * d})
	g.foot = [2]vec{{16, -1 - 9*math.Max(0, w)}, {-15, -9 * math.Max(0, -w)}}
	g.hand[far] = g.chest.add(vec{30, -14}).add(polar(17, 2*math.Pi*1.1*t))
	g.hand[near] = g.chest.add(vec{-28, -10}).add(polar(17, math.Pi+2*math.Pi*1.1*t))
	g.nod = -0.18 * w
	return g
}

func squatting(g figure, t float64) figure {
	d := ease(0.5 - 0.5*math.Cos(2*math.Pi*0.8*t))
	g = g.shift(vec{-13 * d, 40 * d})
	g.chest = g.chest.add(vec{18 * d, 3 * d})
	g.head = g.head.add(vec{20 * d, 3 * d})
	g.foot = [2]vec{{11, -1}, {-9, 0}}
	g.hand[far] = vec{9, -70}.to(g.chest.add(vec{54, 6}), d)
	g.hand[near] = vec{-3, -69}.to(g.chest.add(vec{48, 8}), d)
	return g
}

const juggleTime = 1.05 // of one ball's round

func juggling(g figure, t float64) figure {
	roll := 2 * math.Pi * t / juggleTime * 1.5
	g.hand[far] = vec{34, -92}.add(polar(6, roll))
	g.hand[near] = vec{4, -90}.add(polar(6, roll+math.Pi))
	g.foot = [2]vec{{11, -1}, {-10, 0}}
	g.nod = -0.2
	return g
}

func juggled(t float64, n int) vec {
	u := math.Mod(t/juggleTime+float64(n)/3, 1)
	if u < 0.65 {
		v := u / 0.65
		return vec{lerp(4, 34, v), -98 - 4*76*v*(1-v)}
	}
	v := (u - 0.65) / 0.35
	return vec{lerp(34, 4, v), -98 - 4*22*v*(1-v)}
}

func running(g figure, t float64) figure {
	phase := t * 2 * math.Pi * 1.55
	bob := 5 * math.Cos(2*phase)
	g = g.shift(vec{4, 2 + bob})
	g.chest, g.head = g.chest.add(vec{13, 2}), g.head.add(vec{17, 3})
	for side, p := range [2]float64{phase + math.Pi, phase} {
		g.foot[side] = vec{-4 + 34*math.Cos(p), -4 - 26*math.Max(0, -math.Sin(p+0.5)) - float64(1-side)}
		arm := -math.Cos(p)
		g.hand[side] = g.chest.add(vec{12 + 24*arm, 34 - 16*math.Max(0, arm)})
	}
	return g
}

const hammerTime = 0.6

func hammering(g figure, t float64) figure {
	u := math.Mod(t, hammerTime) / hammerTime
	blow := smooth(u, 0.62, 0.78) * (1 - smooth(u, 0.9, 1)) // 1 at the strike
	g.chest = g.chest.add(vec{5 + 7*blow, 3 * blow})
	g.head = g.head.add(vec{7 + 8*blow, 4 + 3*blow})
	g.foot = [2]vec{{16, -1}, {-12, 0}}
	g.hand[near] = g.chest.add(vec{-20, -32}).to(vec{30, -71}, blow)
	g.hand[far] = vec{40, -56}
	g.nod = 0.2
	return g
}

// actBehind draws what an action needs behind the actor, in figure units.
func (b *brush) actBehind(s actorState) {
	switch s.act {
	case "hammering":
		b.anvil(s.since)
	case "dancing":
		b.shadow(0, 2, 42)
	}
}

// actFront draws what the actor handles, before the near arm.
func (b *brush) actFront(s actorState) {
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
	b.outline(white, 0.9, 1.6)
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
