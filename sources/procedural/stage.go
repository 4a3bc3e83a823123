package procedural

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// A step is one thing an actor is to do.
type step int

const (
	enter  step = iota
	take        // the nearest untouched prop
	put         // what it carries, on another place
	unlock      // the nearest closed opening
	leave
)

// plans hold, by size of cast, what each actor does. Each has at least four
// takes and two openings. Entrances come first; the order of everything else
// falls out of the timing.
var plans = map[int][][][]step{
	2: {
		{{enter, take, put, unlock, take}, {enter, take, unlock, put, take}},
		{{enter, unlock, take, put, take, leave}, {enter, take, put, unlock, take}},
		{{enter, take, put, take, leave}, {enter, unlock, take, put, unlock, take}},
		{{enter, take, put, take, put, take}, {enter, unlock, take, unlock, leave}},
	},
	3: {
		{{enter, take, put, take}, {enter, unlock, take, leave}, {enter, take, unlock}},
		{{enter, unlock, take, leave}, {enter, take, put, unlock}, {enter, take, put, take}},
		{{enter, take, unlock, leave}, {enter, take, put, take}, {enter, unlock, take, leave}},
		{{enter, take, put, take}, {enter, unlock, take}, {enter, unlock, take, put}},
	},
}

// briefPlans are those of films below briefBelow seconds: three takes.
var briefPlans = map[int][][][]step{
	2: {
		{{enter, take, put, unlock, take}, {enter, unlock, take, leave}},
		{{enter, unlock, take, put, take, leave}, {enter, take, put, unlock}},
		{{enter, take, unlock, leave}, {enter, unlock, take, put, take}},
		{{enter, take, put, take, put}, {enter, unlock, take, unlock}},
	},
	3: {
		{{enter, take, put, leave}, {enter, unlock, take, put}, {enter, take, unlock}},
		{{enter, unlock, take, leave}, {enter, take, put, unlock}, {enter, take, put}},
		{{enter, take, unlock, leave}, {enter, take, put}, {enter, unlock, take, leave}},
		{{enter, take, put, take}, {enter, unlock, leave}, {enter, unlock, take}},
	},
}

const (
	minGap = 0.4 // seconds between the starts of two events
	// briefBelow is the length in seconds below which less happens.
	briefBelow = 12
	tail       = 0.6  // seconds of calm at the end
	takeTime   = 0.88 // seconds a pick-up or put-down lasts
	openTime   = 1.0
	flipTime   = 0.6
	attempts   = 2000
	slowest    = 165.0 // paces of walking, units per second
	fastest    = 365.0
	drafts     = 40 // fitting plans to choose from
)

var errTooTight = errors.New("the events do not fit; ask for more seconds")

// stage writes the events: it draws plans until enough of them fit the length
// of f and takes the one in which people stand least in each other's light.
func stage(r *rand.Rand, f *schemas.Film, texts []string) error {
	options := plans[len(f.Actors)]
	if f.Duration() < briefBelow {
		options = briefPlans[len(f.Actors)]
	}
	least, fits := math.Inf(1), 0
	for n := range attempts {
		d := newDirector(r, f, min(slowest+float64(n)/2, fastest))
		if !d.run(options[r.IntN(len(options))]) || !d.changeSign(texts) {
			continue
		}
		sortEvents(d.events)
		if c := d.crowding(); c < least {
			least, f.Events = c, d.events
		}
		if fits++; fits == drafts || least == 0 {
			return nil
		}
	}
	if fits == 0 {
		return errTooTight
	}
	return nil
}

func sortEvents(ev []schemas.FilmEvent) {
	slices.SortStableFunc(ev, func(a, b schemas.FilmEvent) int {
		switch {
		case a.Start < b.Start:
			return -1
		case a.Start > b.Start:
			return 1
		}
		return 0
	})
}

// player is an actor while the script is being written.
type player struct {
	id    string
	at    schemas.FilmPoint
	ready float64 // from when it is free
	prop  int     // carried, or -1
	todo  []step
}

// director keeps what is true of the stage while it writes events.
type director struct {
	r       *rand.Rand
	f       *schemas.Film
	pace    float64 // walking, units per second
	players []player
	free    [2][]schemas.FilmPoint // empty slots by surface
	touched []bool                 // props
	opened  []bool                 // fixtures
	starts  []float64              // of events a viewer is asked about
	events  []schemas.FilmEvent
}

func newDirector(r *rand.Rand, f *schemas.Film, pace float64) *director {
	d := &director{r: r, f: f, pace: pace, touched: make([]bool, len(f.Props)), opened: make([]bool, len(f.Fixtures))}
	d.free = freeSlots(r, f.Fixtures)
	for s := range d.free {
		d.free[s] = slices.DeleteFunc(d.free[s], func(p schemas.FilmPoint) bool {
			return slices.ContainsFunc(f.Props, func(q schemas.FilmProp) bool { return q.At == p })
		})
	}
	lanes := r.Perm(3)
	for n, a := range f.Actors {
		start := f.Card + 0.2 + float64(n)*(0.9+r.Float64()*0.6)
		d.players = append(d.players, player{id: a.ID, at: schemas.FilmPoint{Y: 312 + 11*float64(lanes[n])}, ready: start, prop: -1})
	}
	return d
}

// run performs the plan: the actor who can act first goes first. It reports
// whether everything fits.
func (d *director) run(plan [][]step) bool {
	for n := range plan {
		d.players[n].todo = plan[n]
	}
	for {
		p := d.next()
		if p == nil {
			return true
		}
		s := p.todo[0]
		p.todo = p.todo[1:]
		if !d.perform(p, s) || p.ready > d.f.Duration()-tail {
			return false
		}
	}
}

func (d *director) next() *player {
	var best *player
	for n := range d.players {
		p := &d.players[n]
		if len(p.todo) > 0 && (best == nil || p.ready < best.ready) {
			best = p
		}
	}
	return best
}

func (d *director) perform(p *player, s step) bool {
	switch s {
	case enter:
		return d.enter(p)
	case take:
		return d.take(p)
	case put:
		return d.put(p)
	case unlock:
		return d.unlock(p)
	}
	d.leave(p)
	return true
}

// enter brings an actor to within reach of a random column.
func (d *director) enter(p *player) bool {
	p.at.X = offLeft
	x := columns[d.r.IntN(2)] - reach
	if d.r.IntN(2) == 0 {
		p.at.X, x = offRight, columns[3+d.r.IntN(2)]+reach
	}
	d.walk(p, schemas.FilmEnters, x, d.clear(p.ready))
	return true
}

func (d *director) leave(p *player) {
	x := offLeft
	if p.at.X > 320 {
		x = offRight
	}
	d.walk(p, schemas.FilmLeaves, x, d.clear(p.ready+0.08))
}

// walk writes a movement that begins at start.
func (d *director) walk(p *player, kind string, x, start float64) {
	from, to := p.at, schemas.FilmPoint{X: x, Y: p.at.Y}
	end := d.onFrame(start + max(0.5, math.Abs(x-from.X)/d.pace))
	d.events = append(d.events, schemas.FilmEvent{Kind: kind, Actor: p.id, Start: start, End: end, From: &from, To: &to})
	if kind != schemas.FilmWalks {
		d.starts = append(d.starts, start)
	}
	p.at, p.ready = to, end
}

// approach walks to within reach of x, from the side the actor is on, and
// returns when the action there may start.
func (d *director) approach(p *player, x float64) float64 {
	side := -reach
	if p.at.X > x {
		side = reach
	}
	goal := x + side
	if math.Abs(goal-p.at.X) < 2 {
		return d.clear(p.ready + 0.12)
	}
	length := max(0.5, math.Abs(goal-p.at.X)/d.pace)
	start := d.clear(p.ready + 0.08 + length + 0.08)
	d.walk(p, schemas.FilmWalks, goal, d.onFrame(start-length-0.08))
	return max(start, p.ready)
}

// act writes an action in place.
func (d *director) act(p *player, e schemas.FilmEvent, length float64) {
	at := p.at
	e.Actor, e.From, e.To, e.End = p.id, &at, &at, d.onFrame(e.Start+length)
	d.events = append(d.events, e)
	d.starts = append(d.starts, e.Start)
	p.ready = e.End
}

// clear finds the first moment from t on that keeps its distance from the
// starts of all other events.
func (d *director) clear(t float64) float64 {
	t = d.onFrame(t)
	for {
		busy := slices.IndexFunc(d.starts, func(s float64) bool { return math.Abs(s-t) < minGap-1e-9 })
		if busy < 0 {
			return t
		}
		t = d.onFrame(d.starts[busy] + minGap + 0.5/float64(d.f.FPS))
	}
}

// onFrame rounds to the nearest frame, written with four decimals.
func (d *director) onFrame(t float64) float64 {
	fps := float64(d.f.FPS)
	return math.Round(math.Round(t*fps)/fps*1e4) / 1e4
}
