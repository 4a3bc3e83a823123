package film

import (
	"math"

	"github.com/memforge/memforge/schemas"
)

// vec is a point of a figure: units of the figure, origin between the feet,
// x in the direction it faces, y downwards.
type vec struct{ x, y float64 }

func (a vec) add(b vec) vec              { return vec{a.x + b.x, a.y + b.y} }
func (a vec) sub(b vec) vec              { return vec{a.x - b.x, a.y - b.y} }
func (a vec) mul(k float64) vec          { return vec{a.x * k, a.y * k} }
func (a vec) to(b vec, t float64) vec    { return vec{lerp(a.x, b.x, t), lerp(a.y, b.y, t)} }
func (a vec) length() float64            { return math.Hypot(a.x, a.y) }
func polar(r, angle float64) vec         { return vec{r * math.Cos(angle), r * math.Sin(angle)} }
func wave(t, hz float64) float64         { return math.Sin(2 * math.Pi * hz * t) }
func smooth(t, from, to float64) float64 { return ease(clamp((t - from) / (to - from))) }

// Lengths of a figure of size 1.
const (
	thigh, shin   = 34.0, 34.0
	upper, lower  = 28.0, 27.0
	hipHeight     = 72.0
	shoulderAbove = 50.0 // over the hip
	stride        = 19.0 // of one foot, forwards and backwards
	far, near     = 0, 1
)

// figure is a pose: where the joints are. Elbows and knees follow from it.
type figure struct {
	hip, chest, head vec
	hand, foot       [2]vec
	nod              float64 // turn of the head, radians
	blink            bool
}

func standing(t float64) figure {
	breath := 0.7 * wave(t, 0.32)
	chest := vec{0, -hipHeight - shoulderAbove + breath}
	return figure{
		hip: vec{0, -hipHeight}, chest: chest, head: chest.add(vec{2, -22}),
		hand: [2]vec{{11, -70 + breath}, {-6, -69 + breath}}, foot: [2]vec{{8, -1}, {-7, 0}},
	}
}

func (g figure) walking(walked, amount float64) figure {
	phase := walked / (4 * stride) * 2 * math.Pi
	bob := 2.2 * math.Cos(2*phase) * amount
	for side, p := range [2]float64{phase + math.Pi, phase} {
		step := vec{stride * math.Cos(p), -9*math.Max(0, -math.Sin(p)) - float64(1-side)}
		g.foot[side] = g.foot[side].to(step, amount)
		swing := vec{2 - 17*math.Cos(p), -74 - 3*math.Abs(math.Cos(p))}
		g.hand[side] = g.hand[side].to(swing, amount)
	}
	g.hip.y += bob
	g.chest = g.chest.add(vec{3 * amount, bob})
	g.head = g.head.add(vec{4 * amount, bob})
	return g
}

func (g figure) shoulder(side int) vec {
	if side == far {
		return g.chest.add(vec{7, 4})
	}
	return g.chest.add(vec{-6, 4})
}

// reaching brings a hand to a point; the body leans as far as the arm is short.
func (g figure) reaching(side int, target vec, amount float64) figure {
	v := target.sub(g.shoulder(side))
	if over := v.length() - (upper + lower - 2); over > 0 {
		lean := v.mul(over / v.length() * amount)
		g.chest, g.head = g.chest.add(lean), g.head.add(lean)
		g.hip = g.hip.add(vec{lean.x * 0.35, math.Min(lean.y*0.8, 30)})
	}
	g.hand[side] = g.hand[side].to(target, amount)
	return g
}

func figureOf(a schemas.FilmActor, s actorState, t float64) figure {
	g := standing(t + float64(len(a.Role)))
	g.blink = math.Mod(t*0.37+float64(len(a.Description))*0.13, 1) < 0.045
	if s.act != "" {
		if pose, known := poses[s.act]; known {
			return pose(g, s.since)
		}
		return g
	}
	if s.moving > 0 {
		g = g.walking(s.walked, s.moving)
	} else {
		g.nod = 0.05 * wave(t+float64(len(a.ID)+len(a.Role)), 0.21)
	}
	side := near
	if s.holding >= 0 {
		g.hand[near] = vec{21, -92 + 0.6*wave(t, 0.32) + 1.6*s.moving*math.Cos(s.walked/stride*math.Pi)}
	}
	if s.reach > 0 {
		if s.holding >= 0 && s.opening {
			side = far
		}
		g = g.reaching(side, local(a, s, s.target), s.reach)
		g.nod += 0.12 * s.reach
	}
	return g
}

// local converts a point of the stage into one of the figure, onStage back.
func local(a schemas.FilmActor, s actorState, p schemas.FilmPoint) vec {
	return vec{(p.X - s.at.X) / s.facing / a.Look.Size, (p.Y - s.at.Y) / a.Look.Size}
}

func onStage(a schemas.FilmActor, s actorState, v vec) schemas.FilmPoint {
	return schemas.FilmPoint{X: s.at.X + v.x*s.facing*a.Look.Size, Y: s.at.Y + v.y*a.Look.Size}
}

func handOf(a schemas.FilmActor, s actorState, t float64) schemas.FilmPoint {
	return onStage(a, s, figureOf(a, s, t).hand[near])
}

// joint finds the elbow or knee between a and b: bend is 1 or -1, the side it
// lies on. A limb that is too short is drawn straight.
func joint(a, b vec, l1, l2, bend float64) vec {
	v := b.sub(a)
	d := math.Max(0.1, v.length())
	if d >= l1+l2 {
		return a.to(b, l1/(l1+l2))
	}
	along := (l1*l1 - l2*l2 + d*d) / (2 * d)
	off := math.Sqrt(math.Max(0, l1*l1-along*along)) * bend
	u := v.mul(1 / d)
	return a.add(u.mul(along)).add(vec{-u.y * off, u.x * off})
}
