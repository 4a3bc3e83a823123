package agreement

import (
	"errors"
	"math/rand/v2"
	"slices"
)

// Resamples is how many resamples an interval rests on.
const Resamples = 10_000

// Interval is a figure with its 95 % percentile bootstrap bounds.
type Interval struct{ Value, Low, High float64 }

// Sample is one item's score and what it shares with others: scores of one
// cluster (a video, a dialogue) are drawn together. An empty Cluster is one of
// its own.
type Sample struct {
	Cluster string
	Score   float64
}

// Mean is the mean score with an interval over resampled clusters.
func Mean(samples []Sample, rnd *rand.Rand) (Interval, error) {
	groups := grouped(samples)
	if len(groups) == 0 {
		return Interval{}, errors.New("bootstrap: no scores")
	}
	means := make([]float64, Resamples)
	for i := range means {
		var drawn group
		for range groups {
			g := groups[rnd.IntN(len(groups))]
			drawn.sum += g.sum
			drawn.n += g.n
		}
		means[i] = drawn.sum / drawn.n
	}
	slices.Sort(means)
	var all group
	for _, g := range groups {
		all.sum += g.sum
		all.n += g.n
	}
	return Interval{all.sum / all.n, quantile(means, 0.025), quantile(means, 0.975)}, nil
}

// Difference is the mean of a minus that of b over the same items, paired: a
// resample draws both scores of an item (or cluster) together.
func Difference(a, b []Sample, rnd *rand.Rand) (Interval, error) {
	if len(a) != len(b) {
		return Interval{}, errors.New("bootstrap: the two lists of scores are not over the same items")
	}
	d := slices.Clone(a)
	for i := range d {
		if a[i].Cluster != b[i].Cluster {
			return Interval{}, errors.New("bootstrap: the two lists of scores are not over the same items in one order")
		}
		d[i].Score -= b[i].Score
	}
	return Mean(d, rnd)
}

type group struct{ sum, n float64 }

// grouped sums the scores of each cluster, in order of first appearance.
func grouped(samples []Sample) []group {
	var out []group
	at := map[string]int{}
	for _, s := range samples {
		i, known := at[s.Cluster]
		if !known || s.Cluster == "" {
			i = len(out)
			at[s.Cluster] = i
			out = append(out, group{})
		}
		out[i].sum += s.Score
		out[i].n++
	}
	return out
}

// quantile interpolates between the order statistics of a sorted list.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
