package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// drawSeed is that of draws unless another is asked for: the paper's only one.
const drawSeed = bootstrapSeed

// tiny is a share that takes no more of a stratum than the least.
const tiny = 1e-9

// robin takes questions from strata in turn, one of each, then a second of each, until
// there are so many; of none more than most. The draws are those of reviews, so a
// question more or less changes little, and questions of one mirror group are one.
func (s *study) robin(name string, total, most int, stratum func(subject) string, in func(subject) bool) (out []string) {
	d := pipeline.Draw{Name: name, Schema: schemas.NameQuestion, By: []string{"stratum"}, Share: tiny, Seed: s.Seed}
	first := map[string]string{} // of each unit
	at := map[string]string{}
	var rows []schemas.Drawn
	for _, q := range s.subjects {
		if !in(q) {
			continue
		}
		e := review.Entry{ID: q.id, Values: map[string]string{"stratum": stratum(q), schemas.LabelMirror: q.question.Labels[schemas.LabelMirror]}}
		rows = append(rows, e.Row(d))
	}
	slices.SortFunc(rows, func(a, b schemas.Drawn) int { return strings.Compare(a.Item, b.Item) })
	for _, r := range rows {
		if first[r.Unit] == "" {
			first[r.Unit], at[r.Unit] = r.Item, r.Stratum[0]
		}
	}
	taken := map[string]bool{}
	for d.Least = 1; d.Least <= most && len(out) < total && len(taken) < len(first); d.Least++ {
		out = append(out, s.round(d, rows, first, at, taken)...)
	}
	return out[:min(total, len(out))]
}

// round gives what a draw of one more from each stratum adds, in the order of strata.
func (s *study) round(d pipeline.Draw, rows []schemas.Drawn, first, at map[string]string, taken map[string]bool) (out []string) {
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

// roundRobin draws questions in turn over the scenarios.
func (s *study) roundRobin(n int, in func(subject) bool) map[string]bool {
	out := map[string]bool{}
	for _, id := range s.robin(tableRobustness, n, n, func(q subject) string { return q.scenario }, in) {
		out[id] = true
	}
	return out
}

// ofCells draws questions in turn over the cells of the grid.
func (s *study) ofCells(name string, total, most int, in func(subject) bool) []string {
	return s.robin(name, total, most, func(q subject) string { return q.x + " " + q.y }, in)
}
