package ask

import (
	"slices"

	"github.com/memforge/memforge/stages/video/facts"
)

// take asks for n of some values, the first ones if possible.
type take struct {
	from []string
	n    int
}

// mostTried bounds how many of the values are tried.
const mostTried = 10

// beside chooses options to stand beside an answer, in the order of the takes,
// so that none could be held right for another and no option stands out by the
// words it shares with the others. False when there is no such choice.
func beside(answer string, takes ...take) ([]string, bool) {
	chosen := []string{answer}
	var choose func(t, from, left int) bool
	choose = func(t, from, left int) bool {
		if left == 0 {
			if t+1 == len(takes) {
				return alike(chosen)
			}
			return choose(t+1, 0, takes[t+1].n)
		}
		values := takes[t].from[:min(len(takes[t].from), mostTried)]
		for i := from; i < len(values); i++ {
			if clashes(chosen, values[i]) {
				continue
			}
			chosen = append(chosen, values[i])
			if choose(t, i+1, left-1) {
				return true
			}
			chosen = chosen[:len(chosen)-1]
		}
		return false
	}
	if !choose(0, 0, takes[0].n) {
		return nil, false
	}
	return chosen[1:], true
}

// alike reports whether each of the texts shares as many words with the others.
func alike(texts []string) bool {
	first := -1
	for i, t := range texts {
		shared := 0
		for j, o := range texts {
			if i != j {
				shared += common(facts.Words(t), facts.Words(o))
			}
		}
		if first >= 0 && shared != first {
			return false
		}
		first = shared
	}
	return true
}

// common counts the distinct words of a that are in b.
func common(a, b []string) (n int) {
	for i, w := range a {
		if slices.Contains(b, w) && !slices.Contains(a[:i], w) {
			n++
		}
	}
	return n
}
