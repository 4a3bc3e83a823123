package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/prompts"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/dir"
	"github.com/memforge/memforge/sources/repository"
)

// A small domain whose items are described by a model: a source of things, a
// map that asks the captioner about each, a fold that asks the author about all.

const thingSchema = "thing"

type thing struct {
	Thing string `json:"thing"`
}

type said struct {
	Text string `json:"text"`
}

type thingsConfig struct {
	Count int `json:"count" doc:"how many"`
}

type things struct{ cfg thingsConfig }

func (things) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{thingSchema}, License: "CC0-1.0"}
}
func (things) Needs() []pipeline.Need { return nil }
func (s things) Read(_ context.Context, _ *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	for i := range s.cfg.Count {
		r, err := pipeline.NewRecord(thingSchema, fmt.Sprintf("thing-%04d", i), thing{fmt.Sprint("thing number ", i)})
		if err != nil {
			return err
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

func tellTask() (*model.Job[thing, said], error) {
	p, err := prompts.Parse("test.tell.md", []byte("---\ntask: test.tell\nversion: \"1\"\nschema: said\nroles: [captioner, author]\n---\n# System\nTell.\n# User\n{{data \"thing\" .Thing}}"))
	if err != nil {
		return nil, err
	}
	return model.NewJobFromPrompt[thing, said](p, []byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`))
}

type tell struct{ task *model.Job[thing, said] }

func (s tell) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts: []string{thingSchema}, Emits: []string{schemas.NameTask, schemas.NameQuestion},
		Resource: pipeline.Model, Asks: []pipeline.Ask{s.task.For("captioner")},
	}
}

func (s tell) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	t, err := pipeline.Decode[thing](in)
	if err != nil {
		return nil, err
	}
	a, err := s.task.Ask(ctx, scope, "captioner", t, 0)
	if err != nil {
		return nil, err
	}
	return taskAndQuestion(in.ID, a.Value.Text)
}

func taskAndQuestion(id, text string) ([]pipeline.Record, error) {
	task, err := pipeline.NewRecord(schemas.NameTask, id, schemas.Task{TaskID: id, Family: "things", Domain: "things", Scenario: text, SourceRecords: []string{id}})
	if err != nil {
		return nil, err
	}
	q, err := pipeline.NewRecord(schemas.NameQuestion, id+"-q", schemas.Question{
		QuestionID: id + "-q", Family: "things", TaskID: id, Type: "what", Split: "test", Question: "What is it?", QuestionMCQ: "What is it?\nA. " + text + "\nB. nothing",
		AnswerText: text, AnswerKey: "A", Options: []schemas.Option{{Key: "A", Text: text, Role: schemas.RoleCorrect}, {Key: "B", Text: "nothing", Role: schemas.RoleUnrelated}},
	})
	return []pipeline.Record{task, q}, err
}

type sum struct{ task *model.Job[thing, said] }

func (s sum) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts: []string{schemas.NameTask}, Emits: []string{schemas.NameTask, schemas.NameQuestion},
		Resource: pipeline.Model, Asks: []pipeline.Ask{s.task.For("author")},
	}
}

func (s sum) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	n := 0
	for _, err := range in.All {
		if err != nil {
			return err
		}
		n++
	}
	a, err := s.task.Ask(ctx, scope, "author", thing{fmt.Sprint("all ", n)}, 0)
	if err != nil {
		return err
	}
	recs, err := taskAndQuestion("all", a.Value.Text)
	if err != nil {
		return err
	}
	for _, r := range recs {
		r.ID = "sum-" + r.ID
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

func thingRegistry() *pipeline.Registry {
	r := pipeline.NewRegistry()
	pipeline.AddSource(r, "things", "1", "Things", func(c thingsConfig) (pipeline.Source, error) { return things{c}, nil })
	pipeline.AddStage(r, "tell", "1", "Tell", func(struct{}) (pipeline.Stage, error) {
		t, err := tellTask()
		return tell{t}, err
	})
	pipeline.AddStage(r, "sum", "1", "Sum", func(struct{}) (pipeline.Stage, error) {
		t, err := tellTask()
		return sum{t}, err
	})
	pipeline.AddStage(r, "shelve", "1", "Shelve", func(struct{}) (pipeline.Stage, error) { return shelve{}, nil })
	repository.Register(r)
	dir.Register(r)
	addExam(r)
	return r
}

const thingPlan = `version: 1
release: {name: things, license: CC0-1.0, from: [tell, sum]}
sources:
  things: {use: things, with: {count: 20}}
stages:
  tell: {use: tell, from: [things]}
  sum: {use: sum, from: [tell]}
`

// project is a folder with a configuration whose models are a scripted server.
type project struct {
	t    testing.TB
	dir  string
	file string
	env  map[string]string
}

func newProject(t *testing.T, server *testkit.ModelServer, add string) *project {
	t.Helper()
	p := &project{t: t, dir: t.TempDir(), env: map[string]string{}}
	p.file = filepath.Join(p.dir, "pipeline.yaml")
	if err := os.WriteFile(p.file, []byte(thingPlan+server.YAML(add, "captioner", "author")), 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

// run runs a command line and returns the exit code and what was printed. Two may share
// args at once, so nothing is appended to them.
func (p *project) run(args ...string) (code int, out, errs string) {
	p.t.Helper()
	var o, e bytes.Buffer
	code = cli.Main(thingRegistry(), slices.Concat(args, []string{"-f", p.file}), strings.NewReader(""), &o, &e, func(k string) string { return p.env[k] })
	return code, o.String(), e.String()
}

// must runs a command line that has to succeed.
func (p *project) must(args ...string) string {
	p.t.Helper()
	code, out, errs := p.run(args...)
	if code != 0 {
		p.t.Fatalf("memforge %v: exit code %d\n%s%s", args, code, out, errs)
	}
	return out
}

// tree reads the releases of an output folder.
func tree(t testing.TB, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		files[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func sameRelease(t testing.TB, a, b string) {
	t.Helper()
	x, y := tree(t, filepath.Join(a, "releases")), tree(t, filepath.Join(b, "releases"))
	if len(x) == 0 || len(x) != len(y) {
		t.Errorf("%d files and %d files", len(x), len(y))
	}
	for name := range x {
		if x[name] != y[name] {
			t.Errorf("%s differs", name)
		}
	}
}

// tellServer answers the domain's questions.
func tellServer(t *testing.T) *testkit.ModelServer {
	return testkit.NewModelServer(t, tellAnswer)
}

func tellAnswer(a testkit.ChatRequest) testkit.ChatReply {
	var what string
	if err := a.Data("thing", &what); err != nil {
		return testkit.ChatReply{Text: err.Error()}
	}
	s := testkit.ReplyJSON(said{"this is " + what})
	s.Input, s.Output = 1000, 100
	return s
}
