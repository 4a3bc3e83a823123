package format

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/agreement"
)

// retrievalMetrics are those of retrieval, in the order of the table. All but the first three
// are of questions about what changed.
func retrievalMetrics() []string {
	return []string{"any clue", "coverage", "full", "latest", "latest miss", "stale clue first", "stale session first", "inversion"}
}

// recencyWeights are the shares of similarity that rankings by recency are tried with; 1 is
// the ranking as it was.
func recencyWeights() []float64 { return []float64{1, 0.9, 0.7, 0.5, 0.3} }

// retrievalScores are the Scores of Retrieval.
type retrievalScores struct {
	Top   int           `json:"top"`
	Lines []tables.Line `json:"lines"`
	notes []string
}

// Score implements score.Asked.
func (s retrievalBench) Score(answers map[string]string, o score.Options) (score.Scores, error) {
	top, err := strconv.Atoi(strings.TrimPrefix(o.Variant, "top"))
	if err != nil {
		return nil, fmt.Errorf("variant %q: want top and a number", o.Variant)
	}
	var missing []string
	rankings := map[string][]hit{}
	similar := true
	for _, q := range s.items {
		answer, ok := answers[q.id]
		if !ok {
			missing = append(missing, q.id)
			continue
		}
		if rankings[q.id], err = q.parseHits(answer); err != nil {
			return nil, err
		}
		similar = similar && !slices.ContainsFunc(rankings[q.id], func(h hit) bool { return math.IsNaN(h.sim) })
	}
	if len(missing) > 0 && !o.Incomplete {
		return nil, &score.MissingError{IDs: missing}
	}
	out := retrievalScores{Top: top}
	for _, y := range []string{"Y1", "Y2", "Y3"} {
		out.Lines = append(out.Lines, s.tableLine(y, y, rankings, func(_ retrievalQuestion, pool []hit) []hit { return pool[:min(top, len(pool))] }))
	}
	if !similar {
		out.notes = append(out.notes, "not every round has a similarity, so nothing is ranked by recency")
		return out, nil
	}
	for _, w := range recencyWeights() {
		out.Lines = append(out.Lines, s.tableLine(fmt.Sprintf("Y3, similarity %.1f", w), "Y3", rankings, func(q retrievalQuestion, pool []hit) []hit {
			ranked := q.rerankByRecency(pool, w)
			return ranked[:min(top, len(ranked))]
		}))
	}
	return out, nil
}

// tableLine is the row of the questions of one depth under a way to rank.
func (s retrievalBench) tableLine(name, y string, rankings map[string][]hit, rank func(retrievalQuestion, []hit) []hit) tables.Line {
	samples := map[string][]agreement.Score{}
	for _, q := range s.items {
		pool, ok := rankings[q.id]
		if q.y != y || !ok {
			continue
		}
		for measure, value := range q.measure(rank(q, pool)) {
			samples[measure] = append(samples[measure], agreement.Score{Cluster: q.id, Value: value})
		}
	}
	out := tables.Line{Slice: name, Figures: map[string]tables.Figure{}}
	for _, measure := range retrievalMetrics() {
		if got, err := agreement.MeanInterval(samples[measure], rand.New(rand.NewPCG(bootstrapSeed, 0))); err == nil {
			out.Figures[measure] = tables.FigureOf(got, len(samples[measure]))
		}
	}
	return out
}

// Warnings implements score.Scores.
func (r retrievalScores) Warnings() []string { return r.notes }

// Print implements score.Scores.
func (r retrievalScores) Print(out io.Writer) error {
	return tables.PrintLines(out, r.Lines, retrievalMetrics())
}
