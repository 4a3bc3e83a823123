package panel

import (
	"hash/fnv"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// TestVotesAreNoCopies: whatever is asked several times for a vote is asked in
// other words or with other places each time, so that a model which gives the
// same text the same answer does not vote for itself.
func TestVotesAreNoCopies(t *testing.T) {
	open := func(q *schemas.Question) { q.Options = nil }
	three := func(q *schemas.Question) { q.Options = q.Options[1:] }
	two := func(q *schemas.Question) { q.Options = q.Options[1:3] }
	for _, tc := range []struct {
		gate, config string
		edit         func(*schemas.Question)
		// texts are the different ones among the calls.
		calls, texts int
	}{
		{"correctness", `{"full_protocol": true}`, func(*schemas.Question) {}, 3, 3},
		{"correctness", `{"full_protocol": true}`, open, 3, 3},
		{"correctness", `{"full_protocol": true, "runs": 5}`, open, 5, 3},
		{"evidence-necessity", `{"full_protocol": true}`, open, 6, 6},
		{"source-necessity", `{"full_protocol": true}`, two, 6, 6},
		{"option-only", `{"full_protocol": true}`, three, 8, 4},
		{"oracle", `{"full_protocol": true}`, two, 8, 4},
		{"oracle", `{"full_protocol": true, "rotations": 2, "runs": 3}`, two, 12, 6},
	} {
		b := newBench(t)
		var mu sync.Mutex
		texts := map[uint64]bool{}
		b.ask(func(a testkit.ChatRequest) testkit.ChatReply {
			mu.Lock()
			h := fnv.New64a()
			h.Write([]byte(a.System + "\x00" + a.User))
			texts[h.Sum64()] = true
			mu.Unlock()
			return reader(t, "green", "is green")(a)
		})
		got := b.judge(tc.gate, tc.config, edited("q", tc.edit))
		if len(texts) != tc.texts || len(got.probes) != tc.calls {
			t.Errorf("%s %s: %d different texts in %d calls; want %d in %d", tc.gate, tc.config, len(texts), len(got.probes), tc.texts, tc.calls)
		}
	}
}
