// Package crossvid is the source "crossvid": the videos of CrossVid's tasks
// over four alike videos, culinary comparison (CC) and narrative comprehension
// (NC). The four videos of a question are a ready-made cluster.
package crossvid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

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

// videoFolder holds the videos of a task.
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
	for _, b := range bad {
		scope.Reject(file.Path+b.Where, pipeline.Reject(benchmark.CodeBadRow, "%s", b.Why))
	}
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
