package wire

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/sashabaranov/go-openai"

	"github.com/memforge/memforge/pipeline/model"
)

// The endpoints of batch lines.
const (
	ChatEndpoint      = string(openai.BatchEndpointChatCompletions)
	EmbeddingEndpoint = string(openai.BatchEndpointEmbeddings)
)

// Batch is the state of a submitted batch.
type Batch struct {
	ID string
	// State as the server calls it.
	State string
	// Ended says that no more answers will come.
	Ended bool
	// Problem is why a batch failed as a whole.
	Problem string
	// Results are the lines of its output and error files once it has ended.
	Results [][]byte
}

// Upload brings a batch file to the server and returns its id there. Nothing is
// asked yet.
func (c *Client) Upload(ctx context.Context, name string, data []byte) (string, error) {
	file, err := c.api.CreateFileBytes(ctx, openai.FileBytesRequest{Name: name, Bytes: data, Purpose: openai.PurposeBatch})
	if err != nil {
		return "", c.batchError(ctx, "upload "+name, err)
	}
	return file.ID, nil
}

// Start starts the batch of an uploaded file. Its answers come within a day.
func (c *Client) Start(ctx context.Context, file, endpoint string) (Batch, error) {
	res, err := c.api.CreateBatch(ctx, openai.CreateBatchRequest{
		InputFileID: file, Endpoint: openai.BatchEndpoint(endpoint), CompletionWindow: "24h",
	})
	if err != nil {
		return Batch{}, c.batchError(ctx, "start the batch of file "+file, err)
	}
	return Batch{ID: res.ID, State: res.Status}, nil
}

// Poll asks how a batch is getting on, and brings its results when it has ended.
func (c *Client) Poll(ctx context.Context, id string) (Batch, error) {
	res, err := c.api.RetrieveBatch(ctx, id)
	if err != nil {
		return Batch{}, c.batchError(ctx, "look at batch "+id, err)
	}
	b := Batch{ID: id, State: res.Status}
	switch res.Status {
	case "completed", "expired", "cancelled", "failed":
		b.Ended = true
	default:
		return b, nil
	}
	if res.Errors != nil && len(res.Errors.Data) > 0 {
		b.Problem = c.hideKey(res.Errors.Data[0].Message)
	}
	for _, file := range []*string{res.OutputFileID, res.ErrorFileID} {
		if file == nil || *file == "" {
			continue
		}
		data, err := c.download(ctx, *file)
		if err != nil {
			return Batch{}, c.batchError(ctx, "fetch the results of batch "+id, err)
		}
		b.Results = append(b.Results, data)
	}
	return b, nil
}

type uncheckedKey struct{}

func (c *Client) download(ctx context.Context, id string) ([]byte, error) {
	raw, err := c.api.GetFileContent(context.WithValue(ctx, uncheckedKey{}, true), id)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(raw)
	return data, errors.Join(err, raw.Close())
}

// batchError sorts an error; nothing about a batch is tried again by itself.
func (c *Client) batchError(ctx context.Context, op string, err error) error {
	said, sorted := c.classifyError(ctx, err, nil)
	var server *model.ServerError
	switch {
	case sorted == nil:
		sorted = fmt.Errorf("the server refuses it (%s): %s", said.Outcome, said.Detail)
	case !errors.As(sorted, &server):
		sorted = &model.ServerError{
			Reason: model.Unavailable, Model: c.opts.Name, Host: c.opts.Host, Detail: sorted.Error(),
			Advice: "run the command again", Err: sorted,
		}
	}
	return fmt.Errorf("%s: %w", op, sorted)
}
