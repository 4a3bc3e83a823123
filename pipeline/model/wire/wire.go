// Package wire speaks the OpenAI protocol to one model: a chat or embeddings
// request becomes bytes, and what comes back becomes an outcome, or a typed
// error that says whether trying again can help. It does not retry, wait or
// remember.
package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
)

// Options of a client.
type Options struct {
	// Name and Host are for messages: the model as pipeline.yaml calls it and the
	// host of its base URL.
	Name, Host string
	BaseURL    string
	// Key is sent as a bearer token unless empty.
	Key string
	// Timeout of one request.
	Timeout time.Duration
	// MaxAnswer bounds an answer in bytes; 0 means 64 MB.
	MaxAnswer int64
	// Transport is the network; nil means the usual one.
	Transport http.RoundTripper
}

// Client asks one server. It is safe for concurrent use.
type Client struct {
	api  *openai.Client
	opts Options
}

// New returns a client. It does no I/O.
func New(o Options) *Client {
	if o.MaxAnswer == 0 {
		o.MaxAnswer = 64 << 20
	}
	cfg := openai.DefaultConfig(o.Key)
	cfg.BaseURL = strings.TrimRight(o.BaseURL, "/")
	cfg.HTTPClient = &http.Client{
		Transport: &checkedTransport{next: newTransport(o), limit: o.MaxAnswer},
		Timeout:   o.Timeout,
		// A redirect would carry the request, and perhaps the key, to a place that
		// pipeline.yaml does not name.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Client{api: openai.NewClientWithConfig(cfg), opts: o}
}

func newTransport(o Options) http.RoundTripper {
	if o.Transport != nil {
		return o.Transport
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 256
	t.ResponseHeaderTimeout = o.Timeout
	return t
}

// ChatRequest is one chat completion.
type ChatRequest struct {
	Model string
	// Task names the answer's schema on the wire.
	Task     string
	Messages []Message
	// Schema constrains the answer on the server; nil where it cannot. Strict says
	// that it is in the subset that servers can enforce to the letter.
	Schema   json.RawMessage
	Strict   bool
	Sampling Sampling
	// Detail of the images: low, high, auto or nothing.
	Detail string
}

// Sampling is what of a chat is not its words. Nil and zero are not sent.
type Sampling struct {
	Temperature, TopP *float64
	MaxTokens         int
	Seed              *int
	// Completion sends MaxTokens as max_completion_tokens.
	Completion bool
}

// Message is one turn.
type Message struct {
	// Role is system, user or assistant.
	Role   string
	Text   string
	Images []Image
}

// Image is an encoded picture.
type Image struct {
	// Type is image/png or image/jpeg.
	Type string
	Data []byte
}

// Reply is what a server answered.
type Reply struct {
	// Outcome is OK, Refusal, Length, Filtered or TooLarge.
	Outcome model.Outcome
	Text    string
	// Detail is the refusal, or the server's reason.
	Detail string
	// Model and Fingerprint are what the server states of itself.
	Model, Fingerprint string
	Usage              pipeline.Usage
}

// Chat sends one chat request. The header is that of the response, also where
// there is an error; nil when there was no response. Errors are *BusyError
// (wait), *FaultError (try again) or *model.ServerError (give up).
func (c *Client) Chat(ctx context.Context, in ChatRequest) (Reply, http.Header, error) {
	req := in.encode()
	res, err := c.api.CreateChatCompletion(markZeroTemperature(ctx, in.Sampling), req)
	if err != nil {
		said, err := c.classifyError(ctx, err, res.Header())
		return said, res.Header(), err
	}
	said, err := readCompletion(res)
	// What is said is recorded, and a key must not be.
	said.Text, said.Detail = c.hideKey(said.Text), c.hideKey(said.Detail)
	return said, res.Header(), err
}

// Embed returns one vector per text.
func (c *Client) Embed(ctx context.Context, modelID string, texts []string) ([][]float32, pipeline.Usage, http.Header, error) {
	res, err := c.api.CreateEmbeddings(ctx, openai.EmbeddingRequest{Input: texts, Model: openai.EmbeddingModel(modelID), EncodingFormat: openai.EmbeddingEncodingFormatFloat})
	if err != nil {
		said, err := c.classifyError(ctx, err, res.Header())
		if err == nil {
			err = &model.OutcomeError{Outcome: said.Outcome, Task: pipeline.EmbedTask, Model: modelID, Detail: said.Detail}
		}
		return nil, pipeline.Usage{}, res.Header(), err
	}
	vectors, err := orderVectors(res.Data, len(texts))
	return vectors, countUsage(res.Usage), res.Header(), err
}

// orderVectors puts vectors in the order of their texts.
func orderVectors(data []openai.Embedding, n int) ([][]float32, error) {
	vectors := make([][]float32, n)
	for _, d := range data {
		if d.Index < 0 || d.Index >= n || len(d.Embedding) == 0 || vectors[d.Index] != nil {
			return nil, &FaultError{What: fmt.Sprintf("embedding %d of %d is empty, doubled or not asked for", d.Index, n)}
		}
		vectors[d.Index] = d.Embedding
	}
	for i, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return nil, &FaultError{What: fmt.Sprintf("embedding %d of %d is missing or of another length", i, n)}
		}
	}
	return vectors, nil
}

// Body is the chat request as JSON: one line of a batch file.
func (in ChatRequest) Body() (json.RawMessage, error) {
	b, err := json.Marshal(in.encode())
	if err != nil {
		return nil, fmt.Errorf("encode request for %s: %w", in.Task, err)
	}
	if in.Sampling.isZeroTemperature() {
		b = withZeroTemperature(b)
	}
	return b, nil
}

func (s Sampling) isZeroTemperature() bool { return s.Temperature != nil && *s.Temperature == 0 }

var invalidNameChars = regexp.MustCompile(`[^a-zA-Z0-9_-]+`)

func (in ChatRequest) encode() openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: in.Model, Seed: in.Sampling.Seed}
	for _, m := range in.Messages {
		r.Messages = append(r.Messages, m.encode(in.Detail))
	}
	if t := in.Sampling.Temperature; t != nil {
		r.Temperature = float32(*t)
	}
	if p := in.Sampling.TopP; p != nil {
		r.TopP = float32(*p)
	}
	if in.Sampling.Completion {
		r.MaxCompletionTokens = in.Sampling.MaxTokens
	} else {
		//lint:ignore SA1019 it is the name that every server but OpenAI's newest knows
		r.MaxTokens = in.Sampling.MaxTokens
	}
	if in.Schema != nil {
		r.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: invalidNameChars.ReplaceAllString(in.Task, "_"), Schema: in.Schema, Strict: in.Strict,
			},
		}
	}
	return r
}

func (m Message) encode(detail string) openai.ChatCompletionMessage {
	if len(m.Images) == 0 {
		return openai.ChatCompletionMessage{Role: m.Role, Content: m.Text}
	}
	parts := []openai.ChatMessagePart{{Type: openai.ChatMessagePartTypeText, Text: m.Text}}
	for _, img := range m.Images {
		parts = append(parts, openai.ChatMessagePart{
			Type:     openai.ChatMessagePartTypeImageURL,
			ImageURL: &openai.ChatMessageImageURL{URL: img.dataURI(), Detail: openai.ImageURLDetail(detail)},
		})
	}
	return openai.ChatCompletionMessage{Role: m.Role, MultiContent: parts}
}
