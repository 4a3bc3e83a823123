package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// TestRunsAreDiagnosed: the files of a run say what was retrieved, which a judge's labels go
// beside; a run that retrieved all evidence of its failures has them without a label.
func TestRunsAreDiagnosed(t *testing.T) {
	q := func(n int) string { return fmt.Sprintf("%s/Q%d", env, n) }
	write := func(dir, name string, lines ...string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	retrieved := func(id string, turns ...string) string {
		items := []score.Retrieved{}
		for _, turn := range turns {
			items = append(items, score.Retrieved{Text: turn, TurnIDs: []string{env + "/" + turn}})
		}
		data, err := json.Marshal(map[string]any{"id": id, "items": items})
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	blind, all := t.TempDir(), t.TempDir()
	in := tables.Inputs{Variant: VariantPaper, Incomplete: true, Seed: 1}
	in.Contents.Questions = asked()
	for dir, found := range map[string][2]string{blind: {retrieved(q(2)), retrieved(q(0))}, all: {retrieved(q(2), "S00/T1", "S01/T2"), retrieved(q(0), "S00/T2", "S02/T1")}} {
		write(dir, "retrieved.jsonl", found[:]...)
		in.Runs = append(in.Runs, tables.Run{Name: map[bool]string{true: "blind", false: "all"}[dir == blind], File: write(dir, "answers.jsonl", logged(q(2), "A", nil), logged(q(0), "A", nil))})
	}
	kinds := Tables().Tables
	at := slices.IndexFunc(kinds, func(k tables.TableKind) bool { return k.Name == "diagnosis" })
	made, err := kinds[at].Make(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range made[0].Lines {
		if l.Figures["failures"].Value != 2 {
			t.Errorf("%s: %+v", l.Slice, l.Figures)
		}
		if f := l.Figures[DistributedMissing]; l.Slice == "blind" && (f.Value != 1 || f.N != 2 || l.Figures[StageAccess].Value != 1) {
			t.Errorf("blind: %+v", l.Figures)
		}
		if l.Slice == "all" && (l.Figures["without a label"].Value != 2 || l.Missing[DistributedMissing] != "no failure has a label") {
			t.Errorf("all: %+v, %v", l.Figures, l.Missing)
		}
	}
	write(all, "retrieved.jsonl", "{")
	if _, err := Diagnosis().ReadAnswersOf(filepath.Join(all, "answers.jsonl")); err == nil || !strings.Contains(err.Error(), "retrieved.jsonl") {
		t.Errorf("a broken file: %v", err)
	}
}
