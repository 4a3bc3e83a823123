// Package capability finds out what a model server understands: one small request
// for each capability that pipeline.yaml can state.
package capability

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"

	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/wire"
)

// Kind is one thing that a server may understand, by its name in
// pipeline.yaml; Chat is what every language model must.
type Kind string

// The capabilities.
const (
	Chat       Kind = "chat"
	JSONSchema Kind = "json_schema"
	Seed       Kind = "seed"
	Images     Kind = "images"
	Embeddings Kind = "embeddings"
)

// All in the order in which they are tested.
var All = []Kind{Chat, JSONSchema, Seed, Images, Embeddings}

// Finding is what a test found.
type Finding struct {
	Kind  Kind
	Works bool
	// Detail says why it does not.
	Detail string
}

// Server is what is tested.
type Server struct {
	Client *wire.Client
	Model  string
	// Sampling that requests need whatever is tested: its seed is left out.
	Sampling wire.Sampling
	// Task that the model is to be asked, and the schema of its answer: what is small
	// and simple says little about what a server enforces.
	Task   string
	Schema model.Schema
}

// Run tests a server. An error means that nothing could be found out: the key
// is not accepted, or the server fails.
func Run(ctx context.Context, s Server) ([]Finding, error) {
	var found []Finding
	for _, c := range All {
		works, err := s.try(ctx, c)
		var refused *model.ServerError
		switch {
		case errors.As(err, &refused) && refused.Reason == model.Unusable:
			found = append(found, Finding{c, false, refused.Detail})
		case err != nil && c == Chat:
			return nil, err
		case err != nil:
			// Some servers crash on what they do not know.
			found = append(found, Finding{c, false, err.Error()})
		case !works:
			found = append(found, Finding{c, false, "the request is accepted and not followed"})
		default:
			found = append(found, Finding{Kind: c, Works: true})
		}
	}
	return found, nil
}

func (s Server) try(ctx context.Context, c Kind) (bool, error) {
	if c == Embeddings {
		vectors, _, _, err := s.Client.Embed(ctx, s.Model, []string{"memory", "video"})
		return len(vectors) == 2, err
	}
	chat := wire.ChatRequest{Model: s.Model, Task: "doctor", Sampling: s.Sampling}
	chat.Sampling.Seed = nil
	user := wire.Message{Role: "user", Text: "Reply with the one word: ready"}
	switch c {
	case JSONSchema:
		// Prose is asked for, so JSON comes only of a schema that is enforced.
		chat.Task = s.Task
		if chat.Schema, chat.Strict = s.Schema.Strict(); !chat.Strict {
			chat.Schema = s.Schema.Text()
		}
		user.Text = "Tell me in one short sentence of prose which colour ripe strawberries have."
	case Seed:
		seed := 1
		chat.Sampling.Seed = &seed
	case Images:
		user.Text = "Which colour is this picture? Reply with one word."
		user.Images = []wire.Image{{Type: "image/png", Data: redSquare()}}
	}
	chat.Messages = []wire.Message{{Role: "system", Text: "You are being tested. Be brief."}, user}
	said, _, err := s.Client.Chat(ctx, chat)
	if err != nil {
		return false, err
	}
	return s.isFollowed(c, said)
}

func (s Server) isFollowed(c Kind, said wire.Reply) (bool, error) {
	switch c {
	case JSONSchema:
		// A server enforces the shape; bounds are held here.
		shape, ok := s.Schema.Strict()
		if !ok {
			shape = s.Schema.Text()
		}
		compiled, err := model.CompileSchema(shape)
		if err != nil {
			return false, fmt.Errorf("schema of the test: %w", err)
		}
		return compiled.Check(json.RawMessage(strings.TrimSpace(said.Text))) == nil, nil
	case Images:
		return strings.Contains(strings.ToLower(said.Text), "red"), nil
	}
	return true, nil
}

// redSquare is a picture that only who sees it can name.
func redSquare() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		img.SetRGBA(i%64, i/64, color.RGBA{R: 220, G: 20, B: 20, A: 255})
	}
	var buf bytes.Buffer
	_ = png.Encode(&buf, img) // a buffer takes everything
	return buf.Bytes()
}
