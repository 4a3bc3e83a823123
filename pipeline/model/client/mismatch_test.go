package client_test

import (
	"maps"
	"testing"

	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/testkit"
)

// TestWhoAnswersIsCompared: a server that serves another model than was asked for
// is told of, also when its answers are replayed; a version of the same is not.
func TestWhoAnswersIsCompared(t *testing.T) {
	model := ""
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		s := answerColour(a)
		s.Model = model
		return s
	})
	dir := t.TempDir()
	ask := func(what ...string) []client.ModelMismatch {
		roles, live := server.LiveWith(t, client.Options{Ledger: openLedger(t, dir)}, "", "captioner")
		b := newBench(t, roles, live)
		for _, w := range what {
			if _, err := b.colour(w); err != nil {
				t.Fatal(err)
			}
		}
		return live.ModelMismatches()
	}
	if odd := ask("sky"); len(odd) != 0 {
		t.Errorf("a version of the model is told of: %+v", odd)
	}
	model = "another-1"
	for range 2 { // asked, then replayed
		odd := ask("sea", "sand")
		if len(odd) != 1 || !maps.Equal(odd[0].Counts, map[string]int{"another-1": 2}) {
			t.Errorf("%+v", odd)
		}
	}
	if odd := ask("sky", "sea"); len(odd) != 1 || len(odd[0].Names()) != 2 {
		t.Errorf("two that answered: %+v", odd)
	}
}
