// Package wire speaks the OpenAI protocol to one model: a chat or embeddings
// request becomes bytes, and what comes back becomes an outcome, or a typed
// error that says whether trying again can help. It does not retry, wait or
// remember.
package wire

import (
	"context"
	"fmt"
	"net/http"
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
	address, query, _ := strings.Cut(o.BaseURL, "?")
	cfg.BaseURL = strings.TrimRight(address, "/")
	cfg.HTTPClient = &http.Client{
		Transport: &checkedTransport{next: newTransport(o), limit: o.MaxAnswer, query: query, key: o.Key},
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

// Chat sends one chat request that Encode encoded. The header is that of the response, also
// where there is an error; nil when there was no response. Errors are *BusyError (wait),
// *FaultError (try again) or *model.ServerError (give up).
func (c *Client) Chat(ctx context.Context, in *Encoded) (pipeline.Reply, http.Header, error) {
	ctx = context.WithValue(ctx, sentKey{}, in)
	res, err := c.api.CreateChatCompletion(ctx, in.request)
	if err != nil {
		reply, err := c.classifyError(ctx, err, res.Header())
		return reply, res.Header(), err
	}
	reply, err := readCompletion(res)
	// The reply is recorded, and a key must not be.
	reply.Text, reply.Detail = c.hideKey(reply.Text), c.hideKey(reply.Detail)
	return reply, res.Header(), err
}

// Embed returns one vector per text.
func (c *Client) Embed(ctx context.Context, modelID string, texts []string) ([][]float32, pipeline.Usage, http.Header, error) {
	res, err := c.api.CreateEmbeddings(ctx, openai.EmbeddingRequest{Input: texts, Model: openai.EmbeddingModel(modelID), EncodingFormat: openai.EmbeddingEncodingFormatFloat})
	if err != nil {
		reply, err := c.classifyError(ctx, err, res.Header())
		if err == nil {
			err = &model.OutcomeError{Outcome: reply.Outcome, Task: pipeline.EmbedTask, Model: modelID, Detail: reply.Detail}
		}
		return nil, pipeline.Usage{}, res.Header(), err
	}
	vectors, err := orderVectors(res.Data, len(texts))
	return vectors, countUsage(res.Usage), res.Header(), err
}

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
