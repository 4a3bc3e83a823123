package runner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/eval/runner"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/testkit"
)

var answerLabels = []string{"Correct", "Hallucination", "Omission"}

// answersOf are cases whose true labels their texts say; five are about one fact.
func answersOf(n int) (out []score.Case) {
	for i := range n {
		out = append(out, score.Case{
			IDs: []string{fmt.Sprintf("q%03d", i)}, Prompt: score.JudgeAnswer, Labels: answerLabels,
			Question: fmt.Sprintf("question %d?", i), Subjects: []string{fmt.Sprintf("%d %s", i, trueLabel(i))}, Against: []string{"gold"},
		})
	}
	return out
}

func trueLabel(i int) string { return answerLabels[[]int{0, 0, 1, 0, 2, 1, 0}[i%7]] }

// fallible is a judge that says wrong for a share of what is right, and Correct for as many of
// the others.
func fallible(errors float64) func(testkit.ChatRequest) testkit.ChatReply {
	return func(r testkit.ChatRequest) testkit.ChatReply {
		var subjects []struct {
			Number int
			Text   string
		}
		if err := r.Data("answers", &subjects); err != nil {
			return testkit.ChatReply{Text: err.Error()}
		}
		var out []map[string]any
		for _, s := range subjects {
			_, label, _ := strings.Cut(s.Text, " ")
			h := fnv.New64a()
			fmt.Fprintf(h, "%s, judged", s.Text)
			if float64(h.Sum64()%1000)/1000 < errors {
				if label == "Correct" {
					label = "Hallucination"
				} else {
					label = "Correct"
				}
			}
			out = append(out, map[string]any{"number": s.Number, "why": "as it says", "label": label})
		}
		return testkit.ReplyJSON(map[string]any{"labels": out})
	}
}

func judgeWith(t *testing.T, m *testkit.ModelServer, book *ledger.Ledger) runner.Asking {
	t.Helper()
	identities, live := m.LiveWith(t, client.Options{Ledger: book}, "", runner.RoleJudges)
	id := identities[runner.RoleJudges]
	return runner.Asking{Registry: plugins.Registry(), Models: live, Identity: &id, Name: "scripted"}
}

func newLedger(t *testing.T) *ledger.Ledger {
	t.Helper()
	book, err := ledger.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := book.Close(); err != nil {
			t.Error(err)
		}
	})
	return book
}

// TestJudgeOfKnownErrors: the share of correct answers that a judge of a known error rate gives
// lies with its truth in the interval by fact.
func TestJudgeOfKnownErrors(t *testing.T) {
	const n = 210
	cases, truth := answersOf(n), 0.0
	for i := range n {
		if trueLabel(i) == "Correct" {
			truth += 1.0 / n
		}
	}
	for _, errors := range []float64{0, 0.1, 0.3} {
		m := testkit.NewModelServer(t, fallible(errors))
		labels, open, err := runner.Judge(t.Context(), judgeWith(t, m, newLedger(t)), cases, 8)
		if err != nil || open != 0 || len(labels) != n {
			t.Fatalf("%d labels, %d open, %v", len(labels), open, err)
		}
		var scores []agreement.Score
		for i, l := range labels {
			s := agreement.Score{Cluster: fmt.Sprint(i / 5)}
			if l.Prediction == "Correct" {
				s.Value = 1
			}
			scores = append(scores, s)
		}
		want := truth*(1-errors) + (1-truth)*errors
		got, ok := tables.Mean(scores, 1)
		t.Logf("errors %.2f: %.3f correct [%.3f, %.3f], expected %.3f", errors, got.Value, got.Low, got.High, want)
		if !ok || got.Low > want || got.High < want || errors == 0 && got.Value-want > 1e-9 {
			t.Errorf("errors %.2f: %+v, expected %.3f", errors, got, want)
		}
		if l := labels[3]; l.ID != "q003#judge" || l.Model != "scripted" || l.Prompt != score.JudgeAnswer || len(l.PromptDigest) != 64 || l.Why == "" {
			t.Errorf("%+v", l)
		}
	}
}

// TestJudgeGoesOn: a judge whose server fails and who is stopped in the middle gives the labels
// of one that nothing befell, and no answer is paid for twice.
func TestJudgeGoesOn(t *testing.T) {
	cases := answersOf(60)
	calm, _, err := runner.Judge(t.Context(), judgeWith(t, testkit.NewModelServer(t, fallible(0.2)), newLedger(t)), cases, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range []testkit.ModelFault{
		{Kind: testkit.FaultStatus, Status: 503, Share: 0.2}, {Kind: testkit.FaultReset, Share: 0.2}, {Kind: testkit.FaultCut, Share: 0.2}, {Kind: testkit.FaultSlow, Delay: time.Millisecond},
	} {
		m, book := testkit.NewModelServer(t, fallible(0.2)), newLedger(t)
		m.AddFault(fault)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, _, err := runner.Judge(ctx, judgeWith(t, m, book), cases, 1)
			done <- err
		}()
		m.WaitForAnswers(t, 20)
		stop()
		if err := <-done; err == nil {
			t.Error("a judge that was stopped gives no error")
		}
		before := m.Counts()
		got, open, err := runner.Judge(t.Context(), judgeWith(t, m, book), cases, 4)
		if err != nil || open != 0 || !slices.Equal(got, calm) {
			t.Errorf("%s: %d open, %v", fault.Kind, open, err)
		}
		// the answer on its way at the stop may be lost
		if c := m.Counts(); before.Answered < 20 || c.Repeated > 1 || c.Answered > len(cases)+1 {
			t.Errorf("%s: %d answers before the stop, then %+v", fault.Kind, before.Answered, c)
		}
		paid := m.Counts().Answered
		if again, _, err := runner.Judge(t.Context(), judgeWith(t, m, book), cases, 4); err != nil || m.Counts().Answered != paid || !slices.Equal(again, calm) {
			t.Errorf("%s: asked again: %v, %d answers after %d", fault.Kind, err, m.Counts().Answered, paid)
		}
	}
}

// TestWhatAJudgeMayNotSay is asked once more, and then unjudged; a label that is there stays.
func TestWhatAJudgeMayNotSay(t *testing.T) {
	one := func(number int, label string) map[string]any {
		return map[string]any{"number": number, "why": "so", "label": label}
	}
	cases := []score.Case{{IDs: []string{"a", "b"}, Prompt: score.JudgeAnswer, Labels: answerLabels, Question: "?", Subjects: []string{"x", "y"}, Against: []string{"gold"}}}
	for name, tc := range map[string]struct {
		first, then []map[string]any
		want        []string
		asked       int
	}{
		"good":             {[]map[string]any{one(1, "Correct"), one(2, "Omission")}, nil, []string{"Correct", "Omission"}, 1},
		"mended":           {[]map[string]any{one(1, "Covered"), one(2, "Omission")}, []map[string]any{one(1, "Correct"), one(2, "Omission")}, []string{"Correct", "Omission"}, 2},
		"another's label":  {[]map[string]any{one(1, "Covered"), one(2, "Omission")}, []map[string]any{one(1, "0.5"), one(2, "Omission")}, []string{"", "Omission"}, 2},
		"one is left out":  {[]map[string]any{one(1, "Correct")}, []map[string]any{one(1, "Correct")}, []string{"Correct", ""}, 2},
		"no such number":   {[]map[string]any{one(1, "Correct"), one(3, "Omission")}, []map[string]any{one(1, "Correct"), one(2, "Omission"), one(3, "Omission")}, []string{"Correct", "Omission"}, 2},
		"two labels":       {[]map[string]any{one(1, "Correct"), one(1, "Omission"), one(2, "Correct")}, []map[string]any{one(1, "Correct"), one(1, "Omission"), one(2, "Correct")}, []string{"", "Correct"}, 2},
		"no label at all":  {[]map[string]any{one(1, "perhaps"), one(2, "no")}, []map[string]any{one(1, "perhaps")}, []string{"", ""}, 2},
		"an empty verdict": {[]map[string]any{}, []map[string]any{}, []string{"", ""}, 2},
	} {
		m := testkit.NewModelServer(t, func(r testkit.ChatRequest) testkit.ChatReply {
			if r.Repairs > 0 || strings.Contains(r.User, "could not be used") {
				return testkit.ReplyJSON(map[string]any{"labels": tc.then})
			}
			return testkit.ReplyJSON(map[string]any{"labels": tc.first})
		})
		labels, open, err := runner.Judge(t.Context(), judgeWith(t, m, newLedger(t)), cases, 1)
		if err != nil || open != 0 || len(labels) != 2 || m.Counts().Requests != tc.asked {
			t.Errorf("%s: %d labels, %d open, %v after %d requests", name, len(labels), open, err, m.Counts().Requests)
			continue
		}
		for n, l := range labels {
			if l.Prediction != tc.want[n] || (l.Unjudged != "") != (tc.want[n] == "") {
				t.Errorf("%s: %+v", name, l)
			}
		}
		var file bytes.Buffer
		for _, l := range labels {
			if err := json.NewEncoder(&file).Encode(l); err != nil {
				t.Fatal(err)
			}
		}
		read, err := score.ReadLabels(&file)
		if err != nil || read["a#judge"] != labels[0] {
			t.Errorf("%s: %+v, %v", name, read, err)
		}
		if err := score.CheckLabels(read, cases); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		other := slices.Clone(cases)
		other[0].Subjects = []string{"x", "another answer"}
		if err := score.CheckLabels(read, other); err == nil {
			t.Errorf("%s: labels of other answers are taken", name)
		}
	}
}

// TestFailuresAreJudged: the prompt of failures shows the case, and takes its labels alone.
func TestFailuresAreJudged(t *testing.T) {
	labels := []string{"Function Execution Error", "Preference Inference Error"}
	one := score.Case{IDs: []string{"q@one"}, Prompt: score.JudgeDiagnosis, Labels: labels, Question: "Which mill?\ntask: conflict_resolution", Subjects: []string{"the old one"}, Against: []string{"right answer: B", "context: it burnt down"}}
	m := testkit.NewModelServer(t, func(r testkit.ChatRequest) testkit.ChatReply {
		label := labels[0]
		if !strings.Contains(r.User, "Which mill?") || !strings.Contains(r.User, "it burnt down") || !strings.Contains(r.User, "the old one") {
			label = "Correct"
		}
		return testkit.ReplyJSON(map[string]any{"labels": []map[string]any{{"number": 1, "why": "so", "label": label}}})
	})
	got, open, err := runner.Judge(t.Context(), judgeWith(t, m, newLedger(t)), []score.Case{one}, 1)
	if err != nil || open != 0 || len(got) != 1 || got[0].ID != "q@one#judge" || got[0].Prediction != labels[0] || got[0].Prompt != score.JudgeDiagnosis {
		t.Errorf("%+v, %d open, %v", got, open, err)
	}
}
