package question_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/memforge/memforge/stages/visual/question"
	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// seeds are the lives of each scenario that are asked about.
const seeds = 10

// asked is every question about these lives, by seed.
var asked = sync.OnceValues(func() (all [seeds][]question.Draft, err error) {
	for _, s := range simulate.Scenarios() {
		for seed := range uint64(seeds) {
			l, err := s.Simulate(rand.New(rand.NewPCG(seed, 9)), simulate.Size{Sessions: 8, Rounds: 36, Pictures: 24})
			if err != nil {
				return all, err
			}
			all[seed] = append(all[seed], question.WriteDrafts(rand.New(rand.NewPCG(seed, 2)), l, question.Quota{PerCell: 20})...)
		}
	}
	return all, nil
})

// drafts are those about the first lives of each scenario.
func drafts(t *testing.T, lives int) []question.Draft {
	t.Helper()
	all, err := asked()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(all[:lives]...)
}

// TestNumbersTellNothingByTheirOrder: of four numbers the right one is the smallest,
// second, third and largest about as often.
func TestNumbersTellNothingByTheirOrder(t *testing.T) {
	var ranks [4]int
	n := 0
	for _, d := range drafts(t, seeds) {
		gold, err := strconv.Atoi(d.Gold)
		if d.ErrorType != question.ErrorNumber || err != nil {
			continue
		}
		below := 0
		for _, w := range d.Wrong {
			if v, err := strconv.Atoi(w); err != nil || v == gold || v < 0 {
				t.Fatalf("%q offers %q beside %d", d.OpenQuestion, w, gold)
			} else if v < gold {
				below++
			}
		}
		ranks[below]++
		n++
	}
	for rank, times := range ranks {
		if share := float64(times) / float64(n); n < 600 || share < 0.21 || share > 0.29 {
			t.Errorf("the right number has %d smaller ones in %d of %d questions", rank, times, n)
		}
	}
}

// TestLengthsTellNothing: who takes the longest of four options is right by chance.
func TestLengthsTellNothing(t *testing.T) {
	right, all := map[string]float64{}, map[string]float64{}
	for _, d := range drafts(t, seeds) {
		ties := 1.0
		for _, w := range d.Wrong {
			switch {
			case len(w) > len(d.Gold):
				ties = 0
			case len(w) == len(d.Gold) && ties > 0:
				ties++
			}
		}
		all[d.Form]++
		if ties > 0 {
			right[d.Form] += 1 / ties
		}
	}
	for _, form := range []string{question.Value, question.Match, question.Sum, question.Current, question.Before} {
		if share := right[form] / all[form]; all[form] < 480 || share < 0.2 || share > 0.3 {
			t.Errorf("%s: the longest option is right in %.3f of %.0f", form, share, all[form])
		}
	}
}

// TestCells: every cell of the grid is asked about, and a draft is of the cell that
// its aspect and form say.
func TestCells(t *testing.T) {
	cells := map[string]int{}
	for _, d := range drafts(t, 2) {
		cells[scene.Granularity(d.Aspect)+question.Reasoning(d.Form)]++
		if len(d.Wrong) != 3 || len(d.Clues) == 0 || d.Gold == "" || d.Explanation == "" || d.OpenQuestion == "" || d.ChoiceQuestion == "" {
			t.Errorf("incomplete: %+v", d)
		}
	}
	if len(cells) != 12 {
		t.Errorf("cells %v, want 12", cells)
	}
}

// BenchmarkDrafts asks about lives of all scenarios in turn; its metric is questions a
// second.
func BenchmarkDrafts(b *testing.B) {
	var lives []simulate.Simulation
	for _, s := range simulate.Scenarios() {
		l, err := s.Simulate(rand.New(rand.NewPCG(1, 9)), simulate.Size{Sessions: 8, Rounds: 36, Pictures: 24})
		if err != nil {
			b.Fatal(err)
		}
		lives = append(lives, l)
	}
	asked := 0
	for i := 0; b.Loop(); i++ {
		asked += len(question.WriteDrafts(rand.New(rand.NewPCG(uint64(i), 2)), lives[i%len(lives)], question.Quota{PerCell: 3}))
	}
	b.ReportMetric(float64(asked)/b.Elapsed().Seconds(), "questions/s")
}
