package agreement

import (
	"errors"
	"maps"
	"math"
	"slices"
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

func jackknife(units []map[string]int, value float64) (low, high float64) {
	var without []float64
	for i := range units {
		if v, ok := alpha(slices.Delete(slices.Clone(units), i, i+1)); ok {
			without = append(without, v)
		}
	}
	if len(without) < 2 {
		return -1, 1
	}
	mean := mean(without)
	sum := 0.0
	for _, v := range without {
		sum += (v - mean) * (v - mean)
	}
	k := float64(len(without))
	se := math.Sqrt((k - 1) / k * sum)
	return max(-1, value-1.96*se), min(1, value+1.96*se)
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
