package simulate

import (
	"strconv"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/stages/visual/scene"
)

// Chains are what the pictures of a life show of each aspect of each thing, in the
// order of time. A picture that misses a thing shows that it has no place.
func (l Simulation) Chains() map[simulation.Key]simulation.Observations {
	out := map[simulation.Key]simulation.Observations{}
	for at, s := range l.Scenes {
		for _, t := range s.NamedThings() {
			for _, a := range t.Tells {
				k := simulation.Key{Entity: t.Name, Aspect: a}
				out[k] = append(out[k], simulation.Observation{At: at, Value: t.Look[a]})
			}
		}
		for _, name := range s.Absent {
			k := simulation.Key{Entity: name, Aspect: scene.Place}
			out[k] = append(out[k], simulation.Observation{At: at})
		}
	}
	return out
}

// Ordinal is the word for a place, from 0: first, second, third.
func Ordinal(n int) string {
	words := []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"}
	if n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n+1) + "th"
}
