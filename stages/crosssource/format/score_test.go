package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score"
)

func TestChoice(t *testing.T) {
	for answer, want := range map[string]string{
		"(A)": "A", "B": "B", " C. ": "C", "(D)\n": "D", "A. at noon": "", "a": "", "(E)": "", "The answer is (A)": "", "": "", Refusal: "",
	} {
		if got := Choice(answer); got != want {
			t.Errorf("%q: %q, want %q", answer, got, want)
		}
	}
	if !Refuses(Refusal+".") || !Refuses(" "+strings.ToUpper(Refusal)) || Refuses("No.") {
		t.Error("the refusal is told wrongly")
	}
}

// TestCall: what is the gold call, by paper and as printed.
func TestCall(t *testing.T) {
	for answer, want := range map[string][2]bool{
		`{"name":"desk_repair","arguments":{"code":"7","quantity":15}}`:                         {true, true},
		`{"arguments":{"quantity":1.5e1,"code":"7"},"name":"desk_repair"}`:                      {true, true},
		` {"name":"desk_repair","arguments":"{\"code\":\"7\",\"quantity\":15.0}"} `:             {true, true},
		`{"name":"desk_repair","arguments":{"code":7,"quantity":15}}`:                           {},
		`{"name":"desk_repair","arguments":{"code":"7","quantity":"15"}}`:                       {},
		`{"name":"desk_repair","arguments":{"code":"7"}}`:                                       {},
		`{"name":"desk_repair","arguments":{"code":"7","quantity":15,"why":""}}`:                {},
		`{"name":"desk_store","arguments":{"code":"7","quantity":15}}`:                          {},
		`desk_repair("code"="7", "quantity"=15)`:                                                {false, true},
		`desk_repair( "quantity" = 15.00 ,"code"="7" )`:                                         {false, true},
		`desk_repair("code"="7", "quantity"=15`:                                                 {},
		`desk_repair("code"="7", "code"="7", "quantity"=15)`:                                    {},
		`desk_repair(code="7", quantity=15)`:                                                    {},
		`desk_repair("code":"7","quantity":15)`:                                                 {},
		"```json\n" + `{"name":"desk_repair","arguments":{"code":"7","quantity":15}}` + "\n```": {},
		Refusal: {},
	} {
		for i, variant := range []string{VariantPaper, VariantPrinted} {
			got, err := Call(answer, variant)
			if right := err == nil && got == gold; right != want[i] {
				t.Errorf("%s: %q is %q, %v", variant, answer, got, err)
			}
		}
	}
	if got, err := Call("wait()", VariantPrinted); err != nil || got != `{"arguments":{},"name":"wait"}` {
		t.Errorf("no arguments: %s, %v", got, err)
	}
}

func FuzzCall(f *testing.F) {
	f.Add(`desk_repair("code"="7", "quantity"=15)`)
	f.Add(gold)
	f.Fuzz(func(t *testing.T, answer string) {
		got, err := Call(answer, VariantPrinted)
		if err != nil {
			return
		}
		if again, err := Call(got, VariantPaper); err != nil || again != got {
			t.Fatalf("%q is %q, and that %q, %v", answer, got, again, err)
		}
	})
}

// answers are those of three runs: by hand, of the single hops 3 of 6 are right, of the
// multi hop 2 of 3, of the conflict none, of the preference all, of the call 1.
func answers() map[string]string {
	out := map[string]string{}
	for id, runs := range map[string][3]string{
		env + "/Q0": {"(B)", "B", "(A)"}, env + "/Q1": {"B", Refusal, "at eight"}, env + "/Q2": {"B", "B", "C"}, env + "/Q3": {"A", "A", Refusal},
		env + "/Q4": {"B", "B", "B"}, env + "/Q5": {gold, `desk_repair("code"="7","quantity"=15)`, "no"}, env + "-concentrated/Q0": {"B", "B", "B"},
	} {
		for i, a := range runs {
			out[sampleID(id, i+1)] = a
		}
	}
	return out
}

func scored(t *testing.T, a score.QuestionSet, given map[string]string, o score.Options) map[string]figure {
	t.Helper()
	got, err := a.Score(given, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := got.Print(&b); err != nil || !strings.Contains(b.String(), "overall") {
		t.Errorf("printed %q, %v", b.String(), err)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var table struct{ Figures []figure }
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	out := map[string]figure{}
	for _, f := range table.Figures {
		out[f.Name] = f
	}
	return out
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestScore(t *testing.T) {
	got := scored(t, benchOf(t), answers(), score.Options{Variant: VariantPaper})
	// Single hops by run: 1, 1/2, 0. Overall by run: (1+1+0+1+1)/5, (1/2+1+0+1+0)/5, (0+0+0+1+0)/5.
	for name, want := range map[string][2]float64{
		"S.H.": {0.5, 0.5}, "M.H.": {2. / 3, math.Sqrt(1. / 3)}, "C.R.": {0, 0}, "P.R.": {1, 0}, "F.C.": {1. / 3, math.Sqrt(1. / 3)}, "overall": {0.5, 0.3},
		"S.H., 2 sources": {2. / 3, math.Sqrt(1. / 3)}, "S.H., 3 sources": {1. / 3, math.Sqrt(1. / 3)}, "one source: S.H.": {1, 0}, "one source: overall": {1, 0},
	} {
		f := got[name]
		if f.Deviation == nil || !near(f.Mean, want[0]) || !near(*f.Deviation, want[1]) {
			t.Errorf("%s: %+v, want %v", name, f, want)
		}
	}
	if f := got["S.H."]; f.Count != 2 || f.Refused != 1 || f.Invalid != 1 || f.Low == nil || *f.Low != 1./3 || *f.High != 2./3 {
		t.Errorf("single hops: %+v", f)
	}
	if f := got["overall"]; f.Count != 6 || f.Refused != 2 || f.Invalid != 3 {
		t.Errorf("overall: %+v", f)
	}
	if got = scored(t, benchOf(t), answers(), score.Options{Variant: VariantPrinted}); !near(got["F.C."].Mean, 2./3) || got["F.C."].Invalid != 1 {
		t.Errorf("as printed: %+v", got["F.C."])
	}
	if _, there := got["C.R., 2 sources"]; there {
		t.Error("conflicts are compared by sources")
	}
}

func TestRuns(t *testing.T) {
	b := benchOf(t)
	given := answers()
	delete(given, sampleID(env+"/Q2", 2))
	var missing *score.MissingError
	if _, err := b.Score(given, score.Options{Variant: VariantPaper}); !errors.As(err, &missing) || len(missing.IDs) != 1 {
		t.Errorf("error %v", err)
	}
	got := scored(t, b, given, score.Options{Variant: VariantPaper, Incomplete: true})
	if f := got["M.H."]; !near(f.Mean, 0.5) {
		t.Errorf("one run of the multi hop is missing: %+v", f)
	}
	given[env+"/Q0"] = "A"
	if _, err := b.Score(given, score.Options{Variant: VariantPaper}); err == nil || !strings.Contains(err.Error(), "name it in all") {
		t.Errorf("error %v", err)
	}
	once := map[string]string{}
	for _, i := range b.items {
		once[i.id] = "B"
	}
	one, err := b.Score(once, score.Options{Variant: VariantPaper})
	if err != nil || len(one.Warnings()) != 1 || !strings.Contains(one.Warnings()[0], "three runs") {
		t.Errorf("one run: %v", err)
	}
	if f := scored(t, b, once, score.Options{Variant: VariantPaper})["overall"]; f.Deviation != nil || !near(f.Mean, 0.8) {
		t.Errorf("one run: %+v", f)
	}
}

// TestExportScoresAsRelease: both ways lead to the same figures.
func TestExportScoresAsRelease(t *testing.T) {
	dir := t.TempDir()
	for name, f := range exported(t) {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a, err := Scorer().Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	one, other := scored(t, a, answers(), score.Options{Variant: VariantPaper}), scored(t, benchOf(t), answers(), score.Options{Variant: VariantPaper})
	if len(one) != len(other) || !near(one["overall"].Mean, other["overall"].Mean) || !near(one["S.H., 3 sources"].Mean, other["S.H., 3 sources"].Mean) {
		t.Errorf("%+v, %+v", one, other)
	}
	if err := os.Remove(filepath.Join(dir, group)); err != nil {
		t.Fatal(err)
	}
	if _, err := Scorer().Load(dir); err == nil || !strings.Contains(err.Error(), "breaks") {
		t.Errorf("a broken export: %v", err)
	}
}

// TestRetrieval: by hand, Q1 has three pieces; the first entry holds two of them, the
// twelfth the third, the second one of them again.
func TestRetrieval(t *testing.T) {
	given := map[string]string{}
	for _, i := range benchOf(t).items {
		given[i.id] = "-"
	}
	given[env+"/Q1"] = env + "/S01/T1+" + env + "/S02/T1 " + env + "/S02/T1" + strings.Repeat(" -", 9) + " " + env + "/S00/T3"
	s := retrievalScorer{benchOf(t)}
	got, err := s.Score(given, score.Options{})
	if err != nil {
		t.Fatal(err)
	}
	line := got.(retrievalScores).Lines[1]
	if line.Name != "S.H." || line.Count != 2 {
		t.Fatalf("%+v", line)
	}
	for i, want := range [][2]float64{{2. / 3 / 2, .2 / 2}, {1. / 2, 3. / 20 / 2}, {1. / 2, 3. / 50 / 2}, {1. / 2, 3. / 100 / 2}} {
		if !near(line.Recall[i].Mean, want[0]) || !near(line.Precision[i].Mean, want[1]) {
			t.Errorf("@%d: %+v, %+v, want %v", cutoffs()[i], line.Recall[i], line.Precision[i], want)
		}
	}
	var b bytes.Buffer
	if err := got.Print(&b); err != nil || !strings.Contains(b.String(), "Precision@100") {
		t.Errorf("%q, %v", b.String(), err)
	}
	delete(given, env+"/Q1")
	if _, err := s.Score(given, score.Options{}); err == nil {
		t.Error("a missing ranking passes")
	}
	read, err := readRetrieved(strings.NewReader(`{"id":"q","items":[{"turn_ids":["a","b"]},{"turn_ids":[]},{"turn_ids":["c"]}]}`))
	if err != nil || read["q"] != "a+b - c" {
		t.Errorf("%v, %v", read, err)
	}
}
