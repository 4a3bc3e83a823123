// Package captions has a model write captions for pictures without any: minimal ones,
// which name only the kind of picture (MemEye 3.2), dense ones (C.3), and task-aware
// ones, which describe what a question could ask about (D.2). Each request contains the
// picture alone, so that a picture is sent once however often it occurs.
package captions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/dialogue"
)

const captionerRole = "captioner"

// Kinds of caption.
const (
	Minimal   = "minimal"
	Dense     = "dense"
	TaskAware = "task_aware"
)

func captionKinds() []string { return []string{Minimal, Dense, TaskAware} }

// Config configures visual.caption.
type Config struct {
	Kinds    []string `json:"kinds" doc:"captions to write where there is none: minimal, dense, task_aware"`
	Attempts int      `json:"attempts" doc:"how often a caption is asked for, with the reasons against the earlier ones, before it is left out"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() { *c = Config{Kinds: captionKinds(), Attempts: 2} }

const maxAttempts = 5

// Input fills the captioner's prompt.
type Input struct {
	Refused []model.RejectedAnswer[Answer] `json:"refused"`
}

// Answer is a caption, or the reason why there is none.
type Answer struct {
	Cannot  string `json:"cannot"`
	Caption string `json:"caption"`
}

type captionStage struct {
	cfg   Config
	tasks map[string]*model.Job[Input, Answer]
}

// Register adds the stage visual.caption.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "visual.caption", "1", "have a captioner write the captions that pictures of sessions lack: of their kind, dense, and task-aware (MemEye 3.2, C.3, D.2)", newStage)
}

func newStage(c Config) (pipeline.Stage, error) {
	if err := pipeline.CheckRange("attempts", c.Attempts, 1, maxAttempts); err != nil {
		return nil, err
	}
	s := &captionStage{cfg: c, tasks: map[string]*model.Job[Input, Answer]{}}
	for i, k := range c.Kinds {
		if !slices.Contains(captionKinds(), k) || slices.Contains(c.Kinds[:i], k) {
			return nil, fmt.Errorf("kinds holds %q; want each of %q at most once", k, captionKinds())
		}
		var err error
		if s.tasks[k], err = model.NewJob[Input, Answer]("visual.caption." + k); err != nil {
			return nil, err
		}
	}
	if len(c.Kinds) == 0 {
		return nil, fmt.Errorf("kinds is empty; name some of %q", captionKinds())
	}
	return s, nil
}

func (s *captionStage) Spec() pipeline.Spec {
	all := []string{schemas.NameTask, schemas.NameSession, schemas.NameQuestion}
	spec := pipeline.Spec{Accepts: all, Emits: all, Resource: pipeline.Model}
	for _, k := range s.kinds() {
		ask := s.tasks[k].For(captionerRole)
		ask.Otherwise = "write captions into the folder (image_caption)"
		spec.Asks = append(spec.Asks, ask)
	}
	return spec
}

// kinds returns the configured kinds in their order.
func (s *captionStage) kinds() []string {
	return slices.DeleteFunc(captionKinds(), func(k string) bool { return s.tasks[k] == nil })
}

// captionFields are the caption fields of one picture.
type captionFields struct {
	media  string
	fields map[string]*string
}

// Map writes the missing captions of a session's pictures, or of a question's evidence.
// Tasks pass unchanged. A picture without a usable caption stays without one and
// becomes a rejection.
func (s *captionStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	if in.Schema == schemas.NameTask {
		return []pipeline.Record{in}, nil
	}
	if in.Schema == schemas.NameQuestion {
		q, err := pipeline.Decode[schemas.Question](in)
		if err != nil {
			return nil, err
		}
		var all []captionFields
		for i := range q.Evidence {
			e := &q.Evidence[i]
			all = append(all, captionFields{e.Media, map[string]*string{Minimal: &e.MinimalCaption, Dense: &e.Caption, TaskAware: &e.TaskAwareCaption}})
		}
		return s.fillCaptions(ctx, scope, in, all, &q)
	}
	session, err := pipeline.Decode[schemas.Session](in)
	if err != nil {
		return nil, err
	}
	var all []captionFields
	for i := range session.Turns {
		for j := range session.Turns[i].Attachments {
			a := &session.Turns[i].Attachments[j]
			all = append(all, captionFields{a.MediaID, map[string]*string{Minimal: &a.MinimalCaption, Dense: &a.Caption, TaskAware: &a.TaskAwareCaption}})
		}
	}
	return s.fillCaptions(ctx, scope, in, all, &session)
}

// fillCaptions writes all captions of the record that v points to. It continues after a
// request that waits for an answer, so that one batch holds all requests.
func (s *captionStage) fillCaptions(ctx context.Context, scope *pipeline.Scope, in pipeline.Record, all []captionFields, v any) ([]pipeline.Record, error) {
	var waiting error
	var lost []pipeline.Rejection
	for _, c := range all {
		for _, k := range s.kinds() {
			into := c.fields[k]
			if c.media == "" || *into != "" && !(k == Minimal && *into == schemas.BareCaption) {
				continue
			}
			text, err := s.writeCaption(ctx, scope, k, c.media)
			var why *pipeline.Rejection
			switch {
			case err == nil:
				*into = text
			case ctx.Err() != nil || !errors.As(err, &why):
				return nil, fmt.Errorf("caption picture %s: %w", c.media, err)
			case why.Transient:
				waiting = pipeline.WithSubject(err, "caption picture %s", c.media)
			default:
				l := *why
				l.ID, l.Flagged = fmt.Sprintf("%s/%s/%s", in.ID, c.media[:min(len(c.media), 12)], k), true
				lost = append(lost, l)
			}
		}
	}
	if waiting != nil {
		return nil, waiting
	}
	for i := range lost {
		scope.Reject(lost[i].ID, &lost[i])
	}
	rec, err := pipeline.NewRecord(in.Schema, in.ID, v, in.Blobs...)
	if err != nil {
		return nil, err
	}
	return []pipeline.Record{rec}, nil
}

func (s *captionStage) writeCaption(ctx context.Context, scope *pipeline.Scope, kind, media string) (string, error) {
	got, refused, err := s.tasks[kind].AskUntilUsable(ctx, scope, captionerRole, s.cfg.Attempts,
		func(r []model.RejectedAnswer[Answer]) Input { return Input{Refused: r} },
		func(got model.Answer[Answer]) ([]string, error) {
			if why := strings.TrimSpace(got.Value.Cannot); why != "" {
				return nil, pipeline.Reject("declined", "%s writes no %s caption: %s", got.Model, kind, why)
			}
			return Check(kind, got.Value.Caption), nil
		}, pipeline.Digest(media))
	if err != nil {
		return "", err
	}
	if n := len(refused); n > 0 {
		return "", pipeline.Reject("bad-caption", "%q: %s (after %d attempts)", refused[n-1].Answer.Caption, strings.Join(refused[n-1].Reasons, "; "), n)
	}
	return strings.TrimSpace(got.Value.Caption), nil
}

// Tokens of captions by kind, megapixels of a picture, and the share of requests that
// are repeated.
const (
	denseTokens     = 200
	taskAwareTokens = 450
	minimalTokens   = 15
	megapixels      = 0.8
	retryShare      = 0.1
)

// Forecast assumes that no picture has a caption.
func (s *captionStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	pictures := dialogue.PictureCount(in)
	f := pipeline.Forecast{Out: pipeline.Volume{
		schemas.NameTask: in[schemas.NameTask], schemas.NameSession: in[schemas.NameSession], schemas.NameQuestion: in[schemas.NameQuestion], dialogue.VolumePictures: {Records: pictures},
	}}
	calls := pictures
	if s.cfg.Attempts > 1 {
		calls *= 1 + retryShare
	}
	for _, k := range s.kinds() {
		f.Calls += calls
		f.Images += calls
		f.TokensIn += calls * (s.tasks[k].PromptTokens() + model.ImageTokens(megapixels))
		f.TokensOut += calls * map[string]float64{Minimal: minimalTokens, Dense: denseTokens, TaskAware: taskAwareTokens}[k]
	}
	return f
}
