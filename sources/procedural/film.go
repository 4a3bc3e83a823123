package procedural

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/memforge/memforge/schemas"
)

// Where things stand on a stage of 640 x 360.
const (
	wallFoot   = 236.0 // where wall meets floor
	topY       = 224.0 // where a thing stands on a surface
	surfaceY   = 282.0 // foot of a surface
	floorY     = 268.0 // foot of a thing standing on the floor
	slotPitch  = 34.0
	reach      = 36.0 // how far from a thing an actor stops
	offLeft    = -64.0
	offRight   = 704.0
	cardLength = 1.5
)

var columns = [5]float64{80, 200, 320, 440, 560}

// writeFilm writes script i. Films 2k and 2k+1 are twins: one place and one role in
// common, some things that are picked up in both, some texts that both signs
// change to; other people, other events, and as much else in common as the
// likeness of the pair says.
func writeFilm(draw RandFunc, c Config, i int) (schemas.Film, error) {
	sc := placesFor(draw, c)
	pair, twin := i/2, i%2
	p := sc[pair%len(sc)]
	l := c.likeness(pair)
	own := draw(c.Kind, label(i))
	f := newSet(draw, c, p, pair, twin)
	f.Title = filmTitle(draw, c, i)
	f.Twins = label(pair)
	f.Labels = map[string]string{schemas.LabelLikeness: strconv.FormatFloat(l, 'g', -1, 64)}
	f.Card = cardLength
	f.Actors = castActors(draw(c.Kind, "cast", label(pair)), own, p, twin, c.castSize())
	d := assign(draw, c, p, i, pair/len(sc))
	furnish(draw, &f, p, twinPlace{pair: pair, twin: twin, turn: 2 * (pair / len(sc)), likeness: l})
	placeProps(own, &f, d)
	d.noteLures(&f)
	f.Fixtures[signAt(f.Fixtures)].Text = d.first
	err := writeEvents(own, &f, d, c.Parts)
	return f, err
}

// filmTitle gives each script of a source another one.
func filmTitle(draw RandFunc, c Config, i int) string {
	r := draw(c.Kind, "titles")
	a, s := r.Perm(len(adjectives)), r.Perm(len(subjects))
	n := len(adjectives)
	return "The " + adjectives[a[i%n]] + " " + subjects[s[(i+i/n)%len(subjects)]]
}

// drift is one slow move that keeps the whole stage nearly in view.
func drift(r *rand.Rand, seconds float64) schemas.FilmCamera {
	view := func(zoom float64) schemas.FilmView {
		return schemas.FilmView{Centre: schemas.FilmPoint{X: 320 + round1(r.Float64()*12-6), Y: 180 + round1(r.Float64()*8-2)}, Zoom: zoom}
	}
	start := round1(seconds * (0.3 + 0.25*r.Float64()))
	cam := schemas.FilmCamera{From: view(1), To: view(1.05), Start: start, End: start + 2.5}
	if r.IntN(2) == 0 {
		cam.From.Zoom, cam.To.Zoom = cam.To.Zoom, cam.From.Zoom
	}
	return cam
}

func round1(v float64) float64 { return float64(int(v*10)) / 10 }

// castActors picks n roles and dresses them. Twins have one role in common, in two
// colours; no colour of a garment is in both.
func castActors(shared, own *rand.Rand, p place, twin, n int) []schemas.FilmActor {
	roles := shared.Perm(len(p.roles))[twin*(n-1):][:n]
	dyes := shared.Perm(len(paints))
	out := make([]schemas.FilmActor, n)
	for k, ri := range roles {
		role, dye := p.roles[ri], paints[dyes[n*twin+k]]
		out[k] = schemas.FilmActor{ID: fmt.Sprintf("actor-%d", k+1), Role: role, Look: dress(own, role, dye)}
		out[k].Description = fmt.Sprintf("the %s in the %s %s", role, dye.name, out[k].Look.Garment)
	}
	return out
}

func dress(r *rand.Rand, role string, dye colour) schemas.FilmLook {
	g := garments[role]
	l := schemas.FilmLook{
		Garment: g.garment, Colour: dye.hex, Shirt: pickOne(r, shirts), Trousers: pickOne(r, trousers), Skin: pickOne(r, skins),
		Hair: pickOne(r, hairs), HairTone: pickOne(r, hairTones), Hat: g.hat, Size: 1.06 + float64(r.IntN(5))*0.025,
	}
	switch role {
	case "child":
		l.Size, l.Hair = 0.84, hairs[r.IntN(4)]
	case "grandmother", "nurse":
		l.Hair = []string{"bun", "long", "ponytail"}[r.IntN(3)]
	case "grandfather", "professor":
		l.Hair = "bald"
	}
	if role == "grandmother" || role == "grandfather" {
		l.HairTone = "#c9c6c0"
	}
	return l
}

func pickOne[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// windowOf takes n entries from the turn-th place on, so that the turns of a
// place share nothing until the list is used up.
func windowOf[T any](list []T, turn, n int) []T {
	out := make([]T, n)
	for k := range out {
		out[k] = list[(turn*n+k)%len(list)]
	}
	return out
}

// shuffleFavoured shuffles first what suits the place, then the rest.
func shuffleFavoured(r *rand.Rand, first, all []string) []string {
	out := slices.Clone(first)
	shuffle(r, out)
	var rest []string
	for _, a := range all {
		if !slices.Contains(first, a) {
			rest = append(rest, a)
		}
	}
	shuffle(r, rest)
	return append(out, rest...)
}

func shuffle[T any](r *rand.Rand, s []T) {
	r.Shuffle(len(s), func(a, b int) { s[a], s[b] = s[b], s[a] })
}
