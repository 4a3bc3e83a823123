package agent

import (
	"fmt"
	"strings"

	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// view is what stands on the screen after a step.
type view struct {
	round  int
	screen simulate.Exhibit
}

// screen is a thing as it stands, with the others around it: what was changed, and behind
// it what only eyes can tell, as soon as a look has found it. A board keeps its rows.
func (r *play) screen(thing string) simulate.Exhibit {
	x := simulate.Exhibit{Kind: simulate.Screen, App: r.of.Domain, Thing: thing, Title: strings.TrimPrefix(thing, "the ")}
	for _, aspect := range simulate.Told(r.of.Domain) {
		if v := r.state.Holds(thing, aspect); v != "" {
			x.Rows = append(x.Rows, [2]string{aspect, v})
		}
	}
	read := r.read[thing]
	x.Rows, x.Hidden = append(x.Rows, read.Rows...), read.Hidden
	for _, t := range r.of.Things {
		if t != thing {
			x.Around = append(x.Around, strings.TrimPrefix(t, "the "))
		}
	}
	return x
}

// shows is the same for screens that say the same.
func shows(x simulate.Exhibit) string { return fmt.Sprintf("%s %q", x.Title, x.Rows) }

// leastRows is how much must stand on a screen that is kept. Menus and lists of a window
// stand in columns too, so that a single row does not tell which of them are the thing's.
func leastRows(regime string) int {
	if regime == simulate.GUI {
		return 2
	}
	return 1
}

// look notes what stands on the screen after the last step, where the step changed that.
func (r *play) look() {
	if r.state.front == "" {
		return
	}
	x := r.screen(r.state.front)
	if len(x.Rows) < leastRows(r.regime) || r.kept[shows(x)] {
		return
	}
	for _, v := range r.views {
		if shows(v.screen) == shows(x) {
			return
		}
	}
	r.views = append(r.views, view{len(r.rounds) - 1, x})
}

// keep gives steps of the session their screens until the run has as many, evenly spread
// over those after which something stood there that no screen showed. They are captioned
// in full, for all that they show was told before, but for what only eyes could tell.
func (r *play) keep(upto int) {
	views := r.captioned()
	n := min(upto-r.given, len(views))
	for i := range n {
		v := views[i*len(views)/n]
		r.kept[shows(v.screen)] = true
		r.rounds[v.round].Picture = len(r.out.Exhibits)
		v.screen.Session, v.screen.Round = r.n, v.round
		r.out.Exhibits = append(r.out.Exhibits, v.screen)
	}
	r.given += n
}

// captioned are the views of the session that a caption tells from its other pictures:
// that of a hidden one gives only the names of what it shows.
func (r *play) captioned() []view {
	caption := func(x simulate.Exhibit) string {
		out := x.Title
		for _, row := range x.Rows {
			out += "/" + row[0]
		}
		return out
	}
	taken := map[string]bool{}
	for _, x := range r.out.Exhibits {
		if x.Hidden && x.Session == r.n {
			taken[caption(x)] = true
		}
	}
	var out []view
	for _, v := range r.views {
		c := caption(v.screen)
		if v.screen.Hidden && taken[c] {
			continue
		}
		taken[c] = taken[c] || v.screen.Hidden
		out = append(out, v)
	}
	return out
}
