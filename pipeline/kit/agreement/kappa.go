// Package agreement measures how far raters agree, and how sure a figure is:
// Cohen's kappa, Krippendorff's alpha and bootstrap intervals.
package agreement

import (
	"errors"
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
