package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/sashabaranov/go-openai"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
)

// readCompletion turns a decoded completion into what was reply. The library gives no
// error for an answer that is empty.
func readCompletion(res openai.ChatCompletionResponse) (pipeline.Reply, error) {
	if len(res.Choices) == 0 {
		return pipeline.Reply{}, &FaultError{What: "the answer has no choices"}
	}
	choice := res.Choices[0]
	reply := pipeline.Reply{
		Outcome: model.OK, Text: choice.Message.Content, Served: res.Model,
		Fingerprint: res.SystemFingerprint, Usage: countUsage(res.Usage),
	}
	switch {
	case choice.Message.Refusal != "":
		reply.Outcome, reply.Detail = model.Refusal, choice.Message.Refusal
	case choice.FinishReason == openai.FinishReasonContentFilter:
		reply.Outcome, reply.Detail = model.Filtered, "finish_reason content_filter"
	case choice.FinishReason == openai.FinishReasonLength:
		reply.Outcome = model.Length
	case reply.Text == "":
		return pipeline.Reply{}, &FaultError{What: "the answer is empty"}
	}
	return reply, nil
}

// ReadCompletion reads the body of a completion that came by another way than Chat,
// such as a batch file.
func ReadCompletion(body []byte) (pipeline.Reply, error) {
	if err := checkBody(body); err != nil {
		return pipeline.Reply{}, err
	}
	var res openai.ChatCompletionResponse
	if err := json.Unmarshal(body, &res); err != nil {
		return pipeline.Reply{}, &FaultError{What: "the answer is not a chat completion", Err: err}
	}
	return readCompletion(res)
}

// ReadEmbeddings is ReadCompletion for n embeddings.
func ReadEmbeddings(body []byte, n int) ([][]float32, pipeline.Usage, error) {
	if err := checkBody(body); err != nil {
		return nil, pipeline.Usage{}, err
	}
	var res openai.EmbeddingResponse
	if err := json.Unmarshal(body, &res); err != nil {
		return nil, pipeline.Usage{}, &FaultError{What: "the answer holds no embeddings", Err: err}
	}
	vectors, err := orderVectors(res.Data, n)
	return vectors, countUsage(res.Usage), err
}

func countUsage(u openai.Usage) pipeline.Usage {
	out := pipeline.Usage{Input: int64(max(0, u.PromptTokens)), Output: int64(max(0, u.CompletionTokens))}
	if d := u.PromptTokensDetails; d != nil {
		out.Cached = int64(min(max(0, d.CachedTokens), max(0, u.PromptTokens)))
	}
	return out
}

// checkBody checks what the library lets through: bytes that are no UTF-8, more
// than one JSON value, an error with a status of success.
func checkBody(body []byte) error {
	if !utf8.Valid(body) {
		return &FaultError{What: "the answer is not UTF-8"}
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	var top struct {
		Error json.RawMessage `json:"error"`
	}
	if err := dec.Decode(&top); err != nil {
		return &FaultError{What: "the answer is not whole JSON", Err: err}
	}
	if _, err := dec.Token(); err != io.EOF {
		return &FaultError{What: "more follows the JSON of the answer"}
	}
	if len(top.Error) > 0 && string(top.Error) != "null" {
		return &errorInside{body: top.Error}
	}
	return nil
}

// errorInside is an error object in an answer whose status says success.
type errorInside struct{ body []byte }

func (e *errorInside) Error() string {
	return fmt.Sprintf("an error with a status of success: %s", snippet(e.body))
}
