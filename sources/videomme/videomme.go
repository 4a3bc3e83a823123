// Package videomme is the source "videomme": the videos of Video-MME, by
// default its long ones, with domain, questions and subtitles. The videos lie
// in the folder that run.media_dirs names or, if the configuration says so,
// come from the repository's archives.
package videomme

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/kit/glob"
	"github.com/memforge/memforge/pipeline/kit/parquetread"
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
	Repo      string   `json:"repo" doc:"dataset on the Hugging Face hub with videomme/test-*.parquet and subtitle.zip"`
	Revision  string   `json:"revision" doc:"branch, tag or commit; the lock file pins the commit"`
	Subset    string   `json:"subset" doc:"length of the videos: short, medium, long or all"`
	Videos    []string `json:"videos" doc:"patterns of the repository's archives that hold the videos, such as videos_chunked_*.zip (about 5 GB each); empty: the videos lie in the folder that run.media_dirs names"`
	License   string   `json:"license" doc:"SPDX id of the videos' licence, as far as you know it; the dataset states none"`
	MaxVideos int      `json:"max_videos" doc:"take at most so many videos, drawn by the seed among those whose file is there; 0: all"`
	MaxBytes  int64    `json:"max_bytes" doc:"size in bytes above which a video or an archive is refused"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Repo, c.Revision, c.MaxBytes = "lmms-lab/Video-MME", "main", benchmark.DefaultMaxBytes
	c.Subset = "long"
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "videomme", "1", "Video-MME: long videos by domain, with subtitles", New)
}

type source struct{ cfg Config }

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if err := benchmark.Check(c.Repo, c.Revision, c.MaxVideos, c.MaxBytes); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"short", "medium", "long", subsetAll}, c.Subset) {
		return nil, fmt.Errorf("subset: %q: want short, medium, long or all", c.Subset)
	}
	if _, err := glob.Compile(c.Videos, nil); err != nil {
		return nil, fmt.Errorf("videos: %w", err)
	}
	return &source{c}, nil
}

func (*source) Spec() pipeline.Spec { return pipeline.Spec{Emits: []string{schemas.NameVideo}} }

func (s *source) Needs() []pipeline.Need {
	place := pipeline.Need{From: fetch.Hub, Repo: s.cfg.Repo, Revision: s.cfg.Revision}
	questions := place
	questions.Include, questions.MaxBytes = []string{"videomme/test-*.parquet", "subtitle.zip"}, annotation.MaxBytes
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
	videos, err := s.videos(ctx, scope, assets)
	if err != nil {
		return err
	}
	files := benchmark.Index(assets, needMedia, needVideos)
	if err := files.AddArchives(ctx, scope, s.cfg.MaxBytes, assets, needMedia, needVideos); err != nil {
		return err
	}
	subtitles, err := benchmark.IndexSubtitles(ctx, scope, assets, needQuestions, needMedia)
	if err != nil {
		return err
	}
	items := make([]benchmark.Item, len(videos))
	for i, v := range videos {
		items[i] = benchmark.Item{ID: v.id, Stem: v.id, Video: v.record(), Fill: func(ctx context.Context, out *schemas.Video) error {
			captions, err := subtitles.Captions(ctx, v.id)
			if len(captions) > 0 {
				out.Captions, out.Description = captions, benchmark.Describe(benchmark.Texts(captions))
			}
			return err
		}}
	}
	return benchmark.Emitter{Scope: scope, Emit: emit, License: s.cfg.License}.EmitVideos(ctx, items, files, s.cfg.MaxVideos)
}

// videos reads the tables, which may be several shards of one.
func (s *source) videos(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset) ([]video, error) {
	c := newCollector(s.cfg.Subset)
	for _, a := range assets {
		if a.Need != needQuestions || a.Path == "subtitle.zip" {
			continue
		}
		data, err := benchmark.ReadAll(ctx, scope, a, parquetread.MaxBytes)
		if err != nil {
			return nil, err
		}
		bad, err := c.addTable(data)
		if err != nil {
			return nil, fmt.Errorf("annotations %s: %w", a.Path, err)
		}
		benchmark.RejectProblems(scope, a.Path, bad)
	}
	if len(c.order) == 0 {
		return nil, errors.New("annotations: videomme/test-*.parquet names no video of subset " + s.cfg.Subset + "; check repo and revision")
	}
	return c.videos(), nil
}

// meanSeconds is the middle of what Video-MME calls long, 30 to 60 minutes.
const meanSeconds = 2700

// Forecast implements pipeline.Forecaster.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	return benchmark.Forecast(s.cfg.MaxVideos, 0, meanSeconds)
}

// subsetAll stands for every length.
const subsetAll = "all"

// Columns by their exact names: video_id and videoID are two.
const (
	columnNumber   = "video_id"
	columnID       = "videoID"
	columnDuration = "duration"
	columnDomain   = "domain"
	columnCategory = "sub_category"
	columnQuestion = "question"
	columnAnswer   = "answer"
	columnOptions  = "options"
)

// video is what the rows of one videoID say.
type video struct {
	// id is the video site's, number the dataset's own.
	id, number string
	category   string
	questions  []benchmark.Question
}

// collector groups rows by video, in the order of their first rows.
type collector struct {
	subset string
	byID   map[string]*video
	order  []string
}

func newCollector(subset string) *collector {
	return &collector{subset: subset, byID: map[string]*video{}}
}

// addTable takes the rows of one table. A row that contradicts the others, or
// names no video, is reported by its number (":12", counted from 0).
func (c *collector) addTable(data []byte) ([]benchmark.Problem, error) {
	t, err := parquetread.Read(data,
		[]string{columnNumber, columnID, columnDuration, columnDomain, columnCategory, columnQuestion, columnAnswer}, []string{columnOptions})
	if err != nil {
		return nil, err
	}
	var bad []benchmark.Problem
	for i := range t.Rows {
		if c.subset != subsetAll && t.Text(columnDuration, i) != c.subset {
			continue
		}
		if err := c.addRow(t, i); err != nil {
			bad = append(bad, benchmark.Problem{Where: fmt.Sprintf(":%d", i), Why: err.Error()})
		}
	}
	return bad, nil
}

// idForm is a video site's id. One may begin with a dash.
var idForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (c *collector) addRow(t parquetread.Table, i int) error {
	id, number := t.Text(columnID, i), t.Text(columnNumber, i)
	if !idForm.MatchString(id) {
		return fmt.Errorf("%s %q is not a video's id", columnID, annotation.Truncate(id))
	}
	v := c.byID[id]
	if v == nil {
		v = &video{id: id, number: number, category: strings.Trim(t.Text(columnDomain, i)+"/"+t.Text(columnCategory, i), "/")}
		c.byID[id] = v
		c.order = append(c.order, id)
	}
	if v.number != number {
		return fmt.Errorf("video %s has the numbers %q and %q", id, annotation.Truncate(v.number), annotation.Truncate(number))
	}
	q := benchmark.Question{Text: strings.TrimSpace(t.Text(columnQuestion, i))}
	if q.Text == "" {
		return errors.New("the question is empty")
	}
	answer, err := rightOption(t.List(columnOptions, i), t.Text(columnAnswer, i))
	q.Answer = answer
	v.questions = append(v.questions, q)
	return err
}

// rightOption returns the text behind the letter of the answer, empty when the
// dataset gives none.
func rightOption(options []string, answer string) (string, error) {
	letter := strings.Trim(answer, " .()")
	if letter == "" {
		return "", nil
	}
	for _, o := range options {
		if head, text, ok := strings.Cut(strings.TrimSpace(o), "."); ok && strings.Trim(head, " ()") == letter {
			return strings.TrimRight(strings.TrimSpace(text), "."), nil
		}
	}
	return "", fmt.Errorf("answer %q is none of %d options", annotation.Truncate(answer), len(options))
}

func (c *collector) videos() []video {
	out := make([]video, len(c.order))
	for i, id := range c.order {
		out[i] = *c.byID[id]
	}
	return out
}

// record says what is known of the video without its subtitles.
func (v video) record() schemas.Video {
	return schemas.Video{Category: v.category, Description: benchmark.Describe(benchmark.Statements(v.questions))}
}
