package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sashabaranov/go-openai"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/model"
)

// readCompletion reads a decoded completion. The library gives no error for an empty answer.
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
	if err := readClean(ChatEndpoint, body, &res); err != nil {
		return pipeline.Reply{}, err
	}
	return readCompletion(res)
}

// ReadEmbeddings is ReadCompletion for n embeddings.
func ReadEmbeddings(body []byte, n int) ([][]float32, pipeline.Usage, error) {
	if err := checkBody(body); err != nil {
		return nil, pipeline.Usage{}, err
	}
	var res openai.EmbeddingResponse
	if err := readClean(EmbeddingEndpoint, body, &res); err != nil {
		return nil, pipeline.Usage{}, err
	}
	vectors, err := orderVectors(res.Data, n)
	return vectors, countUsage(res.Usage), err
}

// readClean reads the answer of an endpoint as the library does.
func readClean(endpoint string, body []byte, into any) error {
	body, err := cleanAnswer(endpoint, body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return &FaultError{What: "the answer cannot be read", Err: err}
	}
	return nil
}

func countUsage(u openai.Usage) pipeline.Usage {
	out := pipeline.Usage{Input: int64(max(0, u.PromptTokens)), Output: int64(max(0, u.CompletionTokens))}
	if d := u.PromptTokensDetails; d != nil {
		out.Cached = int64(min(max(0, d.CachedTokens), max(0, u.PromptTokens)))
	}
	return out
}

// checkBody finds what the library lets through: bytes that are not UTF-8, several JSON
// values, an error with a status of success.
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

// BusyError is a 429: the server wants fewer requests. The header says when to
// come again.
type BusyError struct{ Detail string }

func (e *BusyError) Error() string { return "the server limits the rate of requests: " + e.Detail }

// FaultError is a failure that another try may not meet.
type FaultError struct {
	What string
	Err  error
}

func (e *FaultError) Error() string {
	if e.Err == nil {
		return e.What
	}
	return fmt.Sprintf("%s: %v", e.What, e.Err)
}

func (e *FaultError) Unwrap() error { return e.Err }

type errorAnswer struct {
	status        int
	code, message string
}

func (a errorAnswer) String() string {
	if a.status == 0 {
		return a.message
	}
	return fmt.Sprintf("status %d, %s", a.status, a.message)
}

// classifyError sorts an error of the library. The refusal of a request for what it holds is
// an outcome.
func (c *Client) classifyError(ctx context.Context, err error, header http.Header) (pipeline.Reply, error) {
	if ctx.Err() != nil {
		return pipeline.Reply{}, ctx.Err()
	}
	var fault *FaultError
	if errors.As(err, &fault) {
		return pipeline.Reply{}, c.hideKeyInFault(fault)
	}
	var inside *errorInside
	var api *openai.APIError
	var request *openai.RequestError
	switch {
	case errors.As(err, &inside):
		return c.classifyAnswer(parseError(0, inside.body))
	case errors.As(err, &request): // it may hold an api error without content
		return c.classifyAnswer(parseError(request.HTTPStatusCode, request.Body))
	case errors.As(err, &api):
		return c.classifyAnswer(errorAnswer{api.HTTPStatusCode, fmt.Sprint(api.Code) + " " + api.Type, api.Message})
	case header == nil && !isTransportError(err):
		// The library knows some models and refuses what they would.
		return pipeline.Reply{}, c.serverError(model.Unusable, errorAnswer{message: err.Error()}, "check sampling and capabilities in pipeline.yaml")
	case header == nil:
		return pipeline.Reply{}, c.hideKeyInFault(&FaultError{What: "the connection failed", Err: withoutURL(err)})
	}
	return pipeline.Reply{}, c.hideKeyInFault(&FaultError{What: "the answer cannot be read", Err: err})
}

// parseError reads the body of an error: an object or text, under error or not, or a list of
// them.
func parseError(status int, body []byte) errorAnswer {
	var said any
	if err := json.Unmarshal(body, &said); err != nil {
		said = nil
	}
	a := errorAnswer{status: status, message: snippet(body)}
	var code, kind any
	for range maxErrorDepth {
		if list, ok := said.([]any); ok && len(list) > 0 {
			said = list[0]
		}
		if text, ok := said.(string); ok {
			a.message = text
		}
		object, ok := said.(map[string]any)
		if !ok {
			break
		}
		code, kind = cmp.Or(object["code"], code), cmp.Or(object["type"], object["error_type"], kind)
		said = cmp.Or(object["error"], object["message"], object["detail"], object["msg"])
	}
	if n, ok := code.(float64); ok && status == 0 {
		a.status = int(n)
	}
	a.code = strings.TrimSpace(textOf(code) + " " + textOf(kind))
	return a
}

// maxErrorDepth bounds how deep the text of an error lies.
const maxErrorDepth = 4

func textOf(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// classifyAnswer decides what an answer with an error means.
func (c *Client) classifyAnswer(a errorAnswer) (pipeline.Reply, error) {
	text := strings.ToLower(a.code + " " + a.message)
	a.message = c.hideKey(a.message)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	switch {
	case has("insufficient_quota", "billing_hard_limit") || a.status == http.StatusPaymentRequired:
		return pipeline.Reply{}, c.serverError(model.Exhausted, a, "see to its billing, then run again: what was answered is recorded")
	case a.status == http.StatusTooManyRequests || has("rate_limit_exceeded"):
		return pipeline.Reply{}, &BusyError{Detail: a.message}
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden || has("invalid_api_key"):
		return pipeline.Reply{}, c.serverError(model.Unauthorised, a, "check the environment variable that key_env names, and what the key may do")
	case has("content_filter", "content_policy", "responsibleaipolicy"):
		return pipeline.Reply{Outcome: model.Filtered, Detail: a.message}, nil
	case a.status == http.StatusRequestEntityTooLarge || has(tooLong()...):
		return pipeline.Reply{Outcome: model.TooLarge, Detail: a.message}, nil
	case a.status == 0, a.status >= 500, a.status == http.StatusRequestTimeout, a.status == http.StatusConflict, a.status == http.StatusTooEarly:
		return pipeline.Reply{}, &FaultError{What: "the server failed: " + a.String()}
	}
	refused := c.serverError(model.Unusable, a, "check base_url, the model's name and its capabilities in pipeline.yaml; `memforge doctor` probes them")
	refused.OfRequest = a.status == http.StatusBadRequest || a.status == http.StatusUnprocessableEntity
	return pipeline.Reply{}, refused
}

// tooLong lists how servers say, in lower case, that a request is longer than the model takes.
func tooLong() []string {
	return []string{
		"context_length_exceeded", "maximum context length", "context size", "string_above_max_length", // OpenAI, vLLM, llama.cpp
		"maximum model length", "image(s) may be provided in one prompt", // vLLM with images
		"model's context length", "exceeds the maximum allowed length", // SGLang
		"prompt is too long", "input is too long", "input token count", // Anthropic, Bedrock, Gemini
		"context length of only", "context window", "maximum prompt length", // LM Studio, TGI, xAI
		"`inputs` tokens + `max_new_tokens`", "`inputs` must have less", "too many tokens", "range of input length", "reduce the length of the",
	}
}

func (c *Client) serverError(reason model.ServerReason, a errorAnswer, advice string) *model.ServerError {
	return &model.ServerError{
		Reason: reason, Model: c.opts.Name, Host: c.opts.Host,
		Detail: a.String(), Advice: advice,
	}
}

func (c *Client) hideKeyInFault(f *FaultError) error {
	if c.opts.Key == "" || !strings.Contains(f.Error(), c.opts.Key) {
		return f
	}
	return &FaultError{What: c.hideKey(f.Error())}
}

func (c *Client) hideKey(text string) string {
	if c.opts.Key == "" {
		return text
	}
	return strings.ReplaceAll(text, c.opts.Key, "***")
}

func isTransportError(err error) bool {
	var ue *url.Error
	return errors.As(err, &ue)
}

func withoutURL(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		return ue.Err
	}
	return err
}

func snippet(b []byte) string {
	const most = 200
	return words.Shorten(strings.Join(strings.Fields(strings.ToValidUTF8(string(b[:min(len(b), 4*most)]), "?")), " "), most)
}
