package client_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/testkit"
)

func TestCostOfCachedTokens(t *testing.T) {
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		s := answerColour(a)
		s.Input, s.Cached, s.Output = 1000, 400, 100
		return s
	})
	b := liveBench(t, server, "    price: {input: 2, cached_input: 0.5, output: 10, currency: USD}\n")
	for _, what := range []string{"a", "b", "a"} {
		if _, err := newBench(t, b.roles, b.live).colour(what); err != nil {
			t.Fatal(err)
		}
	}
	total := b.live.(*client.Client).Total()
	// Each: 600 at 2, 400 at 0.5 and 100 at 10 a million.
	if want := 2 * 0.0024; math.Abs(total.Cost["USD"]-want) > 1e-12 || total.Calls != 2 || total.Replayed != 1 || total.Usage.Cached != 800 {
		t.Errorf("%+v, want %g USD for 2 calls and a replay", total, want)
	}
	node := b.live.(*client.Client).PerStep()["asks"]
	if node.Calls != 2 || node.Cost["USD"] != total.Cost["USD"] {
		t.Errorf("of the node: %+v", node)
	}
}

func TestServerWithoutUsageIsNotFree(t *testing.T) {
	server := testkit.NewModelServer(t, answerColour)
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultStatus, Status: 200, Header: map[string]string{"Content-Type": "application/json"},
		Body: `{"choices":[{"message":{"content":"{\"colour\":\"red\"}"},"finish_reason":"stop"}]}`})
	b := liveBench(t, server, "    price: {input: 2, output: 10, currency: USD}\n    sampling: {max_tokens: 50}\n")
	if _, err := b.colour("wine"); err != nil {
		t.Fatal(err)
	}
	if total := b.live.(*client.Client).Total(); total.Cost["USD"] < 50*10/1e6 {
		t.Errorf("%+v", total)
	}
}

func TestWhatTheLibraryRefusesIsNotTriedAgain(t *testing.T) {
	server := testkit.NewModelServer(t, answerColour)
	text := strings.Replace(server.YAML("    sampling: {temperature: 0.5}\n", "captioner"), "scripted-1", "o1-mini", 1)
	roles, live := fromYAML(t, text, client.Options{Ledger: openLedger(t, t.TempDir())})
	_, err := newBench(t, roles, live).colour("ink")
	var s *model.ServerError
	if !errors.As(err, &s) || s.Reason != model.Unusable || server.Counts().Requests != 0 {
		t.Errorf("error %v after %d requests", err, server.Counts().Requests)
	}
}
