package agreement

import (
	"math/rand/v2"
	"slices"
)

// KappaIntervals gives observed agreement and kappa with percentile bootstrap intervals
// over resampled clusters (see Sample). Both have the values that Cohen gives.
// A resample in which kappa is undefined does not count for its interval; where
// it is undefined throughout, all three of its figures are 0.
func KappaIntervals(pairs []Pair, clusterOf func(item string) string, rnd *rand.Rand) (observed, kappa Interval, err error) {
	k, err := CohenKappa(pairs)
	if err != nil {
		return Interval{}, Interval{}, err
	}
	groups := cellsByCluster(pairs, k.Labels, clusterOf)
	shares := make([]float64, 0, Resamples)
	kappas := make([]float64, 0, Resamples)
	table := make([]int, len(k.Labels)*len(k.Labels))
	for range Resamples {
		clear(table)
		for range groups {
			for _, c := range groups[rnd.IntN(len(groups))] {
				table[c.at] += c.count
			}
		}
		share, value, defined := kappaOf(table, len(k.Labels))
		shares = append(shares, share)
		if defined {
			kappas = append(kappas, value)
		}
	}
	slices.Sort(shares)
	observed = Interval{k.Observed, quantile(shares, 0.025), quantile(shares, 0.975)}
	if k.Defined && len(kappas) > 0 {
		slices.Sort(kappas)
		kappa = Interval{k.Value, quantile(kappas, 0.025), quantile(kappas, 0.975)}
	}
	return observed, kappa, nil
}

// cell counts pairs of one place in the confusion matrix.
type cell struct{ at, count int }

// cellsByCluster says how many pairs of each cluster fall where in the confusion
// matrix, in order of first appearance.
func cellsByCluster(pairs []Pair, labels []string, clusterOf func(string) string) [][]cell {
	var out [][]cell
	group := map[string]int{}
	for _, p := range pairs {
		a, _ := slices.BinarySearch(labels, p.A)
		b, _ := slices.BinarySearch(labels, p.B)
		at := a*len(labels) + b
		name := clusterOf(p.Item)
		i, known := group[name]
		if !known || name == "" {
			i = len(out)
			group[name] = i
			out = append(out, nil)
		}
		j := slices.IndexFunc(out[i], func(c cell) bool { return c.at == at })
		if j < 0 {
			j = len(out[i])
			out[i] = append(out[i], cell{at: at})
		}
		out[i][j].count++
	}
	return out
}

// kappaOf is kappa over a square confusion matrix, row by row.
func kappaOf(table []int, size int) (observed, kappa float64, defined bool) {
	var n, same int
	rows, columns := make([]int, size), make([]int, size)
	for i := range size {
		for j := range size {
			c := table[i*size+j]
			n += c
			rows[i] += c
			columns[j] += c
		}
		same += table[i*size+i]
	}
	expected := 0.0
	for i := range size {
		expected += float64(rows[i]) / float64(n) * float64(columns[i]) / float64(n)
	}
	observed = float64(same) / float64(n)
	if expected >= 1 {
		return observed, 0, false
	}
	return observed, (observed - expected) / (1 - expected), true
}
