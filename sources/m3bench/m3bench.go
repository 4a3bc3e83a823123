// Package m3bench is the source "m3bench": tasks of M3-Bench for agents with tools. Their
// gold is a call or a plan of steps; long plans are left out (SMMBench B.1), and each task
// has the tools that could be called.
package m3bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// licence is that of the repository; what the card of the pictures states is joined.
const licence = "MIT"

// Dataset begins the ids of its items.
const Dataset = "m3bench"

// Needs in their order.
const (
	needTasks = iota
	needMedia
	needImages
)

// Config of the source.
type Config struct {
	evidence.Repository
	evidence.Selection
	Gold          string `json:"gold" doc:"file of tasks with the calls that solve them"`
	Questions     string `json:"questions" doc:"file of tasks with the questions as users put them; empty: those of the file of gold"`
	Tools         string `json:"tools" doc:"file of tools, in the repository or in the folder that run.media_dirs names: a list, or a list for each server, as servers answer tools/list"`
	MaxTools      int    `json:"max_tools" doc:"offer at most so many tools: those of the gold, and others drawn, of its servers first"`
	MaxCalls      int    `json:"max_calls" doc:"leave tasks out that take more calls"`
	Images        bool   `json:"images" doc:"fetch the pictures from the hub; without it they lie in the folder that run.media_dirs names"`
	ImagesRepo    string `json:"images_repo" doc:"data set of the hub with the pictures"`
	ImagesVersion string `json:"images_revision" doc:"its branch, tag or commit"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	// The last commit that has the folder json.
	c.Repo, c.Revision, c.MaxBytes = "EtaYang10th/Open-M3-Bench", "9bd5452f1e4e710bd0072db1d73ad0758c5316ba", evidence.DefaultMaxBytes
	c.Gold, c.Questions, c.Tools, c.MaxTools = "json/test_mcp_GT.json", "json/tasks_fuzzy.json", "tools.json", 8
	c.MaxCalls = 12
	c.ImagesRepo, c.ImagesVersion = "EtaYang10th/Open-M3-Bench", "main"
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, Dataset, "2", "M3-Bench: tasks that calls of tools solve, function call", New)
}

type source struct{ cfg Config }

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if err := evidence.Check(fetch.GitHub, c.Repository, c.Selection); err != nil {
		return nil, err
	}
	if err := fetch.CheckHub(c.ImagesRepo, c.ImagesVersion); err != nil {
		return nil, fmt.Errorf("images_%w", err)
	}
	switch {
	case c.Gold == "" || c.Gold == c.Questions || c.Gold == c.Tools:
		return nil, errors.New("gold: name a file of its own")
	case c.MaxTools < 2:
		return nil, fmt.Errorf("max_tools: %d: want 2 or more; one alone is no choice", c.MaxTools)
	}
	return &source{c}, pipeline.CheckRange("max_calls", c.MaxCalls, 1, 64)
}

// Spec implements pipeline.Source.
func (*source) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameEvidenceItem}}
}

// Needs implements pipeline.Source.
func (s *source) Needs() []pipeline.Need {
	pictures := slices.Concat(benchmark.PicturePatterns(), benchmark.ArchivePatterns())
	texts := pipeline.Need{From: fetch.GitHub, Repo: s.cfg.Repo, Revision: s.cfg.Revision, Include: []string{s.cfg.Gold}, MaxBytes: annotation.MaxBytes, License: licence}
	media := pipeline.Need{From: fetch.Media, Include: slices.Clone(pictures), MaxBytes: s.cfg.MaxBytes, License: licence}
	if s.cfg.Questions != "" {
		texts.Include = append(texts.Include, s.cfg.Questions)
	}
	if s.cfg.Tools != "" {
		texts.Include, media.Include = append(texts.Include, s.cfg.Tools), append(media.Include, "**/"+s.cfg.Tools)
	}
	if !s.cfg.Images {
		return []pipeline.Need{texts, media}
	}
	return []pipeline.Need{texts, media, {From: fetch.Hub, Repo: s.cfg.ImagesRepo, Revision: s.cfg.ImagesVersion, Include: pictures, MaxBytes: s.cfg.MaxBytes, License: licence}}
}

// Read implements pipeline.Source.
func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	g := evidence.NewEmitter(scope, emit, Dataset, licence, assets)
	asked, err := s.questions(ctx, scope, assets)
	if err != nil {
		return err
	}
	box, err := s.tools(ctx, scope, assets)
	if err != nil {
		return err
	}
	all, err := s.tasks(ctx, scope, g, assets, asked)
	if err != nil {
		return err
	}
	var names []string
	for _, t := range all {
		names = append(names, t.image)
	}
	pictures, err := evidence.IndexPictures(ctx, scope, assets, s.cfg.MaxBytes, names, needImages, needMedia)
	if err != nil {
		return err
	}
	for _, t := range all {
		if err := s.emitTask(ctx, g, pictures, box, t); err != nil {
			return err
		}
	}
	return nil
}

// questions returns the words in which users put the tasks, by id.
func (s *source) questions(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset) (map[string]string, error) {
	out := map[string]string{}
	if s.cfg.Questions == "" {
		return out, nil
	}
	return out, s.visitTasks(ctx, scope, assets, s.cfg.Questions, func(where string, o annotation.Object) {
		t, why := parse(o)
		if why == nil && out[t.id] != "" {
			why = pipeline.Reject(evidence.CodeCopy, "task %s is there twice", annotation.Truncate(t.id))
		}
		if why != nil {
			scope.Reject(where, why)
			return
		}
		out[t.id] = t.text
	})
}

// tasks returns the picked tasks of the gold file that few enough calls solve.
func (s *source) tasks(ctx context.Context, scope *pipeline.Scope, g *evidence.Emitter, assets []pipeline.Asset, asked map[string]string) ([]task, error) {
	var all []task
	err := s.visitTasks(ctx, scope, assets, s.cfg.Gold, func(where string, o annotation.Object) {
		t, why := parse(o)
		if why != nil {
			scope.Reject(where, why)
			return
		}
		if why := t.checkCalls(s.cfg.MaxCalls); why != nil {
			g.RejectWith(t.id, why)
			return
		}
		if fuzzy := asked[t.id]; fuzzy != "" {
			t.text = fuzzy
		} else if s.cfg.Questions != "" {
			t.notes = append(t.notes, schemas.Note{Code: noteWords, Text: s.cfg.Questions + " does not have it: its question is that of " + s.cfg.Gold})
		}
		all = append(all, t)
	})
	return evidence.Pick(scope, all, func(t task) string { return t.id }, s.cfg.MaxItems), err
}

func (s *source) visitTasks(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, name string, visit func(string, annotation.Object)) error {
	a, err := benchmark.AssetNamed(assets, needTasks, name)
	if err != nil {
		return err
	}
	text, err := evidence.ReadText(ctx, scope, a)
	if err != nil {
		return err
	}
	list, err := entries(text)
	if err != nil {
		return fmt.Errorf("tasks %s: %w", name, err)
	}
	for _, e := range list {
		where := name + "#" + e.where
		if e.err != nil {
			scope.Reject(where, pipeline.Reject(benchmark.CodeBadRow, "%v", e.err))
			continue
		}
		visit(where, e.object)
	}
	return nil
}

func (s *source) emitTask(ctx context.Context, g *evidence.Emitter, pictures *benchmark.Files, box toolbox, t task) error {
	item := t.item()
	if why := box.addTools(&item, s.cfg.MaxTools, g.Scope.Rand("tools", t.id)); why != nil {
		g.RejectWith(t.id, why)
		return nil
	}
	if t.image != "" {
		id, why, err := g.Album.AddNamed(ctx, pictures, t.image)
		if err != nil {
			return err
		}
		if why != nil {
			g.RejectWith(t.id, why)
			return nil
		}
		item.Units[0].Media = id
	}
	return g.EmitItem(item)
}

// tasks are those that SMMBench counts (table 4), readCPU what one takes
// with its picture, in seconds.
const (
	tasks   = 231
	readCPU = 0.05
)

// Forecast implements pipeline.Forecaster.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	return evidence.Forecast(s.cfg.MaxItems, tasks, readCPU)
}

// Codes and notes of this data set alone.
const (
	codeCalls = "bad-calls"
	noteWords = "question-not-reworded"
	noteTools = "tools-not-known"
)

// entry is one value of a file whose root is a list, or an object of ids.
type entry struct {
	where  string
	object annotation.Object
	err    error
}

// entries reads either root. In an object the key is the id of a task that states none.
func entries(text []byte) ([]entry, error) {
	if list, err := annotation.ParseList(text); err == nil {
		out := make([]entry, len(list))
		for i, raw := range list {
			o, err := annotation.ParseObject(raw)
			out[i] = entry{fmt.Sprint(i), o, err}
		}
		return out, nil
	}
	pairs, err := annotation.ParsePairs(text)
	if err != nil {
		return nil, fmt.Errorf("want a list of tasks, or an object of them by id: %w", err)
	}
	out := make([]entry, len(pairs))
	for i, p := range pairs {
		o, err := annotation.ParseObject(p.Value)
		if err == nil {
			err = checkID(o, p.Key)
		}
		out[i] = entry{annotation.Truncate(p.Key), o, err}
	}
	return out, nil
}

// checkID gives a task the id that it is filed under.
func checkID(o annotation.Object, key string) error {
	id, err := o.Text("id")
	switch {
	case err != nil:
		return err
	case id != "" && id != key:
		return fmt.Errorf("it is filed under %q and calls itself %q", annotation.Truncate(key), annotation.Truncate(id))
	}
	o["id"], err = json.Marshal(key)
	return err
}

// task is one with the calls that solve it.
type task struct {
	id, image, kind, text string
	plan                  []planStep
	notes                 []schemas.Note
}

type planStep struct {
	Calls []call `json:"calls"`
}

type call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// parse reads a task of any of the files; calls are only in that of gold.
func parse(o annotation.Object) (t task, why *pipeline.Rejection) {
	words := "question" // beside which the fuzzy file repeats the plain one as prompt
	if len(o[words]) == 0 {
		words = "prompt"
	}
	err := o.Fill(annotation.Field{Key: "id", Into: &t.id}, annotation.Field{Key: "image", Into: &t.image}, annotation.Field{Key: "type", Into: &t.kind}, annotation.Field{Key: words, Into: &t.text})
	steps, err2 := o.Objects("steps")
	switch {
	case err != nil:
		return t, pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	case err2 != nil:
		return t, pipeline.Reject(benchmark.CodeBadRow, "%v", err2)
	case t.id == "":
		return t, pipeline.Reject(benchmark.CodeBadRow, "it has no id")
	}
	t.image = strings.TrimPrefix(t.image, "./")
	for _, step := range steps {
		calls, err := step.Objects("calls")
		if err != nil {
			return t, pipeline.Reject(benchmark.CodeBadRow, "steps: %v", err)
		}
		var out planStep
		for _, c := range calls {
			one := call{Arguments: c["arguments"]}
			if one.Name, err = c.Text("name"); err != nil {
				return t, pipeline.Reject(benchmark.CodeBadRow, "steps: %v", err)
			}
			if string(one.Arguments) == "null" || len(one.Arguments) == 0 {
				one.Arguments = json.RawMessage("{}")
			}
			out.Calls = append(out.Calls, one)
		}
		t.plan = append(t.plan, out)
	}
	return t, nil
}

func (t task) checkCalls(most int) *pipeline.Rejection {
	n := 0
	for _, step := range t.plan {
		n += len(step.Calls)
	}
	if n >= 1 && n <= most {
		return nil
	}
	return pipeline.Reject(codeCalls, "%d calls in %d steps solve it; want 1 to %d (max_calls)", n, len(t.plan), most)
}

// gold returns the plan in canonical form, or as it is where it cannot be read: the checks of
// items say so.
func (t task) gold() string {
	text, err := json.Marshal(t.plan)
	if err != nil {
		return ""
	}
	canonical, err := schemas.CanonicalCall(string(text))
	if err != nil {
		return string(text)
	}
	return canonical
}

// item returns the task without its tools, and without the content of its picture.
func (t task) item() schemas.EvidenceItem {
	out := schemas.EvidenceItem{UpstreamID: t.id, Task: schemas.TaskFunctionCall, Notes: t.notes}
	out.Question = schemas.Question{Question: t.text, AnswerCall: t.gold(), Type: strings.ToLower(t.kind)}
	if t.image != "" {
		out.Units = []schemas.EvidenceUnit{{UpstreamID: t.image, Modality: schemas.ModalityImage, Role: schemas.RoleClue}}
	}
	return out
}
