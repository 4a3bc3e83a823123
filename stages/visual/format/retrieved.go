package format

import (
	"encoding/json"
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

// measures are those of retrieval, in the order of the table. All but the first three
// are of questions about what changed.
func measures() []string {
	return []string{"any clue", "coverage", "full", "latest", "latest miss", "stale clue first", "stale session first", "inversion"}
}

// weights are the shares of similarity that rankings by recency are tried with; 1 is
// the ranking as it was.
func weights() []float64 { return []float64{1, 0.9, 0.7, 0.5, 0.3} }

// retrieved are the Scores of Retrieval.
type retrieved struct {
	Top   int           `json:"top"`
	Lines []tables.Line `json:"lines"`
	notes []string
}

// Score implements score.Asked.
func (s searches) Score(answers map[string]string, o score.Options) (score.Scores, error) {
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
		if rankings[q.id], err = q.hits(answer); err != nil {
			return nil, err
		}
		similar = similar && !slices.ContainsFunc(rankings[q.id], func(h hit) bool { return math.IsNaN(h.sim) })
	}
	if len(missing) > 0 && !o.Incomplete {
		return nil, &score.MissingError{IDs: missing}
	}
	out := retrieved{Top: top}
	for _, y := range []string{"Y1", "Y2", "Y3"} {
		out.Lines = append(out.Lines, s.line(y, y, rankings, func(_ search, pool []hit) []hit { return pool[:min(top, len(pool))] }))
	}
	if !similar {
		out.notes = append(out.notes, "not every round has a similarity, so nothing is ranked by recency")
		return out, nil
	}
	for _, w := range weights() {
		out.Lines = append(out.Lines, s.line(fmt.Sprintf("Y3, similarity %.1f", w), "Y3", rankings, func(q search, pool []hit) []hit {
			ranked := q.recent(pool, w)
			return ranked[:min(top, len(ranked))]
		}))
	}
	return out, nil
}

// line is the row of the questions of one depth under a way to rank.
func (s searches) line(name, y string, rankings map[string][]hit, rank func(search, []hit) []hit) tables.Line {
	samples := map[string][]agreement.Sample{}
	for _, q := range s.items {
		pool, ok := rankings[q.id]
		if q.y != y || !ok {
			continue
		}
		for measure, value := range q.found(rank(q, pool)) {
			samples[measure] = append(samples[measure], agreement.Sample{Cluster: q.id, Score: value})
		}
	}
	out := tables.Line{Slice: name, Figures: map[string]tables.Figure{}}
	for _, measure := range measures() {
		if got, err := agreement.Mean(samples[measure], rand.New(rand.NewPCG(bootstrapSeed, 0))); err == nil {
			out.Figures[measure] = tables.FigureOf(got, len(samples[measure]))
		}
	}
	return out
}

// Warned implements score.Scores.
func (r retrieved) Warned() []string { return r.notes }

// MarshalJSON implements score.Scores.
func (r retrieved) MarshalJSON() ([]byte, error) {
	type plainly retrieved
	return json.Marshal(plainly(r))
}

// Print implements score.Scores.
func (r retrieved) Print(out io.Writer) error { return tables.PrintLines(out, r.Lines, measures()) }
