package client_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/prompts"
	"github.com/memforge/memforge/schemas"
)

const (
	colourPrompt = `---
task: test.colour
version: "1"
schema: colour
roles: [captioner]
---
# System
Name the colour.
# User
{{data "thing" .Thing}}`
	colourSchema = `{"type":"object","properties":{"colour":{"type":"string","minLength":2}},"required":["colour"],"additionalProperties":false}`
)

type thing struct {
	Thing string `json:"thing"`
}

type colour struct {
	Colour string `json:"colour"`
}

func colourTask(t testing.TB) *model.Job[thing, colour] {
	t.Helper()
	p, err := prompts.Parse("test.colour.md", []byte(colourPrompt))
	if err != nil {
		t.Fatal(err)
	}
	task, err := model.NewJobFromPrompt[thing, colour](p, []byte(colourSchema))
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// answerColour answers as the model under test would.
func answerColour(a testkit.ChatRequest) testkit.ChatReply {
	var what string
	if err := a.Data("thing", &what); err != nil {
		return testkit.ChatReply{Text: err.Error()}
	}
	return testkit.ReplyJSON(colour{"colour of " + what})
}

// bench runs functions inside a task, as stages do.
type bench struct {
	t     testing.TB
	store store.Store
	roles map[string]pipeline.ModelIdentity
	live  pipeline.Models
}

func newBench(t testing.TB, roles map[string]pipeline.ModelIdentity, live pipeline.Models) *bench {
	t.Helper()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return &bench{t: t, store: st, roles: roles, live: live}
}

// stage is a Map that calls a function of the test.
type stage struct {
	do func(context.Context, *pipeline.Scope) error
}

func (s stage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameVideo}, Emits: []string{schemas.NameVideo}, Resource: pipeline.Model}
}

func (s stage) Map(ctx context.Context, scope *pipeline.Scope, _ pipeline.Record) ([]pipeline.Record, error) {
	return nil, s.do(ctx, scope)
}

// in runs do in a task for the item.
func (b *bench) in(ctx context.Context, item string, do func(context.Context, *pipeline.Scope) error) error {
	b.t.Helper()
	reg := pipeline.NewRegistry()
	var inner error
	pipeline.AddStage(reg, "ask", "1", "asks", func(struct{}) (pipeline.Stage, error) {
		return stage{func(ctx context.Context, s *pipeline.Scope) error {
			inner = do(ctx, s)
			return inner
		}}, nil
	})
	rec, err := pipeline.NewRecord(schemas.NameVideo, item, map[string]string{"v": item})
	if err != nil {
		b.t.Fatal(err)
	}
	ref, err := rec.Ref()
	if err != nil {
		b.t.Fatal(err)
	}
	key := pipeline.Key(pipeline.DigestOf(fmt.Appendf(nil, "in %s", item)))
	if err := b.store.Commit(ctx, []pipeline.Committed{{Result: pipeline.Result{Key: key, Outputs: []pipeline.Ref{ref}}, Records: []pipeline.Record{rec}}}); err != nil {
		b.t.Fatal(err)
	}
	id, err := reg.Identify(ctx, pipeline.Identity{Kind: pipeline.KindStage, Use: "ask", Version: "1", Config: pipeline.RawConfig("{}"), Models: b.roles})
	if err != nil {
		b.t.Fatal(err)
	}
	task := pipeline.Task{Step: "asks", Identity: id, Each: true, Inputs: []pipeline.Ref{ref}}
	_, err = engine.Execute(ctx, engine.Runtime{Registry: reg, Store: b.store, Models: b.live, TempRoot: b.t.TempDir()}, task)
	if inner != nil {
		return inner
	}
	return err
}

// colour asks for the colour of what, on behalf of the item of that name.
func (b *bench) colour(what string, images ...pipeline.Digest) (model.Answer[colour], error) {
	b.t.Helper()
	var out model.Answer[colour]
	task := colourTask(b.t)
	err := b.in(b.t.Context(), what, func(ctx context.Context, s *pipeline.Scope) error {
		var err error
		out, err = task.Ask(ctx, s, "captioner", thing{what}, 0, images...)
		return err
	})
	return out, err
}

func (b *bench) put(data []byte) pipeline.Digest {
	b.t.Helper()
	blob, err := b.store.PutBlob(b.t.Context(), bytes.NewReader(data))
	if err != nil {
		b.t.Fatal(err)
	}
	return blob.Digest
}

// picture encodes noise, which does not compress.
func picture(t testing.TB, w, h int, format string) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	seed := uint32(1)
	for i := range img.Pix {
		seed = seed*1664525 + 1013904223
		img.Pix[i] = byte(seed >> 24)
	}
	for y := range h {
		for x := range w {
			c := img.RGBAAt(x, y)
			img.SetRGBA(x, y, color.RGBA{c.R, c.G, c.B, 255})
		}
	}
	var buf bytes.Buffer
	err := png.Encode(&buf, img)
	if format == "jpeg" {
		buf.Reset()
		err = jpeg.Encode(&buf, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func openLedger(t testing.TB, dir string) *ledger.Ledger {
	t.Helper()
	book, err := ledger.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = book.Close() })
	return book
}

// liveBench is a bench whose captioner is the scripted server.
func liveBench(t testing.TB, server *testkit.ModelServer, add string) *bench {
	t.Helper()
	return liveBenchWith(t, server, add, client.Options{Ledger: openLedger(t, t.TempDir())})
}

func liveBenchWith(t testing.TB, server *testkit.ModelServer, add string, o client.Options) *bench {
	t.Helper()
	roles, live := server.LiveWith(t, o, add, "captioner", "embedder")
	return newBench(t, roles, live)
}

// fromYAML makes a client of a models and a roles block.
func fromYAML(t testing.TB, text string, o client.Options) (map[string]pipeline.ModelIdentity, *client.Client) {
	t.Helper()
	cfg, err := config.ParseModels("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	o.Models, o.Roles, o.FirstPause = cfg.Models, cfg.Roles, time.Millisecond
	c, err := client.New(o, cfg.Plan.Models)
	if err != nil {
		t.Fatal(err)
	}
	return cfg.Plan.Models, c
}

// everything is the filter that names every call.
var everything ledger.Filter
