package format

import (
	"fmt"
	"math"
	"slices"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/tables"
)

// Names of tables.
const (
	tableProof             = "caption-proof"
	tableOracle            = "oracle"
	tableVisualInformation = "visual-information"
	tableRobustness        = "caption-robustness"
	tableEvolving          = "evolving"
	tableMethods           = "methods"
	tableLabels            = "labels"
	tableHuman             = "human-oracle"
	tableJudge             = "judge"
)

// missingInput is a table that cannot be made for want of runs.
func missingInput(table, what string) error {
	return &tables.MissingInputError{Table: table, Missing: what}
}

// captionProof compares native pictures with dense captions under the same method, at each
// place of the grid (B.1; figures 6b and 8, tables 7 and 10).
func (s *study) captionProof() ([]tables.Table, error) {
	methods := s.methodsWith(isMethod, setVisual, setDense)
	if len(methods) == 0 {
		return nil, missingInput(tableProof, "the runs METHOD.visual and METHOD.dense of one method, which is not the oracle")
	}
	parts := slices.Concat(overall(), byX(), byY(), byCell())
	return s.byMetric(tableProof, "pictures (V) against dense captions (T), B.1", []string{"T", "V", "V-T"}, func(metric string) (out []tables.Line) {
		var gains []func(int) float64
		for _, m := range methods {
			columns := s.compareSettings(m, setDense, metric, "T", "V")
			out = append(out, s.tableLines(m+" ", parts, columns...)...)
			gains = append(gains, columns[2].value)
		}
		if len(methods) > 1 {
			out = append(out, s.tableLines("mean of methods ", parts, column{"V-T", meanOf(gains)})...)
		}
		return out
	}), nil
}

// compareSettings are what a method comes to without pictures, with them, and what they add, over
// the questions that both runs answered.
func (s *study) compareSettings(method, blind, metric, names, seen string) []column {
	a, _ := s.findRun(method, blind)
	b, _ := s.findRun(method, setVisual)
	v := whereAll(a.metric(metric), b.metric(metric))
	return []column{{names, v[0]}, {seen, v[1]}, {seen + "-" + names, difference(v[1], v[0])}}
}

// meanOf is the mean of several values of a subject that has them all.
func meanOf(values []func(int) float64) func(int) float64 {
	return func(i int) float64 {
		sum := 0.0
		for _, v := range values {
			sum += v(i)
		}
		return sum / float64(len(values))
	}
}

// oracleTables says how who is given the clues does by depth, and what pictures add to them
// by granularity (B.2, table 8).
func (s *study) oracleTables() ([]tables.Table, error) {
	seeing := s.methodsWith(isOracle, setVisual)
	if len(seeing) == 0 {
		return nil, missingInput(tableOracle, "the run oracle.visual, and for its second part oracle.dense or oracle.none")
	}
	depth := tables.Table{Name: tableOracle, Title: "given the clues with their pictures, by depth, B.2", Columns: []string{"choice", "BLEU-1", "judge"}}
	for _, m := range seeing {
		r, _ := s.findRun(m, setVisual)
		var columns []column
		for _, c := range depth.Columns {
			columns = append(columns, column{c, r.metric(c)})
		}
		depth.Lines = append(depth.Lines, s.tableLines(m+" ", slices.Concat(byY(), withCellMean("all", allSubjects)), columns...)...)
	}
	grain := s.byMetric(tableOracle, "given the clues as text or with pictures, by granularity, B.2", []string{"text", "visual", "visual-text"}, func(metric string) (out []tables.Line) {
		for _, m := range seeing {
			for _, blind := range []string{setDense, setNone, setMinimal} {
				if _, ok := s.findRun(m, blind); ok {
					out = append(out, s.tableLines(m+" "+blind+" ", slices.Concat(byX(), overall()), s.compareSettings(m, blind, metric, "text", "visual")...)...)
				}
			}
		}
		return out
	})
	return append([]tables.Table{depth}, grain...), nil
}

// visualInformation says how much of what decides is in pictures alone: no visual information, dense
// captions, and pictures, given the clues (D.3, figure 2).
func (s *study) visualInformation() ([]tables.Table, error) {
	methods := s.methodsWith(isOracle, setNone, setDense, setVisual)
	if len(methods) == 0 {
		return nil, missingInput(tableVisualInformation, "the runs oracle.none, oracle.dense and oracle.visual")
	}
	return s.byMetric(tableVisualInformation, "no visual information, captions, pictures, D.3", []string{"none", "caption", "multimodal", "caption-none", "multimodal-caption"}, func(metric string) (out []tables.Line) {
		for _, m := range methods {
			none, _ := s.findRun(m, setNone)
			dense, _ := s.findRun(m, setDense)
			visual, _ := s.findRun(m, setVisual)
			v := whereAll(none.metric(metric), dense.metric(metric), visual.metric(metric))
			out = append(out, s.tableLines(m+" ", slices.Concat(overall(), byX()), column{"none", v[0]}, column{"caption", v[1]}, column{"multimodal", v[2]},
				column{"caption-none", difference(v[1], v[0])}, column{"multimodal-caption", difference(v[2], v[1])})...)
		}
		return out
	}), nil
}

// How many questions of coarse and of fine evidence are drawn for it (D.2).
const robustCoarseCount, robustFineCount = 40, 80

// captionRobustness asks whether better captions close the gap: pictures against dense captions and
// against such as tell all that is asked about, on questions drawn round robin over the
// scenarios (D.2, table 11).
func (s *study) captionRobustness() ([]tables.Table, error) {
	methods := s.methodsWith(func(string) bool { return true }, setVisual, setDense, setTaskAware)
	if len(methods) == 0 {
		return nil, missingInput(tableRobustness, "the runs METHOD.visual, METHOD.dense and METHOD.task-aware of one method")
	}
	coarse, fine := s.sampleScenarios(robustCoarseCount, isCoarse), s.sampleScenarios(robustFineCount, isFine)
	in := func(drawn map[string]bool) func(subject) bool { return func(q subject) bool { return drawn[q.id] } }
	parts := []slice{{name: "low X", in: in(coarse)}, {name: "high X", in: in(fine)},
		{name: "X4", in: func(q subject) bool { return fine[q.id] && isX("X4")(q) }}}
	out := s.byMetric(tableRobustness, "pictures against two kinds of captions, D.2", []string{"visual", "dense", "task-aware", "visual-dense", "visual-task-aware"}, func(metric string) (out []tables.Line) {
		for _, m := range methods {
			visual, _ := s.findRun(m, setVisual)
			dense, _ := s.findRun(m, setDense)
			aware, _ := s.findRun(m, setTaskAware)
			v := whereAll(visual.metric(metric), dense.metric(metric), aware.metric(metric))
			out = append(out, s.tableLines(m+" ", parts, column{"visual", v[0]}, column{"dense", v[1]}, column{"task-aware", v[2]},
				column{"visual-dense", difference(v[0], v[1])}, column{"visual-task-aware", difference(v[0], v[2])})...)
		}
		return out
	})
	if len(out) > 0 && (len(coarse) < robustCoarseCount || len(fine) < robustFineCount) {
		last := &out[len(out)-1]
		last.Notes = append(last.Notes, fmt.Sprintf("the release has %d of %d questions of low X and %d of %d of high X", len(coarse), robustCoarseCount, len(fine), robustFineCount))
	}
	return out, nil
}

// compareMethods compares the methods that see pictures, two by two (C.4, table 10).
func (s *study) compareMethods() ([]tables.Table, error) {
	methods := s.methodsWith(isMethod, setVisual)
	if len(methods) < 2 {
		return nil, missingInput(tableMethods, "the runs METHOD.visual of two methods, which are not the oracle")
	}
	return s.byMetric(tableMethods, "methods that see pictures, two by two, C.4", []string{"first", "second", "first-second"}, func(metric string) (out []tables.Line) {
		for i, a := range methods {
			for _, b := range methods[i+1:] {
				x, _ := s.findRun(a, setVisual)
				y, _ := s.findRun(b, setVisual)
				v := whereAll(x.metric(metric), y.metric(metric))
				out = append(out, s.tableLines(a+" - "+b+" ", slices.Concat(overall(), byY()), column{"first", v[0]}, column{"second", v[1]}, column{"first-second", difference(v[0], v[1])})...)
			}
		}
		return out
	}), nil
}

// updateInPicture is the label of questions whose update no word tells (D.5).
const updateLabel, updateInPicture = "update_in", "picture"

// acceptScore is from what judge's score an answer is accepted (C.2).
const acceptScore = 0.5

// evolvingTables shows the latest clue alone, the earlier ones alone, and all, for questions
// whose update is in pictures, beside the methods that must find them (D.5, table 15).
func (s *study) evolvingTables() ([]tables.Table, error) {
	given := s.methodsWith(isOracle, setLatest, setStale, setVisual)
	if len(given) == 0 {
		return nil, missingInput(tableEvolving, "the runs oracle.stale, oracle.latest and oracle.visual")
	}
	parts := []slice{{name: "", in: func(q subject) bool { return isY("Y3")(q) && q.question.Labels[updateLabel] == updateInPicture }}}
	line := func(name string, value func(int) float64) []tables.Line {
		return s.tableLines(name, parts, column{"score", value})
	}
	return s.byMetric(tableEvolving, "what the latest clue does alone, D.5", []string{"score"}, func(metric string) (out []tables.Line) {
		for _, m := range given {
			stale, _ := s.findRun(m, setStale)
			latest, _ := s.findRun(m, setLatest)
			visual, _ := s.findRun(m, setVisual)
			v := whereAll(stale.metric(metric), latest.metric(metric), visual.metric(metric))
			out = slices.Concat(out, line(m+", stale only", v[0]), line(m+", latest only", v[1]), line(m+", all clues", v[2]),
				line(m+", all clues - latest only", difference(v[2], v[1])), line(m+", latest only - stale only", difference(v[1], v[0])))
			if metric != "BLEU-1" {
				out = append(out, line(m+", share that latest only suffices for", accepted(v[1], metric))...)
			}
		}
		for _, m := range s.methodsWith(isMethod, setVisual) {
			r, _ := s.findRun(m, setVisual)
			out = append(out, line(m, r.metric(metric))...)
		}
		return out
	}), nil
}

// accepted is 1 where an answer is accepted: by the judge, or right in all rotations.
func accepted(value func(int) float64, metric string) func(int) float64 {
	least := acceptScore
	if metric == "choice" {
		least = 1
	}
	return func(i int) float64 {
		if math.IsNaN(value(i)) {
			return math.NaN()
		}
		return benchformat.BoolScore(value(i) >= least)
	}
}
