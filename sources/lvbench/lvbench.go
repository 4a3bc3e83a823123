// Package lvbench is the source "lvbench": the 103 long videos of LVBench,
// their genre and their questions. The annotations are fetched; the videos lie
// on a video site and come from the folder that run.media_dirs names.
package lvbench

import (
	"context"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
	"github.com/memforge/memforge/sources/internal/filevideo"
)

// annotations is the one file that is read.
const annotations = "video_info.meta.jsonl"

// licence of the annotations as the dataset card states it.
const licence = "CC-BY-NC-SA-4.0"

// Config of the source.
type Config struct {
	Repo      string `json:"repo" doc:"dataset on the Hugging Face hub with video_info.meta.jsonl"`
	Revision  string `json:"revision" doc:"branch, tag or commit; the lock file pins the commit"`
	License   string `json:"license" doc:"SPDX id of the videos' licence, as far as you know it; that of the annotations is CC-BY-NC-SA-4.0 and says nothing about the videos"`
	MaxVideos int    `json:"max_videos" doc:"take at most so many videos, drawn by the seed among those whose file is there; 0: all"`
	MaxBytes  int64  `json:"max_bytes" doc:"size in bytes above which a video is refused"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Repo, c.Revision, c.MaxBytes = "THUDM/LVBench", "main", benchmark.DefaultMaxBytes
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "lvbench", "1", "LVBench: long videos by genre, from run.media_dirs; annotations from the hub", New)
}

type source struct{ cfg Config }

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if err := benchmark.Check(c.Repo, c.Revision, c.MaxVideos, c.MaxBytes); err != nil {
		return nil, err
	}
	return &source{c}, nil
}

func (*source) Spec() pipeline.Spec { return pipeline.Spec{Emits: []string{schemas.NameVideo}} }

func (s *source) Needs() []pipeline.Need {
	return []pipeline.Need{
		{From: fetch.Hub, Repo: s.cfg.Repo, Revision: s.cfg.Revision, Include: []string{annotations}, MaxBytes: annotation.MaxBytes, License: licence},
		{From: fetch.Media, Include: slices.Concat(filevideo.Patterns(false), benchmark.ArchivePatterns()), MaxBytes: s.cfg.MaxBytes, License: s.cfg.License},
	}
}

func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	file, err := benchmark.AssetNamed(assets, 0, annotations)
	if err != nil {
		return err
	}
	text, err := benchmark.ReadAll(ctx, scope, file, annotation.MaxBytes)
	if err != nil {
		return err
	}
	videos, bad, err := parse(text)
	if err != nil {
		return fmt.Errorf("annotations %s: %w", annotations, err)
	}
	for _, b := range bad {
		scope.Reject(annotations+b.Where, pipeline.Reject(benchmark.CodeBadRow, "%s", b.Why))
	}
	items := make([]benchmark.Item, len(videos))
	for i, v := range videos {
		items[i] = benchmark.Item{ID: v.key, Stem: v.key, Video: v.record()}
	}
	sink := benchmark.Emitter{Scope: scope, Emit: emit, License: s.cfg.License}
	files := benchmark.Index(assets, 1)
	if err := files.AddArchives(ctx, scope, s.cfg.MaxBytes, assets, 1); err != nil {
		return err
	}
	return sink.EmitVideos(ctx, items, files, s.cfg.MaxVideos)
}

// meanSeconds is the mean length that LVBench states for its 103 videos.
const meanSeconds = 4101

// Forecast implements pipeline.Forecaster.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	return benchmark.Forecast(s.cfg.MaxVideos, 103, meanSeconds)
}
