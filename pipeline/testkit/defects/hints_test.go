package defects_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/shortcuts"
	"github.com/memforge/memforge/pipeline/testkit/defects"
	"github.com/memforge/memforge/schemas"
)

// perType is how many distinct facts each type has. The full size is for a run by
// hand: go test ./pipeline/testkit/defects -run 'Hints|Clean' -facts 300 -v
var perType = flag.Int("facts", 80, "distinct facts of each type in which hints are planted")

// cleanTypes stand beside those with hints: nothing must be flagged of them.
const cleanTypes = 5

// TestHintsAreFound plants one hint in some facts of a type, each fact shown in
// two ways, and wants the gate to flag about as many questions as were spoilt, of
// the types that have a hint and of no others.
func TestHintsAreFound(t *testing.T) {
	var qs []schemas.Question
	var spoilt []bool
	spoil := int(3.6 * math.Sqrt(float64(*perType))) // 32 of 80, 62 of 300
	for i, h := range defects.Hints() {
		of, bad := defects.HintedQuestions(uint64(i), h.Name, &h, *perType, spoil, 2)
		qs, spoilt = append(qs, of...), append(spoilt, bad...)
	}
	for i := range cleanTypes {
		of, bad := defects.HintedQuestions(uint64(100+i), fmt.Sprint("clean ", i), nil, *perType, 0, 2)
		qs, spoilt = append(qs, of...), append(spoilt, bad...)
	}
	h := newHouse(t, records(t, qs), nil)
	flagged, hit, reasons := map[string]int{}, map[string]int{}, map[string]string{}
	for i, v := range h.judge(t, "statistical-shortcuts", nil).verdicts {
		typ := qs[i].Type
		if v.Outcome != schemas.Pass && v.Outcome != schemas.Fail || v.Reason == "" {
			t.Fatalf("%s: %s %q", qs[i].QuestionID, v.Outcome, v.Reason)
		}
		if v.Outcome == schemas.Fail {
			flagged[typ]++
			reasons[typ] = v.Reason
			if spoilt[i] {
				hit[typ]++
			}
		}
	}
	found, rows, hits := 0, 0, 0
	for _, h := range defects.Hints() {
		n := flagged[h.Name]
		t.Logf("%-20s %3d rows flagged, %3d of the %3d spoilt; %s", h.Name, n, hit[h.Name], 2*spoil, reasons[h.Name])
		if n > 0 {
			found++
		}
		rows, hits = rows+n, hits+hit[h.Name]
		if math.Abs(float64(n-2*spoil)) > float64(2*spoil)/3 {
			t.Errorf("%s: %d rows are flagged, %d were spoilt", h.Name, n, 2*spoil)
		}
	}
	falsely := len(flagged) - found
	t.Logf("of %d types with a hint %d are found, of %d without %d; of rows recall %.2f, precision %.2f",
		len(defects.Hints()), found, cleanTypes, falsely, float64(hits)/float64(2*spoil*len(defects.Hints())), float64(hits)/float64(rows))
	if found < len(defects.Hints()) || falsely > 0 {
		t.Error("a hint is missed or invented")
	}
}

// TestCleanTypesPass shows clean facts in eight ways each, in tasks and over
// media of their own: copies must not pass for evidence.
func TestCleanTypesPass(t *testing.T) {
	var qs []schemas.Question
	for i := range cleanTypes {
		of, _ := defects.HintedQuestions(uint64(200+i), fmt.Sprint("clean ", i), nil, *perType, 0, 8)
		qs = append(qs, of...)
	}
	reasons := map[string]bool{}
	for i, v := range newHouse(t, records(t, qs), nil).judge(t, "statistical-shortcuts", nil).verdicts {
		if v.Outcome != schemas.Pass {
			t.Fatalf("%s: %s %s", qs[i].QuestionID, v.Outcome, v.Reason)
		}
		reasons[v.Reason] = true
	}
	for r := range reasons {
		t.Log(r)
	}
	if len(reasons) != cleanTypes {
		t.Errorf("%d worst figures are told of %d types", len(reasons), cleanTypes)
	}
}

// TestHintsSpoilWhatTheySay looks at each hint alone: the figure that it is for
// must rest on it.
func TestHintsSpoilWhatTheySay(t *testing.T) {
	for i, h := range defects.Hints() {
		all, _ := defects.HintedQuestions(uint64(i), "a", &h, 40, 40, 1)
		studies, err := shortcuts.Studies(shortcuts.Subject{Questions: all, Chance: func(string) *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(studies[0].Figures, func(f shortcuts.Figure) bool { return f.Name == h.Figure })
		if at < 0 || studies[0].Figures[at].Accuracy.Value < 0.95 {
			t.Errorf("%s: %q does not rest on it: %+v", h.Name, h.Figure, studies[0].Figures)
		}
		qs, spoilt := defects.HintedQuestions(uint64(i), "a", &h, 40, 20, 1)
		if n := len(slices.DeleteFunc(spoilt, func(s bool) bool { return !s })); n != 20 || len(qs) != 40 {
			t.Errorf("%s: %d spoilt of %d", h.Name, n, len(qs))
		}
		for _, q := range qs {
			texts := map[string]bool{}
			for _, o := range q.Options {
				texts[o.Text] = true
				if (o.Key == q.AnswerKey) != (o.Role == schemas.RoleCorrect) || (o.Key == q.AnswerKey) != (o.Text == q.AnswerText) {
					t.Errorf("%s: %+v, answer %s %q", h.Name, q.Options, q.AnswerKey, q.AnswerText)
				}
			}
			if len(texts) != 4 {
				t.Errorf("%s: options %+v", h.Name, q.Options)
			}
		}
	}
}
