package nback

import (
	"math"
	"testing"
)

// strategies answer without looking at the asked position: each says yes or no
// from one fact about a trial.
var strategies = map[string]func(labels []string, tr Trial, q Lag) bool{
	"always":   func([]string, Trial, Lag) bool { return true },
	"near":     func(_ []string, _ Trial, q Lag) bool { return q.Near },
	"familiar": func(labels []string, tr Trial, _ Lag) bool { return matching(labels, tr) > 0 },
	"often":    func(labels []string, tr Trial, _ Lag) bool { return matching(labels, tr) > 1 },
	"first":    func(labels []string, tr Trial, _ Lag) bool { return labels[tr.Clips[0]] == "label0" },
	"two apart": func(labels []string, tr Trial, q Lag) bool {
		return stands(labels, tr, q.N-2) || stands(labels, tr, q.N+2)
	},
}

// better is what a strategy may know at best; 0.5 unless stated. Nothing but
// the asked clip comes before the last of 2. Of 3 clips half of the trials
// match in both lags or in none, so that near lures are even. Of 4 clips, one
// or two lags match, and the middle one is always among the two. With more, a
// label with three clips can match two lags of four, so lags cannot be
// independent: those two apart give way, those beside each other do not.
var better = map[string]func(cell) float64{
	"familiar": func(c cell) float64 { return map[int]float64{2: 1, 3: 0.75}[c.k] },
	"often": func(c cell) float64 {
		if c == (cell{2, 4}) {
			return 1
		}
		return map[int]float64{3: 0.75}[c.k]
	},
	"two apart": func(c cell) float64 {
		if c.k > 4 || (c.k == 4 && c.n != 2) {
			return 1
		}
		return 0
	},
}

// stands tells whether the last label is also n positions before the last clip.
func stands(labels []string, tr Trial, n int) bool {
	at := tr.K - 1 - n
	return n > 0 && at >= 0 && labels[tr.Clips[at]] == labels[tr.Clips[tr.K-1]]
}

// matching counts earlier clips with the last one's label.
func matching(labels []string, tr Trial) (n int) {
	for _, c := range tr.Clips[:tr.K-1] {
		if labels[c] == labels[tr.Clips[tr.K-1]] {
			n++
		}
	}
	return n
}

// TestIndependentAnswersTellNothing guesses each answer of a sequence by the others: that
// of most of them, and the other one.
func TestIndependentAnswersTellNothing(t *testing.T) {
	for independent, want := range map[bool]float64{true: 0.5, false: 0.4} {
		design := paper(32, false)
		design.Independent = independent
		right, asked := 0.0, 0.0
		for seed := range uint64(40) {
			plan, err := Plan(clips(8, 5), design, seeded(seed))
			if err != nil {
				t.Fatal(err)
			}
			for _, trials := range plan {
				var lags []Lag
				yes := 0
				for _, tr := range trials {
					for _, q := range tr.Lags {
						lags = append(lags, q)
						if q.Match {
							yes++
						}
					}
				}
				for _, q := range lags {
					others := 2*yes - len(lags) - 1
					if !q.Match {
						others = 2*yes - len(lags) + 1
					}
					if asked++; others == 0 {
						right += 0.5
					} else if (others > 0) == q.Match {
						right++
					}
				}
			}
		}
		if share := right / asked; independent && math.Abs(share-want) > 0.02 || !independent && share > want {
			t.Errorf("independent %v: the answer of most others is right in %.3f, want %.2f", independent, share, want)
		}
	}
}

// TestStrategiesAreAtChance measures, over many seeds, how often each strategy
// (or its opposite, whichever is better) is right in each cell of the paper's
// grid.
func TestStrategiesAreAtChance(t *testing.T) {
	for name, labels := range map[string][]string{"four groups of three": clips(4, 3), "twelve groups of five": clips(12, 5)} {
		right, asked := map[string]map[cell]float64{}, map[cell]float64{}
		for s := range strategies {
			right[s] = map[cell]float64{}
		}
		for seed := range uint64(60) {
			plan, err := Plan(labels, paper(32, false), seeded(seed))
			if err != nil {
				t.Fatal(err)
			}
			for _, trials := range plan {
				for _, tr := range trials {
					for _, q := range tr.Lags {
						at := cell{q.N, tr.K}
						asked[at]++
						for s, answer := range strategies {
							if answer(labels, tr, q) == q.Match {
								right[s][at]++
							}
						}
					}
				}
			}
		}
		for s, cells := range right {
			sum := 0.0
			for at, n := range cells {
				share := max(n, asked[at]-n) / asked[at]
				sum += share / float64(len(asked))
				want := 0.5
				if known, ok := better[s]; ok {
					want = max(want, known(at))
				}
				if math.Abs(share-want) > 0.045 {
					t.Errorf("%s: strategy %q is right in %.3f of cell %v, want %.3f", name, s, share, at, want)
				}
			}
			t.Logf("%s: strategy %q is right in %.3f of all", name, s, sum)
		}
	}
}
