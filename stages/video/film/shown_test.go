package film

import (
	"cmp"
	"slices"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestWhoComesOrGoesIsToldWhenInPicture wants the middle of the body in the
// picture over all of a told entrance or exit, and outside before or after it.
func TestWhoComesOrGoesIsToldWhenInPicture(t *testing.T) {
	f := script(t, "film.json")
	inside := func(actor string, at float64) bool {
		x, _, zoom := viewAt(f, at)
		mid := sceneAt(f, at).actors[indexActor(f, actor)].at.X
		return mid >= x && mid <= x+640/zoom
	}
	came := map[string]int{}
	for _, e := range f.Events {
		v, ok := eventOf(f, e)
		if !ok {
			continue
		}
		frame := 1 / float64(f.FPS)
		for at := v.Start; at < v.End-frame/2 && e.Actor != ""; at += frame {
			if !inside(e.Actor, at) {
				t.Errorf("%s %s is told from %g to %g, and outside at %g", e.Actor, e.Kind, v.Start, v.End, at)
			}
		}
		came[e.Kind]++
		switch e.Kind {
		case schemas.FilmEnters:
			if v.Start <= e.Start || v.End != e.End || inside(e.Actor, v.Start-frame) {
				t.Errorf("%s enters from %g to %g and is told from %g to %g", e.Actor, e.Start, e.End, v.Start, v.End)
			}
		case schemas.FilmLeaves:
			if v.Start != e.Start || v.End >= e.End || inside(e.Actor, v.End) {
				t.Errorf("%s leaves from %g to %g and is told from %g to %g", e.Actor, e.Start, e.End, v.Start, v.End)
			}
		default:
			if v.Start != e.Start || v.End != e.End {
				t.Errorf("%s lasts from %g to %g and is told from %g to %g", e.Kind, e.Start, e.End, v.Start, v.End)
			}
		}
	}
	if !slices.IsSortedFunc(GroundTruth(f).Events, func(a, b schemas.Event) int { return cmp.Compare(a.Start, b.Start) }) {
		t.Error("what is told is not in order")
	}
	if came[schemas.FilmEnters] == 0 || came[schemas.FilmLeaves] == 0 {
		t.Errorf("the script has %v", came)
	}
}
