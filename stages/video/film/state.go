package film

import (
	"math"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// scene is what is true of a film at one moment.
type scene struct {
	time   float64
	actors []actorState
	props  []propState
	open   []float64 // by fixture, 0 closed to 1 open
	signs  []signState
}

// actorState is where an actor is and what it does.
type actorState struct {
	onStage bool
	at      schemas.FilmPoint
	facing  float64 // 1 to the right, -1 to the left, in between while turning
	walked  float64 // units, drives the legs
	moving  float64 // 0 at rest to 1 at full pace
	holding int     // prop, or -1
	// target is a point to reach for, on the stage, and reach how far the hand
	// has gone to it: 0 at rest, 1 there.
	target  schemas.FilmPoint
	reach   float64
	opening bool    // the reach is for a handle
	act     string  // action of a clip
	since   float64 // seconds into the action
	length  float64
}

// propState is where a prop's foot is; holder is an actor or -1.
type propState struct {
	at     schemas.FilmPoint
	holder int
	gone   bool // carried off the stage
}

// signState is the text a sign bears; turn is how far it is flipped, 0 to 1.
type signState struct {
	text string
	next string
	turn float64
}

// grip is how far above its foot a prop is held.
const grip = 15.0

// half is the share of a pick-up after which the prop is in the hand.
const half = 0.5

func sceneAt(f schemas.Film, t float64) scene {
	s := initialScene(f)
	s.time = t
	for _, e := range f.Events {
		if e.Start > t {
			break
		}
		if e.Kind == schemas.FilmChanges {
			s.turnSign(f, e)
			continue
		}
		if n := indexActor(f, e.Actor); n >= 0 {
			s.applyEvent(f, n, e)
		}
	}
	s.moveHeldProps(f)
	return s
}

func initialScene(f schemas.Film) scene {
	s := scene{
		actors: make([]actorState, len(f.Actors)), props: make([]propState, len(f.Props)),
		open: make([]float64, len(f.Fixtures)), signs: make([]signState, len(f.Fixtures)),
	}
	for n, a := range f.Actors {
		s.actors[n] = actorState{facing: 1, holding: -1}
		if a.At != nil {
			s.actors[n].onStage, s.actors[n].at = true, *a.At
		}
	}
	for n, p := range f.Props {
		s.props[n] = propState{at: p.At, holder: -1, gone: p.Away}
	}
	for n, x := range f.Fixtures {
		s.signs[n].text = x.Text
	}
	return s
}

// flipTime is how many seconds a sign takes to turn; what is left of the event
// is for reading it.
const flipTime = 0.6

// turnSign turns a sign: halfway through, the new text shows.
func (s *scene) turnSign(f schemas.Film, e schemas.FilmEvent) {
	n := indexFixture(f, e.Fixture)
	if n < 0 {
		return
	}
	sign := &s.signs[n]
	length := math.Min(flipTime, e.End-e.Start)
	if s.time >= e.Start+length {
		*sign = signState{text: e.Text}
		return
	}
	sign.next, sign.turn = e.Text, (s.time-e.Start)/length
}

func (s *scene) applyEvent(f schemas.Film, n int, e schemas.FilmEvent) {
	a := &s.actors[n]
	u := clamp((s.time - e.Start) / (e.End - e.Start))
	a.moving, a.reach, a.opening, a.act = 0, 0, false, ""
	s.travel(a, e, u)
	switch e.Kind {
	case schemas.FilmEnters:
		a.onStage = true
		if at := indexProp(f, e.Prop); at >= 0 {
			a.holding, s.props[at].holder, s.props[at].gone = at, n, false
		}
	case schemas.FilmLeaves:
		a.onStage = u < 1
		if u == 1 {
			s.carryOff(a)
		}
	case schemas.FilmPicks, schemas.FilmPuts:
		s.moveProp(f, n, e, u)
	case schemas.FilmOpens:
		s.openFixture(f, n, e, u)
	case schemas.FilmActs:
		a.act, a.since, a.length = e.Text, s.time-e.Start, e.End-e.Start
		a.facing = sign(e.Place.X - e.To.X)
	}
}

func (s *scene) carryOff(a *actorState) {
	if a.holding >= 0 {
		s.props[a.holding].holder, s.props[a.holding].gone = -1, true
		a.holding = -1
	}
}

func (s *scene) travel(a *actorState, e schemas.FilmEvent, u float64) {
	way := e.To.X - e.From.X
	p := u
	if e.Kind != schemas.FilmActs {
		p = schemas.WalkProgress(u)
	}
	a.at = schemas.FilmPoint{X: lerp(e.From.X, e.To.X, p), Y: lerp(e.From.Y, e.To.Y, p)}
	a.walked += math.Abs(way) * p
	if math.Abs(way) > 1 {
		a.turn(sign(way), s.time-e.Start)
		a.moving = clamp(math.Min(u, 1-u) * (e.End - e.Start) * 5)
	}
}

// turnTime is how long an actor takes to turn round, and thin how narrow it
// gets on the way.
const (
	turnTime = 0.2
	thin     = 0.3
)

func (a *actorState) turn(to, since float64) {
	u := since / turnTime
	switch {
	case a.facing*to > 0 || u >= 1:
		a.facing = to
	case u < half:
		a.facing = -to * lerp(1, thin, 2*u)
	default:
		a.facing = to * lerp(thin, 1, 2*u-1)
	}
}

// moveProp picks up or puts down: the hand goes to the place, the prop changes
// hands there, the hand comes back.
func (s *scene) moveProp(f schemas.Film, n int, e schemas.FilmEvent, u float64) {
	a, at := &s.actors[n], indexProp(f, e.Prop)
	if at < 0 {
		return
	}
	p := &s.props[at]
	place := p.at
	if e.Place != nil {
		place = *e.Place
	}
	a.turn(sign(place.X-a.at.X), s.time-e.Start)
	if u < 1 {
		a.target = schemas.FilmPoint{X: place.X, Y: place.Y - grip}
		a.reach = ease(math.Min(u, 1-u) / 0.42)
	}
	if u < half {
		return
	}
	if e.Kind == schemas.FilmPuts {
		a.holding, p.holder, p.at = -1, -1, place
		return
	}
	a.holding, p.holder = at, n
}

func (s *scene) openFixture(f schemas.Film, n int, e schemas.FilmEvent, u float64) {
	a, at := &s.actors[n], indexFixture(f, e.Fixture)
	if at < 0 || f.Fixtures[at].Handle == nil {
		return
	}
	a.target, a.opening = *f.Fixtures[at].Handle, true
	a.turn(sign(a.target.X-a.at.X), s.time-e.Start)
	if u < 1 {
		a.reach = ease(math.Min(u/0.3, (1-u)/0.25))
	}
	s.open[at] = ease((u - 0.3) / 0.65)
}

func (s *scene) moveHeldProps(f schemas.Film) {
	for n := range s.props {
		p := &s.props[n]
		if p.holder < 0 {
			continue
		}
		a := s.actors[p.holder]
		hand := handOf(f.Actors[p.holder], a, s.time)
		p.at = schemas.FilmPoint{X: hand.X, Y: hand.Y + grip}
	}
}

func sign(v float64) float64 {
	if v < 0 {
		return -1
	}
	return 1
}

func indexActor(f schemas.Film, id string) int {
	return slices.IndexFunc(f.Actors, func(a schemas.FilmActor) bool { return a.ID == id })
}

func indexProp(f schemas.Film, id string) int {
	return slices.IndexFunc(f.Props, func(p schemas.FilmProp) bool { return p.ID == id })
}

func indexFixture(f schemas.Film, id string) int {
	return slices.IndexFunc(f.Fixtures, func(x schemas.FilmFixture) bool { return x.ID == id })
}
