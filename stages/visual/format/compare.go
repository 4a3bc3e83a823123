package format

import (
	"fmt"
	"math"
	"slices"

	"github.com/memforge/memforge/pipeline/eval/tables"
)

// Names of tables.
const (
	tableProof      = "caption-proof"
	tableOracle     = "oracle"
	tableSeen       = "visual-information"
	tableRobustness = "caption-robustness"
	tableEvolving   = "evolving"
	tableMethods    = "methods"
	tableLabels     = "labels"
	tableHuman      = "human-oracle"
	tableJudge      = "judge"
)

// lacks is a table that cannot be made for want of runs.
func lacks(table, what string) error { return &tables.LackError{Table: table, Lacks: what} }

// proof compares native pictures with dense captions under the same method, at each
// place of the grid (B.1; figures 6b and 8, tables 7 and 10).
func (s *study) proof() ([]tables.Table, error) {
	methods := s.methods(isMethod, setVisual, setDense)
	if len(methods) == 0 {
		return nil, lacks(tableProof, "the runs METHOD.visual and METHOD.dense of one method, which is not the oracle")
	}
	parts := slices.Concat(overall(), byX(), byY(), byCell())
	return s.byMetric(tableProof, "pictures (V) against dense captions (T), B.1", []string{"T", "V", "V-T"}, func(metric string) (out []tables.Line) {
		var gains []func(int) float64
		for _, m := range methods {
			columns := s.versus(m, setDense, metric, "T", "V")
			out = append(out, s.lines(m+" ", parts, columns...)...)
			gains = append(gains, columns[2].value)
		}
		if len(methods) > 1 {
			out = append(out, s.lines("mean of methods ", parts, column{"V-T", averaged(gains)})...)
		}
		return out
	}), nil
}

// versus are what a method comes to without pictures, with them, and what they add, over
// the questions that both runs answered.
func (s *study) versus(method, blind, metric, names, seen string) []column {
	a, _ := s.run(method, blind)
	b, _ := s.run(method, setVisual)
	v := both(a.of(metric), b.of(metric))
	return []column{{names, v[0]}, {seen, v[1]}, {seen + "-" + names, less(v[1], v[0])}}
}

// averaged is the mean of several values of a subject that has them all.
func averaged(values []func(int) float64) func(int) float64 {
	return func(i int) float64 {
		sum := 0.0
		for _, v := range values {
			sum += v(i)
		}
		return sum / float64(len(values))
	}
}

// oracles says how who is given the clues does by depth, and what pictures add to them
// by granularity (B.2, table 8).
func (s *study) oracles() ([]tables.Table, error) {
	seeing := s.methods(isOracle, setVisual)
	if len(seeing) == 0 {
		return nil, lacks(tableOracle, "the run oracle.visual, and for its second part oracle.dense or oracle.none")
	}
	depth := tables.Table{Name: tableOracle, Title: "given the clues with their pictures, by depth, B.2", Columns: []string{"choice", "BLEU-1", "judge"}}
	for _, m := range seeing {
		r, _ := s.run(m, setVisual)
		var columns []column
		for _, c := range depth.Columns {
			columns = append(columns, column{c, r.of(c)})
		}
		depth.Lines = append(depth.Lines, s.lines(m+" ", slices.Concat(byY(), twice("all", everything)), columns...)...)
	}
	grain := s.byMetric(tableOracle, "given the clues as text or with pictures, by granularity, B.2", []string{"text", "visual", "visual-text"}, func(metric string) (out []tables.Line) {
		for _, m := range seeing {
			for _, blind := range []string{setDense, setNone, setMinimal} {
				if _, ok := s.run(m, blind); ok {
					out = append(out, s.lines(m+" "+blind+" ", slices.Concat(byX(), overall()), s.versus(m, blind, metric, "text", "visual")...)...)
				}
			}
		}
		return out
	})
	return append([]tables.Table{depth}, grain...), nil
}

// seen says how much of what decides is in pictures alone: no visual information, dense
// captions, and pictures, given the clues (D.3, figure 2).
func (s *study) seen() ([]tables.Table, error) {
	methods := s.methods(isOracle, setNone, setDense, setVisual)
	if len(methods) == 0 {
		return nil, lacks(tableSeen, "the runs oracle.none, oracle.dense and oracle.visual")
	}
	return s.byMetric(tableSeen, "no visual information, captions, pictures, D.3", []string{"none", "caption", "multimodal", "caption-none", "multimodal-caption"}, func(metric string) (out []tables.Line) {
		for _, m := range methods {
			none, _ := s.run(m, setNone)
			dense, _ := s.run(m, setDense)
			visual, _ := s.run(m, setVisual)
			v := both(none.of(metric), dense.of(metric), visual.of(metric))
			out = append(out, s.lines(m+" ", slices.Concat(overall(), byX()), column{"none", v[0]}, column{"caption", v[1]}, column{"multimodal", v[2]},
				column{"caption-none", less(v[1], v[0])}, column{"multimodal-caption", less(v[2], v[1])})...)
		}
		return out
	}), nil
}

// How many questions of coarse and of fine evidence are drawn for it (D.2).
const robustLow, robustHigh = 40, 80

// robust asks whether better captions close the gap: pictures against dense captions and
// against such as tell all that is asked about, on questions drawn round robin over the
// scenarios (D.2, table 11).
func (s *study) robust() ([]tables.Table, error) {
	methods := s.methods(func(string) bool { return true }, setVisual, setDense, setTaskAware)
	if len(methods) == 0 {
		return nil, lacks(tableRobustness, "the runs METHOD.visual, METHOD.dense and METHOD.task-aware of one method")
	}
	coarse, fine := s.roundRobin(robustLow, low), s.roundRobin(robustHigh, high)
	in := func(drawn map[string]bool) func(subject) bool { return func(q subject) bool { return drawn[q.id] } }
	parts := []slice{{name: "low X", in: in(coarse)}, {name: "high X", in: in(fine)},
		{name: "X4", in: func(q subject) bool { return fine[q.id] && atX("X4")(q) }}}
	out := s.byMetric(tableRobustness, "pictures against two kinds of captions, D.2", []string{"visual", "dense", "task-aware", "visual-dense", "visual-task-aware"}, func(metric string) (out []tables.Line) {
		for _, m := range methods {
			visual, _ := s.run(m, setVisual)
			dense, _ := s.run(m, setDense)
			aware, _ := s.run(m, setTaskAware)
			v := both(visual.of(metric), dense.of(metric), aware.of(metric))
			out = append(out, s.lines(m+" ", parts, column{"visual", v[0]}, column{"dense", v[1]}, column{"task-aware", v[2]},
				column{"visual-dense", less(v[0], v[1])}, column{"visual-task-aware", less(v[0], v[2])})...)
		}
		return out
	})
	if len(out) > 0 && (len(coarse) < robustLow || len(fine) < robustHigh) {
		last := &out[len(out)-1]
		last.Notes = append(last.Notes, fmt.Sprintf("the release has %d of %d questions of low X and %d of %d of high X", len(coarse), robustLow, len(fine), robustHigh))
	}
	return out, nil
}

// between compares the methods that see pictures, two by two (C.4, table 10).
func (s *study) between() ([]tables.Table, error) {
	methods := s.methods(isMethod, setVisual)
	if len(methods) < 2 {
		return nil, lacks(tableMethods, "the runs METHOD.visual of two methods, which are not the oracle")
	}
	return s.byMetric(tableMethods, "methods that see pictures, two by two, C.4", []string{"first", "second", "first-second"}, func(metric string) (out []tables.Line) {
		for i, a := range methods {
			for _, b := range methods[i+1:] {
				x, _ := s.run(a, setVisual)
				y, _ := s.run(b, setVisual)
				v := both(x.of(metric), y.of(metric))
				out = append(out, s.lines(a+" - "+b+" ", slices.Concat(overall(), byY()), column{"first", v[0]}, column{"second", v[1]}, column{"first-second", less(v[0], v[1])})...)
			}
		}
		return out
	}), nil
}

// updateInPicture is the label of questions whose update no word tells (D.5).
const updateLabel, updateInPicture = "update_in", "picture"

// sufficient is from what judge's score an answer is accepted (C.2).
const sufficient = 0.5

// evolving shows the latest clue alone, the earlier ones alone, and all, for questions
// whose update is in pictures, beside the methods that must find them (D.5, table 15).
func (s *study) evolving() ([]tables.Table, error) {
	given := s.methods(isOracle, setLatest, setStale, setVisual)
	if len(given) == 0 {
		return nil, lacks(tableEvolving, "the runs oracle.stale, oracle.latest and oracle.visual")
	}
	parts := []slice{{name: "", in: func(q subject) bool { return atY("Y3")(q) && q.question.Labels[updateLabel] == updateInPicture }}}
	line := func(name string, value func(int) float64) []tables.Line {
		return s.lines(name, parts, column{"score", value})
	}
	return s.byMetric(tableEvolving, "what the latest clue does alone, D.5", []string{"score"}, func(metric string) (out []tables.Line) {
		for _, m := range given {
			stale, _ := s.run(m, setStale)
			latest, _ := s.run(m, setLatest)
			visual, _ := s.run(m, setVisual)
			v := both(stale.of(metric), latest.of(metric), visual.of(metric))
			out = slices.Concat(out, line(m+", stale only", v[0]), line(m+", latest only", v[1]), line(m+", all clues", v[2]),
				line(m+", all clues - latest only", less(v[2], v[1])), line(m+", latest only - stale only", less(v[1], v[0])))
			if metric != "BLEU-1" {
				out = append(out, line(m+", share that latest only suffices for", suffices(v[1], metric))...)
			}
		}
		for _, m := range s.methods(isMethod, setVisual) {
			r, _ := s.run(m, setVisual)
			out = append(out, line(m, r.of(metric))...)
		}
		return out
	}), nil
}

// suffices is 1 where an answer is accepted: by the judge, or right in all rotations.
func suffices(value func(int) float64, metric string) func(int) float64 {
	least := sufficient
	if metric == "choice" {
		least = 1
	}
	return func(i int) float64 {
		if math.IsNaN(value(i)) {
			return math.NaN()
		}
		return truth(value(i) >= least)
	}
}
