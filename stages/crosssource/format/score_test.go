package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/schemas"
)

func TestChoice(t *testing.T) {
	for answer, want := range map[string]string{
		"(A)": "A", "B": "B", " C. ": "C", "(D)\n": "D", "A. at noon": "", "a": "", "(E)": "", "The answer is (A)": "A", "(B) at noon": "B", "(C), not (C)": "C", "(A) or (B)": "", "(A)(B)(C)(D)": "", "(b)": "", "": "", Refusal: "",
	} {
		if got := Choice(answer); got != want {
			t.Errorf("%q: %q, want %q", answer, got, want)
		}
	}
	if !Refuses(Refusal+".") || !Refuses(" "+strings.ToUpper(Refusal)) || Refuses("No.") {
		t.Error("the refusal is told wrongly")
	}
}

// planned is a call question with the tools of call, whose plan is gold.
func planned(t *testing.T, gold string) item {
	t.Helper()
	s, err := newSample(call())
	if err != nil {
		t.Fatal(err)
	}
	i := item{Sample: s, task: task{label: schemas.TaskFunctionCall}, defaults: defaultsOf(append(call().Tools, schemas.Tool{Name: "Desk_Ship", Parameters: `{"type":"object","properties":{"Code":{"type":"string"},"Speed":{"type":"string","default":"Slow"},"count":{"default":1}}}`}))}
	if i.plan, err = i.defaults.parsePlan(gold, VariantPaper); err != nil {
		t.Fatal(err)
	}
	return i
}

// TestCall: which answers are the gold call, by paper and as printed.
func TestCall(t *testing.T) {
	i := planned(t, gold)
	for answer, want := range map[string][2]bool{
		`{"name":"desk_repair","arguments":{"code":"7","quantity":15}}`:                         {true, true},
		`{"arguments":{"quantity":1.5e1,"code":"7"},"name":"desk_repair"}`:                      {true, true},
		` {"name":"desk_repair","arguments":"{\"code\":\"7\",\"quantity\":15.0}"} `:             {true, true},
		`{"name":"DESK_Repair","arguments":{"Code":"7","quantity":15}}`:                         {true, true},
		`[{"step":4,"calls":[{"name":"desk_repair","arguments":{"code":"7","quantity":15}}]}]`:  {true, true},
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
		gold + "," + gold: {}, "[" + gold + "]": {}, "[]": {}, "": {}, "A": {}, Refusal: {},
	} {
		for n, variant := range []string{VariantPaper, VariantPrinted} {
			if right, _ := i.check(answer, variant); right != want[n] {
				t.Errorf("%s: %q is right: %v", variant, answer, right)
			}
		}
	}
}

// TestPlans: what the published scorer takes as equal.
func TestPlans(t *testing.T) {
	step := func(calls ...string) string { return `{"calls":[` + strings.Join(calls, ",") + `]}` }
	plan := func(steps ...string) string { return "[" + strings.Join(steps, ",") + "]" }
	ship := func(arguments string) string { return `{"name":"desk_ship","arguments":{` + arguments + `}}` }
	a, b := ship(`"code":"A1"`), ship(`"code":"B2"`)
	for _, c := range []struct {
		name, gold, answer string
		right              bool
	}{
		{"the same", plan(step(a), step(b)), plan(step(a), step(b)), true},
		{"case", plan(step(a)), plan(step(`{"name":"Desk_SHIP","arguments":{"CODE":"a1"}}`)), true},
		{"defaults stated", plan(step(a)), plan(step(ship(`"code":"A1","speed":"slow","count":1.0`))), true},
		{"defaults in the gold", plan(step(ship(`"code":"A1","speed":"SLOW"`))), plan(step(a)), true},
		{"another than the default", plan(step(a)), plan(step(ship(`"code":"A1","count":2`))), false},
		{"a default against another", plan(step(ship(`"code":"A1","count":2`))), plan(step(a)), false},
		{"calls of a step in another order", plan(step(a, b)), plan(step(b, a)), true},
		{"a call more", plan(step(a)), plan(step(b, a)), true},
		{"a call less", plan(step(a, b)), plan(step(a)), false},
		{"equal calls, one by one", plan(step(a, a)), plan(step(a, b)), false},
		{"equal calls, twice", plan(step(a, a)), plan(step(a, b, a)), true},
		{"steps in another order", plan(step(a), step(b)), plan(step(b), step(a)), false},
		{"all in one step", plan(step(a), step(b)), plan(step(a, b)), false},
		{"a step more", plan(step(a)), plan(step(a), step(b)), false},
		{"an empty step", plan(step(), step(a)), plan(step(), step(a)), true},
		{"the empty step left out", plan(step(), step(a)), plan(step(a)), false},
		{"one call as itself", plan(step(a)), a, true},
	} {
		if right, valid := planned(t, c.gold).check(c.answer, VariantPaper); right != c.right || !valid {
			t.Errorf("%s: right %v, valid %v", c.name, right, valid)
		}
	}
}

func FuzzCall(f *testing.F) {
	f.Add(`desk_repair("code"="7", "quantity"=15)`)
	f.Add(gold)
	f.Add(`[{"step":1,"calls":[]},{"calls":[` + gold + `]}]`)
	f.Fuzz(func(t *testing.T, answer string) {
		tools := defaultsOf(call().Tools)
		got, err := tools.parsePlan(answer, VariantPrinted)
		if err != nil {
			return
		}
		for _, calls := range got {
			for _, c := range calls {
				if again, err := tools.parsePlan(c, VariantPaper); err != nil || len(again) != 1 || again[0][0] != c {
					t.Fatalf("%q has the call %q, and that is %q, %v", answer, c, again, err)
				}
			}
		}
		if !got.isHeldBy(got) {
			t.Fatalf("%q is not itself", answer)
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
			out[answerID(id, i+1)] = a
		}
	}
	return out
}

func scoredLines(t *testing.T, a score.QuestionSet, given map[string]string, o score.Options) map[string]map[string]tables.Figure {
	t.Helper()
	got, err := a.Score(given, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := got.Print(&b); err != nil || !strings.Contains(b.String(), "overall") || !strings.Contains(b.String(), "no answer") {
		t.Errorf("printed %q, %v", b.String(), err)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var table struct{ Lines []tables.Line }
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]tables.Figure{}
	for _, l := range table.Lines {
		out[l.Slice] = l.Figures
	}
	return out
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestScore(t *testing.T) {
	got := scoredLines(t, answerScorer{benchOf(t)}, answers(), score.Options{Variant: VariantPaper})
	// Single hops by run: 1, 1/2, 0. Overall by run: (1+1+0+1+1)/5, (1/2+1+0+1+0)/5, (0+0+0+1+0)/5.
	for name, want := range map[string][2]float64{
		"S.H.": {0.5, 0.5}, "M.H.": {2. / 3, math.Sqrt(1. / 3)}, "C.R.": {0, 0}, "P.R.": {1, 0}, "F.C.": {1. / 3, math.Sqrt(1. / 3)}, "overall": {0.5, 0.3},
		"S.H., 2 sources": {2. / 3, math.Sqrt(1. / 3)}, "S.H., 3 sources": {1. / 3, math.Sqrt(1. / 3)}, "one source: S.H.": {1, 0}, "one source: overall": {1, 0},
	} {
		f := got[name]
		if !near(f["mean"].Value, want[0]) || !near(f["deviation"].Value, want[1]) || f["deviation"].N == 0 {
			t.Errorf("%s: %+v, want %v", name, f, want)
		}
	}
	if f := got["S.H."]; f["mean"].N != 2 || f["refused"].Value != 1 || f["no answer"].Value != 1 || f["mean"].Low != 1./3 || f["mean"].High != 2./3 {
		t.Errorf("single hops: %+v", f)
	}
	if f := got["overall"]; f["mean"].N != 6 || f["refused"].Value != 2 || f["no answer"].Value != 3 {
		t.Errorf("overall: %+v", f)
	}
	if got = scoredLines(t, answerScorer{benchOf(t)}, answers(), score.Options{Variant: VariantPrinted}); !near(got["F.C."]["mean"].Value, 2./3) || got["F.C."]["no answer"].Value != 1 {
		t.Errorf("as printed: %+v", got["F.C."])
	}
	if _, there := got["C.R., 2 sources"]; there {
		t.Error("conflicts are compared by sources")
	}
}

func TestRuns(t *testing.T) {
	b := answerScorer{benchOf(t)}
	given := answers()
	delete(given, answerID(env+"/Q2", 2))
	var missing *score.MissingError
	if _, err := b.Score(given, score.Options{Variant: VariantPaper}); !errors.As(err, &missing) || len(missing.IDs) != 1 {
		t.Errorf("error %v", err)
	}
	got := scoredLines(t, b, given, score.Options{Variant: VariantPaper, Incomplete: true})
	if f := got["M.H."]; !near(f["mean"].Value, 0.5) {
		t.Errorf("one run of the multi hop is missing: %+v", f)
	}
	given[env+"/Q0"] = "A"
	if _, err := b.Score(given, score.Options{Variant: VariantPaper}); err == nil || !strings.Contains(err.Error(), "name it in all") {
		t.Errorf("error %v", err)
	}
	once := map[string]string{}
	for _, i := range b.items {
		once[i.ID] = "B"
	}
	one, err := b.Score(once, score.Options{Variant: VariantPaper})
	if err != nil || len(one.Warnings()) != 1 || !strings.Contains(one.Warnings()[0], "three runs") {
		t.Errorf("one run: %v", err)
	}
	if f := scoredLines(t, b, once, score.Options{Variant: VariantPaper})["overall"]; f["deviation"].N != 0 || !near(f["mean"].Value, 0.8) {
		t.Errorf("one run: %+v", f)
	}
}

// TestExportScoresAsRelease: both ways lead to the same questions, with their pieces in the
// same turns, and so to the same figures.
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
	read, err := loadExport(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := benchOf(t)
	for n, i := range want {
		have := read[n]
		have.Environment, have.defaults, i.defaults = i.Environment, nil, nil
		for k := range i.Evidence {
			if text := have.Evidence[k].Text; text == "" {
				t.Errorf("%s: piece %d has no text", i.ID, k)
			}
			have.Evidence[k].Text = i.Evidence[k].Text
		}
		have.Answer = i.Answer
		if !reflect.DeepEqual(have, i) {
			t.Errorf("read back\n%+v, want\n%+v", have, i)
		}
	}
	one, other := scoredLines(t, answerScorer{read}, answers(), score.Options{Variant: VariantPaper}), scoredLines(t, answerScorer{want}, answers(), score.Options{Variant: VariantPaper})
	if !reflect.DeepEqual(one, other) {
		t.Errorf("%+v, %+v", one, other)
	}
}

func TestRetrieval(t *testing.T) {
	given := map[string]string{}
	for _, i := range benchOf(t) {
		given[i.ID] = "-"
	}
	given[env+"/Q1"] = env + "/S01/T1+" + env + "/S02/T1 " + env + "/S02/T1" + strings.Repeat(" -", 9) + " " + env + "/S00/T3"
	s := retrievalScorer{benchOf(t)}
	got, err := s.Score(given, score.Options{})
	if err != nil {
		t.Fatal(err)
	}
	line := got.(results).Lines[1]
	if line.Slice != "S.H." || line.Figures["Recall@10"].N != 2 {
		t.Fatalf("%+v", line)
	}
	for i, want := range [][2]float64{{2. / 3 / 2, .2 / 2}, {1. / 2, 3. / 20 / 2}, {1. / 2, 3. / 50 / 2}, {1. / 2, 3. / 100 / 2}} {
		k := cutoffs()[i]
		if r, p := line.Figures[fmt.Sprint("Recall@", k)], line.Figures[fmt.Sprint("Precision@", k)]; !near(r.Value, want[0]) || !near(p.Value, want[1]) {
			t.Errorf("@%d: %+v, %+v, want %v", k, r, p, want)
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

// TestOverallHasAnInterval: of two tasks with four facts each, one all right and one all
// wrong, each resample that has both has the mean 1/2, so that the interval is of the share
// within tasks alone; the mean of all eight as one would vary.
func TestOverallHasAnInterval(t *testing.T) {
	var s scored
	s.runs = []int{0}
	for n := range 8 {
		m := itemScore{item: item{task: tasks()[n%2]}, byRun: map[int]bool{0: n%2 == 0}, answered: 1}
		m.Fact = fmt.Sprint(n)
		s.items = append(s.items, m)
	}
	lines := s.taskLines("", func(itemScore) bool { return true })
	if f := lines[len(lines)-1].Figures["mean"]; f.Value != 0.5 || f.Low != 0.5 || f.High != 0.5 || f.N != 8 {
		t.Errorf("overall %+v", f)
	}
	s.items[0].byRun[0] = false
	lines = s.taskLines("", func(itemScore) bool { return true })
	if f := lines[len(lines)-1].Figures["mean"]; f.Value != 0.375 || f.Low >= f.Value || f.High != 0.5 {
		t.Errorf("overall %+v", f)
	}
}

// TestStatistics: figures 7 to 9 of the questions that are no twins.
func TestStatistics(t *testing.T) {
	all := benchOf(t)
	var facts []agreement.Score
	for _, i := range all {
		facts = append(facts, agreement.Score{Cluster: i.Fact})
	}
	made := distribution("pieces", "questions", 1, facts, func(n int) string { return fmt.Sprint(len(all[n].Evidence)) })
	var b bytes.Buffer
	if err := tables.PrintLines(&b, made.Lines, made.Columns); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "slice  n  questions  share\n2      7  5          0.714 [0.333, 1.000]\n3      7  2          0.286 [0.000, 0.667]\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for turns, want := range map[int]string{1: "1-250", 250: "1-250", 251: "251-500", 1001: "1001-1500", 1500: "1001-1500", 9000: "1501 and more"} {
		if got := lengthRange(turns); got != want {
			t.Errorf("%d turns are in %s, want %s", turns, got, want)
		}
	}
}
