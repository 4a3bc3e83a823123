package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/schemas"
)

// SeparabilityLevel is how well single frames tell the two videos of a pair apart, over the
// pairs that were made equally alike.
type SeparabilityLevel struct {
	// Likeness is the label of these pairs, empty where they have none.
	Likeness string `json:"likeness"`
	Pairs    int    `json:"pairs"`
	// Separability is the mean over pairs, with an interval that resamples pairs;
	// Least and Most are the extremes.
	Separability Interval `json:"separability"`
	Least        float64  `json:"least"`
	Most         float64  `json:"most"`
}

// Separability gathers the figures of the pairs that questions are about, by
// the level of likeness that their labels carry, in ascending order. A pair
// counts once, however many questions it has; pairs that were not measured are
// left out. rnd draws the intervals.
func Separability(qs []schemas.Question, rnd *rand.Rand) ([]SeparabilityLevel, error) {
	levels := map[string]map[string]float64{}
	for _, q := range qs {
		text, measured := q.Labels[schemas.LabelSeparability]
		if !measured {
			continue
		}
		figure, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("separability of question %s is %q, want a number", q.QuestionID, text)
		}
		level, pair := q.Labels[schemas.LabelLikeness], q.Labels[schemas.LabelPair]
		if levels[level] == nil {
			levels[level] = map[string]float64{}
		}
		levels[level][pair] = figure
	}
	var out []SeparabilityLevel
	for _, level := range slices.SortedFunc(maps.Keys(levels), byNumber) {
		pairs := levels[level]
		var samples []agreement.Score
		for _, pair := range slices.Sorted(maps.Keys(pairs)) {
			samples = append(samples, agreement.Score{Cluster: pair, Value: pairs[pair]})
		}
		mean, err := agreement.MeanInterval(samples, rnd)
		if err != nil {
			return nil, fmt.Errorf("separability of likeness %q: %w", level, err)
		}
		figures := slices.Sorted(maps.Values(pairs))
		out = append(out, SeparabilityLevel{level, len(pairs), Interval(mean), figures[0], figures[len(figures)-1]})
	}
	return out, nil
}

func byNumber(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	switch {
	case errX != nil || errY != nil || x == y:
		return cmp.Compare(a, b)
	case x < y:
		return -1
	}
	return 1
}
