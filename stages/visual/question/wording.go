package question

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/wording"
)

// sight is an aspect that a picture shows of a thing.
type sight struct {
	scene         int
	thing, aspect string
}

// visibleSight is a sight with the words for it, and the other pictures that show the same.
type visibleSight struct {
	sight
	words string
	also  []int
	// plain and plainThing are the words, and the name of the thing, to be compared.
	plain, plainThing string
}

// fill returns the slots of a thing for a wording. The past is that of before.
func fillSlots(t scene.Thing, past bool) []string {
	be, do, has, is, are, can := "is", "does", "has", "is", "are", "can"
	if t.Plural {
		be, do, has = "are", "do", "have"
	}
	if past {
		be, do, has, is, are, can = "was", "did", "had", "was", "were", "could"
		if t.Plural {
			be = "were"
		}
	}
	return []string{
		"{thing}", t.Name, "{class}", t.Class, "{prep}", cmp.Or(t.Prep, "at"), "{be}", be, "{do}", do, "{has}", has, "{is}", is, "{are}", are, "{can}", can,
	}
}

// findSights returns what each picture shows, with the words for it.
func (a *draftWriter) findSights() {
	at := map[string][]int{}
	for i, list := range a.namedThings {
		a.sights = append(a.sights, nil)
		for _, t := range list {
			for _, aspect := range t.Tells {
				says := strings.NewReplacer(append(fillSlots(t, false), "{value}", t.Look[aspect])...).Replace(wording.Sight(aspect))
				a.sights[i] = append(a.sights[i], visibleSight{sight: sight{i, t.Name, aspect}, words: says, plain: plainWords(says), plainThing: plainWords(t.Name)})
				at[says] = append(at[says], i)
			}
		}
	}
	for i := range a.sights {
		for k := range a.sights[i] {
			s := &a.sights[i][k]
			s.also = slices.DeleteFunc(slices.Clone(at[s.words]), func(j int) bool { return j == i })
		}
	}
}

// mostPairs bounds the pairs of sights that are tried for a name.
const mostPairs = 400

// namePicture returns a name for a picture of a draft: by what it alone shows, or by its
// occasion. What the picture is named by is no finer than what is asked for, is asked for
// in no question, and has nothing to do with the options. It returns "" for no name.
func (a *draftWriter) namePicture(rnd *rand.Rand, at int, d *Draft) string {
	noun := a.simulation.Scenes[at].Noun
	var usable []visibleSight
	asks := d.subjects()
	for _, s := range a.sights[at] {
		if scene.Granularity(s.aspect) <= scene.Granularity(d.Aspect) && !a.asked[s.sight] && !speaksOf(asks, s) {
			usable = append(usable, s)
		}
	}
	rnd.Shuffle(len(usable), func(i, j int) { usable[i], usable[j] = usable[j], usable[i] })
	for _, s := range usable {
		if len(s.also) == 0 {
			return wording.Name(noun, s.words, "")
		}
	}
	tried := 0
	for i, s := range usable {
		for _, other := range usable[:i] {
			if tried++; tried > mostPairs {
				break
			}
			if s.thing != other.thing && !slices.ContainsFunc(s.also, func(j int) bool { return slices.Contains(other.also, j) }) {
				return wording.Name(noun, s.words, other.words)
			}
		}
	}
	if occasion := a.occasions[at]; occasion != "" {
		return wording.NameByOccasion(noun, occasion)
	}
	return ""
}

// plainWords returns the words of a phrase in lower case, with a blank around each, without
// articles and prepositions that it begins with.
func plainWords(phrase string) string {
	list := words.Words(phrase)
	for len(list) > 1 && slices.Contains([]string{"a", "an", "the", "at", "on", "in", "with", "under", "above", "by"}, list[0]) {
		list = list[1:]
	}
	return " " + strings.Join(list, " ") + " "
}

// subjects are what a question is about: its things and options, in plain words.
func (d *Draft) subjects() []string {
	var out []string
	for _, o := range append(slices.Clone(d.Wrong), d.Gold) {
		out = append(out, plainWords(o))
	}
	for _, t := range d.things {
		out = append(out, plainWords(t.Name))
	}
	return slices.DeleteFunc(out, func(w string) bool { return strings.TrimSpace(w) == "" })
}

// speaksOf reports whether a sight has to do with what is asked.
func speaksOf(asks []string, s visibleSight) bool {
	return slices.ContainsFunc(asks, func(w string) bool { return strings.Contains(s.plain, w) || strings.Contains(w, s.plainThing) })
}

// word gives a draft its words: the way that comes next among those of its form. It
// returns false if a picture has no name, or if the question names an option by accident.
func (a *draftWriter) word(rnd *rand.Rand, d *Draft) bool {
	slots := fillSlots(d.things[0], d.Form == Before)
	named := map[int]string{}
	name := func(at int) string {
		if named[at] == "" {
			named[at] = a.namePicture(rnd, at, d)
		}
		return named[at]
	}
	for i, at := range d.pictures {
		slots = append(slots, []string{"{picture}", "{picture2}"}[i], name(at))
	}
	if len(d.things) > 1 {
		slots = append(slots, "{thing2}", d.things[1].Name, "{prep2}", d.things[1].Prep)
	}
	if d.options != nil { // pictures
		d.Wrong = nil // all are named alike: by their occasions
		for i, at := range d.options {
			named[at] = wording.NameByOccasion(a.simulation.Scenes[at].Noun, a.occasions[at])
			if a.occasions[at] == "" {
				return false
			}
			if i == 0 {
				d.Gold = named[at]
			} else {
				d.Wrong = append(d.Wrong, named[at])
			}
		}
	}
	for _, n := range named {
		if n == "" {
			return false
		}
	}
	items := append(slices.Clone(d.Wrong), d.Gold)
	slices.Sort(items)
	ways := wording.Questions(d.Form, d.Aspect)
	way := ways[(a.turn+a.turns[d.Form])%len(ways)]
	d.OpenQuestion = strings.NewReplacer(append(slots, "{items}", joinOptions(items))...).Replace(way) + "?"
	d.ChoiceQuestion = wording.Stem(d.Form, d.OpenQuestion)
	asked := plainWords(d.ChoiceQuestion)
	if d.named == nil && slices.ContainsFunc(items, func(o string) bool { return strings.Contains(asked, plainWords(o)) }) {
		return false
	}
	a.turns[d.Form]++
	return true
}

// joinOptions lists items: a, b, c or d.
func joinOptions(items []string) string {
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " or " + items[last]
}
