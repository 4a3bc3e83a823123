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

// groundDrafts asks, of each kind of event, as often for one place as for the
// other, so that the kind does not tell the place: people enter early. The two of
// such a couple are of different videos, and couples come in twos in which either
// video has either place once: so each of the four answers is right as often.
// Where there are no such two a single couple is asked.
func groundDrafts(s Scene, g Grounding, limit int, rnd *rand.Rand) []draft {
	qs := s.askers(rnd)
	if len(qs) != 2 {
		return nil
	}
	if s.Apart {
		return groundApart(qs, g, limit, rnd)
	}
	var ks draftsByKind
	for _, kind := range shuffled(groundtruth.Kinds(), rnd) {
		var at [2][2][]draft
		for p, place := range g.Places {
			for n, q := range qs {
				at[n][p] = shuffled(q.draftsAtPlace(g, kind, place, qs[1-n]), rnd)
			}
		}
		ks = append(ks, &at)
	}
	return ks.drafts(limit, rnd)
}

func (ks draftsByKind) drafts(limit int, rnd *rand.Rand) []draft {
	var out []draft
	for range limit / 2 {
		n := rnd.IntN(2)
		if ks.findKind(n, 1-n) < 0 || ks.findKind(1-n, n) < 0 {
			break
		}
		out = append(append(out, ks.takeCouple(n, 1-n)...), ks.takeCouple(1-n, n)...)
	}
	n := rnd.IntN(2)
	for _, c := range [][2]int{{n, 1 - n}, {1 - n, n}, {n, n}, {1 - n, 1 - n}} {
		if len(out) == 0 && ks.findKind(c[0], c[1]) >= 0 {
			out = ks.takeCouple(c[0], c[1])
		}
	}
	return out
}

// draftsByKind holds questions by kind of event, video and place.
type draftsByKind []*[2][2][]draft

// findKind returns the first kind with a question about one video at the first
// place and about another, or the same, at the second; -1 when there is none.
func (ks draftsByKind) findKind(first, second int) int {
	return slices.IndexFunc(ks, func(at *[2][2][]draft) bool { return len(at[first][0]) > 0 && len(at[second][1]) > 0 })
}

func (ks draftsByKind) takeCouple(first, second int) []draft {
	i := ks.findKind(first, second)
	at := ks[i]
	copy(ks[i:], ks[i+1:])
	ks[len(ks)-1] = at
	out := []draft{at[first][0][0], at[second][1][0]}
	at[first][0], at[second][1] = at[first][0][1:], at[second][1][1:]
	return out
}

func (q asker) draftsAtPlace(g Grounding, kind, place string, o asker) []draft {
	var out []draft
	for _, e := range q.target.distinctEvents(kind) {
		value := groundtruth.Value(e)
		if g.Place(q.target.line, e.Start, e.End) != place || q.rival.mentions(value) || q.givesAway(value) || o.givesAway(value) {
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
