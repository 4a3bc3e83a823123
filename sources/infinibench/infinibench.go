// Package infinibench is the source "infinibench": the episodes of television
// shows (TVQA) that InfiniBench asks about, with their subtitles. The videos
// belong to their owners; they lie in the folder that run.media_dirs names or,
// if the configuration says so, come from the repository's archives.
package infinibench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	needVideos
)

// Config of the source.
type Config struct {
	Repo      string   `json:"repo" doc:"dataset on the Hugging Face hub"`
	Revision  string   `json:"revision" doc:"branch, tag or commit; the lock file pins the commit"`
	Split     string   `json:"split" doc:"folder of the split: test or train; an older revision keeps its annotations in Benchmark_annotations, which counts as test"`
	Subset    string   `json:"subset" doc:"origin of the videos: tvqa or movienet"`
	Videos    []string `json:"videos" doc:"patterns of the repository's files that hold the videos: video files, zip or tar archives, in parts or whole; empty: the videos lie in the folder that run.media_dirs names"`
	License   string   `json:"license" doc:"SPDX id of the videos' licence, as far as you know it; the repository's says nothing about the shows"`
	MaxVideos int      `json:"max_videos" doc:"take at most so many videos, drawn by the seed among those whose file is there; 0: all"`
	MaxBytes  int64    `json:"max_bytes" doc:"size in bytes above which a video is refused"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Repo, c.Revision, c.MaxBytes = "Vision-CAIR/InfiniBench", "main", benchmark.DefaultMaxBytes
	c.Split, c.Subset = "test", "tvqa"
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "infinibench", "1", "InfiniBench: episodes of television shows, with subtitles", New)
}

type source struct{ cfg Config }

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if err := benchmark.Check(c.Repo, c.Revision, c.MaxVideos, c.MaxBytes); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"test", "train"}, c.Split) {
		return nil, fmt.Errorf("split: %q: want test or train", c.Split)
	}
	if !slices.Contains([]string{"tvqa", "movienet"}, c.Subset) {
		return nil, fmt.Errorf("subset: %q: want tvqa or movienet", c.Subset)
	}
	if _, err := glob.Compile(c.Videos, nil); err != nil {
		return nil, fmt.Errorf("videos: %w", err)
	}
	return &source{c}, nil
}

func (*source) Spec() pipeline.Spec { return pipeline.Spec{Emits: []string{schemas.NameVideo}} }

func (s *source) Needs() []pipeline.Need {
	place := pipeline.Need{From: fetch.Hub, Repo: s.cfg.Repo, Revision: s.cfg.Revision, MaxBytes: annotation.MaxBytes}
	questions := place
	split := s.cfg.Split + "/**/"
	questions.Include = []string{split + "*.json", split + "*.srt", split + "*subtitles*.zip"}
	if s.cfg.Split == "test" {
		questions.Include = append(questions.Include, "Benchmark_annotations/**/*.json", s.cfg.Subset+"_subtitles.zip")
	}
	media := pipeline.Need{From: fetch.Media, MaxBytes: s.cfg.MaxBytes, License: s.cfg.License,
		Include: slices.Concat(filevideo.Patterns(false), benchmark.ArchivePatterns(), []string{"**/*.srt"})}
	if len(s.cfg.Videos) == 0 {
		return []pipeline.Need{questions, media}
	}
	videos := place
	videos.Include, videos.MaxBytes, videos.License = s.cfg.Videos, s.cfg.MaxBytes, cmp.Or(s.cfg.License, benchmark.NoAssertion)
	return []pipeline.Need{questions, media, videos}
}

func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	episodes, err := s.episodes(ctx, scope, assets)
	if err != nil {
		return err
	}
	files := benchmark.Index(assets, needQuestions, needMedia, needVideos)
	if err := files.AddArchives(ctx, scope, s.cfg.MaxBytes, assets, needMedia, needVideos); err != nil {
		return err
	}
	subtitles, err := benchmark.IndexSubtitles(ctx, scope, assets, needQuestions, needMedia)
	if err != nil {
		return err
	}
	var items []benchmark.Item
	for _, stem := range slices.Sorted(maps.Keys(episodes)) {
		e := episodes[stem]
		items = append(items, benchmark.Item{ID: stem, Stem: stem, Video: e.record(), Fill: func(ctx context.Context, v *schemas.Video) error {
			return e.addSubtitles(ctx, subtitles, stem, v)
		}})
	}
	return benchmark.Emitter{Scope: scope, Emit: emit, License: s.cfg.License}.EmitVideos(ctx, items, files, s.cfg.MaxVideos)
}

// episodes reads the files of all skills and groups their questions by video.
// A file that is no list of questions is rejected; none at all is an error.
func (s *source) episodes(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset) (map[string]*episode, error) {
	out := map[string]*episode{}
	asked := 0
	for _, a := range assets {
		if a.Need != needQuestions || !strings.HasSuffix(a.Path, ".json") {
			continue
		}
		text, err := benchmark.ReadAll(ctx, scope, a, annotation.MaxBytes)
		if err != nil {
			return nil, err
		}
		entries, bad, err := parse(text, s.cfg.Subset)
		if err != nil {
			scope.Reject(a.Path, pipeline.Reject(benchmark.CodeBadRow, "%v", err))
			continue
		}
		for _, b := range bad {
			scope.Reject(a.Path+b.Where, pipeline.Reject(benchmark.CodeBadRow, "%s", b.Why))
		}
		asked += len(entries)
		groupByVideo(out, entries)
	}
	if asked == 0 {
		return nil, errors.New("annotations: no question about " + s.cfg.Subset + " in " + s.cfg.Split + "; check repo, revision, split and subset")
	}
	return out, nil
}

// meanSeconds is the mean length that InfiniBench states: 52.59 minutes.
const meanSeconds = 3155

// Forecast implements pipeline.Forecaster.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	return benchmark.Forecast(s.cfg.MaxVideos, 0, meanSeconds)
}
