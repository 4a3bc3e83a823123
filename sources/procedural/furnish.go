package procedural

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/memforge/memforge/schemas"
)

// twinPlace is which twin of which pair is furnished. turn counts the twins that had
// the place before.
type twinPlace struct {
	pair, twin, turn int
	likeness         float64
}

// furnish fills the five columns of the stage: two surfaces, two openings and
// a sign. None of them stands where it does in the twin, and no opening has the
// colour of one there.
func furnish(draw RandFunc, f *schemas.Film, p place, s twinPlace) {
	shelf := draw(f.Kind, "openings", p.name)
	openings := append([]string(nil), p.openings...)
	shuffle(shelf, openings)
	kinds := windowOf(openings, s.turn+s.twin, 2)
	copy(kinds, windowOf(openings, s.turn, 2)[:sharedCount(s.likeness, 2)])
	hues := shelf.Perm(len(paints))
	at := derangement(draw(f.Kind, "columns", label(s.pair)), len(columns), 2*s.twin)
	for n, kind := range p.surfaces {
		f.Fixtures = append(f.Fixtures, surface(kind, fmt.Sprintf("surface-%d", n+1), columns[at[n]], f.Palette.Wood))
	}
	for n, kind := range kinds {
		dye := paints[hues[(2*(s.turn+s.twin)+n)%len(hues)]]
		f.Fixtures = append(f.Fixtures, opening(kind, fmt.Sprintf("opening-%d", n+1), columns[at[2+n]], dye))
	}
	f.Fixtures = append(f.Fixtures, schemas.FilmFixture{
		ID: "sign-1", Group: schemas.FilmSign, Kind: p.board, Description: "the " + boards[p.board], Colour: f.Palette.Accent,
		At: schemas.FilmPoint{X: columns[at[4]], Y: 84},
	})
}

// boards names the kinds of sign for a reader.
var boards = map[string]string{
	"chalkboard": "chalkboard", "post": "signpost", "board": "notice board", "frame": "framed sign", "departures": "departure board",
}

func surface(kind, id string, x float64, wood string) schemas.FilmFixture {
	return schemas.FilmFixture{ID: id, Group: schemas.FilmSurface, Kind: kind, Description: "the " + kind, Colour: wood, At: schemas.FilmPoint{X: x, Y: surfaceY}}
}

// handles is where each kind of opening stands and is taken hold of,
// relative to its foot.
var handles = map[string]struct{ foot, dx, dy float64 }{
	"door": {wallFoot, 20, -62}, "window": {172, 0, -14}, "cupboard": {170, 14, -12}, "drawer": {floorY, 0, -60},
	"chest": {floorY, 0, -44}, "box": {floorY, 0, -46}, "fridge": {floorY, -22, -74}, "oven": {floorY, 0, -66},
	"wardrobe": {floorY - 8, 4, -66}, "mailbox": {floorY, 0, -74}, "parasol": {floorY, 0, -66}, "curtain": {180, 0, -24},
}

func opening(kind, id string, x float64, dye colour) schemas.FilmFixture {
	h := handles[kind]
	return schemas.FilmFixture{
		ID: id, Group: schemas.FilmOpening, Kind: kind, Description: dye.name + " " + kind, Colour: dye.hex,
		At: schemas.FilmPoint{X: x, Y: h.foot}, Handle: &schemas.FilmPoint{X: x + h.dx, Y: h.foot + h.dy},
	}
}

// slotCount is how many things the two surfaces hold.
const slotCount = 6

// propsAtFirst returns how many of n things lie about at first. The others are
// brought in, for which slots must be free.
func propsAtFirst(n int) int {
	if n < slotCount {
		return n
	}
	return slotCount - 2
}

func placeProps(own *rand.Rand, f *schemas.Film, d assignment) {
	slots := freeSlots(own, f.Fixtures)
	for n, t := range d.things {
		p := schemas.FilmProp{
			ID: fmt.Sprintf("prop-%d", n+1), Kind: t.noun, Description: t.dye.name + " " + t.noun, Colour: t.dye.hex, Away: n >= propsAtFirst(len(d.things)),
		}
		if !p.Away {
			p.At = slots[n%2][n/2]
		}
		f.Props = append(f.Props, p)
	}
}

func freeSlots(r *rand.Rand, fixtures []schemas.FilmFixture) [2][]schemas.FilmPoint {
	var out [2][]schemas.FilmPoint
	n := 0
	for _, x := range fixtures {
		if x.Group != schemas.FilmSurface {
			continue
		}
		for s := -1; s <= 1; s++ {
			out[n] = append(out[n], schemas.FilmPoint{X: x.At.X + float64(s)*slotPitch, Y: topY})
		}
		shuffle(r, out[n])
		n++
	}
	return out
}

func allSlots(fixtures []schemas.FilmFixture) []schemas.FilmPoint {
	var out []schemas.FilmPoint
	for _, x := range fixtures {
		for s := -1; s <= 1 && x.Group == schemas.FilmSurface; s++ {
			out = append(out, schemas.FilmPoint{X: x.At.X + float64(s)*slotPitch, Y: topY})
		}
	}
	return out
}

func signAt(fixtures []schemas.FilmFixture) int {
	for n, x := range fixtures {
		if x.Group == schemas.FilmSign {
			return n
		}
	}
	return -1
}

// From which likeness on twins have what in common that is there or not. What
// can be had in part grows with it: palettes draw nearer, and more kinds of
// openings and of things are the same.
const (
	oneLight = 0.5  // day, dusk or night
	oneRoom  = 0.75 // decoration, music and camera
)

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

func (c Config) likeness(pair int) float64 { return c.Likeness[pair%len(c.Likeness)] }

// newSet returns the empty stage of one of two twins. At likeness 0 they have
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

func between(a, b schemas.FilmPalette, l float64) schemas.FilmPalette {
	return schemas.FilmPalette{
		Wall: blend(a.Wall, b.Wall, l), Floor: blend(a.Floor, b.Floor, l),
		Wood: blend(a.Wood, b.Wood, l), Accent: blend(a.Accent, b.Accent, l),
	}
}

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

func sharedCount(l float64, n int) int { return int(math.Round(l * float64(n))) }

// derangement returns an order with everything in another place.
func derangement(r *rand.Rand, n, by int) []int {
	out := r.Perm(n)
	return append(out[by:], out[:by]...)
}
