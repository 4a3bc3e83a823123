package defects_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/defects"
)

// brain answers as far as what is shown suffices, with the slips of each model.
type brain map[string]defects.ErrorRates

// answer is a function of the request alone.
func (b brain) answer(a defects.ModelRequest) (any, error) {
	shown, err := defects.ReadPrompt(a.User, a.Pictures)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(a.Task, "leak") {
		return readLeaks(a.User, shown.Options)
	}
	s, luck := b[a.Model], a.Rand()
	if strings.HasSuffix(a.Task, "support") {
		yes, err := defects.Supported(shown)
		if luck.Float64() < s.Judge {
			yes = !yes
		}
		return map[string]string{"why": "As shown.", "supported": map[bool]string{true: "yes", false: "no"}[yes]}, err
	}
	letter, err := defects.Solve(shown)
	slip, n := luck.Float64(), luck.IntN(len(shown.Options)-1)
	switch {
	case letter == defects.Unknown && slip < s.Guess:
		letter = shown.Options[luck.IntN(len(shown.Options))].Letter
	case letter != defects.Unknown && slip < s.Chance(shown):
		at := (int(letter[0]-'A') + 1 + n) % len(shown.Options)
		letter = shown.Options[at].Letter
	}
	return map[string]string{"why": "As shown.", "answer": letter}, err
}

// readLeaks says yes to each claim whose sentence has a word of its option alone.
func readLeaks(user string, options []defects.Choice) (any, error) {
	var claims []struct {
		Number           int
		Option, Sentence string
	}
	err := testkit.ChatRequest{User: user}.Data("claims", &claims)
	findings := []map[string]any{}
	for _, c := range claims {
		said, told := words.Words(c.Sentence), "no"
		for _, o := range options {
			own := slices.DeleteFunc(words.Words(o.Text), func(w string) bool {
				return slices.ContainsFunc(options, func(other defects.Choice) bool { return other != o && slices.Contains(words.Words(other.Text), w) })
			})
			if o.Letter == c.Option && slices.ContainsFunc(own, func(w string) bool { return slices.Contains(said, w) }) {
				told = "yes"
			}
		}
		findings = append(findings, map[string]any{"number": c.Number, "why": "So it reads.", "so": told})
	}
	return map[string]any{"findings": findings}, err
}

// serve gives the roles of a house to a brain behind a real HTTP server, asked
// through the live client.
func (b brain) serve(t testing.TB, h *house) *testkit.ModelServer {
	t.Helper()
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		if a.Seed == nil {
			return testkit.ChatReply{Refusal: "Which sample is this?"}
		}
		said, err := b.answer(defects.ModelRequest{Model: a.Model, Task: a.Task, User: a.User, Pictures: a.Images, Sample: *a.Seed - defects.Seed})
		if err != nil {
			return testkit.ChatReply{Refusal: err.Error()}
		}
		return testkit.ReplyJSON(said)
	})
	book, err := ledger.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := book.Close(); err != nil {
			t.Error(err)
		}
	})
	cfg := defects.PanelConfig(t, server.URL)
	c, err := client.New(client.Options{Models: cfg.Models, Roles: cfg.Roles, Ledger: book, FirstPause: time.Millisecond}, cfg.Plan.Models)
	if err != nil {
		t.Fatal(err)
	}
	h.roles, h.models = cfg.Plan.Models, c
	return server
}

// sit gives the roles of a house to a brain without a server between.
func (b brain) sit(t testing.TB, h *house, host string) {
	t.Helper()
	h.roles, h.models = defects.DirectModels(t, host, b.answer)
}
