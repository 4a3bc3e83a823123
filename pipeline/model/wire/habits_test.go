package wire_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/server"
	"github.com/memforge/memforge/pipeline/model/wire"
)

// speaker answers every request with a status and a body, and keeps the last request.
type speaker struct {
	*wire.Client
	status        int
	body          string
	kind          string
	path, request string
	header        http.Header
}

func newSpeaker(t *testing.T, base string) *speaker {
	s := &speaker{status: 200, kind: "application/json"}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.path, s.request, s.header = r.URL.String(), string(said), r.Header
		w.Header().Set("Content-Type", s.kind)
		w.WriteHeader(s.status)
		fmt.Fprint(w, s.body)
	}))
	t.Cleanup(srv.Close)
	s.Client = wire.New(wire.Options{Name: "m", Host: "h", Key: "sk-secret", BaseURL: srv.URL + base, Timeout: 10 * time.Second})
	return s
}

func hello(t *testing.T) *wire.Encoded {
	t.Helper()
	in, err := wire.Encode(t.Context(), wire.Endpoint{}, pipeline.Request{Model: "m", Task: "t", Messages: []pipeline.Message{{Role: "user", Text: "hi"}}}, model.Schema{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestHabitsOfAnswers: what servers write otherwise than OpenAI is read all the same.
func TestHabitsOfAnswers(t *testing.T) {
	s := newSpeaker(t, "/v1")
	for from, to := range map[string]string{
		`"content":"yes"`: `"content":[{"type":"text","text":"ye"},{"type":"text","text":"s"}]`,
		`"role":`:         `"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"yes"}],"ignored":`,
		`"assistant"`:     `7`,
		`{"model"`:        `{"id":12345,"created":1723456789.123,"object":[],"service_tier":{"a":1},"system_fingerprint":null,"model"`,
		`"prompt_tokens":12,"completion_tokens":3`: `"prompt_tokens":12.0,"completion_tokens":"3","total_tokens":{}`,
		`"finish_reason"`:                          `"index":null,"logprobs":"none","stop_reason":false,"finish_reason"`,
		`"message":{`:                              `"message":{"tool_calls":"none","refusal":null,"reasoning_content":["x"],`,
		`"cached_tokens":40`:                       `"cached_tokens":12.0,"audio_tokens":"0"`,
	} {
		if s.body = strings.Replace(good, from, to, 1); s.body == good {
			t.Fatalf("%s is not in the answer", from)
		}
		if from == `"role":` {
			s.body = strings.Replace(s.body, `,"content":"yes"`, "", 1)
		}
		reply, _, err := s.Chat(t.Context(), hello(t))
		if err != nil || reply.Text != "yes" || reply.Usage != (pipeline.Usage{Input: 12, Output: 3, Cached: 12}) || reply.Served != "m" {
			t.Errorf("%s: %+v, %v", to, reply, err)
		}
		if batched, err := wire.ReadCompletion([]byte(s.body)); err != nil || batched.Text != reply.Text || batched.Usage != reply.Usage {
			t.Errorf("%s in a batch: %+v, %v", to, batched, err)
		}
	}
	s.body = `{"id":7,"data":[{"index":1.0,"embedding":[1,2],"object":null},{"index":0,"embedding":[3,4]}],"usage":{"prompt_tokens":2.0}}`
	vectors, usage, _, err := s.Embed(t.Context(), "m", []string{"a", "b"})
	if err != nil || usage.Input != 2 || fmt.Sprint(vectors) != "[[3 4] [1 2]]" {
		t.Errorf("%v, %+v, %v", vectors, usage, err)
	}
}

// TestHabitsOfErrors: an error means the same in every form, with the server's words.
func TestHabitsOfErrors(t *testing.T) {
	s := newSpeaker(t, "/v1")
	kind := func(reply pipeline.Reply, err error) string {
		var server *model.ServerError
		switch {
		case errors.As(err, &server):
			return string(server.Reason)
		case err != nil:
			return fmt.Sprintf("%T", err)
		}
		return string(reply.Outcome)
	}
	for status, want := range map[int]string{400: string(model.Unusable), 401: string(model.Unauthorised), 404: string(model.Unusable), 422: string(model.Unusable), 429: "*wire.BusyError", 500: "*wire.FaultError"} {
		for _, form := range []string{
			`{"error":%q}`, `{"error":%q,"error_type":"validation"}`, `{"error":{"message":%q}}`, `{"error":{"message":%q,"code":{"a":1},"type":null,"param":7}}`, `{"error":{"message":{"detail":%q}}}`,
			`{"message":%q,"object":"error","code":400}`, `{"detail":%q}`, `{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":%q}]}`, `[{"error":{"code":400,"message":%q,"status":"INVALID_ARGUMENT"}}]`, `%q`,
		} {
			const words = "Input validation error: seed"
			s.status, s.body = status, fmt.Sprintf(form, words)
			reply, _, err := s.Chat(t.Context(), hello(t))
			if got := kind(reply, err); got != want || !strings.Contains(fmt.Sprint(err), words) {
				t.Errorf("%d %s: %s, %v, want %s", status, s.body, got, err, want)
			}
		}
	}
	for _, words := range []string{
		"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens in the messages, Please reduce the length of the messages.",
		"The decoder prompt (length 10127) is longer than the maximum model length of 8192.",
		"At most 1 image(s) may be provided in one prompt.",
		"The input (5000 tokens) is longer than the model's context length (4096 tokens).",
		"Input length (5000 tokens) exceeds the maximum allowed length (4090 tokens). Use a shorter input or enable --allow-auto-truncate.",
		"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
		"prompt is too long: 210000 tokens > 200000 maximum",
		"Input is too long for requested model.",
		"Trying to keep the first 6000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
		"prompt too long for context window of 4096 tokens",
		"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 200 `max_new_tokens`",
		"the request exceeds the available context size, try increasing it",
		"Range of input length should be [1, 30720]",
		"This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
	} {
		for _, form := range []string{`{"error":%q}`, `{"error":{"message":%q}}`, `{"object":"error","message":%q,"code":400}`} {
			s.status, s.body = 400, fmt.Sprintf(form, words)
			if reply, _, err := s.Chat(t.Context(), hello(t)); err != nil || reply.Outcome != model.TooLarge || reply.Detail != words {
				t.Errorf("%s: %+v, %v", s.body, reply, err)
			}
		}
	}
}

// TestAzureAndFurtherFields: an address with Azure's query, and fields that one server knows.
func TestAzureAndFurtherFields(t *testing.T) {
	s := newSpeaker(t, "/openai/deployments/d/?api-version=2024-10-21")
	s.body = good
	zero := 0.0
	e := wire.Endpoint{Model: server.Model{Sampling: server.Sampling{Temperature: &zero, ExtraBody: map[string]any{"chat_template_kwargs": map[string]any{"enable_thinking": false}, "top_k": 5}}}}
	in, err := wire.Encode(t.Context(), e, pipeline.Request{Model: "m", Task: "t", Messages: []pipeline.Message{{Role: "user", Text: "hi"}}}, model.Schema{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if reply, _, err := s.Chat(t.Context(), in); err != nil || reply.Text != "yes" {
		t.Fatalf("%+v, %v", reply, err)
	}
	want := `{"chat_template_kwargs":{"enable_thinking":false},"temperature":0,"top_k":5,"model":"m","messages":[{"role":"user","content":"hi"}]`
	batched, err := in.JSON()
	if err != nil || !strings.HasPrefix(s.request, want) || string(batched) != strings.TrimSpace(s.request) {
		t.Errorf("sent %s, in a batch %s, %v", s.request, batched, err)
	}
	if s.path != "/openai/deployments/d/chat/completions?api-version=2024-10-21" || s.header.Get("api-key") != "sk-secret" {
		t.Errorf("asked %s with %v", s.path, s.header)
	}
}

// TestAnswersInPieces: a stream is read as the answer that it holds, asked for or not.
func TestAnswersInPieces(t *testing.T) {
	s := newSpeaker(t, "/v1")
	s.kind = "text/event-stream; charset=utf-8"
	in, err := wire.Encode(t.Context(), wire.Endpoint{Model: server.Model{Capabilities: server.Capabilities{Stream: true}}}, pipeline.Request{Model: "m", Task: "t", Messages: []pipeline.Message{{Role: "user", Text: `say "stream":false`}}}, model.Schema{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, second := `data: {"id":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"y"},"finish_reason":null}],"usage":null}`, `data:{"choices":[{"delta":{"content":"es"},"finish_reason":"stop"}]}`
	usage := `data: {"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":3}}`
	for body, want := range map[string]string{
		first + "\n\n" + second + "\n\n" + usage + "\n\ndata: [DONE]\n\n":                    "yes",
		": a comment\r\n\r\n" + first + "\r\n\r\nevent: x\r\n" + second + "\r\n\r\n" + usage: "yes",
		first + "\n\n":            "the answer breaks off between two pieces",
		first + "\n\ndata: {\n\n": "not whole JSON",
		first + "\n\ndata: {\"error\":{\"message\":\"overloaded\",\"code\":500}}\n\n": "overloaded",
		"data: [DONE]\n": "the answer is empty",
		"":               "the answer breaks off between two pieces",
	} {
		s.body = body
		reply, _, err := s.Chat(t.Context(), in)
		if want == "yes" && (err != nil || reply.Text != "yes" || reply.Usage.Input != 12) || want != "yes" && !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%q: %+v, %v, want %s", body, reply, err, want)
		}
	}
	if want := `"content":"say \"stream\":false"}],"stream":true,"stream_options":{"include_usage":true}`; !strings.Contains(s.request, want) {
		t.Errorf("asked %s", s.request)
	}
	if batched, err := in.JSON(); err != nil || strings.Contains(string(batched), `"stream":true`) {
		t.Errorf("a batch has no stream: %s, %v", batched, err)
	}
}

// FuzzPieces: no stream is taken for an answer without text.
func FuzzPieces(f *testing.F) {
	f.Add("data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n")
	f.Fuzz(func(t *testing.T, body string) {
		c := wire.New(wire.Options{Name: "m", Host: "h", BaseURL: "http://h/v1", Timeout: time.Second, Transport: says(body)})
		if reply, _, err := c.Chat(t.Context(), hello(t)); err == nil && reply.Outcome == model.OK && reply.Text == "" {
			t.Errorf("an empty answer of %q", body)
		}
	})
}

type says string

func (s says) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(string(s)))}, nil
}
