package runner_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/eval/runner"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/testkit"
)

// firstOption answers every question with the first option it is shown, and calls unknown.
func firstOption(r testkit.ChatRequest) testkit.ChatReply {
	switch r.Task {
	case "gate_answer":
		return testkit.ReplyJSON(map[string]string{"why": "it comes first", "answer": "A"})
	case "gate_call":
		return testkit.ReplyJSON(map[string]string{"why": "no reason", "call": "unknown"})
	}
	return testkit.ReplyJSON(map[string]string{"why": "no reason", "answer": "unknown"})
}

// asked is a reference system whose model is a scripted server.
func asked(t *testing.T, rule string, m *testkit.ModelServer, o client.Options, images, context int) (runner.Restartable, *client.Client) {
	t.Helper()
	identities, live := m.LiveWith(t, o, "", runner.RoleAnswers, runner.RoleEmbeds)
	pictures := runner.NewPictures(contents(t), t.TempDir())
	t.Cleanup(func() {
		if err := pictures.Close(); err != nil {
			t.Error(err)
		}
	})
	use := func(role string) runner.Asking {
		id := identities[role]
		return runner.Asking{Registry: plugins.Registry(), Models: live, Identity: &id, Name: "scripted", Pictures: pictures}
	}
	s, err := runner.Reference(rule, runner.ReferenceOptions{
		Gold: runner.GoldTurns(contents(t)), Context: context,
		Embedder: &runner.Embedder{Asking: use(runner.RoleEmbeds)}, Answerer: &runner.Answerer{Asking: use(runner.RoleAnswers), Images: images},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, live
}

func book(t *testing.T, dir string) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// TestModelsAnswer: a model answers from what each reference retrieves; what it was sent is
// bounded, and what found no room is in the log.
func TestModelsAnswer(t *testing.T) {
	c := contents(t)
	for _, tc := range []struct {
		rule            string
		images, context int
		truncated       bool
	}{
		{rule: runner.ReferenceBM25, images: 3},
		{rule: runner.ReferenceDense},
		{rule: runner.ReferenceNothing},
		{rule: runner.ReferenceWhole, images: 4, context: 120_000},
		{rule: runner.ReferenceWhole, context: 300, truncated: true},
	} {
		most, longest := 0, 0
		m := testkit.NewModelServer(t, nil)
		m.SetAnswer(func(r testkit.ChatRequest) testkit.ChatReply {
			most, longest = max(most, len(r.Images)), max(longest, len(r.User))
			return firstOption(r)
		})
		s, _ := asked(t, tc.rule, m, client.Options{Ledger: book(t, t.TempDir())}, tc.images, tc.context)
		dir := t.TempDir()
		sum, err := runner.Run(t.Context(), plugins.Registry(), c, s, dir, runner.Options{TopK: 5, Parallel: 1})
		if err != nil || sum.Answered != len(c.Questions) || !strings.HasPrefix(sum.Usage.Model, "scripted-1") || sum.Usage.InputTokens == 0 {
			t.Errorf("%s: %+v, %v", tc.rule, sum, err)
		}
		for _, q := range c.Questions {
			if got := answers(t, dir)[q.QuestionID]; len(q.Options) > 0 && got != q.Options[0].Key {
				t.Errorf("%s answers %s with %q", tc.rule, q.QuestionID, got)
			}
		}
		if most > tc.images || tc.images > 0 && sum.Usage.Pictures == 0 || (sum.Usage.TurnsLeftOut > 0) != tc.truncated || tc.truncated && longest > 300*4+8000 {
			t.Errorf("%s: %d pictures in one request of %d, %d characters; %+v", tc.rule, most, tc.images, longest, sum.Usage)
		}
		if n := strings.Count(read(t, dir, runner.FileUsage), "\n"); n != len(c.Questions) {
			t.Errorf("%s: %d lines of usage", tc.rule, n)
		}
	}
}

// TestNothingIsPaidTwice: a run that its budget or a server's faults break off asks, when it
// goes on, what has no answer yet; a second run from the same ledger asks nothing.
func TestNothingIsPaidTwice(t *testing.T) {
	c := contents(t)
	m := testkit.NewModelServer(t, firstOption)
	m.AddFault(testkit.ModelFault{Kind: testkit.FaultStatus, Status: 401, After: 5, Times: 1, Body: `{"error":{"message":"no"}}`})
	m.AddFault(testkit.ModelFault{Kind: testkit.FaultStatus, Status: 500, Share: 0.2, Each: 1, Body: `{"error":{"message":"busy"}}`})
	dir, records := t.TempDir(), book(t, t.TempDir())
	run := func(dir string, o client.Options) (runner.Totals, error) {
		o.Ledger = records
		s, _ := asked(t, runner.ReferenceBM25, m, o, 2, 0)
		return runner.Run(t.Context(), plugins.Registry(), c, s, dir, runner.Options{TopK: 5, Parallel: 3})
	}
	if _, err := run(dir, client.Options{}); err == nil {
		t.Fatal("a server that takes no key ends no run")
	}
	sum, err := run(dir, client.Options{})
	if err != nil || sum.Answered != len(c.Questions) || sum.Open > 0 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if got := m.Counts(); got.Repeated > 0 || got.Answered > len(c.Questions) {
		t.Errorf("%+v for %d questions", got, len(c.Questions))
	}
	m.ResetCounts()
	again := t.TempDir()
	if _, err := run(again, client.Options{Offline: true}); err != nil || m.Counts().Requests > 0 {
		t.Errorf("from the ledger: %v, %+v", err, m.Counts())
	}
	if read(t, again, runner.FileAnswers) != read(t, dir, runner.FileAnswers) {
		t.Error("a replayed run answers otherwise")
	}
}

// TestWaitingQuestionsAreAskedLater: questions whose requests are collected for a batch have
// no answer yet, and the same command takes them up again.
func TestWaitingQuestionsAreAskedLater(t *testing.T) {
	c := contents(t)
	m := testkit.NewModelServer(t, firstOption)
	dir, records := t.TempDir(), book(t, t.TempDir())
	s, _ := asked(t, runner.ReferenceBM25, m, client.Options{Ledger: records, Collect: true}, 0, 0)
	sum, err := runner.Run(t.Context(), plugins.Registry(), c, s, dir, runner.Options{TopK: 5})
	if err != nil || sum.Open != len(c.Questions) || sum.Failed > 0 || m.Counts().Requests > 0 {
		t.Fatalf("%+v, %v, %+v", sum, err, m.Counts())
	}
	s, _ = asked(t, runner.ReferenceBM25, m, client.Options{Ledger: records}, 0, 0)
	if sum, err = runner.Run(t.Context(), plugins.Registry(), c, s, dir, runner.Options{TopK: 5}); err != nil || sum.Open > 0 || sum.Answered != len(c.Questions) {
		t.Errorf("%+v, %v", sum, err)
	}
}

// TestRefusalsAreNoAnswers: what a model declines stays without an answer, and the run goes
// on.
func TestRefusalsAreNoAnswers(t *testing.T) {
	c := contents(t)
	m := testkit.NewModelServer(t, func(testkit.ChatRequest) testkit.ChatReply { return testkit.ChatReply{Refusal: "I would rather not."} })
	s, _ := asked(t, runner.ReferenceNothing, m, client.Options{Ledger: book(t, t.TempDir())}, 0, 0)
	dir := t.TempDir()
	sum, err := runner.Run(t.Context(), plugins.Registry(), c, s, dir, runner.Options{TopK: 5})
	if err != nil || sum.Answered != 0 || sum.Failed+sum.Open > 0 || read(t, dir, runner.FileAnswers) != "" {
		t.Errorf("%+v, %v", sum, err)
	}
	var fault *runner.SystemError
	if errors.As(err, &fault) {
		t.Error(fault)
	}
}
