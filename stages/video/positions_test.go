package video

import (
	"slices"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestPositionsAreEvenWithinAPair: over the distinct facts that a layout asks of a
// pair, each position is right as often, give or take one, in each type and in the
// two types that share a form.
func TestPositionsAreEvenWithinAPair(t *testing.T) {
	type asked struct{ task, typ string }
	counts, seen, facts := map[asked]*[4]int{}, map[string]string{}, map[string]int{}
	for _, q := range shelvedFilms(t).questions {
		group := q.Labels[schemas.LabelMirror]
		if key, known := seen[group]; known {
			if key != q.AnswerKey {
				t.Errorf("copies of a question have their right options at %s and %s", key, q.AnswerKey)
			}
			continue
		}
		seen[group] = q.AnswerKey
		facts[q.Type]++
		of := []string{q.Type}
		if q.Type == schemas.TypeFalseMemory || q.Type == schemas.TypeSourceMemory {
			of = append(of, "in which of two")
		}
		for _, typ := range of {
			at := asked{q.TaskID, typ}
			if counts[at] == nil {
				counts[at] = &[4]int{}
			}
			counts[at][q.AnswerKey[0]-'A']++
		}
	}
	for at, n := range counts {
		if slices.Max(n[:])-slices.Min(n[:]) > 1 {
			t.Errorf("%s of %s: right options at %v", at.typ, at.task, *n)
		}
	}
	for _, typ := range everyType() {
		if facts[typ] < 20 {
			t.Errorf("%d facts of type %s; the test sees too little", facts[typ], typ)
		}
	}
}
