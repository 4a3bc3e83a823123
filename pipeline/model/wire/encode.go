package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"

	"github.com/sashabaranov/go-openai"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/server"
)

// Encoded is a request in the form of the protocol.
type Encoded struct {
	request openai.ChatCompletionRequest
	// fields is an object of what the library does not write.
	fields []byte
	stream bool
}

// Endpoint is the model that a request is encoded for, and its name in pipeline.yaml.
type Endpoint struct {
	Name string
	server.Model
}

// maxImageBytes bounds an image that is read at all.
const maxImageBytes = 128 << 20

// Encode encodes a request as the endpoint takes it: with the answer's schema where the
// server knows schemas, with the sampling of the endpoint, and with images that fit its
// bounds. readBlob returns at most a little more than so many bytes of an image. A request
// that is too large for the model is a *model.OutcomeError.
func Encode(ctx context.Context, e Endpoint, r pipeline.Request, schema model.Schema, readBlob func(context.Context, pipeline.Digest, int64) ([]byte, error)) (*Encoded, error) {
	out := openai.ChatCompletionRequest{Model: r.Model}
	e.encodeSampling(&out, r.Sample)
	if e.Capabilities.JSONSchema {
		shape, strict := schema.Strict()
		if !strict {
			shape = schema.Text()
		}
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: invalidNameChars.ReplaceAllString(r.Task, "_"), Schema: shape, Strict: strict,
			},
		}
	}
	for _, m := range r.Messages {
		turn := openai.ChatCompletionMessage{Role: m.Role, Content: m.Text}
		if len(m.Images) > 0 {
			parts, err := e.encodeImages(ctx, r, m, readBlob)
			if err != nil {
				return nil, err
			}
			// Pictures first: requests that show the same have one beginning, which a server keeps.
			turn = openai.ChatCompletionMessage{Role: m.Role, MultiContent: append(parts, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: m.Text})}
		}
		out.Messages = append(out.Messages, turn)
	}
	fields, err := e.fields()
	return &Encoded{request: out, fields: fields, stream: e.Capabilities.Stream}, err
}

var invalidNameChars = regexp.MustCompile(`[^a-zA-Z0-9_-]+`)

// encodeSampling sets what is configured; the rest is the server's choice.
func (e Endpoint) encodeSampling(out *openai.ChatCompletionRequest, sample int) {
	s := e.Sampling
	if s.Temperature != nil {
		out.Temperature = float32(*s.Temperature)
	}
	if s.TopP != nil {
		out.TopP = float32(*s.TopP)
	}
	if e.Capabilities.MaxCompletionTokens {
		out.MaxCompletionTokens = s.MaxTokens
	} else {
		//lint:ignore SA1019 it is the name that every server but OpenAI's newest knows
		out.MaxTokens = s.MaxTokens
	}
	if s.Seed != nil {
		seed := *s.Seed + sample
		out.Seed = &seed
	}
}

// fields returns the configured fields that the library does not write: a temperature of 0,
// and those that only some servers know.
func (e Endpoint) fields() ([]byte, error) {
	fields := maps.Clone(e.Sampling.ExtraBody)
	if e.Sampling.Temperature != nil && *e.Sampling.Temperature == 0 {
		if fields == nil {
			fields = map[string]any{}
		}
		fields["temperature"] = 0
	}
	if len(fields) == 0 {
		return nil, nil
	}
	b, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("extra_body of model %s: %w", e.Name, err)
	}
	return b, nil
}

func (e Endpoint) encodeImages(ctx context.Context, r pipeline.Request, m pipeline.Message, readBlob func(context.Context, pipeline.Digest, int64) ([]byte, error)) ([]openai.ChatMessagePart, error) {
	n := len(m.Images)
	if !e.Capabilities.Images {
		return nil, &model.ServerError{
			Reason: model.Unusable, Model: e.Name, Host: e.Host(), Detail: fmt.Sprintf("%s sends %d images and capabilities.images is false", r.Task, n),
			Advice: "give the role to a model that sees",
		}
	}
	tooLarge := func(format string, args ...any) error {
		return &model.OutcomeError{Outcome: model.TooLarge, Task: r.Task, Model: r.Model, Detail: fmt.Sprintf(format, args...)}
	}
	if most := e.Media.MaxImages; n > most && most > 0 {
		return nil, tooLarge("%d images, media.max_images is %d", n, most)
	}
	var parts []openai.ChatMessagePart
	for i, d := range m.Images {
		data, err := readBlob(ctx, d, maxImageBytes)
		if err == nil && len(data) > maxImageBytes {
			err = fmt.Errorf("%w: it has more than %d bytes", ErrImage, maxImageBytes)
		}
		var img Image
		if err == nil {
			img, err = FitImage(data, ImageBounds{LongSide: e.Media.MaxLongSide, Bytes: e.Media.MaxBytes})
		}
		if errors.Is(err, ErrImage) {
			return nil, tooLarge("image %d: %v", i, err)
		}
		if err != nil {
			return nil, fmt.Errorf("image %d: %w", i, err)
		}
		parts = append(parts, openai.ChatMessagePart{
			Type:     openai.ChatMessagePartTypeImageURL,
			ImageURL: &openai.ChatMessageImageURL{URL: img.dataURI(), Detail: openai.ImageURLDetail(e.Media.Detail)},
		})
	}
	return parts, nil
}

// JSON returns the request as JSON: the body of one line of a batch file.
func (in *Encoded) JSON() (json.RawMessage, error) {
	b, err := json.Marshal(in.request)
	if err != nil {
		return nil, fmt.Errorf("encode a request to %s: %w", in.request.Model, err)
	}
	return withFields(in.fields, b), nil
}
