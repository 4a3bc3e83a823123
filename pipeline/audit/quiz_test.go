package audit_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/memforge/memforge/gates"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
	video "github.com/memforge/memforge/stages/video/videogates"
)

// The quiz: questions of several types without media, some of them wrong, so
// that every kind of gate passes some and flags some.

const quizPlan = `version: 1
seed: 7
release: {name: quiz, title: A quiz, from: [shortcuts, tasks]}
sources:
  quiz: {use: test.quiz}
gates:
  roles: {use: interference-roles, from: [quiz]}
  mirrors: {use: mirror-pairs, from: [roles]}
  positions: {use: answer-position, from: [mirrors], on_fail: keep}
  balance: {use: nback-balance, from: [positions]}
  shortcuts: {use: statistical-shortcuts, from: [balance]}
  tasks: {use: test.tasks, from: [quiz]}
`

type none struct{}

type quiz struct{}

func (quiz) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameQuestion, schemas.NameTask, schemas.NameMedia}, License: "CC0-1.0"}
}
func (quiz) Needs() []pipeline.Need { return nil }
func (quiz) Read(ctx context.Context, scope *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	for i := range 12 {
		id := fmt.Sprintf("t-%02d", i)
		r, err := pipeline.NewRecord(schemas.NameTask, id, schemas.Task{TaskID: id, Family: "quiz", SourceRecords: []string{"quiz"}})
		if err != nil {
			return err
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	var shown []string
	for i := range 2 {
		var dots bytes.Buffer
		if err := png.Encode(&dots, image.NewGray(image.Rect(0, 0, i+1, 1))); err != nil {
			return err
		}
		b, err := scope.PutBlob(ctx, &dots)
		if err != nil {
			return err
		}
		m := schemas.Media{MediaID: string(b.Digest), Kind: "image", Mime: "image/png", Bytes: b.Size, Width: int32(i + 1), Height: 1, License: "CC0-1.0"}
		r, err := pipeline.NewRecord(schemas.NameMedia, m.MediaID, m, b.Digest)
		if err != nil {
			return err
		}
		if err := emit(r); err != nil {
			return err
		}
		shown = append(shown, m.MediaID)
	}
	for i, q := range quizQuestions() {
		q.Media = shown[i%2 : i%2+1]
		r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
		if err != nil {
			return err
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

// quizQuestions are 60 in mirror groups, of which one has wrong roles and so
// leaves its mirror alone; 20 of N-Back, of which 12 have one answer; and 120
// of which half are told by their last words.
func quizQuestions() []schemas.Question {
	var out []schemas.Question
	add := func(q schemas.Question, gold int) {
		q.Family, q.TaskID, q.Split = "quiz", fmt.Sprintf("t-%02d", len(out)%12), "test"
		q.QuestionID = fmt.Sprintf("q-%03d", len(out))
		q.AnswerKey, q.AnswerText = q.Options[gold].Key, q.Options[gold].Text
		if q.Options[gold].Role != "" {
			q.Options[gold].Role = schemas.RoleCorrect
		}
		q.QuestionMCQ = q.Question
		q.Evidence = []schemas.Evidence{
			{Kind: "task", Ref: q.TaskID, Role: schemas.RoleClue, Order: 1, Text: "It was the " + []string{q.Options[0].Text, q.AnswerText}[len(out)%2] + ".", Modality: "text"},
			{Kind: "task", Ref: q.TaskID, Role: schemas.RoleClue, Order: 2, Text: "Nothing else was there.", Modality: "text"},
		}
		out = append(out, q)
	}
	words := []string{"red", "blue", "green", "amber", "white", "black", "kettle", "ladder", "lantern", "violin", "saucer"}
	four := func(seed int) (options []schemas.Option) {
		for o := range 4 {
			options = append(options, schemas.Option{Key: string(rune('A' + o)), Role: schemas.RoleDistractor, Text: words[(seed*7+o*3)%6] + " " + words[6+(seed*3+o)%5]})
		}
		return options
	}
	for i := range 60 {
		group := i / 2
		q := schemas.Question{Type: schemas.TypeInterference, Question: "What is taken?", Options: four(group), Labels: map[string]string{
			schemas.LabelMirror: fmt.Sprint("m", group), schemas.LabelDirection: []string{schemas.Proactive, schemas.Retroactive}[i%2], schemas.LabelPair: fmt.Sprint("p", group/3),
		}}
		roles := []string{schemas.RoleCorrect, schemas.RoleIntrusion, schemas.RoleIntrusion, schemas.RoleUnrelated}
		gold := group % 3 % 2 // far too often the first
		for o := range q.Options {
			q.Options[(gold+o)%4].Role = roles[o]
		}
		if i == 8 {
			q.Options[(gold+1)%4].Role = schemas.RoleUnrelated
		}
		add(q, gold)
	}
	for i := range 20 {
		q := schemas.Question{Type: schemas.TypeNBack, Question: fmt.Sprintf("Does clip %d match?", i), Options: []schemas.Option{{Key: "A", Text: "Yes"}, {Key: "B", Text: "No"}},
			Labels: map[string]string{"attribute": "action", "n_value": "1", "clip_count": "3", schemas.LabelFact: fmt.Sprint("trial ", i)}}
		add(q, min(i/12, 1))
	}
	for i := range 120 {
		q := schemas.Question{Type: schemas.TypeContentRetention, Question: fmt.Sprintf("What is picked up %d?", i), Options: four(i), Labels: map[string]string{schemas.LabelFact: fmt.Sprint("pick ", i)}}
		gold := rand.New(rand.NewPCG(uint64(i), 4)).IntN(4)
		if i < 60 {
			q.Options[gold].Text += " with a dent"
		}
		add(q, gold)
	}
	return out
}

// mend gives the interference question with wrong roles right ones.
type mend struct{}

func (mend) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameQuestion}, Emits: []string{schemas.NameQuestion}}
}
func (mend) Map(_ context.Context, _ *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	q, err := pipeline.Decode[schemas.Question](in)
	if err != nil || q.QuestionID != "q-008" {
		return []pipeline.Record{in}, err
	}
	roles := []string{schemas.RoleIntrusion, schemas.RoleIntrusion, schemas.RoleUnrelated}
	for i, at := range q.Options {
		if at.Role != schemas.RoleCorrect {
			q.Options[i].Role, roles = roles[0], roles[1:]
		}
	}
	r, err := pipeline.NewRecord(in.Schema, in.ID, q)
	return []pipeline.Record{r}, err
}

// taskGate judges tasks, of which a release cannot say enough.
type taskGate struct{}

func (taskGate) Spec() pipeline.Spec { return pipeline.Spec{Accepts: []string{schemas.NameTask}} }
func (taskGate) Judge(_ context.Context, _ *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	out := make([]pipeline.Judgement, len(items))
	for i := range out {
		out[i] = pipeline.Judgement{Outcome: pipeline.Pass}
	}
	return out, nil
}

func registry(t testing.TB) *pipeline.Registry {
	t.Helper()
	r := pipeline.NewRegistry()
	gates.Register(r)
	video.Register(r)
	// The evidence of the quiz is text: nothing runs it.
	r.AddTool("ffmpeg", func(context.Context) (string, error) { return "none", nil })
	pipeline.AddSource(r, "test.quiz", "1", "a quiz", func(none) (pipeline.Source, error) { return quiz{}, nil })
	pipeline.AddStage(r, "test.mend", "1", "mends", func(none) (pipeline.Stage, error) { return mend{}, nil })
	pipeline.AddGate(r, "test.tasks", "1", "passes tasks", func(none) (pipeline.Gate, error) { return taskGate{}, nil })
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return r
}

// buildQuiz builds a plan and reads its release.
func buildQuiz(t testing.TB, reg *pipeline.Registry, plan string) release.Contents {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "pipeline.yaml")
	if err := os.WriteFile(path, []byte(plan), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path, reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := assemble.Build(t.Context(), reg, cfg, assemble.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	return mustRead(t, res.Release.Dir)
}

// builtQuizzes are the files of releases that were built, by plan: *builtQuiz.
var builtQuizzes sync.Map

type builtQuiz struct {
	once  sync.Once
	files fstest.MapFS
}

// sharedQuiz reads a copy of the release of a plan, which is built once for all tests
// that look at it. It is the test's own: its files may be changed.
func sharedQuiz(t testing.TB, reg *pipeline.Registry, plan string) release.Contents {
	t.Helper()
	v, _ := builtQuizzes.LoadOrStore(plan, &builtQuiz{})
	b := v.(*builtQuiz)
	b.once.Do(func() {
		c := buildQuiz(t, reg, plan)
		files := fstest.MapFS{}
		places := []string{"manifest.json", "SHA256SUMS"}
		for _, f := range c.Manifest.Files {
			places = append(places, f.Path)
		}
		for _, place := range places {
			data, err := os.ReadFile(filepath.Join(c.Dir, filepath.FromSlash(place)))
			if err != nil {
				t.Fatal(err)
			}
			files[place] = &fstest.MapFile{Data: data, Mode: 0o644}
		}
		b.files = files
	})
	if b.files == nil {
		t.Fatal("the release that tests share was not built; the first of them says why")
	}
	dir := filepath.Join(t.TempDir(), "release")
	if err := os.CopyFS(dir, b.files); err != nil {
		t.Fatal(err)
	}
	return mustRead(t, dir)
}

func mustRead(t testing.TB, dir string) release.Contents {
	t.Helper()
	c, err := release.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustAudit(t testing.TB, reg *pipeline.Registry, c release.Contents) audit.Report {
	t.Helper()
	r, err := audit.Run(t.Context(), reg, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// found joins everything that a report says differs.
func found(r audit.Report) string {
	var all []string
	for _, g := range r.Gates {
		for _, d := range g.Differences {
			all = append(all, g.Name+": "+d)
		}
	}
	for _, p := range r.Parts {
		for _, d := range p.Differences {
			all = append(all, p.Name+": "+d)
		}
	}
	return strings.Join(all, "\n")
}
