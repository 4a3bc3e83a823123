package video

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	study "github.com/memforge/memforge/pipeline/eval/shortcuts"
	"github.com/memforge/memforge/schemas"
)

// enough is how many distinct facts of each form are studied. The full size is
// for a run by hand: go test ./stages/video -run AtChance -facts 300 -v
var enough = flag.Int("facts", 60, "distinct facts of each form of question that the study of shortcuts is given")

// TestFilmsAreAtChance asks about films until each form of question has enough
// distinct facts and wants no way to guess to be beyond chance, each fact counted
// once. The questions are those of a build: every layout and repetition.
func TestFilmsAreAtChance(t *testing.T) {
	var qs []schemas.Question
	facts := map[string]map[string]bool{}
	for seed := uint64(41); len(facts) == 0 || short(facts) < *enough; seed++ {
		for _, q := range askScripted(t, seed, 16, everyLayout).questions {
			form := q.Type
			if q.Split == schemas.ControlSplit {
				continue // a form of its own, whose answers its condition gives away
			}
			if form == schemas.TypeFalseMemory {
				form = schemas.TypeSourceMemory
			}
			if facts[form] == nil {
				facts[form] = map[string]bool{}
			}
			facts[form][q.Fact()] = true
			qs = append(qs, q)
		}
	}
	studies, err := study.Studies(study.Subject{
		Questions: qs, Forms: study.Forms{schemas.TypeSourceMemory: schemas.TypeFalseMemory}, Chance: func(string) *rand.Rand { return rand.New(rand.NewPCG(3, 3)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(studies) != len(facts) {
		t.Errorf("%d forms are studied, %d are asked", len(studies), len(facts))
	}
	for _, s := range studies {
		t.Logf("%s: %d rows, %d facts, %d pairs", s.Form, s.Questions, s.Facts, s.Clusters)
		for _, f := range s.Figures {
			line := fmt.Sprintf("%-28s %-36s %.1f %% [%.1f, %.1f], chance %.1f, p %.3g, corrected %.3g", s.Form, f.Name,
				100*f.Accuracy.Value, 100*f.Accuracy.Low, 100*f.Accuracy.High, 100*f.Chance, f.PValue, f.Adjusted)
			t.Log(line)
			if f.BeyondChance(0.01) {
				t.Error("beyond chance: " + line)
			}
		}
	}
}

// short is how many facts the form with the fewest has.
func short(facts map[string]map[string]bool) int {
	var counts []int
	for _, form := range slices.Sorted(maps.Keys(facts)) {
		counts = append(counts, len(facts[form]))
	}
	return slices.Min(counts)
}
