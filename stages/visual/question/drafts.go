// Package ask writes questions about lives from what their pictures show: by the
// form of reasoning and the aspect, for every cell of the grid of granularity and
// reasoning (MemEye 3.1). It knows no scenario.
package question

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// OptionCount is how many a question has.
const OptionCount = 4

// Draft is a question before it is one of a task.
type Draft struct {
	Form, Aspect                 string
	OpenQuestion, ChoiceQuestion string
	Gold                         string
	// Wrong are three options, all of one kind of error and all false.
	Wrong     []string
	ErrorType string
	// Clues are the pictures it rests on, in order of time.
	Clues []Clue
	// Pattern says how what is asked about changed, see world.Chain.
	Pattern string
	// Updates is how often what is asked about changes in the pictures.
	Updates     int
	Explanation string
	// Fact names what is asked about what.
	Fact string
}

// Clue is a picture and the thing in it that tells.
type Clue struct {
	Scene int
	Thing string
	Role  string
}

// Kinds of error of wrong options.
const (
	// ErrorStale: values that the thing had once; where there are too few, values
	// of others beside them.
	ErrorStale = "stale_state"
	// ErrorOther: values that something else, or nothing shown, has.
	ErrorOther = "other_value"
	// ErrorThing: another thing or picture than the one that fits.
	ErrorThing = "other_instance"
	// ErrorNumber: numbers near the right one.
	ErrorNumber = "near_number"
)

// draftWriter writes the drafts of one life.
type draftWriter struct {
	rnd          *rand.Rand
	simulation   simulate.Simulation
	pictureNames []string // by scene
	chains       map[simulation.Key]simulation.Observations
	things       map[simulation.Key]scene.Thing
	keys         []simulation.Key // of things, in a fixed order
	namedThings  [][]scene.Thing  // by scene
	drafts       []Draft
}

// WriteDrafts writes all questions that a life gives rise to. Names of pictures come
// with them: the date, and which of the day it is where there are several.
func WriteDrafts(rnd *rand.Rand, l simulate.Simulation) []Draft {
	a := draftWriter{rnd: rnd, simulation: l, pictureNames: PictureNames(l), things: map[simulation.Key]scene.Thing{}, chains: l.Chains()}
	for i, s := range l.Scenes {
		a.namedThings = append(a.namedThings, s.NamedThings())
		for _, t := range a.namedThings[i] {
			for _, aspect := range t.Tells {
				a.things[simulation.Key{Entity: t.Name, Aspect: aspect}] = t
			}
		}
	}
	a.keys = slices.SortedFunc(maps.Keys(a.things), func(x, y simulation.Key) int {
		return cmp.Or(strings.Compare(x.Entity, y.Entity), strings.Compare(x.Aspect, y.Aspect))
	})
	a.addValueQuestions()
	a.addMatchQuestions()
	a.addSumQuestions()
	a.addFirstQuestions()
	a.addChangeQuestions()
	return a.drafts
}

// PictureNames are what questions call the pictures of a life.
func PictureNames(l simulate.Simulation) []string {
	type day struct{ date, noun string }
	count, place := map[day]int{}, make([]int, len(l.Scenes))
	of := make([]day, len(l.Scenes))
	for _, s := range l.Sessions {
		for _, r := range s.Rounds {
			if r.Scene < 0 {
				continue
			}
			d := day{s.Date, l.Scenes[r.Scene].Noun}
			of[r.Scene], place[r.Scene] = d, count[d]
			count[d]++
		}
	}
	out := make([]string, len(l.Scenes))
	for i, d := range of {
		which := ""
		if count[d] > 1 {
			which = simulate.Ordinal(place[i]) + " "
		}
		out[i] = "the " + which + d.noun + " of " + formatDate(d.date)
	}
	return out
}

// formatDate writes 2025-03-12 as people do.
func formatDate(date string) string {
	months := []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	parts := strings.Split(date, "-")
	if len(parts) != 3 {
		return date
	}
	month, err := strconv.Atoi(parts[1])
	if err != nil || month < 1 || month > 12 {
		return date
	}
	return strings.TrimPrefix(parts[2], "0") + " " + months[month-1] + " " + parts[0]
}

// addDraft completes a draft, unless too few wrong options are there.
func (a *draftWriter) addDraft(d Draft, f wording, wrong []string) {
	seen := []string{strings.ToLower(d.Gold)}
	for _, w := range wrong {
		if low := strings.ToLower(w); w != "" && len(d.Wrong) < OptionCount-1 && !slices.Contains(seen, low) {
			d.Wrong, seen = append(d.Wrong, w), append(seen, low)
		}
	}
	if len(d.Wrong) < OptionCount-1 {
		return
	}
	d.OpenQuestion, d.ChoiceQuestion = f.open+"?", f.choice+"?"
	slices.SortStableFunc(d.Clues, func(x, y Clue) int { return cmp.Compare(x.Scene, y.Scene) })
	d.Explanation = a.explain(d)
	a.drafts = append(a.drafts, d)
}

// candidateValues are values that an aspect of a thing could have, in random order: those
// that pictures of this life show first.
func (a *draftWriter) candidateValues(t scene.Thing, aspect string) []string {
	var shown []string
	for _, key := range a.keys {
		if key.Aspect == aspect && a.things[key].Class == t.Class {
			for _, s := range a.chains[key] {
				if s.Value != "" && !slices.Contains(shown, s.Value) {
					shown = append(shown, s.Value)
				}
			}
		}
	}
	a.rnd.Shuffle(len(shown), func(i, j int) { shown[i], shown[j] = shown[j], shown[i] })
	listed := slices.Clone(a.simulation.Pools[aspect+":"+t.Class])
	if len(listed) == 0 {
		listed = slices.Clone(a.simulation.Pools[aspect])
	}
	a.rnd.Shuffle(len(listed), func(i, j int) { listed[i], listed[j] = listed[j], listed[i] })
	return append(shown, listed...)
}

// nearbyNumbers are three numbers about one. How many of them are smaller is drawn, so that
// nobody gains by taking a number from the middle.
func (a *draftWriter) nearbyNumbers(n int) []string {
	below := min(a.rnd.IntN(4), n)
	var out []string
	for i := range 3 {
		by := i - below
		if by >= 0 {
			by++
		}
		out = append(out, strconv.Itoa(n+by))
	}
	a.rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func newClue(at int, thing string) Clue { return Clue{Scene: at, Thing: thing, Role: schemas.RoleClue} }
