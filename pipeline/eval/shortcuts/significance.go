package shortcuts

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/memforge/memforge/pipeline/kit/agreement"
)

// score of a fact: how often a way to guess is right about it, against chance.
type score struct {
	cluster       string
	right, chance float64
}

// minClusters that can tell a figure from chance.
const minClusters = 4

// luckPValue is the larger p-value of two tests of guessing. The first takes facts as
// independent (binomial), the second clusters alone (t over their sums), since facts of one
// pair share names and values. With few clusters it is 1. Unless upward, being right too seldom
// counts as well.
func luckPValue(scores []score, upward bool) float64 {
	sum, expected := 0.0, 0.0
	var surplus []score
	for _, s := range scores {
		sum += s.right
		expected += s.chance
		surplus = append(surplus, score{cluster: s.cluster, right: s.right - s.chance})
	}
	over := sum - expected
	total, se, clusters := clusterError(surplus)
	if clusters < minClusters || math.Abs(over) < 1e-9 || upward && over < 0 {
		return 1
	}
	luck, p := distuv.Binomial{N: float64(len(scores)), P: expected / float64(len(scores))}, 0.0
	if over > 0 {
		if hits := math.Floor(sum + 1e-9); hits > 0 {
			p = luck.Survival(hits - 1)
		} else {
			p = 1
		}
	} else {
		p = luck.CDF(math.Ceil(sum - 1e-9))
	}
	if se > 1e-12 {
		p = max(p, distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(clusters - 1)}.Survival(math.Abs(total)/se))
	}
	if !upward {
		p *= 2
	}
	return min(1, max(0, p))
}

// clusterError is the sum of scores' right shares with its standard error over clusters: that
// of a ratio, so that clusters of unlike size with one rate do not differ.
func clusterError(scores []score) (sum, se float64, clusters int) {
	by := map[string][2]float64{}
	for _, s := range scores {
		g := by[s.cluster]
		by[s.cluster] = [2]float64{g[0] + s.right, g[1] + 1}
		sum += s.right
	}
	var squares []float64
	for _, g := range by {
		d := g[0] - sum/float64(len(scores))*g[1]
		squares = append(squares, d*d)
	}
	slices.Sort(squares) // equal sets give equal sums
	for _, s := range squares {
		se += s
	}
	return sum, math.Sqrt(se * float64(len(by)) / max(1, float64(len(by)-1))), len(by)
}

// meanInterval is the share of right ones with a 95 % interval over clusters.
func meanInterval(scores []score) agreement.Interval {
	sum, se, clusters := clusterError(scores)
	n := float64(len(scores))
	wide := 0.0
	if clusters > 1 {
		wide = se / n * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(clusters - 1)}.Quantile(0.975)
	}
	return agreement.Interval{Value: sum / n, Low: max(0, sum/n-wide), High: min(1, sum/n+wide)}
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
