package question

import (
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/pipeline/kit/phrasebook"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
	"github.com/memforge/memforge/stages/video/timeline"
	"github.com/memforge/memforge/stages/video/wordings"
)

// Grounding is one way to ask which video something is part of and where it is
// to be seen: options are the two videos times two places.
type Grounding struct {
	// Type is the question type, Places are what timeline calls the places.
	Type   string
	Places [2]string
	where  func(l timeline.Line, start, end float64) string
	// form is that of the question, at turns a place into an option.
	form, at string
}

var groundings = []Grounding{
	{
		Type: schemas.TypeSpatialGrounding, Places: [2]string{timeline.Left, timeline.Right}, where: timeline.Line.Side,
		form: wordings.Space, at: ", on the ",
	},
	{
		Type: schemas.TypeTemporalGrounding, Places: [2]string{timeline.First, timeline.Second}, where: timeline.Line.Half,
		form: wordings.Time, at: ", in the ",
	},
}

// GroundingFor returns the way that a question type asks, false when it asks
// for no place.
func GroundingFor(typ string) (Grounding, bool) {
	i := slices.IndexFunc(groundings, func(g Grounding) bool { return g.Type == typ })
	if i < 0 {
		return Grounding{}, false
	}
	return groundings[i], true
}

// Place returns where seconds start to end of a video are shown, or "" when
// they have no single place.
func (g Grounding) Place(l timeline.Line, start, end float64) string { return g.where(l, start, end) }

// Question asks where something happens, which a clause says, in the first of the
// sentences.
func (g Grounding) Question(clause string) string {
	return phrasebook.Fill(wordings.Sentences(g.form)[0], map[string]string{"clause": clause})
}

// Form returns how the question ends, whatever happens.
func (g Grounding) Form() string { return g.Question("") }

// Option says that something happens in a video, at a place.
func (g Grounding) Option(name, place string) string { return name + g.at + place }

func groundingMaker(typ string) maker {
	g, _ := GroundingFor(typ)
	return func(s Scene, limit int, rnd *rand.Rand) []draft { return groundDrafts(s, g, limit, rnd) }
}

// groundDrafts asks of things at a place. In which half of a video something happens goes
// with what it is, as people enter early: there the place is drawn for each question
// anew, of a kind of event that has things left at either. Places dealt out evenly would
// tell the last of them.
func groundDrafts(s Scene, g Grounding, limit int, rnd *rand.Rand) []draft {
	qs := s.askers(rnd)
	if len(qs) != 2 {
		return nil
	}
	var kinds [][][]draft
	var out []draft
	for _, kind := range groundtruth.Kinds() {
		var at [][]draft
		for _, place := range g.Places {
			at = append(at, shuffled(append(qs[0].draftsAtPlace(g, kind, place, qs[1]), qs[1].draftsAtPlace(g, kind, place, qs[0])...), rnd))
		}
		kinds = append(kinds, at)
		out = append(out, slices.Concat(at...)...)
	}
	if g.Type == schemas.TypeSpatialGrounding {
		return shuffled(out, rnd)[:min(len(out), 2*limit)]
	}
	out = nil
	for kinds = completeKinds(kinds); len(kinds) > 0 && len(out) < 2*limit; kinds = completeKinds(kinds) {
		lists := kinds[rnd.IntN(len(kinds))]
		place := rnd.IntN(len(lists))
		out, lists[place] = append(out, lists[place][0]), lists[place][1:]
	}
	return out
}

func (q asker) draftsAtPlace(g Grounding, kind, place string, o asker) []draft {
	var out []draft
	for _, e := range q.askable(schemas.TypeSpatialGrounding, kind) {
		value := groundtruth.Value(e)
		if g.Place(q.target.line, e.Start, e.End) != place || q.rival.mentions(value) || o.givesAway(value) {
			continue
		}
		d := q.newDraft(g.Type, kind, g.form, map[string]string{"clause": q.scene.Style.statement(kind, value)})
		d.Answer, d.Clues = g.Option(q.name, place), []Moment{q.clueMoment(e)}
		d.Fact = []string{"place", d.Target, kind, value, place}
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
