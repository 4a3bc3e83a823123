package procedural

import (
	"math/rand/v2"

	"github.com/memforge/memforge/schemas"
)

// writeClip writes clip i. Actions and scenes run through all their combinations
// before one comes back, with another actor, spot, light and palette.
func writeClip(draw RandFunc, c Config, i int) schemas.Film {
	sc := placesFor(draw, c)
	order := draw(c.Kind, "actions").Perm(len(actions))[:c.Actions]
	a := i % c.Actions
	s := (i/c.Actions + a) % c.Scenes
	action, p := actions[order[a]], sc[s]
	own := draw(c.Kind, label(i))
	f := emptyStage(own, c, p)
	f.Labels = map[string]string{"action": action, "scene": p.name}
	decorate(own, &f, p)
	role, dye := pickOne(own, p.roles), pickOne(own, paints)
	actor := schemas.FilmActor{ID: "actor-1", Role: role, Look: dress(own, role, dye)}
	actor.Description = "the " + role + " in the " + dye.name + " " + actor.Look.Garment
	at, from, to, focus := spot(own, f.Duration(), action)
	actor.At = &at
	f.Actors = []schemas.FilmActor{actor}
	f.Events = []schemas.FilmEvent{{
		Kind: schemas.FilmActs, Actor: actor.ID, Text: action, Start: 0, End: f.Duration(), From: &from, To: &to, Place: &focus,
	}}
	f.Camera = closeup(own, (from.X+to.X)/2)
	return f
}

// spot is where the actor is at first and at last, and the point it turns to.
func spot(r *rand.Rand, seconds float64, action string) (at, from, to, focus schemas.FilmPoint) {
	side := float64(1 - 2*r.IntN(2))
	at = schemas.FilmPoint{X: 230 + float64(r.IntN(180)), Y: 318 + float64(r.IntN(16))}
	from, to = at, at
	if action == "running" {
		from.X, to.X = 320-side*70*seconds, 320+side*70*seconds
		at = from
	}
	return at, from, to, schemas.FilmPoint{X: to.X + side*60, Y: at.Y}
}

// decorate furnishes the place without a sign: a clip shows no text.
func decorate(r *rand.Rand, f *schemas.Film, p place) {
	at := r.Perm(len(columns))
	for n, kind := range p.surfaces {
		f.Fixtures = append(f.Fixtures, surface(kind, "surface-"+label(n+1), columns[at[n]], f.Palette.Wood))
	}
	openings := r.Perm(len(p.openings))
	hues := r.Perm(len(paints))
	for n := range 2 {
		f.Fixtures = append(f.Fixtures, opening(p.openings[openings[n]], "opening-"+label(n+1), columns[at[2+n]], paints[hues[n]]))
	}
	slots := freeSlots(r, f.Fixtures)
	names := r.Perm(len(p.suited))
	for n := range 3 {
		dye, noun := paints[hues[3+n]], p.suited[names[n]]
		f.Props = append(f.Props, schemas.FilmProp{
			ID: "prop-" + label(n+1), Kind: noun, Description: dye.name + " " + noun, Colour: dye.hex, At: slots[n%2][n/2],
		})
	}
}

// closeup is nearer to the actor than a film's camera, and still: what moves in
// a clip is the action.
func closeup(r *rand.Rand, x float64) schemas.FilmCamera {
	view := schemas.FilmView{
		Centre: schemas.FilmPoint{X: 320 + round1((x-320)*0.8+r.Float64()*12-6), Y: 204 + round1(r.Float64()*6)},
		Zoom:   1.26 + float64(r.IntN(9))/100,
	}
	return schemas.FilmCamera{From: view, To: view}
}
