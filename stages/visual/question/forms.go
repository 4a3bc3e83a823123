package question

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/wording"
)

// addValueQuestions asks what single pictures show.
func (a *draftWriter) addValueQuestions() {
	for i, s := range a.simulation.Scenes {
		for _, t := range s.NamedThings() {
			for _, aspect := range t.Tells {
				d := Draft{
					Form: Value, Aspect: aspect, Gold: t.Look[aspect], ErrorType: ErrorOther, Pattern: simulation.Steady,
					Clues: []Clue{newClue(i, t.Name)}, Fact: factOf(sight{i, t.Name, aspect}),
					things: []scene.Thing{t}, pictures: []int{i}, asks: []sight{{i, t.Name, aspect}},
				}
				if aspect == scene.Count {
					a.addNumberDrafts(d, t.Class, 1)
				} else {
					a.addDraft(d, a.candidateValues(t, aspect))
				}
			}
		}
	}
}

// factOf returns the fact of sights that are asked for together, in no order.
func factOf(sights ...sight) string {
	var out []string
	for _, s := range sights {
		out = append(out, fmt.Sprintf("%s/%s/%d", s.thing, s.aspect, s.scene))
	}
	slices.Sort(out)
	return strings.Join(out, "+")
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
		d := Draft{
			Form: Match, Aspect: aspect, ErrorType: ErrorThing, Pattern: simulation.Steady, Fact: fmt.Sprintf("like/%s/%d/%d", aspect, min(from.at, same[0].at), max(from.at, same[0].at)),
			things: []scene.Thing{from.thing}, pictures: []int{from.at}, options: []int{same[0].at},
		}
		for i, s := range append([]shownThing{from, same[0]}, others[:3]...) {
			c := newClue(s.at, s.thing.Name)
			c.Spare = i > 1
			d.Clues = append(d.Clues, c)
			if c.Spare {
				d.options = append(d.options, s.at)
			}
			for _, t := range a.thingsShowing(s.at, aspect) {
				d.asks = append(d.asks, sight{s.at, t.thing.Name, aspect})
			}
		}
		a.addDraft(d, nil)
	}
}

// addSameValueQuestions asks which thing of a second picture has the value of a thing
// in a first. No other thing there has it, of whatever class.
func (a *draftWriter) addSameValueQuestions(aspect string) {
	for to := range a.simulation.Scenes {
		there := a.thingsShowing(to, aspect)
		if len(there) < 4 {
			continue
		}
		for _, from := range a.sampleOtherThings(aspect, to) {
			d := Draft{
				Form: Match, Aspect: aspect, ErrorType: ErrorThing, Pattern: simulation.Steady,
				things: []scene.Thing{from.thing}, pictures: []int{from.at, to}, asks: []sight{{from.at, from.thing.Name, aspect}},
			}
			var right, wrong []string
			for _, t := range there {
				d.asks = append(d.asks, sight{to, t.thing.Name, aspect})
				switch name := optionName(aspect, t.thing); {
				case t.thing.Look[aspect] == from.thing.Look[aspect]:
					right = append(right, t.thing.Name)
					d.Gold = name
					if t.thing.Class != from.thing.Class {
						right = append(right, "") // true, and no option
					}
				case t.thing.Class == from.thing.Class:
					wrong = append(wrong, name)
				}
			}
			if len(right) != 1 || len(wrong) < OptionCount-1 {
				continue
			}
			a.rnd.Shuffle(len(wrong), func(i, j int) { wrong[i], wrong[j] = wrong[j], wrong[i] })
			wrong = wrong[:OptionCount-1]
			if isGold := right[0] == from.thing.Name; isGold || slices.Contains(wrong, optionName(aspect, from.thing)) {
				d.named = &isGold
			}
			d.Clues = []Clue{newClue(from.at, from.thing.Name), newClue(to, right[0])}
			d.Fact = factOf(sight{from.at, from.thing.Name, aspect}, sight{to, right[0], aspect})
			a.addDraft(d, wrong)
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

// mostSums is with how many other counts one is added at most.
const mostSums = 4

// addSumQuestions asks for two counts together.
func (a *draftWriter) addSumQuestions() {
	for i := range a.simulation.Scenes {
		for _, first := range a.thingsShowing(i, scene.Count) {
			added := 0
			for _, second := range a.sampleOtherThings(scene.Count, i) {
				if second.at < i || second.thing.Class != first.thing.Class {
					continue
				}
				m, err := strconv.Atoi(first.thing.Look[scene.Count])
				n, err2 := strconv.Atoi(second.thing.Look[scene.Count])
				if err != nil || err2 != nil {
					continue
				}
				one, two := sight{i, first.thing.Name, scene.Count}, sight{second.at, second.thing.Name, scene.Count}
				a.addNumberDrafts(Draft{
					Form: Sum, Aspect: scene.Count, Gold: strconv.Itoa(m + n), Pattern: simulation.Steady,
					Clues: []Clue{newClue(i, first.thing.Name), newClue(second.at, second.thing.Name)}, Fact: factOf(one, two),
					things: []scene.Thing{first.thing, second.thing}, pictures: []int{i, second.at}, asks: []sight{one, two},
				}, first.thing.Class, 2)
				if added++; added == mostSums {
					break
				}
			}
		}
	}
}

// addFirstQuestions asks which of four things with a value is seen first: "a key beside mat
// A". No two are first seen in one picture, and none stands in two questions.
func (a *draftWriter) addFirstQuestions() {
	type kind struct{ aspect, class string }
	seen, of := map[string]bool{}, map[kind][]shownThing{}
	var kinds []kind
	for i, list := range a.namedThings {
		for _, t := range list {
			for _, aspect := range t.Tells {
				k := kind{aspect, t.Class}
				if name := itemOf(aspect, t); name != "" && !seen[name] {
					if seen[name] = true; of[k] == nil {
						kinds = append(kinds, k)
					}
					of[k] = append(of[k], shownThing{i, t})
				}
			}
		}
	}
	for _, k := range kinds {
		left := of[k]
		a.rnd.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		for len(left) >= OptionCount {
			var four, rest []shownThing
			for _, s := range left {
				if len(four) < OptionCount && !slices.ContainsFunc(four, func(o shownThing) bool { return o.at == s.at }) {
					four = append(four, s)
				} else {
					rest = append(rest, s)
				}
			}
			if left = rest; len(four) < OptionCount {
				break
			}
			a.addFirstQuestion(k.aspect, four)
		}
	}
}

func itemOf(aspect string, t scene.Thing) string {
	return strings.NewReplacer(append(fillSlots(t, false), "{value}", t.Look[aspect])...).Replace(wording.Item(aspect))
}

func (a *draftWriter) addFirstQuestion(aspect string, items []shownThing) {
	slices.SortFunc(items, func(x, y shownThing) int { return cmp.Compare(x.at, y.at) })
	d := Draft{Form: First, Aspect: aspect, ErrorType: ErrorThing, Pattern: simulation.Steady, things: []scene.Thing{items[0].thing}}
	var names []string
	for _, s := range items {
		names = append(names, itemOf(aspect, s.thing))
		d.Clues = append(d.Clues, newClue(s.at, s.thing.Name))
		d.asks = append(d.asks, sight{s.at, s.thing.Name, aspect})
	}
	d.Gold, d.Fact = names[0], "first/"+strings.Join(slices.Sorted(slices.Values(names)), "+")
	a.addDraft(d, names[1:])
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
			Form: Current, Aspect: key.Aspect, Gold: now, ErrorType: ErrorStale, Pattern: chain.Pattern(), Updates: countUpdates(chain), Clues: clues,
			Fact: factOf(sight{clues[len(clues)-1].Scene, key.Entity, key.Aspect}), things: []scene.Thing{t}, hint: isMostShown(chain, now),
		}
		for _, s := range chain {
			d.asks = append(d.asks, sight{s.At, key.Entity, key.Aspect})
		}
		a.addDraft(d, append(slices.Clone(stale), a.candidateValues(t, key.Aspect)...))
		if before, ok := chain.Previous(); ok && before != "" {
			last := slices.IndexFunc(clues, func(c Clue) bool { return c.Role == schemas.RoleUpdate }) - 1
			d.Form, d.Gold, d.Wrong, d.Clues, d.hint = Before, before, nil, slices.Clone(clues), isMostShown(chain, before)
			d.Clues[last].Spare = false
			d.Fact = factOf(sight{clues[last].Scene, key.Entity, key.Aspect})
			a.addDraft(d, append([]string{now}, append(stale, a.candidateValues(t, key.Aspect)...)...))
		}
	}
}

// isMostShown reports whether more pictures show a value than any other.
func isMostShown(chain simulation.Observations, value string) *bool {
	shown := map[string]int{}
	for _, s := range chain {
		shown[s.Value]++
	}
	most := true
	for v, n := range shown {
		most = most && (v == value || v == "" || n < shown[value])
	}
	return &most
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
		out = append(out, Clue{Scene: s.At, Thing: entity, Role: schemas.RoleSuperseded, Spare: true})
	}
	return append(out, Clue{Scene: seen[end].At, Thing: entity, Role: schemas.RoleUpdate}), first > 0
}
