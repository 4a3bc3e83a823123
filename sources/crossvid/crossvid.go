// Package crossvid is the source "crossvid": the videos of CrossVid's tasks
// over four alike videos, culinary comparison (CC) and narrative comprehension
// (NC). The four videos of a question are a ready-made cluster.
package crossvid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
	"github.com/memforge/memforge/sources/internal/filevideo"
)

// licence of the questions as the dataset card states it.
const licence = "CC-BY-4.0"

// Needs in their order.
const (
	needQuestions = iota
	needMedia
	needVideos
)

// Config of the source.
type Config struct {
	Repo        string   `json:"repo" doc:"dataset on the Hugging Face hub with QA/<task>.json and videos/<folder>"`
	Revision    string   `json:"revision" doc:"branch, tag or commit; the lock file pins the commit"`
	Tasks       []string `json:"tasks" doc:"tasks whose videos to take: CC (culinary comparison, videos/cook), NC (narrative comprehension, videos/movie)"`
	FetchVideos bool     `json:"fetch_videos" doc:"fetch the tasks' folders from the repository; false: the videos lie in the folder that run.media_dirs names"`
	License     string   `json:"license" doc:"SPDX id of the videos' licence, as far as you know it; that of the questions is CC-BY-4.0 and says nothing about the videos"`
	MaxVideos   int      `json:"max_videos" doc:"take at most so many videos, question by question in an order drawn by the seed; at least 4, or 0 for all"`
	MaxBytes    int64    `json:"max_bytes" doc:"size in bytes above which a video is refused"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Repo, c.Revision, c.MaxBytes = "Chuntianli/CrossVid", "main", benchmark.DefaultMaxBytes
	c.Tasks, c.FetchVideos = []string{"CC", "NC"}, true
}

func videoFolder(task string) (string, bool) {
	switch task {
	case "CC":
		return "cook", true
	case "NC":
		return "movie", true
	}
	return "", false
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "crossvid", "1", "CrossVid: alike videos in clusters of four (CC, NC)", New)
}

type source struct{ cfg Config }

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if err := benchmark.Check(c.Repo, c.Revision, c.MaxVideos, c.MaxBytes); err != nil {
		return nil, err
	}
	if c.MaxVideos > 0 && c.MaxVideos < tupleSize {
		return nil, fmt.Errorf("max_videos: %d: want at least %d, the videos of one question, or 0 for all", c.MaxVideos, tupleSize)
	}
	if len(c.Tasks) == 0 {
		return nil, errors.New("tasks: required; name CC, NC or both")
	}
	for i, t := range c.Tasks {
		if _, ok := videoFolder(t); !ok {
			return nil, fmt.Errorf("tasks[%d]: %q: want CC or NC, the tasks whose questions are about four alike videos", i, t)
		}
		if slices.Index(c.Tasks, t) < i {
			return nil, fmt.Errorf("tasks[%d]: %q is named twice", i, t)
		}
	}
	return &source{c}, nil
}

func (*source) Spec() pipeline.Spec { return pipeline.Spec{Emits: []string{schemas.NameVideo}} }

func (s *source) Needs() []pipeline.Need {
	place := pipeline.Need{From: fetch.Hub, Repo: s.cfg.Repo, Revision: s.cfg.Revision}
	questions, videos := place, place
	questions.MaxBytes, questions.License = annotation.MaxBytes, licence
	videos.MaxBytes, videos.License = s.cfg.MaxBytes, cmp.Or(s.cfg.License, benchmark.NoAssertion)
	for _, t := range s.cfg.Tasks {
		questions.Include = append(questions.Include, taskFile(t))
		in, _ := videoFolder(t)
		for _, p := range filevideo.Patterns(true) {
			videos.Include = append(videos.Include, path.Join("videos", in, p))
		}
	}
	media := pipeline.Need{From: fetch.Media, Include: slices.Concat(filevideo.Patterns(false), benchmark.ArchivePatterns()), MaxBytes: s.cfg.MaxBytes, License: s.cfg.License}
	if !s.cfg.FetchVideos {
		return []pipeline.Need{questions, media}
	}
	return []pipeline.Need{questions, media, videos}
}

func taskFile(task string) string { return "QA/" + task + ".json" }

func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	var all []tuple
	for _, task := range s.cfg.Tasks {
		tuples, err := readTask(ctx, scope, assets, task)
		if err != nil {
			return err
		}
		all = append(all, tuples...)
	}
	files := benchmark.Index(assets, needMedia, needVideos)
	if err := files.AddArchives(ctx, scope, s.cfg.MaxBytes, assets, needMedia); err != nil {
		return err
	}
	names := pickVideos(scope, all, files, s.cfg.MaxVideos)
	known := collectVideos(all)
	items := make([]benchmark.Item, len(names))
	for i, name := range names {
		items[i] = benchmark.Item{ID: name, Stem: benchmark.Stem(name), Video: known[name]}
	}
	return benchmark.Emitter{Scope: scope, Emit: emit, License: s.cfg.License}.EmitVideos(ctx, items, files, 0)
}

func readTask(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, task string) ([]tuple, error) {
	file, err := benchmark.AssetNamed(assets, needQuestions, taskFile(task))
	if err != nil {
		return nil, err
	}
	text, err := benchmark.ReadAll(ctx, scope, file, annotation.MaxBytes)
	if err != nil {
		return nil, err
	}
	tuples, bad, err := parse(task, text)
	if err != nil {
		return nil, fmt.Errorf("annotations %s: %w", file.Path, err)
	}
	benchmark.RejectProblems(scope, file.Path, bad)
	return tuples, nil
}

// pickVideos draws questions until limit videos are there, and returns the videos
// of those drawn, present or not. A question that would exceed the limit is
// passed over, so that clusters stay whole.
func pickVideos(scope *pipeline.Scope, all []tuple, files *benchmark.Files, limit int) []string {
	var names []string
	seen, present := map[string]bool{}, 0
	for _, t := range benchmark.Shuffle(scope, all, tuple.cluster) {
		fresh := 0
		for _, v := range t.videos {
			if !seen[v] && files.Has(benchmark.Stem(v)) {
				fresh++
			}
		}
		if limit > 0 && present+fresh > limit {
			continue
		}
		present += fresh
		for _, v := range t.videos {
			if !seen[v] {
				seen[v] = true
				names = append(names, v)
			}
		}
		if limit > 0 && present == limit {
			break
		}
	}
	return names
}

// meanSeconds is the mean length that CrossVid states for its videos.
const meanSeconds = 215

// Forecast implements pipeline.Forecaster.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	return benchmark.Forecast(s.cfg.MaxVideos, 0, meanSeconds)
}

// tupleSize is how many videos a question of CC and NC is about.
const tupleSize = 4

// tuple is one question and its videos: paths below videos/, distinct.
type tuple struct {
	task, id, question string
	videos             []string
}

// cluster names the tuple. An id is unique within its task only.
func (t tuple) cluster() string { return "crossvid/" + t.task + "/" + t.id }

// parse reads the list of a task. A bad entry loses its question; a file that
// is no list or has no usable entry is an error.
func parse(task string, text []byte) ([]tuple, []benchmark.Problem, error) {
	text, err := annotation.Prepare(text)
	if err != nil {
		return nil, nil, err
	}
	entries, err := annotation.ParseList(text)
	if err != nil {
		return nil, nil, err
	}
	var tuples []tuple
	var bad []benchmark.Problem
	seen := map[string]bool{}
	for i, e := range entries {
		t, err := parseEntry(e)
		t.task = task
		if err == nil && seen[t.id] {
			err = fmt.Errorf("id %q occurs twice in the task", annotation.Truncate(t.id))
		}
		if err != nil {
			bad = append(bad, benchmark.Problem{Where: fmt.Sprintf("#%d", i), Why: err.Error()})
			continue
		}
		seen[t.id] = true
		tuples = append(tuples, t)
	}
	if len(tuples) == 0 {
		return nil, nil, errors.New("no question names four videos; is it a file of CrossVid?")
	}
	return tuples, bad, nil
}

func parseEntry(text []byte) (tuple, error) {
	o, err := annotation.ParseObject(text)
	if err != nil {
		return tuple{}, err
	}
	id, err1 := o.Text("id") // a number
	question, err2 := o.Text("question")
	videos, err3 := o.Texts("videos")
	_, err4 := o.Texts("answer") // a letter; some tasks have a list
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return tuple{}, err
	}
	if id == "" || len(id) > 64 || question == "" {
		return tuple{}, errors.New("id or question is missing")
	}
	t := tuple{id: id, question: question}
	for _, v := range videos {
		v = strings.TrimPrefix(strings.TrimLeft(v, "/"), "videos/")
		if !fs.ValidPath(v) || v == "." || strings.Contains(v, `\`) || len(v) > 512 {
			return tuple{}, fmt.Errorf("video %q is not a path below videos/", annotation.Truncate(v))
		}
		t.videos = append(t.videos, v)
	}
	if len(t.videos) != tupleSize || len(slices.Compact(slices.Sorted(slices.Values(t.videos)))) != tupleSize {
		return tuple{}, fmt.Errorf("%d videos; want %d different ones", len(t.videos), tupleSize)
	}
	return t, nil
}

func collectVideos(all []tuple) map[string]schemas.Video {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b tuple) int { return cmp.Compare(a.cluster(), b.cluster()) })
	texts := map[string][]string{}
	out := map[string]schemas.Video{}
	for _, t := range sorted {
		for _, name := range t.videos {
			v := out[name]
			v.Category, _, _ = strings.Cut(name, "/")
			v.Clusters = append(v.Clusters, t.cluster())
			texts[name] = append(texts[name], t.question)
			out[name] = v
		}
	}
	for name, v := range out {
		v.Description = benchmark.Describe(texts[name])
		out[name] = v
	}
	return out
}
