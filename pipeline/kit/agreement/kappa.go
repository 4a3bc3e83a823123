// Package agreement measures how far raters agree, and how sure a figure is:
// Cohen's kappa, Krippendorff's alpha and bootstrap intervals.
package agreement

import (
	"errors"
	"math/rand/v2"
	"slices"
)

// Pair is what two raters said of one item.
type Pair struct {
	Item string
	A, B string
}

// Kappa is the agreement of two raters beyond chance.
type Kappa struct {
	N int
	// Observed and Expected are the shares of equal labels: as they are, and as
	// they would be if the raters kept their label frequencies but guessed.
	Observed, Expected float64
	// Value is (Observed - Expected) / (1 - Expected). It is undefined, and
	// Defined false, when both raters gave one and the same label throughout.
	Value   float64
	Defined bool
	// Labels in sorted order; Confusion[i][j] counts items that A gave
	// Labels[i] and B gave Labels[j].
	Labels    []string
	Confusion [][]int
	// Disagreements lists the items labelled differently, in input order.
	Disagreements []Pair
}

// CohenKappa computes kappa (Cohen 1960) over nominal labels.
func CohenKappa(pairs []Pair) (Kappa, error) {
	if len(pairs) == 0 {
		return Kappa{}, errors.New("kappa: no item was labelled by both raters")
	}
	k := Kappa{N: len(pairs), Labels: labelsOf(pairs)}
	at := map[string]int{}
	for i, l := range k.Labels {
		at[l] = i
		k.Confusion = append(k.Confusion, make([]int, len(k.Labels)))
	}
	for _, p := range pairs {
		k.Confusion[at[p.A]][at[p.B]]++
		if p.A != p.B {
			k.Disagreements = append(k.Disagreements, p)
		}
	}
	n := float64(k.N)
	for i := range k.Labels {
		var row, column int
		for j := range k.Labels {
			row += k.Confusion[i][j]
			column += k.Confusion[j][i]
		}
		k.Expected += float64(row) / n * float64(column) / n
	}
	k.Observed = 1 - float64(len(k.Disagreements))/n
	if k.Defined = k.Expected < 1; k.Defined {
		k.Value = (k.Observed - k.Expected) / (1 - k.Expected)
	}
	return k, nil
}

func labelsOf(pairs []Pair) []string {
	var labels []string
	for _, p := range pairs {
		labels = append(labels, p.A, p.B)
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

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

// cellsByCluster counts the pairs of each cluster by cell of the confusion matrix.
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
