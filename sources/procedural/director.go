package procedural

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/schemas"
)

const (
	minGap    = 0.4  // seconds between the starts of two events
	tail      = 0.6  // seconds of calm at the end
	takeTime  = 1.4  // seconds a pick-up or put-down lasts
	openTime  = 1.4  // seconds an opening lasts
	flipTime  = 1.6  // seconds from a sign's turning until its text was read
	enterTime = 1.6  // seconds to come in or go out, at least
	signGap   = 2.2  // seconds between two changes of a sign, at least
	slowest   = 160. // paces of walking, units per second
	fastest   = 260.
	attempts  = 400
	drafts    = 12 // fitting scripts to choose from
)

var errTooTight = errors.New("the events do not fit; ask for more seconds")

// writeEvents drafts the events until enough drafts hold all that a film must
// show, and takes the one in which people hide each other least where something
// happens.
func writeEvents(r *rand.Rand, f *schemas.Film, d assignment, parts int) error {
	best, fits := math.Inf(1), 0
	var actors []schemas.FilmActor
	for range attempts {
		w := newDirector(r, f, d)
		w.parts = parts
		if !w.changeSign(d.texts) || !w.run() || !w.coversAll() {
			continue
		}
		if c := w.faults(); c < best {
			best, f.Events, actors = c, w.events, w.cast()
		}
		if fits++; fits == drafts {
			break
		}
	}
	if fits == 0 {
		return errTooTight
	}
	f.Actors = actors
	sortEvents(f.Events)
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
	on    bool
	since float64 // when it came on, or went off
	prop  int     // carried, or -1
	done  bool
	first *schemas.FilmPoint // where it stands at the first frame, if it does

	events []schemas.FilmEvent // its own, in order
}

// thingState is a prop while the script is being written.
type thingState struct {
	at                schemas.FilmPoint
	away, held        bool
	pickedUp, putDown int     // how often
	since             float64 // when it came to be where it is
}

// director keeps what is true of the stage while it writes events.
type director struct {
	r        *rand.Rand
	f        *schemas.Film
	assigned assignment
	parts    int     // equal parts of the film that no event runs over the bounds of
	pace     float64 // walking, units per second
	idle     float64 // seconds of rest after an action, about
	players  []player
	props    []thingState
	free     map[schemas.FilmPoint]float64 // from when on a slot that was used is free
	opened   []bool                        // fixtures
	starts   []float64                     // of events a viewer is asked about
	events   []schemas.FilmEvent
}

// newDirector puts one of the cast on the stage: the title is hardly gone when
// a viewer sees whose film it is.
func newDirector(r *rand.Rand, f *schemas.Film, deal assignment) *director {
	d := &director{r: r, f: f, assigned: deal, free: map[schemas.FilmPoint]float64{}, opened: make([]bool, len(f.Fixtures))}
	d.pace = slowest + (fastest-slowest)*r.Float64()
	d.idle = min(max(f.Duration()/60, 0.3), 2.5)
	for _, p := range f.Props {
		d.props = append(d.props, thingState{at: p.At, away: p.Away})
	}
	lanes, opens := r.Perm(3), r.IntN(len(f.Actors))
	for n, a := range f.Actors {
		p := player{id: a.ID, at: schemas.FilmPoint{Y: 312 + 11*float64(lanes[n])}, prop: -1}
		p.ready = f.Card + 0.3 + 1.5*r.Float64()*float64(n)
		if n == opens {
			p.on, p.ready, p.at.X = true, f.Card+0.4, pickOne(r, d.restPlaces())
			at := p.at
			p.first = &at
		}
		d.players = append(d.players, p)
	}
	return d
}

// cast returns that of the film, with who stands on the stage at the first
// frame.
func (d *director) cast() []schemas.FilmActor {
	out := slices.Clone(d.f.Actors)
	for n := range out {
		out[n].At = d.players[n].first
	}
	return out
}

// run lets the actor who is free first act next, until the time is up. It
// reports whether all have something to do to the end.
func (d *director) run() bool {
	for {
		p := d.nextPlayer()
		if p == nil {
			return true
		}
		d.act(p)
	}
}

func (d *director) nextPlayer() *player {
	var best *player
	for n := range d.players {
		if p := &d.players[n]; !p.done && (best == nil || p.ready < best.ready) {
			best = p
		}
	}
	return best
}

// act picks the one of a few things that p might do which is seen best. If
// nothing can be done without hiding somebody who comes or goes, p waits.
func (d *director) act(p *player) {
	const looks = 6
	var best beat
	least := math.Inf(1)
	options := d.beatOptions(p)
	for range looks {
		b, ok := d.pickBeat(p, options)
		if !ok {
			continue
		}
		if c := d.cost(p, b.events); c < least {
			least, best = c, b
		}
	}
	if math.IsInf(least, 1) {
		p.ready += patience
		p.done = p.ready+takeTime > d.end()
		return
	}
	d.commit(p, best)
}

// freeMoment finds the first moment from t on at which something of a length
// may start: away from the starts of all other events, and so that it is over
// before the film's part ends, if it is shorter than a part.
func (d *director) freeMoment(t, length float64) float64 {
	t = d.onFrame(t)
	for {
		if bound, over := d.partEnd(t, length); over {
			t = d.onFrame(bound)
		}
		busy := slices.IndexFunc(d.starts, func(s float64) bool { return math.Abs(s-t) < minGap-1e-9 })
		if busy < 0 {
			return t
		}
		t = d.onFrame(d.starts[busy] + minGap + 0.5/float64(d.f.FPS))
	}
}

// partEnd returns where the part of the film ends that t is in, and whether
// something of a length would run over it that a part could hold.
func (d *director) partEnd(t, length float64) (float64, bool) {
	if d.parts == 0 || length+0.8 > d.f.Duration()/float64(d.parts) {
		return 0, false
	}
	frame := int64(t*float64(d.f.FPS) + 0.5)
	for k := range int64(d.parts) {
		if at := k * d.f.Frames / int64(d.parts); at > frame {
			end := float64(at) / float64(d.f.FPS)
			return end, t+length > end+1e-6
		}
	}
	return 0, false
}

// onFrame rounds to the nearest frame, written with four decimals.
func (d *director) onFrame(t float64) float64 {
	fps := float64(d.f.FPS)
	return math.Round(math.Round(t*fps)/fps*1e4) / 1e4
}

func (d *director) end() float64 { return d.f.Duration() - tail }

// changeSign spreads the changes of the sign over the film, and reports whether
// there was room.
func (d *director) changeSign(texts []string) bool {
	sign := d.f.Fixtures[signAt(d.f.Fixtures)]
	first := d.f.Card + 1
	length := d.end() - flipTime - first
	last := math.Inf(-1)
	for n, text := range texts {
		wish := first + length*(float64(n)+0.15+0.7*d.r.Float64())/float64(len(texts))
		start := d.freeMoment(max(wish, last+signGap), flipTime)
		end := d.onFrame(start + flipTime)
		if end > d.end() {
			return false
		}
		d.events = append(d.events, schemas.FilmEvent{Kind: schemas.FilmChanges, Fixture: sign.ID, Text: text, Start: start, End: end})
		d.starts = append(d.starts, start)
		last = start
	}
	return true
}
