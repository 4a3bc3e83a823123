package agent

import (
	"fmt"
	"strings"

	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// screenAfter is what stands on the screen after a step.
type screenAfter struct {
	round  int
	screen simulate.Picture
}

// screenOf is a thing as it stands, with the others around it: what was changed, and behind
// it what only eyes can tell, as soon as a look has found it. A board keeps its rows.
func (r *run) screenOf(thing string) simulate.Picture {
	x := simulate.Picture{Kind: simulate.Screen, App: r.world.Domain, Thing: thing, Title: strings.TrimPrefix(thing, "the ")}
	for _, aspect := range simulate.ToldAspects(r.world.Domain) {
		if v := r.state.Holds(thing, aspect); v != "" {
			x.Rows = append(x.Rows, [2]string{aspect, v})
		}
	}
	read := r.read[thing]
	x.Rows, x.Hidden = append(x.Rows, read.Rows...), read.Hidden
	for _, t := range r.world.Things {
		if t != thing {
			x.Around = append(x.Around, strings.TrimPrefix(t, "the "))
		}
	}
	return x
}

// screenText is the same for screens that say the same.
func screenText(x simulate.Picture) string { return fmt.Sprintf("%s %q", x.Title, x.Rows) }

// minRows is how much must stand on a screen that is kept. Menus and lists of a window
// stand in columns too, so that a single row does not tell which of them are the thing's.
func minRows(regime string) int {
	if regime == simulate.GUI {
		return 2
	}
	return 1
}

// noteScreen notes what stands on the screen after the last step, where the step changed that.
func (r *run) noteScreen() {
	if r.state.front == "" {
		return
	}
	x := r.screenOf(r.state.front)
	if len(x.Rows) < minRows(r.regime) || r.keptScreens[screenText(x)] {
		return
	}
	for _, v := range r.screens {
		if screenText(v.screen) == screenText(x) {
			return
		}
	}
	r.screens = append(r.screens, screenAfter{len(r.rounds) - 1, x})
}

// keepScreens gives steps of the session their screens until the run has as many, evenly spread
// over those after which something stood there that no screen showed. They are captioned
// in full, for all that they show was told before, but for what only eyes could tell.
func (r *run) keepScreens(upto int) {
	views := r.distinctScreens()
	n := min(upto-r.given, len(views))
	for i := range n {
		v := views[i*len(views)/n]
		r.keptScreens[screenText(v.screen)] = true
		r.rounds[v.round].Picture = len(r.out.Pictures)
		v.screen.Session, v.screen.Round = r.n, v.round
		r.out.Pictures = append(r.out.Pictures, v.screen)
	}
	r.given += n
}

// distinctScreens are the views of the session that a caption tells from its other pictures:
// that of a hidden one gives only the names of what it shows.
func (r *run) distinctScreens() []screenAfter {
	caption := func(x simulate.Picture) string {
		out := x.Title
		for _, row := range x.Rows {
			out += "/" + row[0]
		}
		return out
	}
	taken := map[string]bool{}
	for _, x := range r.out.Pictures {
		if x.Hidden && x.Session == r.n {
			taken[caption(x)] = true
		}
	}
	var out []screenAfter
	for _, v := range r.screens {
		c := caption(v.screen)
		if v.screen.Hidden && taken[c] {
			continue
		}
		taken[c] = taken[c] || v.screen.Hidden
		out = append(out, v)
	}
	return out
}
