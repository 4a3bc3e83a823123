package wire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/server"
	"github.com/memforge/memforge/pipeline/model/wire"
	"github.com/memforge/memforge/pipeline/testkit/golden"
)

// shown is a reply, or of an error its kind and text.
func shown(v any, err error) string {
	var server *model.ServerError
	var outcome *model.OutcomeError
	kind := fmt.Sprintf("%T", err)
	switch {
	case err == nil:
		return fmt.Sprintf("%+v", v)
	case errors.As(err, &server):
		return fmt.Sprintf("%s %s: %s", kind, server.Reason, err)
	case errors.As(err, &outcome):
		return fmt.Sprintf("%s %s: %s", kind, outcome.Outcome, err)
	}
	return fmt.Sprintf("%s: %s", kind, err)
}

// TestGoldenSpoiled pins what is read of answers, and of answers with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	golden.CheckSpoiled(t, "completion", json.RawMessage(`{"model":"m","system_fingerprint":"f","error":null,"choices":[{"message":{"role":"assistant","content":"yes","refusal":""},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":12,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}}`), func(doc []byte) string { return shown(wire.ReadCompletion(doc)) })
	golden.CheckSpoiled(t, "embeddings", json.RawMessage(`{"data":[{"index":1,"embedding":[0.5,1]},{"index":0,"embedding":[2,3]}],"usage":{"prompt_tokens":12}}`), func(doc []byte) string {
		vectors, usage, err := wire.ReadEmbeddings(doc, 2)
		return shown(fmt.Sprint(vectors, usage), err)
	})
	for _, reason := range []string{"stop", "length", "content_filter", "tool_calls"} {
		said, err := wire.ReadCompletion([]byte(strings.NewReplacer("stop", reason, "yes", "").Replace(good)))
		if want := map[string]pipeline.ReplyOutcome{"length": model.Length, "content_filter": model.Filtered}[reason]; said.Outcome != want || (err == nil) != (want != "") {
			t.Errorf("%s: %+v, %v", reason, said, err)
		}
	}
}

// TestGoldenAnswers pins what a client makes of answers by their status, type and words.
func TestGoldenAnswers(t *testing.T) {
	type answer struct {
		status     int
		kind, body string
	}
	var now answer
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		if now.kind != "" {
			w.Header().Set("Content-Type", now.kind)
		}
		w.WriteHeader(now.status)
		fmt.Fprint(w, now.body)
	}))
	t.Cleanup(srv.Close)
	c := wire.New(wire.Options{Name: "m", Host: "h", BaseURL: srv.URL + "/v1//", Key: "sk-secret", Timeout: 10 * time.Second, MaxAnswer: 2000})
	in, err := wire.Encode(t.Context(), wire.Endpoint{}, pipeline.Request{Model: "m", Task: "t", Messages: []pipeline.Message{{Role: "user", Text: "hi"}}}, model.Schema{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	said := func(code, message string) string {
		return fmt.Sprintf(`{"error":{"code":%q,"type":"","message":%q}}`, code, message)
	}
	answers := []answer{
		{200, "application/json", good}, {200, "", good}, {200, "text/plain; charset=utf-8", good}, {200, "text/json", good}, {200, "text/html", "<p>sk-secret\n  no </p>"}, {299, "application/json", good},
		{200, "application/json", strings.Replace(good, "yes", "my key is sk-secret", 1)}, {200, "application/json", good + strings.Repeat(" ", 2000-len(good))}, {200, "application/json", good + strings.Repeat(" ", 2001-len(good))},
		{200, "application/json", `{"error":{"code":429,"message":"slow down"}}`}, {200, "application/json", `{"error":"away with sk-secret"}`}, {200, "application/json", `{"error":{"code":"context_length_exceeded","detail":"long"}}`},
		{300, "application/json", good}, {399, "application/json", good}, {400, "application/json", said("bad", "what?")}, {400, "application/json", said("insufficient_quota", "pay")}, {400, "application/json", said("", "billing_hard_limit")},
		{400, "application/json", said("content_filter", "no")}, {400, "application/json", said("ResponsibleAIPolicyViolation", "no")}, {400, "application/json", said("content_policy_violation", "no")}, {400, "application/json", said("", "the Maximum Context Length is 5")},
		{400, "application/json", said("string_above_max_length", "x")}, {400, "application/json", said("", "above the context size")}, {400, "application/json", said("invalid_api_key", "x")}, {400, "application/json", said("rate_limit_exceeded", "x")},
		{400, "text/html", "<p>" + strings.Repeat("long ", 100)}, {499, "application/json", said("", "x")},
	}
	for _, status := range []int{401, 402, 403, 404, 408, 409, 413, 425, 429, 500, 503, 599} {
		answers = append(answers, answer{status, "application/json", said("c", "sk-secret is no key")})
	}
	var out strings.Builder
	for _, now = range answers {
		reply, header, err := c.Chat(t.Context(), in)
		fmt.Fprintf(&out, "%d %s %.80s\n  %s header %t\n", now.status, now.kind, now.body, shown(reply, err), header != nil)
	}
	for _, now = range []answer{{200, "", `{"data":[{"index":0,"embedding":[1]}],"usage":{"prompt_tokens":1}}`}, {200, "", `{"data":[]}`}, {400, "application/json", said("context_length_exceeded", "x")}, {500, "", "x"}} {
		vectors, usage, header, err := c.Embed(t.Context(), "m", []string{"a"})
		fmt.Fprintf(&out, "embed %d %s\n  %s header %t\n", now.status, now.body, shown(fmt.Sprint(vectors, usage), err), header != nil)
	}
	golden.Check(t, "answers", out.String())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := c.Chat(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	srv.Close()
	if _, header, err := c.Chat(t.Context(), in); header != nil || !strings.HasPrefix(fmt.Sprint(err), "the connection failed: ") || strings.Contains(fmt.Sprint(err), "/v1") {
		t.Errorf("a server that is away: %v", err)
	}
}

// TestGoldenBatches pins a batch from its upload to its results.
func TestGoldenBatches(t *testing.T) {
	state := ""
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/content"):
			fmt.Fprintf(w, "line of %s\nno JSON", r.URL.Path)
		case strings.HasSuffix(r.URL.Path, "/files"):
			fmt.Fprintf(w, `{"id":"file-1","purpose":%q}`, r.FormValue("purpose"))
		case r.Method == http.MethodPost:
			var body map[string]any
			_ = json.NewDecoder(r.Body).Decode(&body)
			fmt.Fprintf(w, `{"id":"%v %v %v","status":"validating"}`, body["input_file_id"], body["endpoint"], body["completion_window"])
		default:
			fmt.Fprint(w, state)
		}
	}))
	t.Cleanup(srv.Close)
	c := wire.New(wire.Options{Name: "m", Host: "h", BaseURL: srv.URL, Key: "sk-secret", Timeout: 10 * time.Second})
	var out strings.Builder
	file, err := c.Upload(t.Context(), "f.jsonl", []byte("{}\n"))
	fmt.Fprintf(&out, "%s %v\n", file, err)
	b, err := c.Start(t.Context(), file, wire.ChatEndpoint)
	fmt.Fprintf(&out, "%+v %v\n", b, err)
	for _, state = range []string{
		`{"status":"in_progress","output_file_id":"o"}`, `{"status":"completed","output_file_id":"o","error_file_id":"e"}`, `{"status":"expired","output_file_id":""}`, `{"status":"cancelled"}`,
		`{"status":"failed","errors":{"data":[{"message":"the key sk-secret is old"},{"message":"other"}]}}`, `{"status":"failed","errors":{"data":[]}}`, `{"error":{"code":"content_filter","message":"no"}}`,
	} {
		b, err := c.Poll(t.Context(), "b1")
		fmt.Fprintf(&out, "%s\n  %+v %q %s\n", state, b, b.Results, shown("", err))
	}
	golden.Check(t, "batches", out.String())
}

// TestImagesFit wants a picture to be sent as it is up to the bounds, to be scaled beyond
// them, and to become a JPEG where a PNG is too many bytes.
func TestImagesFit(t *testing.T) {
	noise := image.NewRGBA(image.Rect(0, 0, 64, 32))
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(rnd.IntN(256)) | map[bool]uint8{true: 255}[i%4 == 3]
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, noise); err != nil {
		t.Fatal(err)
	}
	whole := buf.Len()
	var out strings.Builder
	for _, b := range []wire.ImageBounds{{64, whole}, {64, whole - 1}, {63, whole}, {64, 2000}, {64, 1500}, {64, 300}, {16, 600}} {
		got, err := wire.FitImage(buf.Bytes(), b)
		size := image.Config{Width: -1}
		if err == nil {
			size, _, _ = image.DecodeConfig(bytes.NewReader(got.Data))
		}
		fmt.Fprintf(&out, "%+v: %s %d x %d, as it was %t, %v\n", b, got.Type, size.Width, size.Height, bytes.Equal(got.Data, buf.Bytes()), err)
	}
	golden.Check(t, "images", out.String())
	e := wire.Endpoint{Name: "eye", Model: server.Model{Media: server.Media{MaxImages: 2, MaxLongSide: 64, MaxBytes: 1 << 20}, Capabilities: server.Capabilities{Images: true}}}
	encode := func(e wire.Endpoint, n int, read func(context.Context, pipeline.Digest, int64) ([]byte, error)) string {
		_, err := wire.Encode(t.Context(), e, pipeline.Request{Model: "m", Task: "t", Messages: []pipeline.Message{{Images: make([]pipeline.Digest, n)}}}, model.Schema{}, read)
		return shown("", err)
	}
	read := func(context.Context, pipeline.Digest, int64) ([]byte, error) { return buf.Bytes(), nil }
	broken := func(context.Context, pipeline.Digest, int64) ([]byte, error) {
		return nil, errors.New("the disk is broken")
	}
	large := func(_ context.Context, _ pipeline.Digest, most int64) ([]byte, error) {
		return make([]byte, most+1), nil
	}
	blind, free := e, e
	blind.Capabilities.Images, free.Media.MaxImages = false, 0
	for _, c := range []struct{ got, want string }{
		{encode(e, 2, read), ""}, {encode(e, 3, read), "3 images, media.max_images is 2"}, {encode(free, 3, read), ""}, {encode(e, 1, broken), "image 0: the disk is broken"},
		{encode(e, 1, large), "image 0: the image cannot be sent: it has more than 134217728 bytes"}, {encode(blind, 1, read), "t sends 1 images and capabilities.images is false"},
	} {
		if (c.want == "") != (c.got == "") || !strings.Contains(c.got, c.want) {
			t.Errorf("%s, want %q", c.got, c.want)
		}
	}
}

// TestSampling wants what is configured to be sent, and nothing else.
func TestSampling(t *testing.T) {
	half, seed := 0.5, 7
	r := pipeline.Request{Model: "m", Task: "a b/c", Sample: 2, Messages: []pipeline.Message{{Role: "user", Text: "hi"}}}
	for _, c := range []struct {
		model server.Model
		want  string
	}{
		{server.Model{}, `"stream":false}`},
		{server.Model{Sampling: server.Sampling{MaxTokens: 9}}, `"max_tokens":9`},
		{server.Model{Sampling: server.Sampling{MaxTokens: 9}, Capabilities: server.Capabilities{MaxCompletionTokens: true}}, `"max_completion_tokens":9`},
		{server.Model{Sampling: server.Sampling{Temperature: &half, TopP: &half, Seed: &seed}}, `"temperature":0.5,"top_p":0.5,"stream":false,"seed":9`},
	} {
		in, err := wire.Encode(t.Context(), wire.Endpoint{Model: c.model}, r, model.Schema{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := in.JSON(); err != nil || !strings.Contains(string(b), c.want) || strings.HasPrefix(string(b), `{"temperature"`) {
			t.Errorf("%s, %v, want %s", b, err, c.want)
		}
	}
}
