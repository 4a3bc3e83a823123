// Package hourvideo is the source "hourvideo": the egocentric videos of
// HourVideo with their captions by the minute. Annotations and captions are
// fetched; the videos are Ego4D's, under its licence, and come from the folder
// that run.media_dirs names.
package hourvideo

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/kit/glob"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
	"github.com/memforge/memforge/sources/internal/filevideo"
)

// Needs in their order.
const (
	needQuestions = iota
	needMedia
	needCaptions
)

// Config of the source.
type Config struct {
	Repo      string `json:"repo" doc:"dataset on the Hugging Face hub with v1.0_release/json"`
	Revision  string `json:"revision" doc:"branch, tag or commit; the lock file pins the commit"`
	Split     string `json:"split" doc:"dev (50 videos, answers given) or test"`
	Captions  string `json:"captions" doc:"folder of the repository with the captions by the minute, <video>/txt/<minute>.txt; empty: none is fetched, and those beside your videos are used if there are any"`
	License   string `json:"license" doc:"SPDX id of the videos' licence, as far as you know it; Ego4D's own is none of them"`
	MaxVideos int    `json:"max_videos" doc:"take at most so many videos, drawn by the seed among those whose file is there; 0: all"`
	MaxBytes  int64  `json:"max_bytes" doc:"size in bytes above which a video is refused"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Repo, c.Revision, c.MaxBytes = "HourVideo/HourVideo", "main", benchmark.DefaultMaxBytes
	c.Split, c.Captions = "dev", "socratic_models_captions/GPT-4-TURBO"
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "hourvideo", "1", "HourVideo: hour-long egocentric videos from run.media_dirs, with captions by the minute", New)
}

type source struct{ cfg Config }

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if err := benchmark.Check(c.Repo, c.Revision, c.MaxVideos, c.MaxBytes); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"dev", "test"}, c.Split) {
		return nil, fmt.Errorf("split: %q: want dev or test", c.Split)
	}
	if c.Captions != "" && (!fs.ValidPath(c.Captions) || c.Captions == ".") {
		return nil, fmt.Errorf("captions: %q: want a folder of the repository, with forward slashes", c.Captions)
	}
	return &source{c}, nil
}

func (*source) Spec() pipeline.Spec { return pipeline.Spec{Emits: []string{schemas.NameVideo}} }

func (s *source) annotations() string {
	return "v1.0_release/json/" + s.cfg.Split + "_v1.0_annotations.json"
}

func (s *source) Needs() []pipeline.Need {
	questions := pipeline.Need{From: fetch.Hub, Repo: s.cfg.Repo, Revision: s.cfg.Revision, Include: []string{s.annotations()}, MaxBytes: annotation.MaxBytes}
	media := pipeline.Need{
		From: fetch.Media, Include: slices.Concat(filevideo.Patterns(false), benchmark.ArchivePatterns(), []string{"**/*.txt"}), MaxBytes: s.cfg.MaxBytes, License: s.cfg.License,
	}
	if s.cfg.Captions == "" {
		return []pipeline.Need{questions, media}
	}
	captions := questions
	captions.Include, captions.MaxBytes = []string{path.Join(glob.Escape(s.cfg.Captions), "**/*.txt")}, maxCaption
	return []pipeline.Need{questions, media, captions}
}

func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	file, err := benchmark.AssetNamed(assets, needQuestions, s.annotations())
	if err != nil {
		return err
	}
	text, err := benchmark.ReadAll(ctx, scope, file, annotation.MaxBytes)
	if err != nil {
		return err
	}
	found, err := parse(text)
	if err != nil {
		return fmt.Errorf("annotations %s: %w", file.Path, err)
	}
	for _, b := range found.bad {
		scope.Reject(file.Path+b.Where, pipeline.Reject(benchmark.CodeBadRow, "%s", b.Why))
	}
	minutes := indexCaptions(assets)
	items := make([]benchmark.Item, len(found.videos))
	for i, v := range found.videos {
		items[i] = benchmark.Item{ID: v.uid, Stem: v.uid, Video: v.record(found.canary), Fill: func(ctx context.Context, out *schemas.Video) error {
			return replaceCaptions(ctx, scope, minutes[v.uid], v, out)
		}}
	}
	files := benchmark.Index(assets, needMedia)
	if err := files.AddArchives(ctx, scope, s.cfg.MaxBytes, assets, needMedia); err != nil {
		return err
	}
	return benchmark.Emitter{Scope: scope, Emit: emit, License: s.cfg.License}.EmitVideos(ctx, items, files, s.cfg.MaxVideos)
}

// meanSeconds is the mean length of the dev set's videos: 39.3 hours over 50.
const meanSeconds = 2830

// Forecast implements pipeline.Forecaster.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	return benchmark.Forecast(s.cfg.MaxVideos, map[string]int{"dev": 50, "test": 500}[s.cfg.Split], meanSeconds)
}
