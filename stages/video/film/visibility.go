package film

import (
	"math"

	"github.com/memforge/memforge/schemas"
)

// visibleSpan is from when to when an event is to be seen. Who comes or goes is outside
// the picture for a while, and is shown when half of the body is in it.
func visibleSpan(f schemas.Film, e schemas.FilmEvent) (start, end float64) {
	n := indexActor(f, e.Actor)
	if n < 0 || e.Kind != schemas.FilmEnters && e.Kind != schemas.FilmLeaves {
		return e.Start, e.End
	}
	fps := float64(f.FPS)
	first, last := math.Round(e.Start*fps), math.Round(e.End*fps)
	for first < last && !inPicture(f, n, first/fps) {
		first++
	}
	for last > first && !inPicture(f, n, (last-1)/fps) {
		last--
	}
	if first == last {
		return e.Start, e.End
	}
	return max(e.Start, roundTime(first/fps)), min(e.End, roundTime(last/fps))
}

// roundTime writes a time as scripts do, with four decimals.
func roundTime(t float64) float64 { return math.Round(t*1e4) / 1e4 }

// inPicture reports whether the middle of an actor's body is in frame at t.
func inPicture(f schemas.Film, actor int, t float64) bool {
	left, _, zoom := viewAt(f, t)
	width, _ := visibleSize(f, zoom)
	x := sceneAt(f, t).actors[actor].at.X
	return x >= left && x <= left+width
}
