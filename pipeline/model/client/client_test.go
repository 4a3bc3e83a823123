package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/testkit"
)

func TestAskWritesTheRequestAsConfigured(t *testing.T) {
	var got testkit.ChatRequest
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		got = a
		return answerColour(a)
	})
	b := liveBenchWith(t, server, "    key_env: TEST_KEY\n    sampling: {temperature: 0, max_tokens: 300, seed: 7}\n", client.Options{
		Ledger: openLedger(t, t.TempDir()), Getenv: func(string) string { return "sk-secret-key" },
	})
	img := picture(t, 20, 10, "png")
	out, err := b.colour("sky", b.put(img))
	if err != nil {
		t.Fatal(err)
	}
	if out.Value.Colour != "colour of sky" || out.Model != "scripted-1" || out.Usage.Input == 0 || out.Usage.Output == 0 {
		t.Errorf("answer %+v", out)
	}
	switch {
	case got.Temperature == nil || *got.Temperature != 0:
		t.Errorf("temperature 0 was not sent: %s", got.Body)
	case got.Seed == nil || *got.Seed != 7 || got.MaxTokens != 300 || got.Model != "scripted-1":
		t.Errorf("sampling was not sent: %s", got.Body)
	case got.Key != "sk-secret-key":
		t.Errorf("key %q", got.Key)
	case got.Task != "test_colour" || !strings.Contains(string(got.Schema), `"description":"(minLength 2)"`) || !bytes.Contains(got.Body, []byte(`"strict":true`)):
		t.Errorf("schema %s of %s", got.Schema, got.Task)
	case len(got.Images) != 1 || !bytes.Equal(got.Images[0], img):
		t.Error("a small image was not sent as it is")
	}
}

func TestImagesAreFittedToTheModel(t *testing.T) {
	var sent [][]byte
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		sent = a.Images
		return answerColour(a)
	})
	b := liveBench(t, server, "    media: {max_long_side: 100, max_bytes: 12000, max_images: 2}\n")
	if _, err := b.colour("wide", b.put(picture(t, 400, 100, "png")), b.put(picture(t, 90, 90, "jpeg"))); err != nil {
		t.Fatal(err)
	}
	for i, want := range []image.Point{{100, 25}, {90, 90}} {
		cfg, format, err := image.DecodeConfig(bytes.NewReader(sent[i]))
		if err != nil || cfg.Width != want.X || cfg.Height != want.Y || len(sent[i]) > 12000 {
			t.Errorf("image %d: %v %s %dx%d of %d bytes, want %v", i, err, format, cfg.Width, cfg.Height, len(sent[i]), want)
		}
	}
	small := b.put(picture(t, 10, 10, "png"))
	_, err := b.colour("many", small, small, small)
	wantOutcome(t, err, model.TooLarge)
	_, err = b.colour("gif", b.put([]byte("GIF89a, not a picture we send")))
	wantOutcome(t, err, model.TooLarge)
	if n := server.Counts().Requests; n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func wantOutcome(t *testing.T, err error, want pipeline.ReplyOutcome) {
	t.Helper()
	var o *model.OutcomeError
	var r *pipeline.Rejection
	if !errors.As(err, &o) || o.Outcome != want || !errors.As(err, &r) || r.Code != want.Code() {
		t.Errorf("error %v, want the outcome %q with a rejection", err, want)
	}
}

func TestPromptLevelJSON(t *testing.T) {
	var system string
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		system = a.System
		if a.Schema != nil {
			t.Error("response_format was sent to a server that cannot take it")
		}
		said := answerColour(a)
		said.Text = "<think>blue? {\"colour\": 1}</think>\n```json\n" + said.Text + "\n```"
		return said
	})
	text := strings.Replace(server.YAML("", "captioner"), "embeddings: true", "json_schema: false", 1)
	roles, live := fromYAML(t, text, client.Options{Ledger: openLedger(t, t.TempDir())})
	b := newBench(t, roles, live)
	out, err := b.colour("sea")
	if err != nil || out.Value.Colour != "colour of sea" {
		t.Fatalf("%+v, %v", out, err)
	}
	if !strings.Contains(system, `"minLength":2`) {
		t.Errorf("the schema is not in the system message: %s", system)
	}
}

func TestOneRepairTurn(t *testing.T) {
	for _, kind := range []testkit.FaultKind{testkit.FaultSchema, testkit.FaultProse} {
		server := testkit.NewModelServer(t, answerColour)
		b := liveBench(t, server, "")
		server.AddFault(testkit.ModelFault{Kind: kind, Times: 1})
		out, err := b.colour("grass")
		if err != nil || out.Value.Colour != "colour of grass" {
			t.Errorf("%s once: %+v, %v", kind, out, err)
		}
		server.ClearFaults()
		server.AddFault(testkit.ModelFault{Kind: kind})
		_, err = b.colour("moss")
		wantOutcome(t, err, model.Invalid)
		if n := server.Counts().Requests; n != 4 {
			t.Errorf("%s: %d requests, want 2 for each item", kind, n)
		}
	}
}

// TestTokensDoNotTellOfRepairs: what a release states of a question must not
// depend on whether its first answer was spoiled, and what is paid must.
func TestTokensDoNotTellOfRepairs(t *testing.T) {
	said := map[int]testkit.ChatReply{0: {Input: 100, Cached: 10, Output: 7}, 1: {Input: 180, Cached: 90, Output: 7}}
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		s := answerColour(a)
		s.Input, s.Cached, s.Output = said[a.Repairs].Input, said[a.Repairs].Cached, said[a.Repairs].Output
		return s
	})
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultSchema, Match: "grass", Times: 1})
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultSchema, Match: "moss"})
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultSchema, Match: "fern", Times: 1})
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultRefusal, Match: "fern"})
	book := openLedger(t, t.TempDir())
	roles, live := server.LiveWith(t, client.Options{Ledger: book}, "", "captioner")
	b := newBench(t, roles, live)
	for _, what := range []string{"sky", "grass"} {
		out, err := b.colour(what)
		if want := (pipeline.Usage{Input: 100, Cached: 10, Output: 7}); err != nil || out.Usage != want {
			t.Errorf("%s states %+v, %v; want %+v", what, out.Usage, err, want)
		}
	}
	for what, outcome := range map[string]pipeline.ReplyOutcome{"moss": model.Invalid, "fern": model.Refusal} {
		_, err := b.colour(what)
		wantOutcome(t, err, outcome)
		var o *model.OutcomeError
		if errors.As(err, &o) && (o.Usage.Input != 100 || o.Usage.Cached != 10) {
			t.Errorf("%s states %+v, want the input of the first turn", what, o.Usage)
		}
	}
	if got := live.Total().Usage.Input; got != 100+3*(100+180) {
		t.Errorf("%d tokens of input are booked, and %d were paid", got, 100+3*(100+180))
	}
}

func TestRepairShowsWhatIsWrong(t *testing.T) {
	var repair string
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		if a.Repairs > 0 {
			repair = string(a.Body)
			return answerColour(a)
		}
		return testkit.ReplyJSON(map[string]any{"colour": "x", "shade": 1, "hue": 2})
	})
	if _, err := liveBench(t, server, "").colour("rust"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"at /colour: minLength", "'hue', 'shade'"} {
		if !strings.Contains(repair, want) {
			t.Errorf("the repair turn does not say %q: %s", want, repair)
		}
	}
}

func TestOutcomesOfOneItem(t *testing.T) {
	for _, tc := range []struct {
		fault testkit.ModelFault
		want  pipeline.ReplyOutcome
	}{
		{testkit.ModelFault{Kind: testkit.FaultRefusal}, model.Refusal},
		{testkit.ModelFault{Kind: testkit.FaultFilter}, model.Filtered},
		{testkit.ModelFault{Kind: testkit.FaultLength}, model.Length},
		{status(400, `{"error":{"message":"This model's maximum context length is 8192 tokens","type":"invalid_request_error","code":"context_length_exceeded"}}`), model.TooLarge},
		{status(413, "Payload too large"), model.TooLarge},
		{status(400, `{"error":{"message":"filtered","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`), model.Filtered},
	} {
		server := testkit.NewModelServer(t, answerColour)
		b := liveBench(t, server, "")
		server.AddFault(tc.fault)
		_, err := b.colour("mud")
		wantOutcome(t, err, tc.want)
		before := server.Counts().Requests
		_, err = newBench(t, b.roles, b.live).colour("mud")
		wantOutcome(t, err, tc.want)
		if server.Counts().Requests != before {
			t.Errorf("%s was not recorded: it was asked again", tc.want)
		}
	}
}

func status(code int, body string) testkit.ModelFault {
	return testkit.ModelFault{Kind: testkit.FaultStatus, Status: code, Body: body}
}

func TestBrokenAnswersAreTriedAgain(t *testing.T) {
	for _, f := range []testkit.ModelFault{
		{Kind: testkit.FaultReset}, {Kind: testkit.FaultCut}, {Kind: testkit.FaultCutJSON},
		{Kind: testkit.FaultTwice}, {Kind: testkit.FaultBytes}, {Kind: testkit.FaultHTML},
		{Kind: testkit.FaultType}, {Kind: testkit.FaultInside}, {Kind: testkit.FaultEmpty},
		status(500, "<html>oops</html>"), status(503, `{"message":"flat error"}`), status(408, ""), status(409, `{"error":{"message":"conflict"}}`),
		testkit.Refuse429("Retry-After", "0"), testkit.Refuse429("retry-after-ms", "15"),
		testkit.Refuse429("Retry-After", time.Now().UTC().Format(http.TimeFormat)),
		testkit.Refuse429("RateLimit", `"default";r=0;t=0`),
	} {
		f.Times = 2
		server := testkit.NewModelServer(t, answerColour)
		b := liveBench(t, server, "")
		server.AddFault(f)
		out, err := b.colour("tin")
		if err != nil || out.Value.Colour != "colour of tin" {
			t.Errorf("%s %d %v: %+v, %v", f.Kind, f.Status, f.Header, out, err)
		}
		if n := server.Counts().Requests; n != 3 {
			t.Errorf("%s %d: %d requests, want 3", f.Kind, f.Status, n)
		}
	}
}

func TestErrorsThatEndTheBuild(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fault testkit.ModelFault
		want  model.ServerReason
		tries int
	}{
		{"unauthorised", status(401, `{"error":{"message":"Incorrect API key provided: sk-secret-key","code":"invalid_api_key"}}`), model.Unauthorised, 1},
		{"forbidden", status(403, "no"), model.Unauthorised, 1},
		{"quota", status(429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`), model.Exhausted, 1},
		{"no such model", status(404, `{"error":{"message":"The model does not exist","code":"model_not_found"}}`), model.Unusable, 1},
		{"redirect", testkit.ModelFault{Kind: testkit.FaultStatus, Status: 307, Header: map[string]string{"Location": "http://127.0.0.1:1/"}}, model.Unusable, 1},
		{"told not to try again", testkit.ModelFault{Kind: testkit.FaultStatus, Status: 500, Header: map[string]string{"X-Should-Retry": "false"}, Body: "no"}, model.Unavailable, 1},
		{"told to try again", testkit.ModelFault{Kind: testkit.FaultStatus, Status: 418, Header: map[string]string{"X-Should-Retry": "true"}, Body: "tea"}, model.Unavailable, 3},
		{"always failing", status(502, "bad gateway"), model.Unavailable, 3},
		{"always empty", testkit.ModelFault{Kind: testkit.FaultEmpty}, model.Unavailable, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := testkit.NewModelServer(t, answerColour)
			b := liveBenchWith(t, server, "    key_env: TEST_KEY\n    limits: {tries: 3}\n", client.Options{
				Ledger: openLedger(t, t.TempDir()), Getenv: func(string) string { return "sk-secret-key" },
			})
			server.AddFault(tc.fault)
			_, err := b.colour("lead")
			var s *model.ServerError
			if !errors.As(err, &s) || s.Reason != tc.want {
				t.Fatalf("error %v, want %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "sk-secret") {
				t.Errorf("the key is in the error: %v", err)
			}
			if n := server.Counts().Requests; n != tc.tries {
				t.Errorf("%d requests, want %d", n, tc.tries)
			}
		})
	}
}

func TestServerThatFailsOnOneItemLosesThatItem(t *testing.T) {
	server := testkit.NewModelServer(t, answerColour)
	b := liveBench(t, server, "    limits: {tries: 40}\n")
	bad := status(500, "cannot parse")
	bad.Match = "poison"
	server.AddFault(bad)
	done := make(chan error, 1)
	other := newBench(t, b.roles, b.live)
	go func() {
		_, err := other.colour("poison")
		done <- err
	}()
	for i, late := 0, time.After(time.Minute); ; i++ {
		select {
		case <-late:
			t.Fatal("the poisoned item never ended")
		case err := <-done:
			wantOutcome(t, err, model.Failed)
			var r *pipeline.Rejection
			if errors.As(err, &r) && !r.Transient {
				t.Error("the loss would be cached")
			}
			return
		default:
			if _, err := b.colour(fmt.Sprint("thing ", i)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestRefusalOfOneItem: a refused request is the item's, whichever of two requests is first,
// and nothing is asked twice.
func TestRefusalOfOneItem(t *testing.T) {
	for range 10 {
		server := testkit.NewModelServer(t, answerColour)
		b := liveBench(t, server, "")
		bad := status(400, `{"error":"unknown words"}`)
		bad.Match = "poison"
		server.AddFault(bad)
		other, done := newBench(t, b.roles, b.live), make(chan error, 1)
		go func() {
			_, err := other.colour("poison")
			done <- err
		}()
		if _, err := b.colour("tin"); err != nil {
			t.Fatal(err)
		}
		err := <-done
		wantOutcome(t, err, model.Failed)
		if !strings.Contains(err.Error(), "unknown words") || server.Counts().Requests != 2 {
			t.Errorf("%v after %d requests", err, server.Counts().Requests)
		}
	}
}

// TestServerThatRefusesEveryItem ends the build at the third.
func TestServerThatRefusesEveryItem(t *testing.T) {
	server := testkit.NewModelServer(t, answerColour)
	b := liveBench(t, server, "")
	server.AddFault(status(422, `{"detail":"no seed"}`))
	for i := range 3 {
		_, err := b.colour(fmt.Sprint("thing ", i))
		var s *model.ServerError
		if i < 2 {
			wantOutcome(t, err, model.Failed)
		} else if !errors.As(err, &s) || s.Reason != model.Unusable || !strings.Contains(err.Error(), "no seed") {
			t.Errorf("the third is refused as %v", err)
		}
	}
	all := make(chan error)
	for i := range 8 {
		each := newBench(t, b.roles, b.live)
		go func() {
			_, err := each.colour(fmt.Sprint("another ", i))
			all <- err
		}()
	}
	for range 8 {
		var s *model.ServerError
		if err := <-all; !errors.As(err, &s) {
			t.Errorf("at once with others: %v", err)
		}
	}
}

func TestMissingKeyIsFoundBeforeAnythingIsSent(t *testing.T) {
	server := testkit.NewModelServer(t, answerColour)
	b := liveBench(t, server, "    key_env: TEST_KEY\n")
	_, err := b.colour("zinc")
	var s *model.ServerError
	if !errors.As(err, &s) || s.Reason != model.Unauthorised || !strings.Contains(err.Error(), "TEST_KEY is not set") || server.Counts().Requests > 0 {
		t.Errorf("error %v after %d requests", err, server.Counts().Requests)
	}
}

func TestEmbeddings(t *testing.T) {
	server := testkit.NewModelServer(t, answerColour)
	b := liveBench(t, server, "")
	texts := []string{"red apple", "green apple", "red apple", "", "a fast train"}
	embed := func(texts []string) [][]float32 {
		t.Helper()
		var out [][]float32
		err := b.in(t.Context(), "e", func(ctx context.Context, s *pipeline.Scope) error {
			var err error
			out, err = s.Embed(ctx, "embedder", texts)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	got := embed(texts)
	if dot(got[0], got[2]) < 0.999 || dot(got[0], got[1]) < 0.3 || dot(got[0], got[4]) > 0.3 {
		t.Errorf("vectors do not belong to their texts")
	}
	b = newBench(t, b.roles, b.live)
	if again := embed([]string{"a fast train", "red apple"}); dot(again[0], got[4]) < 0.999 || dot(again[1], got[0]) < 0.999 {
		t.Error("recorded vectors differ")
	}
	if n := server.Counts().Requests; n != 1 {
		t.Errorf("%d requests, want 1: each text is recorded by itself", n)
	}
}

func dot(a, b []float32) (sum float32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
