package testkit

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// ModelServer is a real HTTP server that speaks the OpenAI wire format: chat
// completions, embeddings, files and batches. What it answers is a function of
// the request, and what goes wrong is declared. It is meant to be used through
// the live client, as a black box.
type ModelServer struct {
	// URL is the base URL, with /v1.
	URL string

	mu      sync.Mutex
	answer  func(ChatRequest) ChatReply
	faults  []*ModelFault
	chance  *rand.Rand
	limit   *RateLimit
	counts  ModelCounts
	changed chan struct{} // closed when counts change
	paid    map[[32]byte]int
	hits    map[faultHit]int
	batches batchFiles
}

// ModelCounts is what a server has seen.
type ModelCounts struct {
	// Requests arrived; Answered got a good answer (and would be paid for),
	// Limited a 429 of the declared rate limit, Faulted a declared fault.
	Requests, Answered, Limited, Faulted int
	// Repeated counts good answers to a body that had one before.
	Repeated int
	// AtOnce is the most requests that were being answered at one time.
	AtOnce, now int
	// Input and Output tokens of the good answers.
	Input, Output int64
}

// ChatRequest is a chat request as it arrived.
type ChatRequest struct {
	Model string
	// Task is the name of the answer's schema, with "_" for other signs; empty
	// when the request has no schema.
	Task         string
	System, User string
	// Images are the decoded pictures of the first user message.
	Images [][]byte
	Schema json.RawMessage
	// Repairs counts the repair turns.
	Repairs     int
	Temperature *float64
	Seed        *int
	MaxTokens   int
	// Key is the bearer token.
	Key string
	// Body is the request as it arrived.
	Body []byte
}

// Data decodes what the prompt function "data" put between tags.
func (a ChatRequest) Data(tag string, v any) error {
	_, rest, ok := strings.Cut(a.User, "<"+tag+">\n")
	body, _, ok2 := strings.Cut(rest, "\n</"+tag+">")
	if !ok || !ok2 {
		return fmt.Errorf("the user message has no <%s>", tag)
	}
	return json.Unmarshal([]byte(body), v)
}

// ChatReply is a chat answer.
type ChatReply struct {
	Text string
	// Refusal and Finish (stop if empty) as on the wire.
	Refusal, Finish string
	// Input, Cached and Output tokens; estimated from the texts where 0.
	Input, Cached, Output int64
	// Model that the server says it served, if another than was asked for.
	Model string
}

// ReplyJSON answers with a value as JSON.
func ReplyJSON(v any) ChatReply {
	b, err := json.Marshal(v)
	if err != nil {
		return ChatReply{Text: fmt.Sprintf("cannot encode the answer: %v", err)}
	}
	return ChatReply{Text: string(b)}
}

// NewModelServer starts a server; the test's end stops it.
func NewModelServer(t testing.TB, answer func(ChatRequest) ChatReply) *ModelServer {
	m := &ModelServer{
		answer: answer, chance: rand.New(rand.NewPCG(1, 2)),
		changed: make(chan struct{}), paid: map[[32]byte]int{}, hits: map[faultHit]int{}, batches: newBatchFiles(),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", m.guarded(m.chat))
	mux.HandleFunc("POST /v1/embeddings", m.guarded(m.embeddings))
	m.batchRoutes(mux)
	srv := httptest.NewServer(mux)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	m.URL = srv.URL + "/v1"
	return m
}

// SetAnswer replaces the answers.
func (m *ModelServer) SetAnswer(answer func(ChatRequest) ChatReply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answer = answer
}

// Counts returns what the server has seen so far.
func (m *ModelServer) Counts() ModelCounts {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts
}

// WaitFor waits until what the server has seen meets a condition, and fails the test when
// that takes more than two minutes.
func (m *ModelServer) WaitFor(t testing.TB, what string, met func(ModelCounts) bool) {
	t.Helper()
	late := time.After(2 * time.Minute)
	for {
		m.mu.Lock()
		counts, changed := m.counts, m.changed
		m.mu.Unlock()
		if met(counts) {
			return
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("waited in vain for %s: %+v", what, counts)
		}
	}
}

// WaitForRequests waits until so many requests have arrived in all.
func (m *ModelServer) WaitForRequests(t testing.TB, count int) {
	t.Helper()
	m.WaitFor(t, fmt.Sprintf("%d requests", count), func(c ModelCounts) bool { return c.Requests >= count })
}

// WaitForAnswers waits until the server has given so many good answers.
func (m *ModelServer) WaitForAnswers(t testing.TB, count int) {
	t.Helper()
	m.WaitFor(t, fmt.Sprintf("%d answers", count), func(c ModelCounts) bool { return c.Answered >= count })
}

// countsChanged wakes who waits for counts; the caller holds the lock.
func (m *ModelServer) countsChanged() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// ResetCounts forgets what the server has seen, also which answers it gave.
func (m *ModelServer) ResetCounts() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts = ModelCounts{now: m.counts.now}
	m.countsChanged()
	clear(m.paid)
}

// handler answers a request whose body was read.
type handler func(r *http.Request, body []byte) (any, usageTokens, error)

type usageTokens struct{ Input, Cached, Output int64 }

// guarded puts limits and faults before a handler.
func (m *ModelServer) guarded(answer handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		m.enter()
		defer m.exit()
		if m.limited(w) {
			return
		}
		fault := m.dueFault(r.URL.Path, body)
		good, used, err := answer(r, body)
		if err != nil {
			writeError(w, http.StatusBadRequest, "invalid_request_error", err.Error())
			return
		}
		if fault != nil && fault.act(w, r, good) {
			return
		}
		m.countPaid(body, used)
		writeJSON(w, good)
	}
}

func (m *ModelServer) enter() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts.Requests++
	m.counts.now++
	m.counts.AtOnce = max(m.counts.AtOnce, m.counts.now)
	m.countsChanged()
}

func (m *ModelServer) exit() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts.now--
}

// countPaid books a good answer just before it is sent.
func (m *ModelServer) countPaid(body []byte, used usageTokens) {
	m.mu.Lock()
	defer m.mu.Unlock()
	sum := sha256.Sum256(body)
	if m.paid[sum] > 0 {
		m.counts.Repeated++
	}
	m.paid[sum]++
	m.counts.Answered++
	m.counts.Input += used.Input
	m.counts.Output += used.Output
	m.countsChanged()
}

func writeError(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": code, "code": code}})
}

func (m *ModelServer) chat(r *http.Request, body []byte) (any, usageTokens, error) {
	asked, err := readChat(body)
	if err != nil {
		return nil, usageTokens{}, err
	}
	asked.Key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	m.mu.Lock()
	answer := m.answer
	m.mu.Unlock()
	said := answer(asked)
	used := usageTokens{said.Input, said.Cached, said.Output}
	if used.Input == 0 {
		used.Input = int64(len(asked.System)+len(asked.User))/4 + 85*int64(len(asked.Images)) + 1
	}
	if used.Output == 0 {
		used.Output = int64(len(said.Text))/4 + 1
	}
	return completion(asked, said, used), used, nil
}

func completion(a ChatRequest, s ChatReply, u usageTokens) map[string]any {
	message := map[string]any{"role": "assistant", "content": s.Text}
	if s.Refusal != "" {
		message["refusal"], message["content"] = s.Refusal, nil
	}
	if s.Finish == "" {
		s.Finish = "stop"
	}
	return map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": cmp.Or(s.Model, a.Model+"-scripted"), "system_fingerprint": "fp_scripted",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": s.Finish}},
		"usage": map[string]any{
			"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
			"prompt_tokens_details": map[string]any{"cached_tokens": u.Cached},
		},
	}
}

type chatBody struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Temperature    *float64 `json:"temperature"`
	Seed           *int     `json:"seed"`
	MaxTokens      int      `json:"max_tokens"`
	ResponseFormat struct {
		JSONSchema struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

func readChat(body []byte) (ChatRequest, error) {
	var c chatBody
	if err := json.Unmarshal(body, &c); err != nil {
		return ChatRequest{}, fmt.Errorf("the request is not JSON: %w", err)
	}
	if c.Model == "" || len(c.Messages) == 0 {
		return ChatRequest{}, errors.New("model and messages are needed")
	}
	a := ChatRequest{
		Model: c.Model, Task: c.ResponseFormat.JSONSchema.Name, Schema: c.ResponseFormat.JSONSchema.Schema,
		Temperature: c.Temperature, Seed: c.Seed, MaxTokens: c.MaxTokens, Body: body,
	}
	users := 0
	for _, msg := range c.Messages {
		text, images, err := content(msg.Content)
		if err != nil {
			return a, err
		}
		switch {
		case msg.Role == "system":
			a.System += text
		case msg.Role == "user" && users == 0:
			a.User, a.Images = text, images
			users++
		case msg.Role == "user":
			a.Repairs++
		}
	}
	return a, nil
}

// content reads text, or parts with data URIs.
func content(raw json.RawMessage) (text string, images [][]byte, err error) {
	if json.Unmarshal(raw, &text) == nil {
		return text, nil, nil
	}
	var parts []struct {
		Type, Text string
		ImageURL   struct{ URL string } `json:"image_url"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", nil, fmt.Errorf("content: %w", err)
	}
	for _, p := range parts {
		text += p.Text
		if p.Type != "image_url" {
			continue
		}
		head, data, ok := strings.Cut(p.ImageURL.URL, ";base64,")
		if !ok || head != "data:image/png" && head != "data:image/jpeg" {
			return "", nil, errors.New("an image is not a data URI of a PNG or JPEG")
		}
		b, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			return "", nil, fmt.Errorf("image: %w", err)
		}
		images = append(images, b)
	}
	return text, images, nil
}

// Paid returns how often each distinct request was answered well.
func (m *ModelServer) Paid() map[[32]byte]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.paid)
}
