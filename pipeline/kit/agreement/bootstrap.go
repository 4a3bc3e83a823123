package agreement

import (
	"cmp"
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
// its own. Weight is that within its mean, 1 if it is 0.
type Score struct {
	Cluster string
	Value   float64
	Weight  float64
}

// MeanInterval is the mean score with an interval over resampled clusters.
func MeanInterval(samples []Score, rnd *rand.Rand) (Interval, error) {
	return MeanOfGroups([][]Score{samples}, rnd)
}

// MeanOfGroups is the mean of the mean scores of groups, equally weighted, with an interval
// over resampled clusters, which may have scores in several groups. A group of which a
// resample has no score is not in its mean.
func MeanOfGroups(groups [][]Score, rnd *rand.Rand) (Interval, error) {
	clusters := sumByCluster(groups...)
	if len(clusters) == 0 {
		return Interval{}, errors.New("bootstrap: no scores")
	}
	drawn := make([]part, len(groups))
	mean := func(pick func(int) int) float64 {
		clear(drawn)
		for i := range clusters {
			for _, p := range clusters[pick(i)] {
				drawn[p.group].sum += p.sum
				drawn[p.group].n += p.n
			}
		}
		sum, n := 0.0, 0.0
		for _, g := range drawn {
			if g.n > 0 {
				sum, n = sum+g.sum/g.n, n+1
			}
		}
		return sum / n
	}
	means := make([]float64, Resamples)
	for i := range means {
		means[i] = mean(func(int) int { return rnd.IntN(len(clusters)) })
	}
	slices.Sort(means)
	return Interval{mean(func(i int) int { return i }), quantile(means, 0.025), quantile(means, 0.975)}, nil
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
		var drawn [2]part
		for i := range pairs {
			for _, g := range pairs[pick(i)] {
				drawn[g.group].sum += g.sum
				drawn[g.group].n += g.n
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

// sumByCluster sums the scores of each cluster by group.
func sumByCluster(groups ...[]Score) (clusters [][]part) {
	at := map[string]int{}
	for group, samples := range groups {
		for _, s := range samples {
			i, known := at[s.Cluster]
			if !known || s.Cluster == "" {
				i = len(clusters)
				at[s.Cluster] = i
				clusters = append(clusters, nil)
			}
			of := clusters[i]
			if len(of) == 0 || of[len(of)-1].group != group {
				of = append(of, part{group: group})
			}
			weight := cmp.Or(s.Weight, 1)
			of[len(of)-1].sum += float64(weight * s.Value)
			of[len(of)-1].n += weight
			clusters[i] = of
		}
	}
	return clusters
}

// part is what a cluster has in a group.
type part struct {
	group  int
	sum, n float64
}

func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
