package simulate

import (
	"fmt"
	"strings"

	"github.com/memforge/memforge/stages/lifelong/worlds"
)

// view is what stands on the screen after a step.
type view struct {
	round  int
	screen worlds.Exhibit
}

// screen is a thing as it stands, with the others around it.
func (r *play) screen(thing string) worlds.Exhibit {
	x := worlds.Exhibit{Kind: worlds.Screen, App: r.of.Domain, Thing: thing, Title: strings.TrimPrefix(thing, "the ")}
	for _, aspect := range worlds.Told(r.of.Domain) {
		if v := r.state.Holds(thing, aspect); v != "" {
			x.Rows = append(x.Rows, [2]string{aspect, v})
		}
	}
	for _, t := range r.of.Things {
		if t != thing {
			x.Around = append(x.Around, strings.TrimPrefix(t, "the "))
		}
	}
	return x
}

// shows is the same for screens that say the same.
func shows(x worlds.Exhibit) string { return fmt.Sprintf("%s %q", x.Title, x.Rows) }

// leastRows is how much must stand on a screen that is kept. Menus and lists of a window
// stand in columns too, so that a single row does not tell which of them are the thing's.
func leastRows(regime string) int {
	if regime == worlds.GUI {
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
// in full, for all that they show was told before.
func (r *play) keep(upto int) {
	n := min(upto-r.given, len(r.views))
	for i := range n {
		v := r.views[i*len(r.views)/n]
		r.kept[shows(v.screen)] = true
		r.rounds[v.round].Picture = len(r.out.Exhibits)
		v.screen.Session, v.screen.Round = r.n, v.round
		r.out.Exhibits = append(r.out.Exhibits, v.screen)
	}
	r.given += n
}
