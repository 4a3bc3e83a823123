package format

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/schemas"
)

// Tables returns the tables of the paper that follow from a release and runs over it.
func Tables() tables.Set {
	return tables.Set{
		Name: "memeye", Variants: []string{VariantPaper, VariantUpstream}, Seed: sampleSeed, Check: checkRun, Warnings: withStudy(func(s *study) ([]string, error) { return s.notes, nil }),
		Help: "A run is METHOD.SETTING=FILE, its answers as memforge score --format memeye has them. The setting says what stood for the pictures: " +
			"visual (they themselves), dense, task-aware or minimal (captions), none; latest and stale are the latest clue and those before it. " +
			"The method oracle, or one that begins with oracle-, is given the rounds of the clues. What the release's gates asked in choice form, all of it, counts as runs of oracle-MODEL. " +
			"Intervals are of 10,000 resamples of questions, rotations averaged first, paired, seed 20260430 (MemEye C.4).",
		Tables: []tables.TableKind{
			{Name: tableSystems, Help: "each run by place on the grid (tables 2, 16 to 19)", Make: withStudy((*study).systemsTable)},
			{Name: tableProof, Help: "what pictures add to dense captions, by place on the grid (B.1)", Make: withStudy((*study).captionProof)},
			{Name: tableOracle, Help: "with the clues given, by depth, and with and without pictures by granularity (B.2)", Make: withStudy((*study).oracleTables)},
			{Name: tableVisualInformation, Help: "no visual information, captions, pictures, with the clues given (D.3)", Make: withStudy((*study).visualInformation)},
			{Name: tableRobustness, Help: "pictures against dense and task-aware captions, on 40 and 80 drawn questions (D.2)", Make: withStudy((*study).captionRobustness)},
			{Name: tableEvolving, Help: "stale clues, the latest, all, and the methods, where an update is in pictures (D.5)", Make: withStudy((*study).evolvingTables)},
			{Name: tableRetrieval, Help: "clue rounds among the first ten: retrieved.jsonl beside the answers (table 12), and what ranking by recency would change (table 13)", Make: withStudy((*study).retrievalTables)},
			{Name: tableRanking, Help: "METHOD+NAME, which answers anew from another ranking, against METHOD (tables 13 and 14)", Make: withStudy((*study).compareRankings)},
			{Name: tableScaling, Help: "METHOD@2 and METHOD@4, which answer in the histories that the export merges of two and of four tasks, against METHOD (figure 9)", Make: withStudy((*study).scalingTables)},
			{Name: tableMethods, Help: "methods that see pictures, two by two (C.4)", Make: withStudy((*study).compareMethods)},
			{Name: tableLabels, Help: "two models label 100 questions without pictures: kappa, confusion, disagreements (A.5)", Make: withStudy((*study).labelAudit), GateCalls: askLabels},
			{Name: tableHuman, Help: "people who are given the clues (B.3)", Make: withStudy((*study).humanTable)},
			{Name: tableJudge, Help: "people and the judge (C.2)", Make: withStudy((*study).judgeTable)},
		},
		Sheets: []tables.Sheet{
			{Name: tableHuman, Help: "36 questions with options, clues and pictures, to be answered", Make: withStudy((*study).humanSheet)},
			{Name: tableJudge, Help: "predictions of the runs to 36 questions, 72 of two, to be accepted or rejected", Make: withStudy((*study).judgeSheet)},
		},
	}
}

// withStudy makes a function of a study one of the inputs of tables.
func withStudy[T any](of func(*study) ([]T, error)) func(tables.Inputs) ([]T, error) {
	return func(in tables.Inputs) ([]T, error) {
		s, err := newStudy(in)
		if err != nil {
			return nil, err
		}
		return of(s)
	}
}

// askLabels returns the gates of the label audit and the questions of its sample.
func askLabels(in tables.Inputs) (gates, questions []string, err error) {
	s, err := newStudy(tables.Inputs{Contents: in.Contents, Seed: in.Seed})
	if err != nil {
		return nil, nil, err
	}
	for _, axis := range axes() {
		gates = append(gates, labelGates()[axis])
	}
	return gates, s.sampleCells(tableLabels, labelSampleSize, labelSamplePerCell), nil
}

const (
	tableSystems           = "systems"
	tableProof             = "caption-proof"
	tableOracle            = "oracle"
	tableVisualInformation = "visual-information"
	tableRobustness        = "caption-robustness"
	tableEvolving          = "evolving"
	tableRetrieval         = "retrieval"
	tableRanking           = "rankings"
	tableScaling           = "scaling"
	tableMethods           = "methods"
	tableLabels            = "labels"
	tableHuman             = "human-oracle"
	tableJudge             = "judge"
)

// missingInput says which runs a table needs.
func missingInput(table, what string) error {
	return &tables.MissingInputError{Table: table, Missing: what}
}

// systemsTable shows each run by place on the grid, the best first (tables 2, 16 to 19).
func (s *study) systemsTable() ([]tables.Table, error) {
	if len(s.runs) == 0 {
		return nil, missingInput(tableSystems, "a run: METHOD.SETTING=FILE")
	}
	parts := slices.Concat(withCellMean("all", allSubjects), byX(), byY(), byCell())
	var columns []string
	for _, p := range parts {
		columns = append(columns, p.name)
	}
	out := s.byMetric(tableSystems, "runs by place on the grid", columns, func(metric string) (lines []tables.Line) {
		for _, r := range s.runs {
			if _, merged := mergedBase(r.method); merged {
				continue
			}
			l := tables.Line{Slice: r.method + "." + r.setting, Figures: map[string]tables.Figure{}, Missing: map[string]string{}}
			for _, p := range parts {
				f, ok := s.figure(p, func(i int) float64 { return r.marks[i].metric(metric) })
				if ok {
					l.Figures[p.name] = f
				} else {
					l.Missing[p.name] = tables.NoQuestions
				}
			}
			if len(l.Figures) > 0 {
				lines = append(lines, l)
			}
		}
		return lines
	})
	for i := range out {
		out[i].SortLines()
		out[i].Plots = []tables.Plot{{Kind: tables.PlotHeat, Columns: columns}}
	}
	return out, nil
}

// captionProof compares pictures with dense captions under the same method, by place on
// the grid (B.1; figures 6b and 8, tables 7 and 10).
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

// compareSettings returns the columns of a method without pictures, with them, and the
// difference, over the questions that both runs answered.
func (s *study) compareSettings(method, blind, metric, names, seen string) []column {
	v := s.values(method, metric, blind, setVisual)
	return []column{{names, v[0]}, {seen, v[1]}, {seen + "-" + names, difference(v[1], v[0])}}
}

func meanOf(values []func(int) float64) func(int) float64 {
	return func(i int) float64 {
		sum := 0.0
		for _, v := range values {
			sum += v(i)
		}
		return sum / float64(len(values))
	}
}

// oracleTables shows methods that are given the clues: by depth, and by granularity
// with and without pictures (B.2, table 8).
func (s *study) oracleTables() ([]tables.Table, error) {
	seeing := s.methodsWith(isOracle, setVisual)
	if len(seeing) == 0 {
		return nil, missingInput(tableOracle, "the run oracle.visual, and for its second part oracle.dense or oracle.none")
	}
	depth := tables.Table{Name: tableOracle, Title: "given the clues with their pictures, by depth, B.2", Columns: []string{"choice", "BLEU-1", "judge"}}
	for _, m := range seeing {
		var columns []column
		for _, c := range depth.Columns {
			columns = append(columns, column{c, s.values(m, c, setVisual)[0]})
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

// visualInformation shows how much of the evidence only pictures have: no visual
// information, dense captions, and pictures, with the clues given (D.3, figure 2).
func (s *study) visualInformation() ([]tables.Table, error) {
	methods := s.methodsWith(isOracle, setNone, setDense, setVisual)
	if len(methods) == 0 {
		return nil, missingInput(tableVisualInformation, "the runs oracle.none, oracle.dense and oracle.visual")
	}
	return s.byMetric(tableVisualInformation, "no visual information, captions, pictures, D.3", []string{"none", "caption", "multimodal", "caption-none", "multimodal-caption"}, func(metric string) (out []tables.Line) {
		for _, m := range methods {
			v := s.values(m, metric, setNone, setDense, setVisual)
			out = append(out, s.tableLines(m+" ", slices.Concat(overall(), byX()), column{"none", v[0]}, column{"caption", v[1]}, column{"multimodal", v[2]},
				column{"caption-none", difference(v[1], v[0])}, column{"multimodal-caption", difference(v[2], v[1])})...)
		}
		return out
	}), nil
}

// Sample sizes of questions with coarse and with fine evidence (D.2).
const robustCoarseCount, robustFineCount = 40, 80

// captionRobustness tests whether better captions close the gap: pictures against dense
// and task-aware captions, on questions sampled in turn over the scenarios (D.2, table
// 11).
func (s *study) captionRobustness() ([]tables.Table, error) {
	methods := s.methodsWith(func(string) bool { return true }, setVisual, setDense, setTaskAware)
	if len(methods) == 0 {
		return nil, missingInput(tableRobustness, "the runs METHOD.visual, METHOD.dense and METHOD.task-aware of one method")
	}
	coarse, fine := s.sampleScenarios(robustCoarseCount, isCoarse), s.sampleScenarios(robustFineCount, isFine)
	in := func(drawn map[string]bool) func(subject) bool { return func(q subject) bool { return drawn[q.id] } }
	parts := []slice{{name: "low X", in: in(coarse)}, {name: "high X", in: in(fine)},
		{name: "X4", in: func(q subject) bool { return fine[q.id] && q.x == schemas.GrainPixel }}}
	out := s.byMetric(tableRobustness, "pictures against two kinds of captions, D.2", []string{"visual", "dense", "task-aware", "visual-dense", "visual-task-aware"}, func(metric string) (out []tables.Line) {
		for _, m := range methods {
			v := s.values(m, metric, setVisual, setDense, setTaskAware)
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

// compareMethods compares the methods that see pictures pairwise (C.4, table 10).
func (s *study) compareMethods() ([]tables.Table, error) {
	methods := s.methodsWith(isMethod, setVisual)
	if len(methods) < 2 {
		return nil, missingInput(tableMethods, "the runs METHOD.visual of two methods, which are not the oracle")
	}
	return s.byMetric(tableMethods, "methods that see pictures, two by two, C.4", []string{"first", "second", "first-second"}, func(metric string) (out []tables.Line) {
		for i, a := range methods {
			for _, b := range methods[i+1:] {
				v := whereAll(s.values(a, metric, setVisual)[0], s.values(b, metric, setVisual)[0])
				out = append(out, s.tableLines(a+" - "+b+" ", slices.Concat(overall(), byY()), column{"first", v[0]}, column{"second", v[1]}, column{"first-second", difference(v[0], v[1])})...)
			}
		}
		return out
	}), nil
}

// retrievalTables shows what each run retrieved by depth (table 12), and for questions about
// changes what ranking by recency would change, with paired differences (table 13).
func (s *study) retrievalTables() ([]tables.Table, error) {
	var asked []Task
	for _, t := range s.tasks {
		asked = append(asked, t.asReadTask())
	}
	depth := tables.Table{Name: tableRetrieval, Title: "clue rounds among the first ten, by depth, table 12", Columns: []string{"any clue", "coverage", "full", "latest", "stale clue first"}}
	recency := tables.Table{Name: tableRetrieval, Title: "ranked by similarity and recency, questions about changes, table 13", Columns: []string{"latest", "latest miss", "stale session first", "inversion"}}
	for _, run := range s.Runs {
		answers, err := run.ReadBeside("retrieved.jsonl", readRetrieved)
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", run.Name, err)
		}
		if len(answers) == 0 {
			depth.Notes = append(depth.Notes, "run "+run.Name+" has no retrieved.jsonl")
			continue
		}
		r, err := newRetrievalBench(asked).rank(answers, score.Options{Incomplete: s.Incomplete}, 10)
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", run.Name, err)
		}
		depth.Lines = append(depth.Lines, r.depthLines(run.Name+" ")...)
		if !r.similar {
			recency.Notes = append(recency.Notes, "run "+run.Name+" has rounds without a similarity, or of other tasks")
			continue
		}
		recency.Lines = append(recency.Lines, r.recencyLines(run.Name+" ", 1, 0.7, 0.5)...)
		for _, w := range []float64{0.7, 0.5} {
			if samples := r.recencySamples(w, true); len(samples) > 0 {
				recency.Lines = append(recency.Lines, lineOf(fmt.Sprintf("%s similarity %.1f - 1.0", run.Name, w), samples))
			}
		}
	}
	if len(depth.Lines) == 0 {
		return nil, missingInput(tableRetrieval, "runs with retrieved.jsonl beside their answers")
	}
	if len(recency.Lines) == 0 {
		return []tables.Table{depth}, nil
	}
	return []tables.Table{depth, recency}, nil
}

// compareRankings compares what a method answers from another ranking (table 14).
func (s *study) compareRankings() ([]tables.Table, error) {
	var others []string
	for _, m := range s.methodsWith(isMethod, setVisual) {
		base, _, isOther := strings.Cut(m, "+")
		if _, has := s.findRun(base, setVisual); isOther && has {
			others = append(others, m)
		}
	}
	if len(others) == 0 {
		return nil, missingInput(tableRanking, "the runs METHOD.visual and METHOD+NAME.visual, which answers anew from another ranking")
	}
	return s.byMetric(tableRanking, "answered anew from another ranking, table 14", []string{"as it is", "other ranking", "difference"}, func(metric string) (out []tables.Line) {
		for _, m := range others {
			base, _, _ := strings.Cut(m, "+")
			v := whereAll(s.values(base, metric, setVisual)[0], s.values(m, metric, setVisual)[0])
			out = append(out, s.tableLines(m+" ", slices.Concat(byY(), withCellMean("all", allSubjects)[:1]), column{"as it is", v[0]}, column{"other ranking", v[1]}, column{"difference", difference(v[1], v[0])})...)
		}
		return out
	}), nil
}

// scalingTables compares the same questions in histories of one, two and four tasks
// (figure 9).
func (s *study) scalingTables() ([]tables.Table, error) {
	type curve struct{ method, setting string }
	var curves []curve
	for _, r := range s.runs {
		two, four := s.hasRun(r.method+"@2", r.setting), s.hasRun(r.method+"@4", r.setting)
		if two && four {
			curves = append(curves, curve{r.method, r.setting})
		}
	}
	if len(curves) == 0 {
		return nil, missingInput(tableScaling, "the runs METHOD.SETTING, METHOD@2.SETTING and METHOD@4.SETTING of one method")
	}
	made := s.byMetric(tableScaling, "in histories of one, two and four tasks, figure 9", []string{"1 task", "2 tasks", "4 tasks", "2-1", "4-1"}, func(metric string) (out []tables.Line) {
		for _, c := range curves {
			v := whereAll(s.values(c.method, metric, c.setting)[0], s.values(c.method+"@2", metric, c.setting)[0], s.values(c.method+"@4", metric, c.setting)[0])
			out = append(out, s.tableLines(c.method+"."+c.setting+" ", slices.Concat(withCellMean("all", allSubjects)[:1], byY()), column{"1 task", v[0]}, column{"2 tasks", v[1]}, column{"4 tasks", v[2]},
				column{"2-1", difference(v[1], v[0])}, column{"4-1", difference(v[2], v[0])})...)
		}
		return out
	})
	for i := range made {
		made[i].Plots = []tables.Plot{{Kind: tables.PlotCurve, Title: made[i].Title, Columns: made[i].Columns[:3]}}
	}
	return made, nil
}

// Label of questions whose update only a picture shows (D.5).
const updateLabel, updateInPicture = "update_in", "picture"

// acceptScore is the least judge's score of an accepted answer (C.2).
const acceptScore = 0.5

// evolvingTables compares the earlier clues alone, the latest alone, and all, for
// questions whose update is in pictures, with the methods that must find them (D.5,
// table 15).
func (s *study) evolvingTables() ([]tables.Table, error) {
	given := s.methodsWith(isOracle, setLatest, setStale, setVisual)
	if len(given) == 0 {
		return nil, missingInput(tableEvolving, "the runs oracle.stale, oracle.latest and oracle.visual")
	}
	parts := []slice{{name: "", in: func(q subject) bool {
		return q.y == schemas.ReasonEvolving && q.question.Labels[updateLabel] == updateInPicture
	}}}
	line := func(name string, value func(int) float64) []tables.Line {
		return s.tableLines(name, parts, column{"score", value})
	}
	return s.byMetric(tableEvolving, "what the latest clue does alone, D.5", []string{"score"}, func(metric string) (out []tables.Line) {
		for _, m := range given {
			v := s.values(m, metric, setStale, setLatest, setVisual)
			out = slices.Concat(out, line(m+", stale only", v[0]), line(m+", latest only", v[1]), line(m+", all clues", v[2]),
				line(m+", all clues - latest only", difference(v[2], v[1])), line(m+", latest only - stale only", difference(v[1], v[0])))
			if metric != "BLEU-1" {
				out = append(out, line(m+", share that latest only suffices for", accepted(v[1], metric))...)
			}
		}
		for _, m := range s.methodsWith(isMethod, setVisual) {
			out = append(out, line(m, s.values(m, metric, setVisual)[0])...)
		}
		return out
	}), nil
}

// accepted returns 1 for accepted answers: by the judge, or right in all rotations.
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
