package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// sampleSeed is that of draws unless another is asked for: the paper's only one.
const sampleSeed = bootstrapSeed

// tinyShare is a share that takes no more of a stratum than the least.
const tinyShare = 1e-9

// sampleInTurn takes questions from strata in turn, one of each, then a second of each, until
// there are so many; of none more than most. The draws are those of reviews, so a
// question more or less changes little, and questions of one mirror group are one.
func (s *study) sampleInTurn(name string, total, most int, stratum func(subject) string, in func(subject) bool) (out []string) {
	d := pipeline.ReviewSample{Name: name, Schema: schemas.NameQuestion, By: []string{"stratum"}, Share: tinyShare, Seed: s.Seed}
	first := map[string]string{} // of each unit
	at := map[string]string{}
	var rows []schemas.Sampled
	for _, q := range s.subjects {
		if !in(q) {
			continue
		}
		e := review.Entry{ID: q.id, Values: map[string]string{"stratum": stratum(q), schemas.LabelMirror: q.question.Labels[schemas.LabelMirror]}}
		rows = append(rows, e.DrawnRow(d))
	}
	slices.SortFunc(rows, func(a, b schemas.Sampled) int { return strings.Compare(a.Item, b.Item) })
	for _, r := range rows {
		if first[r.Unit] == "" {
			first[r.Unit], at[r.Unit] = r.Item, r.Stratum[0]
		}
	}
	taken := map[string]bool{}
	for d.Least = 1; d.Least <= most && len(out) < total && len(taken) < len(first); d.Least++ {
		out = append(out, s.sampleRound(d, rows, first, at, taken)...)
	}
	return out[:min(total, len(out))]
}

// sampleRound gives what a draw of one more from each stratum adds, in the order of strata.
func (s *study) sampleRound(d pipeline.ReviewSample, rows []schemas.Sampled, first, at map[string]string, taken map[string]bool) (out []string) {
	from := review.NewPopulation(d)
	for _, r := range rows {
		from.Add(r)
	}
	var units []string
	for unit := range from.Drawn() {
		if !taken[unit] {
			taken[unit] = true
			units = append(units, unit)
		}
	}
	slices.SortFunc(units, func(a, b string) int { return cmp.Or(strings.Compare(at[a], at[b]), strings.Compare(a, b)) })
	for _, u := range units {
		out = append(out, first[u])
	}
	return out
}

// sampleScenarios draws questions in turn over the scenarios.
func (s *study) sampleScenarios(n int, in func(subject) bool) map[string]bool {
	out := map[string]bool{}
	for _, id := range s.sampleInTurn(tableRobustness, n, n, func(q subject) string { return q.scenario }, in) {
		out[id] = true
	}
	return out
}

// sampleCells draws questions in turn over the cells of the grid.
func (s *study) sampleCells(name string, total, most int, in func(subject) bool) []string {
	return s.sampleInTurn(name, total, most, func(q subject) string { return q.x + " " + q.y }, in)
}
