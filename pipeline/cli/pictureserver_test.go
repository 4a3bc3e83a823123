package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/gates"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// exhibit asks 20 questions, each of a note and of a picture or a few seconds of
// a film; the answer to number i is the option of letter i modulo 4.
type exhibit struct{}

const exhibitCount = 20

func (exhibit) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameQuestion, schemas.NameTask, schemas.NameMedia}, License: "CC0-1.0"}
}
func (exhibit) Needs() []pipeline.Need { return nil }

// shade is a picture of one grey.
func shade(v uint8) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, 64, 48))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{v, v, v, 255}), image.Point{}, draw.Src)
	return img
}

func (exhibit) Read(ctx context.Context, scope *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	shown, err := exhibited(ctx, scope)
	if err != nil {
		return err
	}
	task := schemas.Task{TaskID: "exhibit", Family: "exhibit", SourceRecords: []string{"exhibit"}}
	recs := []pipeline.Record{}
	add := func(schema, id string, v any, blobs ...pipeline.Digest) {
		if err == nil {
			var r pipeline.Record
			r, err = pipeline.NewRecord(schema, id, v, blobs...)
			recs = append(recs, r)
		}
	}
	for _, m := range shown {
		task.Media = append(task.Media, m.MediaID)
		add(schemas.NameMedia, m.MediaID, m, pipeline.Digest(m.MediaID))
	}
	add(schemas.NameTask, task.TaskID, task)
	for i := range exhibitCount {
		of := shown[0]
		if i%5 == 1 { // each span of the film, and one twice: cutting frames is what takes long
			of = shown[1]
		}
		q := exhibitQuestion(i, of)
		add(schemas.NameQuestion, q.QuestionID, q)
	}
	for _, r := range recs {
		if err == nil {
			err = emit(r)
		}
	}
	return err
}

// exhibited are a picture and a film of four seconds.
func exhibited(ctx context.Context, scope *pipeline.Scope) ([2]schemas.Media, error) {
	png, err := media.PNG(shade(200))
	if err != nil {
		return [2]schemas.Media{}, err
	}
	picture, err := scope.PutBlob(ctx, bytes.NewReader(png))
	if err != nil {
		return [2]schemas.Media{}, err
	}
	dir, err := scope.TempDir()
	if err != nil {
		return [2]schemas.Media{}, err
	}
	next := func(n int64) (*image.RGBA, bool, error) { return shade(uint8(min(255, n*2+27))), n < 100, nil }
	path, err := media.Lazy().EncodeFrames(ctx, media.FrameSpec{Width: 64, Height: 48, FPS: 25}, next, dir, media.DefaultLimits())
	if err != nil {
		return [2]schemas.Media{}, err
	}
	film, err := scope.PutFile(ctx, path)
	return [2]schemas.Media{
		{MediaID: string(picture.Digest), Kind: "image", Mime: "image/png", Bytes: picture.Size, Width: 64, Height: 48, License: "CC0-1.0"},
		{
			MediaID: string(film.Digest), Kind: "video", Mime: "video/mp4", Bytes: film.Size, Width: 64, Height: 48, Duration: 4, FPS: 25, Frames: 100,
			License: "CC0-1.0", Recipe: schemas.Recipe{Layout: schemas.LayoutConcat},
		},
	}, err
}

func exhibitQuestion(i int, m schemas.Media) schemas.Question {
	q := schemas.Question{
		QuestionID: fmt.Sprintf("q-%02d", i), Family: "exhibit", TaskID: "exhibit", Type: "piece", Split: "test",
		Question: fmt.Sprint("What is shown in piece ", i, "?"), Labels: map[string]string{schemas.LabelPair: fmt.Sprint(i / 2)}, Media: []string{m.MediaID},
	}
	seen := schemas.Evidence{
		Kind: "media", Ref: m.MediaID, Role: schemas.RoleClue, Order: 2, Modality: schemas.ModalityImage, MinimalCaption: "a picture of a street", Media: m.MediaID,
	}
	if m.Kind == "video" {
		seen.Ref, seen.Modality, seen.MinimalCaption = fmt.Sprintf("%s#t=%d,%d", m.MediaID, i%3, i%3+1), schemas.ModalityVideo, "a film of a street"
	}
	q.Evidence = []schemas.Evidence{{Kind: "task", Ref: "exhibit", Role: schemas.RoleClue, Order: 1, Modality: schemas.ModalityText, Text: fmt.Sprint("Note on piece ", i, ".")}, seen}
	for o, text := range []string{"a cup", "a hat", "a key", "a map"} {
		q.Options = append(q.Options, schemas.Option{Key: letter(o), Text: text})
	}
	q.AnswerKey, q.AnswerText = q.Options[i%4].Key, q.Options[i%4].Text
	return q
}

// views of the exhibit's gates, by what is sent.
func viewOf(p put, a testkit.ChatRequest) string {
	switch {
	case len(p.Passages) == 0:
		return "none"
	case len(p.Passages) == 1 && len(a.Images) > 0:
		return "single_frame"
	case len(a.Images) > 0:
		return "oracle"
	case strings.Contains(a.User, `"caption"`):
		return "minimal_caption"
	}
	return "text"
}

// exhibitKnown is how many of the 20 questions each model answers under a view.
func exhibitKnown(model, view string) int {
	return map[string]map[string]int{
		"panel-1": {"none": 4, "text": 8, "minimal_caption": 10, "single_frame": 0, "oracle": 16},
		"panel-2": {"none": 10, "text": 6, "minimal_caption": 6, "single_frame": 0, "oracle": 18},
	}[model][view]
}

// exhibitServer answers what its models know and else that it does not. What it
// was asked is kept in order of arrival.
type exhibitServer struct {
	*testkit.ModelServer
	mu     sync.Mutex
	asked  []seenCall
	images [][]byte
}

type seenCall struct {
	model, view string
	piece       int
	right       bool
}

func newExhibitServer(t *testing.T) *exhibitServer {
	s := &exhibitServer{}
	s.ModelServer = testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		var p put
		var i int
		for _, err := range []error{a.Data("question", &p.Question), a.Data("options", &p.Options)} {
			if err != nil {
				return testkit.ChatReply{Text: err.Error()}
			}
		}
		_ = a.Data("passages", &p.Passages) // the view none has no such part
		if _, err := fmt.Sscanf(p.Question, "What is shown in piece %d?", &i); err != nil {
			return testkit.ChatReply{Text: err.Error()}
		}
		call := seenCall{model: a.Model, view: viewOf(p, a), piece: i}
		call.right = i < exhibitKnown(a.Model, call.view)
		answer := "unknown"
		for _, o := range p.Options {
			if call.right && o.Text == []string{"a cup", "a hat", "a key", "a map"}[i%4] {
				answer = o.Letter
			}
		}
		s.mu.Lock()
		s.asked, s.images = append(s.asked, call), append(s.images, a.Images...)
		s.mu.Unlock()
		return testkit.ReplyJSON(map[string]string{"why": "so it is", "answer": answer})
	})
	return s
}

const exhibitPlan = `version: 1
seed: 5
release: {name: exhibit, license: CC0-1.0, from: [solved]}
sources:
  exhibit: {use: exhibit}
gates:
  blind: {use: option-only, from: [exhibit], on_fail: keep, with: {full_protocol: %[2]t}}
  said: {use: text-only, from: [blind], on_fail: keep, with: {full_protocol: %[2]t}}
  told: {use: caption-bypass, from: [said], on_fail: keep, with: {full_protocol: %[2]t}}
  glimpsed: {use: single-frame-bypass, from: [told], on_fail: keep, with: {full_protocol: %[2]t}}
  solved: {use: oracle, from: [glimpsed], on_fail: keep, with: {full_protocol: %[2]t}}
models:
  first: {base_url: %[1]s, model: panel-1}
  second: {base_url: %[1]s, model: panel-2}
roles: {panel_a: first, panel_b: second}
panels:
  same: {panel_a: first, panel_b: second}
  swapped: {panel_a: second, panel_b: first}
`

func exhibitProject(t *testing.T, server *exhibitServer, full bool) boxProject {
	t.Helper()
	p := boxProject{t: t, dir: t.TempDir(), register: func(r *pipeline.Registry) {
		gates.Register(r)
		r.AddTool("ffmpeg", func(context.Context) (string, error) { return "of the test", nil })
		pipeline.AddSource(r, "exhibit", "1", "Exhibit", func(struct{}) (pipeline.Source, error) { return exhibit{}, nil })
	}}
	if err := os.WriteFile(filepath.Join(p.dir, "pipeline.yaml"), fmt.Appendf(nil, exhibitPlan, server.URL, full), 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

// buildExhibit needs ffmpeg.
func buildExhibit(t *testing.T, server *exhibitServer, full bool) boxProject {
	t.Helper()
	if testing.Short() {
		t.Skip("encodes a video; run without -short")
	}
	if _, err := media.Locate(); err != nil {
		t.Skipf("needs ffmpeg: %v", err)
	}
	p := exhibitProject(t, server, full)
	if code, out, errs := p.run("build"); code != 0 {
		t.Fatalf("build: %d\n%s%s", code, out, errs)
	}
	p.release = filepath.Join(p.dir, "out", "releases", "exhibit", "1.0.0")
	return p
}
