package store_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/local"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// A build of nothing but files and questions about them: numbers -> film, which
// films every number and asks about it -> fair, a gate; film -> task, a fold.

const films = 16

type film struct{}

func (film) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{"number"}, Emits: []string{schemas.NameMedia, schemas.NameQuestion}}
}

// Map puts a film as stages do that run ffmpeg, by moving a file, and a log of it
// as a stream of bytes.
func (film) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	dir, err := scope.TempDir()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "film.mp4")
	if err := os.WriteFile(path, []byte(strings.Repeat("frames of "+in.ID+" ", 200)), 0o644); err != nil {
		return nil, err
	}
	shot, err := scope.PutFile(ctx, path)
	if err != nil {
		return nil, err
	}
	// Of two films the log is the same: one blob is put twice.
	log, err := scope.PutBlob(ctx, strings.NewReader("log of films "+in.ID[:len(in.ID)-1]))
	if err != nil {
		return nil, err
	}
	m := schemas.Media{MediaID: string(shot.Digest), Kind: "video", Mime: "video/mp4", Bytes: shot.Size, Width: 64, Height: 48, Duration: 1, FPS: 25, Frames: 25, License: "CC0-1.0"}
	medium, err := pipeline.NewRecord(schemas.NameMedia, m.MediaID, m, shot.Digest, log.Digest)
	if err != nil {
		return nil, err
	}
	q := schemas.Question{
		QuestionID: "q-" + in.ID, Family: "films", TaskID: "all", Question: "What is the number?", AnswerKey: "A", AnswerText: in.ID, Type: "number",
		Options: []schemas.Option{{Key: "A", Text: in.ID, Role: schemas.RoleCorrect}, {Key: "B", Text: "none", Role: schemas.RoleUnrelated}},
		Media:   []string{m.MediaID}, Split: "test",
	}
	q.QuestionMCQ = schemas.MCQ(q.Question, q.Options)
	asked, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
	return []pipeline.Record{medium, asked}, err
}

type fair struct{}

func (fair) Spec() pipeline.Spec { return pipeline.Spec{Accepts: []string{schemas.NameQuestion}} }

func (fair) Judge(context.Context, *pipeline.Scope, []pipeline.Record) ([]pipeline.Judgement, error) {
	return []pipeline.Judgement{{Outcome: pipeline.Pass}}, nil
}

type task struct{}

func (task) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameMedia}, Emits: []string{schemas.NameTask}}
}

func (task) Fold(_ context.Context, _ *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	of := schemas.Task{TaskID: "all", Family: "films", Domain: "video", Scenario: schemas.LayoutConcat}
	for r, err := range in.All {
		if err != nil {
			return err
		}
		of.Media = append(of.Media, r.ID)
	}
	r, err := pipeline.NewRecord(schemas.NameTask, of.TaskID, of)
	if err != nil {
		return err
	}
	return emit(r)
}

type nothing struct{}

// buildFilms builds and releases, and returns the digests of all files released.
func buildFilms(t *testing.T, st pipeline.Store, scratch string) (string, error) {
	t.Helper()
	ctx := t.Context()
	reg := testkit.NumbersRegistry(&testkit.NumbersHooks{})
	pipeline.AddStage(reg, "film", "1", "films", func(nothing) (pipeline.Stage, error) { return film{}, nil })
	pipeline.AddStage(reg, "task", "1", "lists", func(nothing) (pipeline.Stage, error) { return task{}, nil })
	pipeline.AddGate(reg, "fair", "1", "passes", func(nothing) (pipeline.Gate, error) { return fair{}, nil })
	numbers := testkit.NumbersPlan(testkit.NumbersConfig{Count: films, Changed: -1}).Steps[0]
	none := pipeline.RawConfig(`{}`)
	plan := engine.Plan{Seed: 1, Steps: []engine.Step{
		numbers,
		{Name: "film", Kind: pipeline.KindStage, Use: "film", Version: "1", Config: none, From: []string{"numbers"}},
		{Name: "fair", Kind: pipeline.KindGate, Use: "fair", Version: "1", Config: none, From: []string{"film"}, OnFail: pipeline.OnFailDrop},
		{Name: "task", Kind: pipeline.KindStage, Use: "task", Version: "1", Config: none, From: []string{"film"}},
	}}
	steps, err := plan.Resolve(ctx, reg)
	if err != nil {
		return "", err
	}
	rt := engine.Runtime{Registry: reg, Store: st, TempRoot: scratch}
	nodes, err := local.Execute(ctx, rt, steps, testkit.NoFetch{}, local.Options{Limits: map[pipeline.Resource]int{pipeline.CPU: 2}})
	if err != nil {
		return "", err
	}
	in := release.Input{Spec: pipeline.Release{Name: "films", Version: "auto", Title: "Films"}, BuildKey: "films", Gates: []manifest.GateInfo{
		{Name: "fair", Use: "fair", Summary: "passes", Version: "1", Config: none, OnFail: pipeline.OnFailDrop},
	}}
	history := pipeline.Build{Config: pipeline.DigestOf([]byte("films"))}
	for _, n := range nodes {
		records, err := outputs(ctx, st, n)
		if err != nil {
			return "", err
		}
		for _, r := range records {
			if schemas.ReleasedSchema(r.Schema) && (n.Step.Name != "film" || r.Schema == schemas.NameMedia) {
				in.Records = append(in.Records, r)
			}
		}
	}
	for _, n := range nodes {
		history.Steps = append(history.Steps, pipeline.BuildStep{Name: n.Step.Name, Identity: n.Step.Identity, UnitList: n.Units})
	}
	if err := st.SaveBuild(ctx, history); err != nil {
		return "", err
	}
	done, err := release.Write(ctx, st, t.TempDir(), in, release.Options{})
	if err != nil {
		return "", err
	}
	sums, err := os.ReadFile(filepath.Join(done.Dir, "SHA256SUMS"))
	if n := bytes.Count(sums, []byte("media/videos/")); err == nil && n < films {
		err = fmt.Errorf("the release has %d files of media, want %d films", n, films)
	}
	return string(sums), err
}

func outputs(ctx context.Context, st pipeline.Store, n engine.StepRun) ([]pipeline.Record, error) {
	units, err := engine.LoadUnits(ctx, st, n.Units)
	if err != nil {
		return nil, err
	}
	var digests []pipeline.Digest
	for _, u := range units {
		for _, r := range u.Out {
			digests = append(digests, r.Digest)
		}
	}
	return st.Records(ctx, digests)
}
