package question

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/scene"
)

// values asks what single pictures show.
func (a *asker) values() {
	for i, s := range a.life.Scenes {
		for _, t := range s.Named() {
			for _, aspect := range t.Tells {
				d := Draft{
					Form: Value, Aspect: aspect, Gold: t.Look[aspect], ErrorType: ErrorOther, Pattern: simulation.Steady,
					Clues: []Clue{clue(i, t.Name)}, Fact: fmt.Sprintf("%s/%s/%d", t.Name, aspect, i),
				}
				wrong := a.pool(t, aspect)
				if aspect == scene.Count {
					n, err := strconv.Atoi(d.Gold)
					if err != nil {
						continue
					}
					wrong, d.ErrorType = a.near(n), ErrorNumber
				}
				a.add(d, a.worded(t, aspect, pictured(a.when[i])), wrong)
			}
		}
	}
}

// worded is one way to ask about an aspect of a thing at one of some times.
func (a *asker) worded(t scene.Thing, aspect string, times []moment) frame {
	m := word(a.rnd, times)
	return m.at(word(a.rnd, about(aspect)).fill(t, m.past))
}

// teller is a thing that tells an aspect in some picture.
type teller struct {
	at    int
	thing scene.Thing
}

// tellers are, by aspect, the things that tell it in one picture.
func (a *asker) tellers(at int, aspect string) []teller {
	var out []teller
	for _, t := range a.named[at] {
		if slices.Contains(t.Tells, aspect) {
			out = append(out, teller{at, t})
		}
	}
	return out
}

// matches ask what in one picture, or which other picture, is like a thing of
// another in some aspect.
func (a *asker) matches() {
	for _, aspect := range scene.Aspects() {
		switch {
		case scene.Grain(aspect) == "X1":
			a.alike(aspect)
		case aspect != scene.Count:
			a.within(aspect)
		}
	}
}

// gists are pictures whose things all tell the same, by one of these, and in how many
// pictures each value is shown.
func (a *asker) gists(aspect string) (single []teller, shown map[string]int) {
	shown = map[string]int{}
	for i := range a.life.Scenes {
		var values []string
		all := a.tellers(i, aspect)
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

// alike asks which other picture has the same gist. Pictures count whose things all
// tell the same, and just one other picture shows it at all. The others that are
// offered are evidence as well, for else the evidence would name the answer.
func (a *asker) alike(aspect string) {
	single, shown := a.gists(aspect)
	for _, from := range single {
		var same, others []teller
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
		clues, wrong := []Clue{clue(from.at, from.thing.Name), clue(same[0].at, same[0].thing.Name)}, []string{}
		for _, o := range others[:3] {
			clues, wrong = append(clues, clue(o.at, o.thing.Name)), append(wrong, a.when[o.at])
		}
		d := Draft{
			Form: Match, Aspect: aspect, Gold: a.when[same[0].at], ErrorType: ErrorThing, Pattern: simulation.Steady,
			Clues: clues, Fact: fmt.Sprintf("like/%s/%d", aspect, from.at),
		}
		a.add(d, word(a.rnd, joined(aspect)).fill(from.thing, false, "{when}", a.when[from.at]), wrong)
	}
}

// within asks what in a second picture has the value of a thing in a first.
func (a *asker) within(aspect string) {
	for to := range a.life.Scenes {
		there := a.tellers(to, aspect)
		if len(there) < 4 {
			continue
		}
		for _, from := range a.fromOther(aspect, to) {
			value := from.thing.Look[aspect]
			var right []teller
			var wrong []string
			for _, t := range there {
				if t.thing.Class != from.thing.Class {
					continue
				}
				if t.thing.Look[aspect] == value {
					right = append(right, t)
					continue
				}
				wrong = append(wrong, called(aspect, t.thing))
			}
			if len(right) != 1 || right[0].thing.Name == from.thing.Name {
				continue
			}
			a.rnd.Shuffle(len(wrong), func(i, j int) { wrong[i], wrong[j] = wrong[j], wrong[i] })
			d := Draft{
				Form: Match, Aspect: aspect, Gold: called(aspect, right[0].thing), ErrorType: ErrorThing, Pattern: simulation.Steady,
				Clues: []Clue{clue(from.at, from.thing.Name), clue(to, right[0].thing.Name)}, Fact: fmt.Sprintf("same/%s/%s/%d/%d", aspect, from.thing.Name, from.at, to),
			}
			a.add(d, word(a.rnd, joined(aspect)).fill(from.thing, false, "{when}", a.when[from.at], "{when2}", a.when[to]), wrong)
		}
	}
}

// widest is how many other things a picture's are compared with at most.
const widest = 24

// fromOther are things that tell an aspect in other pictures, some of them for each.
func (a *asker) fromOther(aspect string, not int) []teller {
	var out []teller
	for i := range a.life.Scenes {
		if i != not {
			out = append(out, a.tellers(i, aspect)...)
		}
	}
	a.rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(len(out), widest)]
}

// called is how an option names a thing: for Which, where it is.
func called(aspect string, t scene.Thing) string {
	if aspect == scene.Which {
		return t.Prep + " " + t.Name
	}
	return t.Name
}

// sums ask for two counts together.
func (a *asker) sums() {
	for i := range a.life.Scenes {
		for _, first := range a.tellers(i, scene.Count) {
			for _, second := range a.fromOther(scene.Count, i) {
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
					Clues: []Clue{clue(i, first.thing.Name), clue(second.at, second.thing.Name)},
					Fact:  fmt.Sprintf("sum/%s/%d/%s/%d", first.thing.Name, i, second.thing.Name, second.at),
				}
				a.add(d, word(a.rnd, joined(scene.Count)).fill(first.thing, false, "{when}", a.when[i], "{when2}", a.when[second.at], "{thing2}", second.thing.Name, "{prep2}", second.thing.Prep), a.near(m+n))
				break
			}
		}
	}
}

// firsts ask which of four things is seen first. Each must be seen alone of the
// four where it is first seen.
func (a *asker) firsts() {
	seen := map[string]int{}
	class := map[string]string{}
	var names []string
	for i, s := range a.life.Scenes {
		for _, t := range s.Named() {
			if _, known := seen[t.Name]; !known && slices.Contains(t.Tells, scene.Which) {
				seen[t.Name], class[t.Name] = i, t.Kind+" "+t.Class
				names = append(names, t.Name)
			}
		}
	}
	for i, name := range names {
		var wrong []string
		clues := []Clue{clue(seen[name], name)}
		for _, later := range names[i+1:] {
			if seen[later] > clues[len(clues)-1].Scene && class[later] == class[name] && len(wrong) < 3 {
				wrong, clues = append(wrong, later), append(clues, clue(seen[later], later))
			}
		}
		d := Draft{Form: First, Aspect: scene.Which, Gold: name, ErrorType: ErrorThing, Pattern: simulation.Steady, Clues: clues, Fact: "first/" + name}
		options := append([]string{name}, wrong...)
		slices.Sort(options)
		a.add(d, word(a.rnd, ranked(list(options))), wrong)
	}
}

func list(items []string) string {
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

// changes ask what holds at the end, and what held before the last change.
func (a *asker) changes() {
	for _, key := range a.keys {
		chain, t := a.chains[key], a.things[key]
		now, changed := chain.Holds()
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
			Form: Current, Aspect: key.Aspect, Gold: now, ErrorType: ErrorStale, Pattern: chain.Pattern(), Updates: updates(chain), Fact: "now/" + key.String(),
			Clues: clues,
		}
		a.add(d, a.worded(t, key.Aspect, standing()), append(slices.Clone(stale), a.pool(t, key.Aspect)...))
		if before, ok := chain.Before(); ok && before != "" {
			d.Form, d.Gold, d.Fact = Before, before, "before/"+key.String()
			d.Wrong = nil
			a.add(d, a.worded(t, key.Aspect, changing()), append([]string{now}, append(stale, a.pool(t, key.Aspect)...)...))
		}
	}
}

// updates is how often a chain changes; that a thing goes away is a change.
func updates(chain simulation.Chain) int {
	n := 0
	for i := range chain[1:] {
		if chain[i].Value != chain[i+1].Value {
			n++
		}
	}
	return n
}

// longestChain is how many pictures of a thing a question rests on at most: the last
// ones that show it.
const longestChain = 5

// chainClues are the last pictures of a chain that a question about its change rests
// on: the very last is the update, and those before it that show what it overrides are
// superseded. A picture that already showed what the update shows, with nothing between
// the two, is no evidence: beside it the update would not be needed, and outdated
// evidence would give the answer (MemEye A.4, D.5). False: they show no change.
func chainClues(entity string, chain simulation.Chain) ([]Clue, bool) {
	var seen simulation.Chain
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
	for _, s := range seen[max(0, first-longestChain+1):first] {
		out = append(out, Clue{Scene: s.At, Thing: entity, Role: schemas.RoleSuperseded})
	}
	return append(out, Clue{Scene: seen[end].At, Thing: entity, Role: schemas.RoleUpdate}), first > 0
}
