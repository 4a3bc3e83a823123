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

// castActors picks n roles and dresses them. Twins have one role in common, in
// two colours; no colour of a garment is in both.
func castActors(shared, own *rand.Rand, p place, twin, n int) []schemas.FilmActor {
	roles := shared.Perm(len(p.roles))[twin*(n-1):][:n]
	dyes := shared.Perm(len(paints))
	out := make([]schemas.FilmActor, n)
	for k, ri := range roles {
		role, dye := p.roles[ri], paints[dyes[n*twin+k]]
		out[k] = schemas.FilmActor{ID: fmt.Sprintf("actor-%d", k+1), Role: role, Look: dress(own, role, dye)}
		out[k].Description = describe(dye, out[k].Look)
	}
	return out
}

// describe names a person by what can be seen: no picture says what somebody works as.
func describe(dye colour, l schemas.FilmLook) string {
	return fmt.Sprintf("the person in the %s %s", dye.name, l.Garment)
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

// windowOf returns n entries from the turn-th place on, so that the turns of a
// place share nothing until the list is used up.
func windowOf[T any](list []T, turn, n int) []T {
	out := make([]T, n)
	for k := range out {
		out[k] = list[(turn*n+k)%len(list)]
	}
	return out
}

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
	actor.Description = describe(dye, actor.Look)
	at, from, to, focus := spot(own, f.Duration(), action)
	actor.At = &at
	f.Actors = []schemas.FilmActor{actor}
	f.Events = []schemas.FilmEvent{{
		Kind: schemas.FilmActs, Actor: actor.ID, Text: action, Start: 0, End: f.Duration(), From: &from, To: &to, Place: &focus,
	}}
	f.Camera = closeup(own, (from.X+to.X)/2)
	return f
}

// spot returns where the actor is at first and at last, and the point it turns
// to.
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

// thing is a prop to be: "red kettle".
type thing struct {
	noun string
	dye  colour
}

// assignment is what a film and its twin are given to show. Some things and texts are
// in both, so that something happens in both of them; of the rest they share
// nothing. Who gets what is drawn: what is true of a film, of its twin or of
// neither is of one kind and cannot be told by how common it is.
type assignment struct {
	things []thing // the first shared of them are in both
	shared int
	first  string   // text of the sign
	texts  []string // that it changes to, in order
	lures  []string
}

// Below these lengths, in seconds, less is shown.
const (
	briefBelow = 12.0
	shortBelow = 25.0
)

func (c Config) castSize() int {
	if c.Seconds < shortBelow {
		return 2
	}
	return 3
}

// amount is how much a film of a length is given.
type amount struct {
	props, sharedProps int
	changes            int // of the sign
	texts, sharedTexts int // different ones among these
}

func (c Config) amount() amount {
	a := c.amountByLength()
	if c.Changes > 0 {
		a.changes, a.texts = c.Changes, min(c.Changes, maxTexts)
		a.sharedTexts = min(a.sharedTexts, a.texts)
	}
	if c.Shared >= 0 {
		a.sharedProps, a.sharedTexts = min(c.Shared, a.props), min(c.Shared, a.texts)
	}
	return a
}

// maxTexts is how many different texts a sign changes to at most.
const maxTexts = 10

func (c Config) amountByLength() amount {
	switch {
	case c.Seconds < briefBelow:
		return amount{props: 5, sharedProps: 1, changes: 3, texts: 3, sharedTexts: 1}
	case c.Seconds < shortBelow:
		return amount{props: 5, sharedProps: 1, changes: 4, texts: 4, sharedTexts: 1}
	}
	over := c.Seconds - shortBelow
	a := amount{
		props: min(8+int(over/10), 14), sharedProps: min(3+int(over/10), maxShared),
		changes: min(int(c.Seconds/4.2), 6+int(c.Seconds/15)), sharedTexts: min(3+int(over/10), maxShared),
	}
	a.texts = min(a.changes, maxTexts)
	return a
}

// assign returns what script i shows. turn counts how often the place has been
// used by earlier twins.
func assign(draw RandFunc, c Config, p place, i, turn int) assignment {
	pair, twin, a := i/2, i%2, c.amount()
	d := assignment{shared: a.sharedProps}
	d.things = pickThings(draw, c, p, pair, twin, turn)
	own := 1 + a.texts - a.sharedTexts // the first text is of one film only
	list := slices.Clone(signs[p.name])
	shuffle(draw(c.Kind, "signs", p.name), list)
	words := windowOf(list, turn, a.sharedTexts+2*own+a.sharedTexts)
	shuffle(draw(c.Kind, "deal", label(pair)), words)
	common, rest := words[:a.sharedTexts], words[a.sharedTexts:]
	d.lures = rest[2*own:]
	given := rest[own*twin:][:own]
	d.first = given[0]
	d.texts = slices.Concat(common, given[1:])
	r := draw(c.Kind, "texts", label(i))
	shuffle(r, d.texts)
	d.texts = extendTexts(r, d.texts, common, a.changes)
	return d
}

// extendTexts lengthens a list of texts to n by repeating some, never the one
// just shown and never one that both twins show.
func extendTexts(r *rand.Rand, texts, common []string, n int) []string {
	out := slices.Clone(texts)
	for len(out) < n {
		t, at := pickOne(r, texts), 1+r.IntN(len(out))
		if slices.Contains(common, t) || out[at-1] == t || at < len(out) && out[at] == t {
			continue
		}
		out = slices.Insert(out, at, t)
	}
	return out
}

// pickThings returns the props of a film. So many of those that it does not
// share with its twin are of one kind there, in another colour, as the likeness
// demands.
func pickThings(draw RandFunc, c Config, p place, pair, twin, turn int) []thing {
	a, r := c.amount(), draw(c.Kind, "things", label(pair))
	own := a.props - a.sharedProps
	list := windowOf(shuffleFavoured(draw(c.Kind, "props", p.name), p.suited, nouns), turn, a.sharedProps+2*own)
	shuffle(r, list)
	common, mine := list[:a.sharedProps], slices.Clone(list[a.sharedProps+own*twin:][:own])
	copy(mine, list[a.sharedProps:][:sharedCount(c.likeness(pair), own)])
	dyes := r.Perm(len(paints))
	var out []thing
	for n, noun := range slices.Concat(common, mine) {
		dye := n
		if n >= len(common) {
			dye += 4 * twin // of nine colours, so that none meets itself
		}
		out = append(out, thing{noun, paints[dyes[dye%len(dyes)]]})
	}
	ours := out[a.sharedProps:]
	shuffle(draw(c.Kind, "mine", label(pair), label(twin)), ours)
	return out
}

func (d assignment) noteLures(f *schemas.Film) {
	f.Lures = map[string][]string{schemas.FilmChanges: d.lures}
}
