package ask

import (
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/facts"
	"github.com/memforge/memforge/stages/video/timeline"
)

// Grounding is one way to ask which video something is part of and where it is
// to be seen: options are the two videos times two places (M3Eval 4.3).
type Grounding struct {
	// Type is the question type, Places are what timeline calls the places.
	Type   string
	Places [2]string
	where  func(l timeline.Line, start, end float64) string
	// ask turns what happens into a question, at a place into an option.
	ask, at string
}

var groundings = []Grounding{
	{
		Type: schemas.TypeSpatialGrounding, Places: [2]string{timeline.Left, timeline.Right}, where: timeline.Line.Side,
		ask: ": which video is that part of, and on which side of the picture is that video at that moment?", at: ", on the ",
	},
	{
		Type: schemas.TypeTemporalGrounding, Places: [2]string{timeline.First, timeline.Second}, where: timeline.Line.Half,
		ask: ": which video is that part of, and in which half of the whole stream does it happen?", at: ", in the ",
	},
}

// GroundingOf is the way that a question type asks, false when it asks for no
// place.
func GroundingOf(typ string) (Grounding, bool) {
	i := slices.IndexFunc(groundings, func(g Grounding) bool { return g.Type == typ })
	if i < 0 {
		return Grounding{}, false
	}
	return groundings[i], true
}

// Place is where seconds start to end of a video are shown, empty when they
// have no single place.
func (g Grounding) Place(l timeline.Line, start, end float64) string { return g.where(l, start, end) }

// Question asks where something happens, which told says in a clause.
func (g Grounding) Question(told string) string { return sentence(told) + g.ask }

// Option says that something happens in a video, at a place.
func (g Grounding) Option(name, place string) string { return name + g.at + place }

// grounding is the maker of a grounding type.
func grounding(typ string) maker {
	g, _ := GroundingOf(typ)
	return func(s Scene, limit int, rnd *rand.Rand) []draft { return groundDrafts(s, g, limit, rnd) }
}

// groundDrafts asks, of each kind of event, as often for one place as for the
// other, so that the kind does not tell the place: people enter early. The two
// of such a couple are of different videos where that is possible.
func groundDrafts(s Scene, g Grounding, limit int, rnd *rand.Rand) []draft {
	qs := s.askers(rnd)
	if len(qs) != 2 {
		return nil
	}
	var byKind [][][2]draft
	for _, kind := range facts.Kinds() {
		var at [2][]draft
		for n := range g.Places {
			at[n] = shuffled(append(qs[0].grounds(g, kind, g.Places[n], qs[1]), qs[1].grounds(g, kind, g.Places[n], qs[0])...), rnd)
		}
		byKind = append(byKind, couples(at, rnd.IntN(2) == 0))
	}
	var out []draft
	for _, c := range inTurn(shuffled(byKind, rnd), limit) {
		out = append(out, c[0], c[1])
	}
	return out
}

// couples puts a question about the first place together with one about the
// second. fromA says of which video the first of the first couple should be.
func couples(at [2][]draft, fromA bool) [][2]draft {
	var out [][2]draft
	for len(at[0]) > 0 && len(at[1]) > 0 {
		var c [2]draft
		c[0], at[0] = prefer(at[0], fromA)
		c[1], at[1] = prefer(at[1], c[0].Target != string(A))
		out = append(out, c)
		fromA = !fromA
	}
	return out
}

// prefer takes the first question about A, or B, out of a list, else its first.
func prefer(ds []draft, a bool) (draft, []draft) {
	i := max(0, slices.IndexFunc(ds, func(d draft) bool { return (d.Target == string(A)) == a }))
	return ds[i], slices.Delete(slices.Clone(ds), i, i+1)
}

// grounds asks where the events of a kind are that happen at a place.
func (q asker) grounds(g Grounding, kind, place string, o asker) []draft {
	var out []draft
	for _, e := range q.target.once(kind) {
		value := facts.Value(e)
		if g.Place(q.target.line, e.Start, e.End) != place || q.rival.mentions(value) || q.told(value) || o.told(value) {
			continue
		}
		d := q.ask(g.Type, kind, g.Question(q.scene.Style.telling(kind, value)))
		d.Answer, d.Clues = g.Option(q.name, place), []Moment{q.moment(e)}
		for _, name := range []string{q.name, o.name} {
			for _, p := range g.Places {
				if text := g.Option(name, p); text != d.Answer {
					d.wrong = append(d.wrong, schemas.Option{Text: text, Role: schemas.RoleDistractor})
				}
			}
		}
		out = append(out, d)
	}
	return out
}
