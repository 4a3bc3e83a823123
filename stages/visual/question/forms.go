package question

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/scene"
)

// addValueQuestions asks what single pictures show.
func (a *draftWriter) addValueQuestions() {
	for i, s := range a.simulation.Scenes {
		for _, t := range s.NamedThings() {
			for _, aspect := range t.Tells {
				d := Draft{
					Form: Value, Aspect: aspect, Gold: t.Look[aspect], ErrorType: ErrorOther, Pattern: simulation.Steady,
					Clues: []Clue{newClue(i, t.Name)}, Fact: fmt.Sprintf("%s/%s/%d", t.Name, aspect, i),
				}
				wrong := a.candidateValues(t, aspect)
				if aspect == scene.Count {
					n, err := strconv.Atoi(d.Gold)
					if err != nil {
						continue
					}
					wrong, d.ErrorType = a.nearbyNumbers(n), ErrorNumber
				}
				a.addDraft(d, a.wordQuestion(t, aspect, inPicture(a.pictureNames[i])), wrong)
			}
		}
	}
}

// wordQuestion picks a wording for an aspect of a thing and a phrase for its time.
func (a *draftWriter) wordQuestion(t scene.Thing, aspect string, times []timePhrase) wording {
	m := pickOne(a.rnd, times)
	return m.apply(pickOne(a.rnd, aspectWordings(aspect)).fill(t, m.past))
}

// shownThing is a thing in the picture at place at.
type shownThing struct {
	at    int
	thing scene.Thing
}

// thingsShowing returns the things of a picture that show an aspect.
func (a *draftWriter) thingsShowing(at int, aspect string) []shownThing {
	var out []shownThing
	for _, t := range a.namedThings[at] {
		if slices.Contains(t.Tells, aspect) {
			out = append(out, shownThing{at, t})
		}
	}
	return out
}

// addMatchQuestions asks which thing of a second picture, or which other picture,
// matches a thing of a first in some aspect.
func (a *draftWriter) addMatchQuestions() {
	for _, aspect := range scene.Aspects() {
		switch {
		case scene.Granularity(aspect) == "X1":
			a.addSameGistQuestions(aspect)
		case aspect != scene.Count:
			a.addSameValueQuestions(aspect)
		}
	}
}

// singleValuePictures returns, of the pictures that show one value of an aspect
// throughout, a thing each; and how many pictures show each value.
func (a *draftWriter) singleValuePictures(aspect string) (single []shownThing, shown map[string]int) {
	shown = map[string]int{}
	for i := range a.simulation.Scenes {
		var values []string
		all := a.thingsShowing(i, aspect)
		for _, t := range all {
			if v := t.thing.Look[aspect]; !slices.Contains(values, v) {
				values = append(values, v)
				shown[v]++
			}
		}
		if len(values) == 1 {
			single = append(single, all[0])
		}
	}
	return single, shown
}

// addSameGistQuestions asks which other picture has the same gist. Both pictures show
// one value throughout, and no third picture shows it. The offered wrong pictures are
// evidence too: otherwise the evidence would name the answer.
func (a *draftWriter) addSameGistQuestions(aspect string) {
	single, shown := a.singleValuePictures(aspect)
	for _, from := range single {
		var same, others []shownThing
		for _, to := range single {
			switch {
			case to.at == from.at:
			case to.thing.Look[aspect] == from.thing.Look[aspect]:
				same = append(same, to)
			default:
				others = append(others, to)
			}
		}
		if len(same) != 1 || shown[from.thing.Look[aspect]] != 2 || len(others) < 3 {
			continue
		}
		a.rnd.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		clues, wrong := []Clue{newClue(from.at, from.thing.Name), newClue(same[0].at, same[0].thing.Name)}, []string{}
		for _, o := range others[:3] {
			clues, wrong = append(clues, newClue(o.at, o.thing.Name)), append(wrong, a.pictureNames[o.at])
		}
		d := Draft{
			Form: Match, Aspect: aspect, Gold: a.pictureNames[same[0].at], ErrorType: ErrorThing, Pattern: simulation.Steady,
			Clues: clues, Fact: fmt.Sprintf("like/%s/%d", aspect, from.at),
		}
		a.addDraft(d, pickOne(a.rnd, joinWordings(aspect)).fill(from.thing, false, "{when}", a.pictureNames[from.at]), wrong)
	}
}

// addSameValueQuestions asks which thing of a second picture has the value of a thing
// in a first.
func (a *draftWriter) addSameValueQuestions(aspect string) {
	for to := range a.simulation.Scenes {
		there := a.thingsShowing(to, aspect)
		if len(there) < 4 {
			continue
		}
		for _, from := range a.sampleOtherThings(aspect, to) {
			value := from.thing.Look[aspect]
			var right []shownThing
			var wrong []string
			for _, t := range there {
				if t.thing.Class != from.thing.Class {
					continue
				}
				if t.thing.Look[aspect] == value {
					right = append(right, t)
					continue
				}
				wrong = append(wrong, optionName(aspect, t.thing))
			}
			if len(right) != 1 || right[0].thing.Name == from.thing.Name {
				continue
			}
			a.rnd.Shuffle(len(wrong), func(i, j int) { wrong[i], wrong[j] = wrong[j], wrong[i] })
			d := Draft{
				Form: Match, Aspect: aspect, Gold: optionName(aspect, right[0].thing), ErrorType: ErrorThing, Pattern: simulation.Steady,
				Clues: []Clue{newClue(from.at, from.thing.Name), newClue(to, right[0].thing.Name)}, Fact: fmt.Sprintf("same/%s/%s/%d/%d", aspect, from.thing.Name, from.at, to),
			}
			a.addDraft(d, pickOne(a.rnd, joinWordings(aspect)).fill(from.thing, false, "{when}", a.pictureNames[from.at], "{when2}", a.pictureNames[to]), wrong)
		}
	}
}

// maxCompared bounds the things of other pictures with which those of one are compared.
const maxCompared = 24

// sampleOtherThings returns a random sample of the things that show an aspect in other
// pictures.
func (a *draftWriter) sampleOtherThings(aspect string, not int) []shownThing {
	var out []shownThing
	for i := range a.simulation.Scenes {
		if i != not {
			out = append(out, a.thingsShowing(i, aspect)...)
		}
	}
	a.rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(len(out), maxCompared)]
}

// optionName returns the text of an option that names a thing: for Which, its place.
func optionName(aspect string, t scene.Thing) string {
	if aspect == scene.Which {
		return t.Prep + " " + t.Name
	}
	return t.Name
}

// addSumQuestions asks for two counts together.
func (a *draftWriter) addSumQuestions() {
	for i := range a.simulation.Scenes {
		for _, first := range a.thingsShowing(i, scene.Count) {
			for _, second := range a.sampleOtherThings(scene.Count, i) {
				if second.at < i || second.thing.Class != first.thing.Class {
					continue
				}
				m, err := strconv.Atoi(first.thing.Look[scene.Count])
				n, err2 := strconv.Atoi(second.thing.Look[scene.Count])
				if err != nil || err2 != nil {
					continue
				}
				d := Draft{
					Form: Sum, Aspect: scene.Count, Gold: strconv.Itoa(m + n), ErrorType: ErrorNumber, Pattern: simulation.Steady,
					Clues: []Clue{newClue(i, first.thing.Name), newClue(second.at, second.thing.Name)},
					Fact:  fmt.Sprintf("sum/%s/%d/%s/%d", first.thing.Name, i, second.thing.Name, second.at),
				}
				a.addDraft(d, pickOne(a.rnd, joinWordings(scene.Count)).fill(first.thing, false, "{when}", a.pictureNames[i], "{when2}", a.pictureNames[second.at], "{thing2}", second.thing.Name, "{prep2}", second.thing.Prep), a.nearbyNumbers(m+n))
				break
			}
		}
	}
}

// addFirstQuestions asks which of four things is seen first. The picture that first
// shows one of them shows none of the others for the first time.
func (a *draftWriter) addFirstQuestions() {
	seen := map[string]int{}
	class := map[string]string{}
	var names []string
	for i, s := range a.simulation.Scenes {
		for _, t := range s.NamedThings() {
			if _, known := seen[t.Name]; !known && slices.Contains(t.Tells, scene.Which) {
				seen[t.Name], class[t.Name] = i, t.Kind+" "+t.Class
				names = append(names, t.Name)
			}
		}
	}
	for i, name := range names {
		var wrong []string
		clues := []Clue{newClue(seen[name], name)}
		for _, later := range names[i+1:] {
			if seen[later] > clues[len(clues)-1].Scene && class[later] == class[name] && len(wrong) < 3 {
				wrong, clues = append(wrong, later), append(clues, newClue(seen[later], later))
			}
		}
		d := Draft{Form: First, Aspect: scene.Which, Gold: name, ErrorType: ErrorThing, Pattern: simulation.Steady, Clues: clues, Fact: "first/" + name}
		options := append([]string{name}, wrong...)
		slices.Sort(options)
		a.addDraft(d, pickOne(a.rnd, rankingWordings(joinOptions(options))), wrong)
	}
}

func joinOptions(items []string) string {
	out := ""
	for i, s := range items {
		switch {
		case i > 0 && i == len(items)-1:
			out += " or "
		case i > 0:
			out += ", "
		}
		out += s
	}
	return out
}

// addChangeQuestions asks for the last value, and for the value before the last change.
func (a *draftWriter) addChangeQuestions() {
	for _, key := range a.keys {
		chain, t := a.chains[key], a.things[key]
		now, changed := chain.Current()
		if !changed || now == "" || slices.Contains(t.Passing, key.Aspect) {
			continue
		}
		var stale []string
		for _, s := range chain {
			if s.Value != "" && s.Value != now && !slices.Contains(stale, s.Value) {
				stale = append(stale, s.Value)
			}
		}
		if len(stale) == 0 {
			continue
		}
		slices.Reverse(stale)
		clues, shown := chainClues(key.Entity, chain)
		if !shown {
			continue
		}
		d := Draft{
			Form: Current, Aspect: key.Aspect, Gold: now, ErrorType: ErrorStale, Pattern: chain.Pattern(), Updates: countUpdates(chain), Fact: "now/" + key.String(),
			Clues: clues,
		}
		a.addDraft(d, a.wordQuestion(t, key.Aspect, atEnd()), append(slices.Clone(stale), a.candidateValues(t, key.Aspect)...))
		if before, ok := chain.Previous(); ok && before != "" {
			d.Form, d.Gold, d.Fact = Before, before, "before/"+key.String()
			d.Wrong = nil
			a.addDraft(d, a.wordQuestion(t, key.Aspect, beforeLastChange()), append([]string{now}, append(stale, a.candidateValues(t, key.Aspect)...)...))
		}
	}
}

// countUpdates counts the changes of a chain. Going away is a change.
func countUpdates(chain simulation.Observations) int {
	n := 0
	for i := range chain[1:] {
		if chain[i].Value != chain[i+1].Value {
			n++
		}
	}
	return n
}

// maxChainClues bounds the pictures in the evidence of a change to the last ones.
const maxChainClues = 5

// chainClues returns the evidence of a change: the last picture of the chain as update,
// and those before it that show replaced values as superseded. A picture that shows the
// final value earlier, with nothing between, is left out: with it the update would not
// be needed, and outdated evidence would give the answer (MemEye A.4, D.5). It returns
// false if the pictures show no change.
func chainClues(entity string, chain simulation.Observations) ([]Clue, bool) {
	var seen simulation.Observations
	for _, s := range chain {
		if s.Value != "" {
			seen = append(seen, s)
		}
	}
	end := len(seen) - 1
	first := end
	for first > 0 && seen[first-1].Value == seen[end].Value {
		first--
	}
	var out []Clue
	for _, s := range seen[max(0, first-maxChainClues+1):first] {
		out = append(out, Clue{Scene: s.At, Thing: entity, Role: schemas.RoleSuperseded})
	}
	return append(out, Clue{Scene: seen[end].At, Thing: entity, Role: schemas.RoleUpdate}), first > 0
}
