package agreement

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Resamples is how many resamples an interval rests on.
const Resamples = 10_000

// Interval is a figure with its 95 % percentile bootstrap bounds.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Span writes the bounds in percent. Where they are one figure, all clusters have
// the same mean, and resampling them says nothing of how sure it is.
func (i Interval) Span() string {
	low, high := fmt.Sprintf("%.1f", 100*i.Low), fmt.Sprintf("%.1f", 100*i.High)
	if low == high {
		return "in every cluster"
	}
	return "[" + low + ", " + high + "]"
}

// Score is one item's score and what it shares with others: scores of one
// cluster (a video, a dialogue) are drawn together. An empty Cluster is one of
// its own.
type Score struct {
	Cluster string
	Value   float64
}

// MeanInterval is the mean score with an interval over resampled clusters.
func MeanInterval(samples []Score, rnd *rand.Rand) (Interval, error) {
	groups := sumByCluster(samples, nil)
	if len(groups) == 0 {
		return Interval{}, errors.New("bootstrap: no scores")
	}
	means := make([]float64, Resamples)
	for i := range means {
		var drawn group
		for range groups {
			g := groups[rnd.IntN(len(groups))][0]
			drawn.sum += g.sum
			drawn.n += g.n
		}
		means[i] = drawn.sum / drawn.n
	}
	slices.Sort(means)
	var all group
	for _, g := range groups {
		all.sum += g[0].sum
		all.n += g[0].n
	}
	return Interval{all.sum / all.n, quantile(means, 0.025), quantile(means, 0.975)}, nil
}

// ContrastInterval is the mean of a minus the mean of b. They need not be over the same
// items: a resample draws clusters, each with all scores that it has in either
// list, so what they share is paired: of items that are a cluster each, both scores
// are drawn together. Resamples without a score in one of the lists do not count.
func ContrastInterval(a, b []Score, rnd *rand.Rand) (Interval, error) {
	if len(a) == 0 || len(b) == 0 {
		return Interval{}, errors.New("bootstrap: no scores")
	}
	pairs := sumByCluster(a, b)
	contrast := func(pick func(int) int) (float64, bool) {
		var drawn [2]group
		for i := range pairs {
			for side, g := range pairs[pick(i)] {
				drawn[side].sum += g.sum
				drawn[side].n += g.n
			}
		}
		return drawn[0].sum/drawn[0].n - drawn[1].sum/drawn[1].n, drawn[0].n > 0 && drawn[1].n > 0
	}
	value, _ := contrast(func(i int) int { return i })
	var values []float64
	for range Resamples {
		if v, ok := contrast(func(int) int { return rnd.IntN(len(pairs)) }); ok {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return Interval{value, value, value}, nil
	}
	slices.Sort(values)
	return Interval{value, quantile(values, 0.025), quantile(values, 0.975)}, nil
}

// sumByCluster sums the scores of each cluster, apart for either list.
func sumByCluster(a, b []Score) (pairs [][2]group) {
	at := map[string]int{}
	for side, samples := range [][]Score{a, b} {
		for _, s := range samples {
			i, known := at[s.Cluster]
			if !known || s.Cluster == "" {
				i = len(pairs)
				at[s.Cluster] = i
				pairs = append(pairs, [2]group{})
			}
			pairs[i][side].sum += s.Value
			pairs[i][side].n++
		}
	}
	return pairs
}

type group struct{ sum, n float64 }

func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
