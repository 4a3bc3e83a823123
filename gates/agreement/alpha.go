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
	// jackknife standard errors, leaving out one unit at a time, within -1 and 1.
	Low, High float64
}

// Krippendorff computes alpha for nominal labels with any number of raters and
// missing values (Krippendorff 2011, section C).
func Krippendorff(r Ratings) (Alpha, error) {
	units := paired(r)
	value, ok := alpha(units)
	if !ok {
		return Alpha{}, errors.New("alpha: fewer than two units with two labels, or all labels are the same: there is nothing to agree on")
	}
	a := Alpha{Units: len(units), Value: value}
	for _, u := range units {
		a.Values += total(u)
	}
	a.Low, a.High = jackknife(units, value)
	return a, nil
}

// paired counts the labels of the units that have at least two.
func paired(r Ratings) []map[string]int {
	var out []map[string]int
	for _, labels := range r {
		u := map[string]int{}
		for _, l := range labels {
			if l != "" {
				u[l]++
			}
		}
		if total(u) >= 2 {
			out = append(out, u)
		}
	}
	return out
}

func total(u map[string]int) (n int) {
	for _, c := range u {
		n += c
	}
	return n
}

// alpha is 1 - observed / expected disagreement over the coincidences of
// labels within units.
func alpha(units []map[string]int) (float64, bool) {
	all := map[string]int{}
	var n, observed float64
	for _, u := range units {
		m := float64(total(u))
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

// jackknife leaves out one unit at a time. Units with the same labels leave the
// same value behind, so each kind of unit is left out once and weighed.
func jackknife(units []map[string]int, value float64) (low, high float64) {
	kinds := map[string][]map[string]int{}
	for _, u := range units {
		var key []string
		for _, l := range slices.Sorted(maps.Keys(u)) {
			key = append(key, fmt.Sprintf("%q%d", l, u[l]))
		}
		kind := strings.Join(key, ",")
		kinds[kind] = append(kinds[kind], u)
	}
	var without, weights []float64
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if v, ok := alpha(lessOne(units, kinds[kind][0])); ok {
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

// lessOne is units without the first that has the labels of one.
func lessOne(units []map[string]int, one map[string]int) []map[string]int {
	i := slices.IndexFunc(units, func(u map[string]int) bool { return maps.Equal(u, one) })
	return slices.Delete(slices.Clone(units), i, i+1)
}
