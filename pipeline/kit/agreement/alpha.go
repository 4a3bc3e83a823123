package agreement

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Ratings are the labels that raters gave to units: Ratings[u][r] is what rater
// r said of unit u, "" when it said nothing.
type Ratings [][]string

// Alpha is Krippendorff's alpha with a jackknife interval.
type Alpha struct {
	// Units that at least two raters labelled, and Values, the labels in them.
	Units, Values int
	Value         float64
	// Low and High bound the value at about 95 %: the value less and plus 1.96
	// jackknife standard errors, leaving out one cluster at a time, within -1 and 1.
	Low, High float64
}

// KrippendorffAlpha computes alpha for nominal labels with any number of raters and
// missing values (Krippendorff 2011, section C). clusterOf names what a unit shares
// with others, by its index; an empty name is a cluster of its own.
func KrippendorffAlpha(r Ratings, clusterOf func(unit int) string) (Alpha, error) {
	units, clusters := pairableUnits(r, clusterOf)
	value, ok := alpha(units)
	if !ok {
		return Alpha{}, errors.New("alpha: fewer than two units with two labels, or all labels are the same: there is nothing to agree on")
	}
	a := Alpha{Units: len(units), Value: value}
	for _, u := range units {
		a.Values += countLabels(u)
	}
	a.Low, a.High = jackknife(units, clusters, value)
	return a, nil
}

// pairableUnits counts the labels of units with at least two, and names their clusters.
func pairableUnits(r Ratings, clusterOf func(int) string) (units []map[string]int, clusters []string) {
	for i, labels := range r {
		u := map[string]int{}
		for _, l := range labels {
			if l != "" {
				u[l]++
			}
		}
		if countLabels(u) < 2 {
			continue
		}
		name := "of " + clusterOf(i)
		if clusterOf(i) == "" {
			name = fmt.Sprint("unit ", i)
		}
		units, clusters = append(units, u), append(clusters, name)
	}
	return units, clusters
}

func countLabels(u map[string]int) (n int) {
	for _, c := range u {
		n += c
	}
	return n
}

// alpha is 1 - observed / expected disagreement within units.
func alpha(units []map[string]int) (float64, bool) {
	all := map[string]int{}
	var n, observed float64
	for _, u := range units {
		m := float64(countLabels(u))
		n += m
		same := 0.0
		for _, l := range slices.Sorted(maps.Keys(u)) {
			c := float64(u[l])
			all[l] += u[l]
			same += c * (c - 1)
		}
		observed += (m*(m-1) - same) / (m - 1)
	}
	expected := n * (n - 1)
	for _, l := range slices.Sorted(maps.Keys(all)) {
		c := float64(all[l])
		expected -= c * (c - 1)
	}
	if len(units) < 2 || expected == 0 {
		return 0, false
	}
	return 1 - (n-1)*observed/expected, true
}

// jackknife leaves out one cluster at a time. Clusters with the same labels are left out once
// and weighed.
func jackknife(units []map[string]int, clusters []string, value float64) (low, high float64) {
	said := map[string][]string{}
	for i, u := range units {
		said[clusters[i]] = append(said[clusters[i]], fmt.Sprint(u)) // maps print in order of their keys
	}
	kinds := map[string][]string{}
	for cluster, labels := range said {
		slices.Sort(labels)
		kind := strings.Join(labels, "\n")
		kinds[kind] = append(kinds[kind], cluster)
	}
	var without, weights []float64
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if v, ok := alpha(withoutCluster(units, clusters, slices.Min(kinds[kind]))); ok {
			without = append(without, v)
			weights = append(weights, float64(len(kinds[kind])))
		}
	}
	var n, sum, squares float64
	for i, v := range without {
		n += weights[i]
		sum += weights[i] * v
	}
	if n < 2 {
		return -1, 1
	}
	for i, v := range without {
		squares += weights[i] * (v - sum/n) * (v - sum/n)
	}
	se := math.Sqrt((n - 1) / n * squares)
	return max(-1, value-1.96*se), min(1, value+1.96*se)
}

func withoutCluster(units []map[string]int, clusters []string, one string) []map[string]int {
	var out []map[string]int
	for i, u := range units {
		if clusters[i] != one {
			out = append(out, u)
		}
	}
	return out
}
