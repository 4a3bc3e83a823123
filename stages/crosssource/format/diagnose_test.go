package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
)

// logged is a line of a log, with turns that were retrieved; none at all where nil.
func logged(id, prediction string, judge *Verdict, turns ...string) string {
	l := map[string]any{"id": id, "prediction": prediction}
	if turns != nil {
		items := []any{}
		for _, t := range turns {
			items = append(items, map[string]any{"text": "text of " + t, "turn_ids": []string{env + "/" + t}})
		}
		l["items"] = items
	}
	if judge != nil {
		l["judge"] = judge
	}
	b, err := json.Marshal(l)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func diagnose(t *testing.T, lines ...string) (diagnosisScores, error) {
	t.Helper()
	log, err := readLog(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		return diagnosisScores{}, err
	}
	got, err := failureScorer{benchOf(t)}.Score(log, score.Options{Variant: VariantPaper})
	if err != nil {
		return diagnosisScores{}, err
	}
	return got.(diagnosisScores), nil
}

// TestRules: where the label follows from the log alone.
func TestRules(t *testing.T) {
	q := func(n int) string { return fmt.Sprintf("%s/Q%d", env, n) }
	for name, tc := range map[string]struct{ line, want string }{
		"nothing was found":         {logged(q(0), "A", nil, []string{}...), DistributedMissing},
		"one clue is missing":       {logged(q(0), "A", nil, "S00/T2"), DistributedMissing},
		"a refusal without clues":   {logged(q(2), Refusal, nil, "S00/T1"), DistributedMissing},
		"only the update":           {logged(q(3), "A", nil, "S00/T1", "S02/T1"), UpdatedMissing},
		"update and clue":           {logged(q(3), "A", nil, "S00/T1"), DistributedMissing},
		"the overridden is missing": {logged(q(3), "A", nil, "S02/T1", "S00/T3"), ""},
		"both sides, the old taken": {logged(q(3), "A", nil, "S00/T1", "S02/T1", "S00/T3"), ConflictMisused},
		"both sides, another taken": {logged(q(3), "C", nil, "S00/T1", "S02/T1", "S00/T3"), ""},
		"implicit preference":       {logged(q(4), "A", nil, "S01/T1", "S00/T3"), PreferenceError},
		"preference refused":        {logged(q(4), Refusal, nil, "S01/T1", "S00/T3"), ""},
		"wrong call":                {logged(q(5), "no", nil, "S01/T2", "S02/T1"), ExecutionError},
		"call without evidence":     {logged(q(5), "no", nil, "S01/T2"), DistributedMissing},
		"all clues":                 {logged(q(2), "A", nil, "S00/T1", "S01/T2"), ""},
		"nobody says":               {logged(q(2), "A", nil), ""},
	} {
		got, err := diagnose(t, tc.line)
		if err != nil || len(got.Failures) != 1 {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		f := got.Failures[0]
		switch {
		case tc.want == "" && (f.Verdict != nil || got.Open != 1):
			t.Errorf("%s: %+v, want no label", name, f)
		case tc.want != "" && (f.Verdict == nil || f.Verdict.Label != tc.want || f.By != "rule" || f.Stage != StageOf(tc.want) || f.Verdict.Confidence != 1 || f.Verdict.Reason == ""):
			t.Errorf("%s: %+v, want %s", name, f, tc.want)
		}
	}
}

// TestJudge: what follows from the log goes before what a judge says; the rest is asked.
func TestJudge(t *testing.T) {
	says := &Verdict{CompositionError, "It read one source only.", 0.75}
	got, err := diagnose(t,
		logged(env+"/Q2@one", "A", says, "S00/T1", "S01/T2"), logged(env+"/Q2@two", "B", says), logged(env+"/Q5@one", "no", says, "S01/T2", "S02/T1"), logged(env+"/Q3@one", "C", nil, "S00/T1", "S02/T1", "S00/T3"), logged("elsewhere", "A", nil))
	if err != nil || got.Failed != 3 || got.Open != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	by := map[string]string{}
	for _, f := range got.Failures {
		by[f.ID] = f.By
	}
	if by[env+"/Q2@one"] != "judge" || by[env+"/Q5@one"] != "rule" || by[env+"/Q3@one"] != "" {
		t.Errorf("%v", by)
	}
	shares := map[string]map[string]tables.Figure{}
	for _, l := range got.lines() {
		shares[l.Slice] = l.Figures
	}
	if s := shares[CompositionError]; s["failures"].Value != 1 || s["share"].Value != 0.5 || s["confidence"].Value != 0.75 || s["by rule"].Value != 0 {
		t.Errorf("%+v", s)
	}
	if shares[StageUtilization]["failures"].Value != 1 || shares[StageAction]["share"].Value != 0.5 || shares[StageAction]["by rule"].Value != 1 || shares[StageAccess]["failures"].Value != 0 {
		t.Errorf("%+v", shares)
	}
	var b bytes.Buffer
	if err := got.Print(&b); err != nil || !strings.Contains(b.String(), "without a label") {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// TestCasesOfFailures: a judge is asked what neither the log nor a judge in it says, sees what
// was retrieved and which statement holds, and its labels count.
func TestCasesOfFailures(t *testing.T) {
	says := &Verdict{CompositionError, "It read one source only.", 0.75}
	open := env + "/Q3@one"
	log, err := readLog(strings.NewReader(strings.Join([]string{
		logged(env+"/Q2@one", "A", says, "S00/T1", "S01/T2"), logged(env+"/Q5@one", "no", nil, "S01/T2", "S02/T1"), logged(env+"/Q0@one", "B", nil), logged(open, "C", nil, "S00/T1", "S02/T1", "S00/T3"),
	}, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	asked := failureScorer{benchOf(t)}
	cases, err := asked.Cases(log)
	if err != nil || len(cases) != 1 || cases[0].IDs[0] != open || cases[0].Subjects[0] != "C" || len(cases[0].Labels) != 6 {
		t.Fatalf("%+v, %v", cases, err)
	}
	seen := cases[0].Question + "\n" + strings.Join(cases[0].Against, "\n")
	for _, want := range []string{"superseded: Ann: The mill opens at noon", "B. at eight", "right answer: B. at eight", "context: text of S02/T1", "task: conflict_resolution"} {
		if !strings.Contains(seen, want) {
			t.Errorf("a judge does not see %q in\n%s", want, seen)
		}
	}
	log[open+score.JudgeSuffix] = ConflictMisused
	got, err := asked.Score(log, score.Options{Variant: VariantPaper})
	if err != nil || got.(diagnosisScores).Open != 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	log[open+score.JudgeSuffix] = "bad luck"
	if _, err := asked.Score(log, score.Options{Variant: VariantPaper}); err == nil || !strings.Contains(err.Error(), "none of the six") {
		t.Errorf("a label that is none: %v", err)
	}
}

// TestDraw: of more failures than are looked at, always the same are drawn.
func TestDraw(t *testing.T) {
	var lines []string
	for i := range 700 {
		lines = append(lines, logged(fmt.Sprintf("%s/Q0@%d", env, i), "A", nil, "S00/T2"))
	}
	got, err := diagnose(t, lines...)
	if err != nil || got.Failed != 700 || len(got.Failures) != 600 || len(got.Warnings()) != 1 {
		t.Fatalf("%d failed, %d drawn, %v", got.Failed, len(got.Failures), err)
	}
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	again, err := diagnose(t, lines...)
	if err != nil || fmt.Sprint(again.Failures[0].ID, again.Failures[599].ID) != fmt.Sprint(got.Failures[0].ID, got.Failures[599].ID) {
		t.Error("another order of the log draws others")
	}
}

func TestBadLogs(t *testing.T) {
	for want, line := range map[string]string{
		"none of the six": logged("q", "A", &Verdict{"Bad Luck", "So.", 1}), "0 to 1": logged("q", "A", &Verdict{CompositionError, "So.", 2}), "a sentence": logged("q", "A", &Verdict{CompositionError, " ", 1}),
		"prediction": `{"id":"q"}`, "line 1": "{", "there twice": logged("q", "A", nil) + "\n" + logged("q", "A", nil),
	} {
		if _, err := diagnose(t, line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
