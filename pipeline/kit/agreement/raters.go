package agreement

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
)

// ItemLabels is what each rater said of one item at one time. A rater who said nothing of
// it is missing.
type ItemLabels struct {
	Item    string
	ByRater map[string]string
}

// Raters says how far several agree. With more than two, Alpha is over all of them; it
// is nil where there is nothing to agree on.
type Raters struct {
	// Pairs in the order of the raters' names, those who were asked something in common.
	Pairs []PairAgreement
	Alpha *AlphaAgreement
}

// PairAgreement is how far two agree.
type PairAgreement struct {
	A string `json:"a"`
	B string `json:"b"`
	// Calls that both have.
	Calls int `json:"calls"`
	// Observed is the share of equal labels, Kappa that beyond chance (Cohen);
	// the intervals are of 95 %, over clusters (see Clusters). Kappa is null where
	// both gave one and the same label throughout, and of a selection (see DropEstimates).
	Observed Interval  `json:"observed"`
	Kappa    *Interval `json:"kappa"`
	// Confusion[i][j] counts calls that A gave Labels[i] and B gave Labels[j].
	Labels    []string `json:"labels"`
	Confusion [][]int  `json:"confusion"`
}

// DropEstimates removes kappa: what both were asked is a selection that depends on what they
// said, so it estimates nothing.
func (p *PairAgreement) DropEstimates() {
	if p != nil {
		p.Kappa = nil
	}
}

// AlphaAgreement is Krippendorff's alpha over so many units.
type AlphaAgreement struct {
	Interval
	Units int `json:"units"`
}

// MeasureAgreement compares what raters said, two by two and all together. The intervals are
// drawn from seed and name over the clusters of items: the same saying, the same
// figures.
func MeasureAgreement(said []ItemLabels, clusters map[string]string, seed uint64, name string) (Raters, error) {
	names := map[string]bool{}
	for _, s := range said {
		for rater := range s.ByRater {
			names[rater] = true
		}
	}
	raters := slices.Sorted(maps.Keys(names))
	var out Raters
	for i, a := range raters {
		for _, b := range raters[i+1:] {
			var pairs []Pair
			for _, s := range said {
				if x, y := s.ByRater[a], s.ByRater[b]; x != "" && y != "" {
					pairs = append(pairs, Pair{Item: s.Item, A: x, B: y})
				}
			}
			if len(pairs) == 0 {
				continue
			}
			p, err := ComparePair(a, b, pairs, clusters, seed, name, a, b)
			if err != nil {
				return out, err
			}
			out.Pairs = append(out.Pairs, p)
		}
	}
	if len(raters) > 2 {
		out.Alpha = alphaOfRaters(said, raters, clusters)
	}
	return out, nil
}

// ComparePair is kappa with its confusion matrix, and intervals over the clusters of
// items. They are drawn from seed and labels.
func ComparePair(a, b string, pairs []Pair, clusters map[string]string, seed uint64, labels ...string) (PairAgreement, error) {
	k, err := CohenKappa(pairs)
	if err != nil {
		return PairAgreement{}, err
	}
	of := func(item string) string { return clusters[item] }
	observed, kappa, err := KappaIntervals(pairs, of, NewRand(seed, labels...))
	if err != nil {
		return PairAgreement{}, err
	}
	out := PairAgreement{A: a, B: b, Calls: k.N, Observed: observed, Labels: k.Labels, Confusion: k.Confusion}
	if k.Defined {
		out.Kappa = &kappa
	}
	return out, nil
}

// alphaOfRaters is nil where there is nothing to agree on.
func alphaOfRaters(said []ItemLabels, raters []string, clusters map[string]string) *AlphaAgreement {
	var ratings Ratings
	for _, s := range said {
		labels := make([]string, len(raters))
		for i, r := range raters {
			labels[i] = s.ByRater[r]
		}
		ratings = append(ratings, labels)
	}
	a, err := KrippendorffAlpha(ratings, func(i int) string { return clusters[said[i].Item] })
	if err != nil {
		return nil
	}
	return &AlphaAgreement{Interval{a.Value, a.Low, a.High}, a.Units}
}

// NewRand is the generator of one interval: one release, one interval.
func NewRand(seed uint64, labels ...string) *rand.Rand {
	h := fnv.New64a()
	for _, l := range labels {
		fmt.Fprintf(h, "%q", l)
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
