package picturereader

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// The reader learns from simulations with seeds of its own, so that no simulation of a
// benchmark is among them.
const (
	lessonsPerScenario = 6
	lessonSeed         = 0x7265616465720000
)

// sighting is a thing in a picture of the lessons.
type sighting struct {
	scene  *scene.Scene
	thing  scene.Thing
	lesson int
	id     string // of the picture
	// oldName and newName are the proper name to replace and its replacement, where
	// these differ: see rename.
	oldName, newName string
}

// vocabulary has what the reader learnt: the sightings of things and the values of
// aspects.
type vocabulary struct {
	byName, bySignature map[string][]sighting
	values              map[string][]string
	memo                map[string][]sighting
}

// learnVocabulary simulates the lessons. It renders nothing yet.
func learnVocabulary() (*vocabulary, error) {
	v := &vocabulary{byName: map[string][]sighting{}, bySignature: map[string][]sighting{}, values: map[string][]string{}, memo: map[string][]sighting{}}
	for _, s := range simulate.Scenarios() {
		for n := range lessonsPerScenario {
			l, err := s.Simulate(rand.New(rand.NewPCG(lessonSeed, uint64(n))), simulate.Size{Sessions: 8, Rounds: 36, Pictures: 24})
			if err != nil {
				return nil, fmt.Errorf("learn to read pictures: %w", err)
			}
			v.addSimulation(l, n)
		}
	}
	return v, nil
}

func (v *vocabulary) addSimulation(l simulate.Simulation, n int) {
	for i := range l.Scenes {
		for _, t := range l.Scenes[i].NamedThings() {
			seen := sighting{scene: &l.Scenes[i], thing: t, lesson: n, id: fmt.Sprintf("%s/%d/%d", l.Scenario, n, i)}
			v.byName[t.Name] = append(v.byName[t.Name], seen)
			v.bySignature[nameSignature(t.Name)] = append(v.bySignature[nameSignature(t.Name)], seen)
			for _, aspect := range t.Tells {
				v.addValue(aspect+":"+t.Class, t.Look[aspect])
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(l.Pools)) {
		for _, value := range l.Pools[key] {
			v.addValue(key, value)
		}
	}
}

func (v *vocabulary) addValue(key, value string) {
	if value != "" && !slices.Contains(v.values[key], value) {
		v.values[key] = append(v.values[key], value)
	}
}

// valuesFor returns the values that an aspect of a thing can have.
func (v *vocabulary) valuesFor(aspect string, t scene.Thing) []string {
	out := slices.Clone(v.values[aspect+":"+t.Class])
	if t.Class == "" || len(out) < 3 {
		for _, value := range v.values[aspect] {
			if !slices.Contains(out, value) {
				out = append(out, value)
			}
		}
	}
	return out
}

// properName finds the name of a person or firm.
var properName = regexp.MustCompile(`\b[A-Z][a-zéü]{2,}\b`)

// nameSignature returns a thing's name without proper names.
func nameSignature(name string) string { return properName.ReplaceAllString(name, "*") }

// sightings returns the sightings of a thing with an aspect in pictures of a size: of
// that very name if there are any, and of the same thing of others, whose proper name
// is to be replaced.
func (v *vocabulary) sightings(name, aspect string, width, height int) []sighting {
	key := fmt.Sprint(name, "/", aspect, width, height)
	if _, ok := v.memo[key]; !ok {
		cachePut(v.memo, key, v.findSightings(name, aspect, width, height), 1<<9)
	}
	return v.memo[key]
}

func (v *vocabulary) findSightings(name, aspect string, width, height int) []sighting {
	fits := func(s sighting) bool {
		return s.scene.Width == width && s.scene.Height == height && slices.Contains(s.thing.Tells, aspect)
	}
	now := properName.FindString(name)
	if now == "" {
		return slices.DeleteFunc(slices.Clone(v.byName[name]), func(s sighting) bool { return !fits(s) })
	}
	var out []sighting
	for _, s := range v.bySignature[nameSignature(name)] {
		switch was := properName.FindString(s.thing.Name); {
		case !fits(s):
		case was == now:
			out = append(out, s)
		default:
			s.oldName, s.newName = was, now
			out = append(out, s)
		}
	}
	return out
}

// rename returns the sighting with its proper name replaced. It copies the scene, so it
// is called only for the few sightings that are rendered.
func (s sighting) rename() sighting {
	if s.oldName == s.newName {
		return s
	}
	now, word := s.newName, regexp.MustCompile(`\b`+regexp.QuoteMeta(s.oldName)+`\b`)
	var things func([]scene.Thing) []scene.Thing
	thing := func(t scene.Thing) scene.Thing {
		t.Name = word.ReplaceAllString(t.Name, now)
		t.Look = maps.Clone(t.Look)
		for k, value := range t.Look {
			t.Look[k] = word.ReplaceAllString(value, now)
		}
		t.Parts = things(t.Parts)
		return t
	}
	things = func(list []scene.Thing) []scene.Thing {
		out := make([]scene.Thing, len(list))
		for i, t := range list {
			out[i] = thing(t)
		}
		return out
	}
	copied := *s.scene
	copied.Things = things(copied.Things)
	return sighting{scene: &copied, thing: thing(s.thing), lesson: s.lesson, id: s.id + "/" + s.oldName + "/" + now}
}

// withValue returns a scene in which a thing has a value of an aspect.
func withValue(s scene.Scene, name, aspect, value string) scene.Scene {
	was, _ := s.Find(name)
	s.Things = mapThings(s.Things, func(t scene.Thing) (scene.Thing, bool) {
		if t.Name == name {
			t.Look = maps.Clone(t.Look)
			t.Look[aspect] = value
		} else if t.Look["of"] == name && t.Look["aspect"] == "" && t.Look[aspect] == was.Look[aspect] && was.Look[aspect] != "" {
			t.Look = maps.Clone(t.Look)
			t.Look[aspect] = value
		}
		return t, true
	})
	if s.Look[aspect] == was.Look[aspect] && s.Look[aspect] != "" {
		s.Look = maps.Clone(s.Look)
		s.Look[aspect] = value
	}
	return s
}

func withoutThings(s scene.Scene, gone func(scene.Thing) bool) scene.Scene {
	s.Things = mapThings(s.Things, func(t scene.Thing) (scene.Thing, bool) { return t, !gone(t) })
	return s
}

func mapThings(list []scene.Thing, change func(scene.Thing) (scene.Thing, bool)) []scene.Thing {
	out := make([]scene.Thing, 0, len(list))
	for _, t := range list {
		parts := mapThings(t.Parts, change)
		if t, ok := change(t); ok {
			t.Parts = parts
			out = append(out, t)
		}
	}
	return out
}

// showsPartOf reports whether a thing is, or is drawn elsewhere for, the thing of a
// name.
func showsPartOf(t scene.Thing, name string) bool { return t.Name == name || t.Look["of"] == name }

// labelKeys are the keys of looks that label a thing in letters.
func labelKeys() []string { return []string{"word", "words", "name", "title", "letter", "number"} }

// isLabelOf reports whether a thing says in letters which thing is meant: it is that
// thing, the name refers to it, or it bears a name within that name.
func isLabelOf(t scene.Thing, name string) bool {
	proper := properName.FindString(name)
	for _, k := range labelKeys() {
		v := t.Look[k]
		if v != "" && (t.Name != "" && strings.HasSuffix(name, t.Name) || strings.HasSuffix(name, " "+v) || proper != "" && strings.Contains(v, proper) && len(v) < len(proper)+8) {
			return true
		}
	}
	return false
}

// withOtherLabels returns a scene in which labels say something else.
func withOtherLabels(s scene.Scene, label func(scene.Thing) bool) scene.Scene {
	s.Things = mapThings(s.Things, func(t scene.Thing) (scene.Thing, bool) {
		if !label(t) {
			return t, true
		}
		t.Look = maps.Clone(t.Look)
		for _, k := range labelKeys() {
			switch v := t.Look[k]; {
			case v == "":
			case v >= "0" && v < ":":
				t.Look[k] = "77"
			case len(v) > 1:
				t.Look[k] = "Oqyvx"
			default:
				t.Look[k] = "X"
			}
		}
		return t, true
	})
	return s
}

func countKind(s scene.Scene, kind string) (n int) {
	mapThings(s.Things, func(t scene.Thing) (scene.Thing, bool) {
		if t.Kind == kind {
			n++
		}
		return t, true
	})
	return n
}
