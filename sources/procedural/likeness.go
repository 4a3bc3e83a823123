package procedural

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/memforge/memforge/schemas"
)

// From which likeness on twins have what in common that is there or not. What
// can be had in part grows with it: palettes draw nearer, and more kinds of
// openings and of things are the same.
const (
	oneLight = 0.5  // day, dusk or night
	oneRoom  = 0.75 // decoration, music and camera
)

// checkLikeness refuses levels that mean nothing.
func (c Config) checkLikeness() error {
	if c.Kind == schemas.FilmFull && (len(c.Likeness) == 0 || len(c.Likeness) > 100) {
		return fmt.Errorf("likeness has %d levels: want 1 to 100", len(c.Likeness))
	}
	for _, l := range c.Likeness {
		if !(l >= 0 && l <= 1) { // so that NaN is refused as well
			return fmt.Errorf("likeness %g: want 0 to 1", l)
		}
	}
	return nil
}

// likeness is that of a pair of twins.
func (c Config) likeness(pair int) float64 { return c.Likeness[pair%len(c.Likeness)] }

// newSet is the empty stage of one of two twins. At likeness 0 they have
// neither wall nor light in common, at 1 everything.
func newSet(draw RandFunc, c Config, p place, pair, twin int) schemas.Film {
	l := c.likeness(pair)
	common, own := draw(c.Kind, "set", label(pair)), draw(c.Kind, "set", label(pair), label(twin))
	palettes, light := common.Perm(len(schemes)), common.Perm(len(hours))
	room := common // of decoration, music and camera
	if l < oneRoom {
		room = own
	}
	f := schemas.Film{
		Kind: c.Kind, Place: p.name, Width: c.Width, Height: c.Height, FPS: c.FPS, Frames: c.frames(),
		Light: hours[light[1+twin]], Seed: room.Uint32(),
		Palette: between(schemes[palettes[1+twin]], schemes[palettes[0]], l),
	}
	if l >= oneLight {
		f.Light = hours[light[0]]
	}
	f.Camera = drift(room, f.Duration())
	return f
}

// between mixes two palettes: a at 0, b at 1.
func between(a, b schemas.FilmPalette, l float64) schemas.FilmPalette {
	return schemas.FilmPalette{
		Wall: blend(a.Wall, b.Wall, l), Floor: blend(a.Floor, b.Floor, l),
		Wood: blend(a.Wood, b.Wood, l), Accent: blend(a.Accent, b.Accent, l),
	}
}

// blend mixes two colours of the form #rrggbb.
func blend(a, b string, l float64) string {
	var x, y [3]int
	for n, s := range [2]string{a, b} {
		into := [2]*[3]int{&x, &y}[n]
		if _, err := fmt.Sscanf(s, "#%02x%02x%02x", &into[0], &into[1], &into[2]); err != nil {
			return a
		}
	}
	mixed := func(n int) int { return x[n] + int(math.Round(l*float64(y[n]-x[n]))) }
	return fmt.Sprintf("#%02x%02x%02x", mixed(0), mixed(1), mixed(2))
}

// sharedCount is how many of n are in common.
func sharedCount(l float64, n int) int { return int(math.Round(l * float64(n))) }

// derangement has everything in another place.
func derangement(r *rand.Rand, n, by int) []int {
	out := r.Perm(n)
	return append(out[by:], out[:by]...)
}
