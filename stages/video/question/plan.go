package question

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// Plan says what each value of a pair is asked for. Questions of a pair tell of each
// other: what is wrong of one video is right of the other, and an order of things says
// whose they are. So a value that is asked for its video stands in questions about one
// fact only, wrong options included; all others are told, and stand wherever their video
// is known. A pair with too few values has the zero Plan, which leaves all of them free:
// its questions must be put one by one.
type Plan struct {
	// uses are question types by thing; what has none is told.
	uses map[string]string
	sets map[string][]optionSet
	// colours says whether details are colours and what somebody handles, or else things
	// and who handles what: the one would tell the other.
	colours bool
}

// optionSet is an answer and what stands beside it, rivals first.
type optionSet struct {
	side   Side
	kind   string
	answer string
	wrong  []string
}

// drawnPlans is how many plans are drawn, of which that with the most questions is taken.
const drawnPlans = 24

// askedValues of a video are taken at once, where more than one is asked for.
const askedValues = 2

// NewPlan plans the questions of a pair. One pair of three is asked for orders and details,
// by which all of its values are told, the others for what tells the videos apart: a pair
// has too few values for both.
func NewPlan(p schemas.Pair, style Style, rnd *rand.Rand) Plan {
	told, colours, people := rnd.IntN(3) == 0, rnd.IntN(2) == 0, rnd.IntN(2) == 0
	best, most := Plan{}, 0
	given := append(style.givenValues(p.A), style.givenValues(p.B)...)
	for range drawnPlans {
		d := newPlanner(p, given, rnd)
		if n := d.draw(); n > most {
			best, most = d.plan, n
		}
	}
	if most == 0 || !told {
		return best
	}
	d := newPlanner(p, given, rnd)
	d.plan.colours = colours
	d.takeValues(schemas.TypeContentRetention, askedValues, askedValues)
	for n := range d.own {
		if people {
			d.take(schemas.TypeContentRetention, slices.Concat(d.own[n][groundtruth.Enters], d.own[n][groundtruth.Leaves])...)
		}
	}
	return d.plan
}

// Skips reports whether a pair is planned and nothing of it is left for a layout.
func (p Plan) Skips(layout string) bool {
	return p.uses != nil && (layout != schemas.LayoutConcat || len(p.sets[schemas.TypeInterference]) == 0)
}

// givenValues are what the name of a video may give away.
func (s Style) givenValues(v schemas.Video) []string {
	if v.Title != "" {
		return []string{v.Title}
	}
	var out []string
	for _, name := range s.labels() {
		out = append(out, v.Labels[name])
	}
	if shown := (videoView{seen: v.Events}).events(groundtruth.Shows); len(shown) > 0 {
		out = append(out, groundtruth.Value(shown[0]), groundtruth.Value(shown[len(shown)-1]))
	}
	return out
}

type planner struct {
	rnd *rand.Rand
	// own are the values of either video alone by kind, shared those of both.
	own    [2]map[string][]string
	shared map[string][]string
	pool   map[string][]string
	taken  map[string]bool
	plan   Plan
}

func newPlanner(p schemas.Pair, given []string, rnd *rand.Rand) *planner {
	d := &planner{
		rnd: rnd, shared: map[string][]string{}, pool: map[string][]string{}, taken: map[string]bool{},
		plan: Plan{uses: map[string]string{}, sets: map[string][]optionSet{}},
	}
	index := [2]groundtruth.Index{groundtruth.NewIndex(p.A.Events), groundtruth.NewIndex(p.B.Events)}
	for n, events := range [][]schemas.Event{p.A.Events, p.B.Events} {
		d.own[n] = map[string][]string{}
		values := groundtruth.Values(events)
		for _, kind := range groundtruth.Kinds() {
			for _, v := range shuffled(values[kind], rnd) {
				switch {
				case anyClash(given, v) || countClashes(events, kind, v) != 1:
				case index[1-n].Mentions(v):
					d.shared[kind] = append(d.shared[kind], v)
				default:
					d.own[n][kind] = append(d.own[n][kind], v)
				}
			}
		}
	}
	for _, kind := range groundtruth.Kinds() {
		d.pool[kind] = slices.DeleteFunc(shuffled(p.Pool[kind], rnd), func(v string) bool {
			return index[0].Mentions(v) || index[1].Mentions(v) || anyClash(given, v)
		})
	}
	return d
}

func countClashes(events []schemas.Event, kind, v string) (n int) {
	for _, e := range events {
		if e.Kind == kind && groundtruth.Clash(groundtruth.Value(e), v) {
			n++
		}
	}
	return n
}

// draw fills the plan and returns how many times something was taken; 0 when not every
// type of question has its part.
func (d *planner) draw() (n int) {
	var sets []func() bool
	for side := range 2 {
		sets = append(sets,
			func() bool { return d.takeSet(schemas.TypeSourceIdentification, side, optionCount-1, 0) },
			func() bool { return d.takeSet(schemas.TypeInterference, side, optionCount-2, 1) })
	}
	for _, take := range shuffled(sets, d.rnd) {
		if !take() {
			return 0
		}
	}
	values := []func() bool{
		func() bool { return d.takeValues(schemas.TypeSourceMemory, askedValues, askedValues) },
		func() bool { // whose each is, is drawn by itself: equal numbers would tell the last
			var of [2]int
			for range 2 * askedValues {
				of[d.rnd.IntN(2)]++
			}
			return d.takeValues(schemas.TypeSpatialGrounding, of[0], of[1])
		},
	}
	for _, take := range shuffled(values, d.rnd) {
		if take() {
			n += len(sets)
		}
	}
	n += len(sets)
	for again := true; again; {
		again = false
		for _, take := range append(shuffled(sets, d.rnd), shuffled(values, d.rnd)...) {
			if take() {
				n++
				again = true
			}
		}
	}
	return n
}

func (d *planner) free(side int, kind string) []string {
	return slices.DeleteFunc(slices.Clone(d.own[side][kind]), func(v string) bool { return d.taken[thing(v)] })
}

func (d *planner) take(use string, values ...string) {
	for _, v := range values {
		d.taken[thing(v)] = true
		d.plan.uses[thing(v)] = use
	}
}

// takeValues takes so many values of each video, all of one kind.
func (d *planner) takeValues(use string, ofA, ofB int) bool {
	for _, kind := range shuffled(groundtruth.Kinds(), d.rnd) {
		a, b := d.free(0, kind), d.free(1, kind)
		if len(a) < ofA || len(b) < ofB || !d.suits(use, kind) {
			continue
		}
		d.take(use, slices.Concat(a[:ofA], b[:ofB])...)
		if use == schemas.TypeSourceMemory {
			d.take(use, d.shared[kind]...)
		}
		return true
	}
	return false
}

// suits reports whether a kind of event can be asked about: for its source where something
// of it happens in both videos, if anything does, for a gap where values have colours.
func (d *planner) suits(use, kind string) bool {
	switch use {
	case schemas.TypeSourceMemory:
		return !isPerson(kind) && (len(d.shared) == 0 || len(d.shared[kind]) > 0)
	case schemas.TypeContentRetention:
		return kind == groundtruth.PicksUp || kind == groundtruth.PutsDown || d.plan.colours && kind == groundtruth.Opens
	}
	return !isPerson(kind)
}

// takeSet takes an answer of a video with so many values of the other and of neither.
func (d *planner) takeSet(typ string, side, rivals, unrelated int) bool {
	for _, kind := range shuffled(groundtruth.Kinds(), d.rnd) {
		if isPerson(kind) {
			continue
		}
		for _, answer := range d.free(side, kind) {
			others := slices.DeleteFunc(slices.Clone(d.pool[kind]), func(v string) bool { return d.taken[thing(v)] })
			found := findOptionSets(d.rnd, answer, optionRequest{d.free(1-side, kind), rivals}, optionRequest{others, unrelated})
			if len(found) == 0 {
				continue
			}
			d.take(typ, append([]string{answer}, found[0]...)...)
			d.plan.sets[typ] = append(d.plan.sets[typ], optionSet{[]Side{A, B}[side], kind, answer, found[0]})
			return true
		}
	}
	return false
}

// thing is what a value names, whatever happens to it.
func thing(value string) string { return strings.Join(groundtruth.Words(value), " ") }

// allots reports whether a value may be asked for as a type says; "" is what tells whose
// the value is.
func (p Plan) allots(use, value string) bool { return p.uses == nil || p.uses[thing(value)] == use }
