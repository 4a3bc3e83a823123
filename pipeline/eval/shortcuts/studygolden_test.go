package shortcuts

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/golden"
)

// The figures of a small study with a shortcut in every third question: what the folds
// and the repetitions are dealt as decides them.
func TestGoldenStudy(t *testing.T) {
	qs := clean(60, rand.New(rand.NewPCG(9, 9)))
	for i := range qs {
		if i%3 == 0 {
			suffix(&qs[i], " with a broken handle")
		}
		qs[i].TaskID = fmt.Sprint("t", i/2)
	}
	s := study(t, qs)
	var b strings.Builder
	fmt.Fprintf(&b, "%d questions, %d facts, %d clusters, least p %.4f, positions %.4f rstd %.4f\n", s.Questions, s.Facts, s.Clusters, s.LeastPValue, s.Position, s.RStd)
	for _, of := range [][]Figure{s.Figures, s.Company} {
		for _, f := range of {
			fmt.Fprintf(&b, "%s, trained %t: %.4f [%.4f, %.4f], chance %.4f, p %.4f, adjusted %.4f, %d told\n",
				f.Name, f.Trained, f.Accuracy.Value, f.Accuracy.Low, f.Accuracy.High, f.Chance, f.PValue, f.Adjusted, len(s.told(f)))
		}
	}
	for _, fact := range slices.Sorted(maps.Keys(s.GoldChance))[:12] {
		fmt.Fprintf(&b, "%s %.3f\n", fact, s.GoldChance[fact])
	}
	golden.Check(t, "study", b.String())
}
