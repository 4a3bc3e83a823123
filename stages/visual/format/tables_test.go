package format

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// four questions in three cells; of two the update is in pictures.
func four() []subject {
	of := func(id, x, y, key string) subject {
		q := schemas.Question{QuestionID: id, TaskID: "t", Question: id, AnswerText: "gold", AnswerKey: key, Labels: map[string]string{schemas.LabelGranularity: x, schemas.LabelReasoning: y}}
		for _, k := range []string{"A", "B", "C", "D"} {
			q.Options = append(q.Options, schemas.Option{Key: k, Text: k})
		}
		if y == "Y3" {
			q.Labels[updateLabel] = updateInPicture
		}
		return subject{scoredQuestion{id, "T", x, y, "what?", "gold", id}, q, "s"}
	}
	return []subject{of("q1", "X1", "Y1", "B"), of("q2", "X4", "Y3", "A"), of("q3", "X4", "Y3", "A"), of("q4", "X3", "Y2", "C")}
}

// judgedAs are a run's answers: judge's scores of the questions in order.
func judgedAs(scores ...string) map[string]string {
	out := map[string]string{}
	for i, s := range scores {
		out[fmt.Sprintf("q%d#judge", i+1)] = s
	}
	return out
}

func studyOf(t *testing.T, variant string, runs map[string]map[string]string) *study {
	t.Helper()
	s := &study{Inputs: tables.Inputs{Variant: variant, Seed: sampleSeed}, subjects: four()}
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for n := range runs {
			if !yield(n) {
				return
			}
		}
	}) {
		if err := s.addRun(tables.Run{Name: name, Answers: runs[name]}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// hold compares lines of the first part of a table with what is worked out by hand.
func hold(t *testing.T, made []tables.Table, err error, want map[string]map[string]float64) {
	t.Helper()
	if err != nil || len(made) == 0 {
		t.Fatalf("%d tables, %v", len(made), err)
	}
	for slice, figures := range want {
		i := slices.IndexFunc(made[0].Lines, func(l tables.Line) bool { return l.Slice == slice })
		if i < 0 {
			t.Errorf("no line %q", slice)
			continue
		}
		for column, value := range figures {
			if f, ok := made[0].Lines[i].Figures[column]; !ok || math.Abs(f.Value-value) > 1e-9 || f.Low > f.Value+1e-9 || f.High < f.Value-1e-9 {
				t.Errorf("%s, %s: %+v, want %v", slice, column, f, value)
			}
		}
	}
}

// TestProof by hand. By the paper T is 1, 1/4, 0, 1/2 and V 3/4, 1, 1/2, 1/2, so the
// gains are -1/4, 3/4, 1/2, 0. Of the three cells X4 Y3 has two questions: its gain is
// 5/8, and the mean of cells (-1/4 + 5/8 + 0) / 3. By the code a judge has three steps:
// T is 1, 1/2, 0, 1/2, V 1, 1, 1/2, 1/2, the gains 0, 1/2, 1/2, 0.
func TestProof(t *testing.T) {
	runs := map[string]map[string]string{"rag.dense": judgedAs("1", "0.25", "0", "0.5"), "rag.visual": judgedAs("0.75", "1", "0.5", "0.5"), "oracle.visual": judgedAs("1", "1", "1", "1")}
	made, err := studyOf(t, VariantPaper, runs).captionProof()
	hold(t, made, err, map[string]map[string]float64{
		"rag all":                {"T": 1.75 / 4, "V": 2.75 / 4, "V-T": 1.0 / 4},
		"rag all, mean of cells": {"T": (1 + 0.125 + 0.5) / 3, "V-T": (-0.25 + 0.625 + 0) / 3},
		"rag low X":              {"V-T": -0.25},
		"rag high X":             {"V-T": (0.75 + 0.5 + 0) / 3},
		"rag X4":                 {"V-T": 1.25 / 2},
		"rag X3 Y2":              {"T": 0.5, "V": 0.5, "V-T": 0},
	})
	made, err = studyOf(t, VariantUpstream, runs).captionProof()
	hold(t, made, err, map[string]map[string]float64{
		"rag all":    {"T": 2.0 / 4, "V": 3.0 / 4, "V-T": 1.0 / 4},
		"rag low X":  {"V-T": 0},
		"rag high X": {"V-T": 1.0 / 3},
	})
}

// TestProofIsPaired: every question gains a quarter, so that no resample of questions
// has another gain, though scores differ by a half.
func TestProofIsPaired(t *testing.T) {
	made, err := studyOf(t, VariantPaper, map[string]map[string]string{"a.dense": judgedAs("0", "0.25", "0.5", "0.5"), "a.visual": judgedAs("0.25", "0.5", "0.75", "0.75")}).captionProof()
	hold(t, made, err, map[string]map[string]float64{"a all": {"V-T": 0.25}})
	if f := made[0].Lines[0].Figures; f["V-T"].Low != 0.25 || f["V-T"].High != 0.25 || f["V"].Low >= f["V"].High {
		t.Errorf("%+v", f)
	}
}

// TestRotationsFirst: q1 is right in two of four rotations with pictures and in one
// without, by the paper; by the code "It is C, a cat" is an A and "so B" a B.
func TestRotationsFirst(t *testing.T) {
	visual := map[string]string{"q1#A": "A", "q1#B": "B", "q1#C": "D", "q1#D": "so B"}
	dense := map[string]string{"q1#A": "A", "q1#B": "so B", "q1#C": "D", "q1#D": "A"}
	for variant, want := range map[string]map[string]float64{VariantPaper: {"T": 1.0 / 4, "V": 2.0 / 4, "V-T": 1.0 / 4}, VariantUpstream: {"T": 2.0 / 4, "V": 2.0 / 4, "V-T": 0}} {
		s := &study{Inputs: tables.Inputs{Variant: variant, Incomplete: true}, subjects: four()}
		for name, answers := range map[string]map[string]string{"rag.visual": visual, "rag.dense": dense} {
			if err := s.addRun(tables.Run{Name: name, Answers: answers}); err != nil {
				t.Fatal(err)
			}
		}
		made, err := s.captionProof()
		hold(t, made, err, map[string]map[string]float64{"rag all": want})
		if n := made[0].Lines[0].Figures["V"].N; n != 1 {
			t.Errorf("%s: of %d questions, want 1, whatever its rotations", variant, n)
		}
	}
}

// TestMeanOfMethods: the gains of q1 are 1 and 0, of the others 0.
func TestMeanOfMethods(t *testing.T) {
	made, err := studyOf(t, VariantPaper, map[string]map[string]string{
		"a.dense": judgedAs("0", "0", "0", "0"), "a.visual": judgedAs("1", "0", "0", "0"), "b.dense": judgedAs("1", "1", "1", "1"), "b.visual": judgedAs("1", "1", "1", "1"),
	}).captionProof()
	hold(t, made, err, map[string]map[string]float64{"mean of methods X1": {"V-T": 0.5}, "mean of methods all": {"V-T": 0.5 / 4}, "mean of methods all, mean of cells": {"V-T": 0.5 / 3}})
}

// TestOracles: by depth the judge gives 1, (1/2 + 0) / 2 and 1/4. "gold" is the gold,
// "gold ring" has one word of two in it: BLEU-1 is 1 and 1/2.
func TestOracles(t *testing.T) {
	visual := judgedAs("1", "0.5", "0", "0.25")
	for i, answer := range []string{"gold", "gold ring", "lead", "the gold"} {
		visual[fmt.Sprintf("q%d#open", i+1)] = answer
	}
	s := studyOf(t, VariantPaper, map[string]map[string]string{"oracle.visual": visual, "oracle.dense": judgedAs("1", "0", "0", "0")})
	made, err := s.oracleTables()
	hold(t, made, err, map[string]map[string]float64{
		"oracle Y1":  {"judge": 1, "BLEU-1": 1},
		"oracle Y3":  {"judge": 0.25, "BLEU-1": 0.25},
		"oracle Y2":  {"judge": 0.25, "BLEU-1": 1},
		"oracle all": {"judge": 1.75 / 4, "BLEU-1": 2.5 / 4},
	})
	hold(t, made[1:], err, map[string]map[string]float64{"oracle dense X1": {"text": 1, "visual": 1, "visual-text": 0}, "oracle dense X4": {"text": 0, "visual": 0.25, "visual-text": 0.25}})
}

// TestSeen: nothing 1/4, captions 1/2, pictures 1.
func TestSeen(t *testing.T) {
	made, err := studyOf(t, VariantPaper, map[string]map[string]string{
		"oracle.none": judgedAs("1", "0", "0", "0"), "oracle.dense": judgedAs("1", "0", "0", "1"), "oracle.visual": judgedAs("1", "1", "1", "1"),
	}).visualInformation()
	hold(t, made, err, map[string]map[string]float64{"oracle all": {"none": 0.25, "caption": 0.5, "multimodal": 1, "caption-none": 0.25, "multimodal-caption": 0.5}})
}

// TestEvolving: of q2 and q3 the latest clue alone gives 1 and 1/4, so it suffices for
// one of two; the earlier ones give 0 and 1/2, all give 1 and 1/2.
func TestEvolving(t *testing.T) {
	made, err := studyOf(t, VariantPaper, map[string]map[string]string{
		"oracle.latest": judgedAs("0", "1", "0.25", "0"), "oracle.stale": judgedAs("1", "0", "0.5", "1"), "oracle.visual": judgedAs("1", "1", "0.5", "1"), "rag.visual": judgedAs("1", "0", "0.5", "1"),
	}).evolvingTables()
	hold(t, made, err, map[string]map[string]float64{
		"oracle, stale only": {"score": 0.25}, "oracle, latest only": {"score": 1.25 / 2}, "oracle, all clues": {"score": 0.75}, "oracle, all clues - latest only": {"score": 0.25 / 2},
		"oracle, share that latest only suffices for": {"score": 0.5}, "rag": {"score": 0.25},
	})
}

// TestRobust and the draw: 40 of low X and 80 of high X, from 8 scenarios in turn.
func TestRobust(t *testing.T) {
	s := &study{Inputs: tables.Inputs{Variant: VariantPaper, Seed: 7}}
	answers := map[string]map[string]string{"rag.visual": {}, "rag.dense": {}, "rag.task-aware": {}}
	for i := range 480 {
		q := four()[[]int{0, 1, 3}[i%3]]
		q.id, q.scenario = fmt.Sprintf("q%03d", i), fmt.Sprint("s", i/3%8)
		q.question.QuestionID, q.question.Question = q.id, q.id
		s.subjects = append(s.subjects, q)
		answers["rag.visual"][q.id+"#judge"], answers["rag.dense"][q.id+"#judge"], answers["rag.task-aware"][q.id+"#judge"] = "1", "0.25", "0.75"
	}
	for name, a := range answers {
		if err := s.addRun(tables.Run{Name: name, Answers: a}); err != nil {
			t.Fatal(err)
		}
	}
	made, err := s.captionRobustness()
	hold(t, made, err, map[string]map[string]float64{"rag low X": {"visual": 1, "dense": 0.25, "visual-dense": 0.75, "visual-task-aware": 0.25}, "rag high X": {"visual-dense": 0.75}})
	if n := made[0].Lines[0].Figures["dense"].N; n != robustCoarseCount || made[0].Lines[1].Figures["dense"].N != robustFineCount || len(made[0].Notes) > 0 {
		t.Errorf("%d drawn: %+v", n, made[0])
	}
	of := map[string]int{}
	for id := range s.sampleScenarios(robustCoarseCount, isCoarse) {
		i := slices.IndexFunc(s.subjects, func(q subject) bool { return q.id == id })
		of[s.subjects[i].scenario]++
	}
	for scenario, n := range of {
		if n != robustCoarseCount/8 {
			t.Errorf("%d of %s, want as many of each", n, scenario)
		}
	}
	before := s.sampleCells("x", 100, 10)
	slices.Reverse(s.subjects)
	if after := s.sampleCells("x", 100, 10); !slices.Equal(before, after) || len(after) != 30 {
		t.Errorf("the order of questions changes a draw of %d, or there are not 10 of each of three cells", len(after))
	}
	s.Seed = 8
	if other := s.sampleCells("x", 100, 10); slices.Equal(before, other) {
		t.Error("another seed draws the same")
	}
}

func TestMethodsAgainstEachOther(t *testing.T) {
	made, err := studyOf(t, VariantPaper, map[string]map[string]string{"a.visual": judgedAs("1", "1", "0", "0"), "b.visual": judgedAs("0", "1", "0", "1")}).compareMethods()
	hold(t, made, err, map[string]map[string]float64{"a - b all": {"first": 0.5, "second": 0.5, "first-second": 0}, "a - b Y1": {"first-second": 1}, "a - b Y2": {"first-second": -1}})
}

// TestLabelAudit: the models say X1 X4 X4 X3 and X1 X4 X3 X3. They agree on 3 of 4;
// by chance they would on 1/4 x 1/4 + 1/4 x 2/4 + 2/4 x 1/4 = 5/16, so kappa is
// (12 - 5) / (16 - 5). The questions are X1 X4 X4 X3.
func TestLabelAudit(t *testing.T) {
	s := studyOf(t, VariantPaper, nil)
	for role, said := range map[string][]string{"panel_a": {"X1", "X4", "X4", "X3"}, "panel_b": {"X1", "X4", "X3", "X3"}} {
		for i, l := range said {
			s.Contents.Probes = append(s.Contents.Probes, schemas.Probe{Item: fmt.Sprint("q", i+1), Gate: "grain", View: view.Labelling, Role: role, Model: "m" + role[len("panel_"):], Answer: l})
		}
	}
	s.Contents.Manifest.Gates = []manifest.GateInfo{{Name: "grain", Use: "label-granularity"}}
	made, err := s.labelAudit()
	hold(t, made, err, map[string]map[string]float64{
		"granularity, panel_a (ma) and panel_b (mb)": {"drawn": 4, "by both": 4, "observed": 0.75, "kappa": 7.0 / 11},
		"granularity, panel_a (ma) and question":     {"observed": 1, "kappa": 1},
	})
	last := made[len(made)-1]
	if len(made) != 4 || len(last.List) != 1 || !strings.Contains(last.List[0], "q3, granularity: panel_a (ma) X4, panel_b (mb) X3, question X4") {
		t.Errorf("%d tables, list %q", len(made), last.List)
	}
	if c := made[1].Lines[2]; c.Slice != "X4" || c.Figures["X3"].Value != 1 || c.Figures["X4"].Value != 1 {
		t.Errorf("confusion %+v", c)
	}
	if len(made[0].Notes) > 0 {
		t.Errorf("notes %q", made[0].Notes)
	}
	s.Contents.Verdicts = []schemas.Verdict{{Item: "q1", Gate: "grain", CallsMade: 1, CallsFull: 2}}
	for i := range s.Contents.Probes {
		s.Contents.Probes[i].Model = "m"
	}
	if made, err = s.labelAudit(); err != nil || len(made[0].Notes) != 2 {
		t.Errorf("a gate that stopped early, and one model twice: %v, notes %q", err, made[0].Notes)
	}
	for _, l := range made[0].Lines {
		if _, has := l.Figures["kappa"]; has || l.Figures["observed"].Value == 0 {
			t.Errorf("a selection has the figures %+v", l)
		}
	}
}

// TestHuman: three people answer q1, whose key is B, with B, B, A, and q2 (A) with A, C,
// B; two answer q4 (C) right. Majorities are right, not there, and right.
func TestHuman(t *testing.T) {
	s := studyOf(t, VariantPaper, nil)
	for item, letters := range map[string]string{"q1": "BBA", "q2": "ACB", "q4": "Cc"} {
		for i, l := range letters {
			s.Reviews = append(s.Reviews, schemas.Review{Item: item, Annotator: fmt.Sprint("p", i), Sample: tableHuman, Decision: schemas.DecisionAccept, Label: string(l)})
		}
	}
	made, err := s.humanTable()
	hold(t, made, err, map[string]map[string]float64{
		"Y1": {"majority": 1, "individual": 2.0 / 3}, "Y2": {"majority": 1, "individual": 1}, "Y3": {"majority": 0, "individual": 1.0 / 3},
		"all": {"majority": 2.0 / 3, "individual": (2.0/3 + 1.0/3 + 1) / 3},
	})
}

// TestJudge: two methods answer four questions. The judge accepts five of eight, the
// person of these four and no other: agreement is 7/8, by chance it would be
// 5/8 x 4/8 + 3/8 x 4/8 = 1/2, so kappa is 3/4.
func TestJudge(t *testing.T) {
	runs := map[string]map[string]string{"a.visual": judgedAs("1", "0.5", "0.75", "0"), "b.visual": judgedAs("1", "0.6", "0.25", "0")}
	for _, r := range runs {
		for i := range 4 {
			r[fmt.Sprintf("q%d#open", i+1)] = "an answer"
		}
	}
	s := studyOf(t, VariantPaper, runs)
	for _, p := range s.predictions() {
		decision := schemas.DecisionReject
		if p.run.marks[p.subject].metric("judge") >= acceptScore && (p.run.method == "a" || p.subject == 0) {
			decision = schemas.DecisionAccept
		}
		s.Reviews = append(s.Reviews, schemas.Review{Item: p.Item, Annotator: "ann", Sample: tableJudge, Decision: decision})
	}
	made, err := s.judgeTable()
	hold(t, made, err, map[string]map[string]float64{
		"all, judge and person ann": {"drawn": 8, "decided": 8, "observed": 7.0 / 8, "kappa": 0.75},
		"a, judge and person ann":   {"observed": 1}, "b, judge and person ann": {"observed": 3.0 / 4},
	})
	s.Reviews[0].Decision = schemas.DecisionRelabel
	if made, err = s.judgeTable(); err != nil || made[0].Lines[0].Figures["decided"].Value != 7 {
		t.Errorf("a borderline prediction counts: %v, %+v", err, made)
	}
}

// TestProbed: what a gate asked in full is a run of its model; a question's rotations are
// averaged, each over its runs. Rotation 0 is right once of twice, rotation 1 always.
func TestProbed(t *testing.T) {
	s := studyOf(t, VariantPaper, nil)
	probe := func(gate string, rotation int32, answer, mark string) schemas.Probe {
		return schemas.Probe{Item: "q1", Gate: gate, View: view.Oracle, Model: "m", Rotation: rotation, Answer: answer, Mark: mark}
	}
	s.Contents.Probes = []schemas.Probe{
		probe("full", 0, "B", schemas.MarkRight), probe("full", 0, "A", schemas.MarkWrong), probe("full", 1, "B", schemas.MarkRight), probe("full", 1, "", schemas.MarkFailed),
		probe("early", 0, "B", schemas.MarkRight),
	}
	s.Contents.Manifest.Gates = []manifest.GateInfo{{Name: "early"}, {Name: "full"}}
	s.Contents.Verdicts = []schemas.Verdict{{Item: "q1", Gate: "early", CallsMade: 1, CallsFull: 4}, {Item: "q1", Gate: "full", CallsMade: 4, CallsFull: 4}}
	s.addGateRuns()
	made, err := s.oracleTables()
	hold(t, made, err, map[string]map[string]float64{"oracle-m Y1": {"choice": (0.5 + 1) / 2}})
	if len(s.notes) != 1 || !strings.Contains(s.notes[0], "early") {
		t.Errorf("notes %q", s.notes)
	}
}

func TestRunsHaveNames(t *testing.T) {
	for name, right := range map[string]bool{"rag.visual": true, "my.rag.dense": true, "oracle.latest": true, "rag": false, ".visual": false, "rag.pictures": false, "": false} {
		if got := checkRun(name); (got == "") != right {
			t.Errorf("%q: %q", name, got)
		}
	}
}

// TestRetrievalTables: of two questions about changes, one has the latest clue first by
// recency alone. Of table 12 the line of a run, of table 13 the paired difference.
func TestRetrievalTables(t *testing.T) {
	dir := t.TempDir()
	s := studyOf(t, VariantPaper, nil)
	s.tasks = []layoutTask{{name: "T", sessions: []session{{ID: "D1", Rounds: []round{{ID: "D1:1"}}}, {ID: "D2", Rounds: []round{{ID: "D2:1"}}}}}}
	for _, q := range s.subjects[1:3] {
		s.tasks[0].questions = append(s.tasks[0].questions, layoutQuestion{Question: q.question, clues: []string{"D1:1", "D2:1"}})
	}
	for name, ranked := range map[string]string{"q2": "D1:1=0.80 D2:1=0.79", "q3": "D2:1=0.9 D1:1=0.1"} {
		line := fmt.Sprintf("{\"id\": %q, \"prediction\": %q}\n", name, ranked)
		f, err := os.OpenFile(filepath.Join(dir, "retrieved.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(line); err != nil || f.Close() != nil {
			t.Fatal(err)
		}
	}
	s.Runs = []tables.Run{{Name: "rag.visual", File: filepath.Join(dir, "answers.jsonl")}, {Name: "blind.none", File: "nowhere/answers.jsonl"}}
	made, err := s.retrievalTables()
	hold(t, made, err, map[string]map[string]float64{"rag.visual Y3": {"any clue": 1, "coverage": 1, "full": 1, "latest": 1, "stale clue first": 0.5}})
	hold(t, made[1:], err, map[string]map[string]float64{
		"rag.visual similarity 1.0": {"inversion": 0.5}, "rag.visual similarity 0.5": {"inversion": 0, "latest": 1}, "rag.visual similarity 0.5 - 1.0": {"inversion": -0.5, "latest": 0},
	})
	if len(made[0].Notes) != 1 || made[0].Notes[0] != "run blind.none has no retrieved.jsonl" {
		t.Errorf("notes %q", made[0].Notes)
	}
	s.Runs = s.Runs[1:]
	if _, err := s.retrievalTables(); err == nil || !strings.Contains(err.Error(), "retrieved.jsonl") {
		t.Errorf("without any: %v", err)
	}
}

// TestRankingsAndScales: table 14 and figure 9 compare the questions that all runs answered.
func TestRankingsAndScales(t *testing.T) {
	s := studyOf(t, VariantPaper, map[string]map[string]string{
		"rag.visual": judgedAs("1", "0", "0", "1"), "rag+recency.visual": judgedAs("1", "1", "0", "0"),
		"rag@2.visual": judgedAs("1", "0", "0"), "rag@4.visual": judgedAs("0", "0"),
	})
	made, err := s.compareRankings()
	hold(t, made, err, map[string]map[string]float64{"rag+recency all": {"difference": 0}, "rag+recency Y3": {"as it is": 0, "other ranking": 0.5, "difference": 0.5}, "rag+recency Y2": {"difference": -1}})
	made, err = s.scalingTables()
	hold(t, made, err, map[string]map[string]float64{"rag.visual all": {"1 task": 0.5, "2 tasks": 0.5, "4 tasks": 0, "4-1": -0.5}})
	if n := made[0].Lines[0].Figures["1 task"].N; n != 2 {
		t.Errorf("%d questions, want those that all three answered", n)
	}
	systems, err := s.systemsTable()
	if err != nil || len(systems[0].Lines) != 2 {
		t.Errorf("merged histories stand among the systems: %+v, %v", systems, err)
	}
	for name, ok := range map[string]bool{"a.visual": true, "a@2.visual": true, "a@3.visual": false, "@2.visual": false, "a+b.dense": true} {
		if wrong := checkRun(name); (wrong == "") != ok {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}
