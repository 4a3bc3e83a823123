package shortcuts

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// score of a fact: how often a way to guess is right about it, against chance.
type score struct {
	cluster       string
	right, chance float64
}

// luckPValue is the larger p-value of two tests of guessing. The first takes facts as
// independent (binomial), the second clusters alone (t over their sums), since facts of one
// pair share names and values. With one cluster it is 1.
func luckPValue(scores []score) float64 {
	sum, expected := 0.0, 0.0
	by := map[string]float64{}
	for _, s := range scores {
		sum += s.right
		expected += s.chance
		by[s.cluster] += s.right - s.chance
	}
	n := float64(len(scores))
	if len(by) < 2 || sum-expected < 1e-9 {
		return 1
	}
	hits := math.Floor(sum + 1e-9)
	p := 1.0
	if hits > 0 {
		p = distuv.Binomial{N: n, P: expected / n}.Survival(hits - 1)
	}
	return min(1, max(0, p, clusterPValue(by, sum-expected)))
}

// clusterPValue is the upper tail of t over the surpluses of clusters.
func clusterPValue(surplus map[string]float64, total float64) float64 {
	g := float64(len(surplus))
	var squares []float64
	for _, d := range surplus {
		squares = append(squares, (d-total/g)*(d-total/g))
	}
	slices.Sort(squares) // equal sets give equal sums
	spread := 0.0
	for _, s := range squares {
		spread += s
	}
	se := math.Sqrt(spread / (g - 1) * g)
	if se < 1e-12 {
		return 0
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: g - 1}.Survival(total / se)
}

// holm adjusts p-values for how many there are (Holm 1979).
func holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	out := make([]float64, len(ps))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, ps[i]*float64(len(ps)-rank)))
		out[i] = least
	}
	return out
}
