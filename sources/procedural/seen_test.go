package procedural

import (
	"math"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// TestWhoComesOrGoesIsSeen looks at every frame of every entrance and exit: the
// actor's middle is in the picture, wherever the camera is, with nobody nearer
// to the viewer beside it, for a second on end.
func TestWhoComesOrGoesIsSeen(t *testing.T) {
	few, many := testsize.Choose[uint64](2, 8), testsize.Choose[uint64](10, 40)
	for seconds, seeds := range map[float64]uint64{10: many, 16: many, 30: many, 60: many, 150: few} {
		came, brief := 0, 0
		for seed := range seeds {
			c := config(schemas.FilmFull, 2)
			c.Seconds, c.Likeness = seconds, []float64{float64(seed % 2)}
			for _, f := range generate(t, seed, c) {
				for _, e := range f.Events {
					if e.Kind != schemas.FilmEnters && e.Kind != schemas.FilmLeaves {
						continue
					}
					came++
					if seenFor(f, e) < 1-1e-9 {
						brief++
					}
				}
			}
		}
		if brief > 0 || came < int(seeds) {
			t.Errorf("films of %g s: %d of %d entrances and exits are seen for less than a second", seconds, brief, came)
		}
	}
}

// seenFor is the longest time on end, in seconds, for which nothing hides the
// actor of e.
func seenFor(f schemas.Film, e schemas.FilmEvent) float64 {
	left, right := 0.0, 640.0
	for _, v := range []schemas.FilmView{f.Camera.From, f.Camera.To} {
		left, right = math.Max(left, v.Centre.X-320/v.Zoom), math.Min(right, v.Centre.X+320/v.Zoom)
	}
	frames, longest := 0, 0
	for n := int(math.Round(e.Start * 25)); n < int(math.Round(e.End*25)); n++ {
		moment := float64(n) / 25
		at, _ := standing(f, e.Actor, moment)
		seen := at.X >= left && at.X <= right
		for _, a := range f.Actors {
			if other, on := standing(f, a.ID, moment); on && other.Y > at.Y && math.Abs(other.X-at.X) < 46 {
				seen = false
			}
		}
		frames++
		if !seen {
			frames = 0
		}
		longest = max(longest, frames)
	}
	return float64(longest) / 25
}

// standing is where an actor is at a moment, and whether it is on the stage. It
// reads the script alone, as stages/video/film draws it.
func standing(f schemas.Film, actor string, moment float64) (at schemas.FilmPoint, on bool) {
	for _, a := range f.Actors {
		if a.ID == actor && a.At != nil {
			at, on = *a.At, true
		}
	}
	for _, e := range f.Events {
		if e.Actor != actor || e.Start > moment+1e-9 {
			continue
		}
		gone := paced((moment - e.Start) / (e.End - e.Start))
		at = schemas.FilmPoint{X: e.From.X + gone*(e.To.X-e.From.X), Y: e.From.Y + gone*(e.To.Y-e.From.Y)}
		on = e.Kind != schemas.FilmLeaves || moment < e.End-1e-9
	}
	return at, on
}

// paced is the share of a way gone after a share of its time: the area under a
// speed that rises and falls over 0.18 of the time.
func paced(u float64) float64 {
	const rise = 0.18
	if u >= 1 {
		return 1
	}
	up, down := math.Min(u, rise), math.Max(0, u-(1-rise))
	level := u - up - down
	return (up*up/(2*rise) + level + down - down*down/(2*rise)) / (1 - rise)
}
