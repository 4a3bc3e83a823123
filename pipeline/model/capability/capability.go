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
	"image/draw"
	"image/png"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/server"
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
	// Endpoint is the model with the sampling that its requests need. Which capabilities it
	// states makes no difference, and its seed is left out.
	Endpoint wire.Endpoint
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
	e := s.Endpoint
	if c == Embeddings {
		vectors, _, _, err := s.Client.Embed(ctx, e.Model.Model, []string{"memory", "video"})
		return len(vectors) == 2, err
	}
	e.Capabilities.JSONSchema, e.Capabilities.Images, e.Sampling.Seed = c == JSONSchema, true, nil
	r := pipeline.Request{Model: e.Model.Model, Task: s.Task}
	user, images := "Reply with the one word: ready", []pipeline.Digest(nil)
	switch c {
	case JSONSchema:
		// Prose is asked for, so JSON comes only of a schema that is enforced.
		user = "Tell me in one short sentence of prose which colour ripe strawberries have."
	case Seed:
		seed := 1
		e.Sampling.Seed = &seed
	case Images:
		user, images = "Which colour is this picture? Reply with one word.", []pipeline.Digest{"the red square"}
		e.Media = server.Media{MaxLongSide: squareSide, MaxBytes: 1 << 20}
	}
	r.Messages = pipeline.ChatMessages("You are being tested. Be brief.", user, images)
	chat, err := wire.Encode(ctx, e, r, s.Schema, func(context.Context, pipeline.Digest, int64) ([]byte, error) { return redSquare(), nil })
	if err != nil {
		return false, err
	}
	reply, _, err := s.Client.Chat(ctx, chat)
	if err != nil {
		return false, err
	}
	return s.isFollowed(c, reply.Text)
}

func (s Server) isFollowed(c Kind, answer string) (bool, error) {
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
		return compiled.Check(json.RawMessage(strings.TrimSpace(answer))) == nil, nil
	case Images:
		return strings.Contains(strings.ToLower(answer), "red"), nil
	}
	return true, nil
}

// squareSide is the side of the red square, in pixels.
const squareSide = 64

// redSquare returns a picture whose colour no model knows that does not see it.
func redSquare() []byte {
	img := image.NewRGBA(image.Rect(0, 0, squareSide, squareSide))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{R: 220, G: 20, B: 20, A: 255}), image.Point{}, draw.Src)
	var buf bytes.Buffer
	_ = png.Encode(&buf, img) // a buffer takes everything
	return buf.Bytes()
}
