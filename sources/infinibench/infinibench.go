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
	"io/fs"
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
		benchmark.RejectProblems(scope, a.Path, bad)
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

// entry is one question. Ids are not global, so it has none.
type entry struct {
	benchmark.Question
	// stem is the path of the video without slash and extension:
	// show/season_N/episode_NN.
	stem, show, subtitles string
}

// episode is all that is asked about one video.
type episode struct {
	show, subtitles string
	questions       []benchmark.Question
}

// parse reads the list of a skill and keeps the questions about videos of one
// origin. A bad entry ("#3") loses itself only.
func parse(text []byte, origin string) ([]entry, []benchmark.Problem, error) {
	text, err := annotation.Prepare(text)
	if err != nil {
		return nil, nil, err
	}
	items, err := annotation.ParseList(text)
	if err != nil {
		return nil, nil, err
	}
	var out []entry
	var bad []benchmark.Problem
	for i, item := range items {
		o, err := annotation.ParseObject(item)
		var from string
		if err == nil {
			from, err = originOf(o)
		}
		if err == nil && from != origin {
			continue
		}
		var e entry
		if err == nil {
			e, err = parseEntry(o)
		}
		if err != nil {
			bad = append(bad, benchmark.Problem{Where: fmt.Sprintf("#%d", i), Why: err.Error()})
			continue
		}
		out = append(out, e)
	}
	return out, bad, nil
}

// originOf takes an entry without an origin but with a show for one of TVQA.
func originOf(o annotation.Object) (string, error) {
	from, err1 := o.Text("source")
	show, err2 := o.Text("show")
	if from == "" && show != "" {
		from = "tvqa"
	}
	return strings.ToLower(from), errors.Join(err1, err2)
}

func parseEntry(o annotation.Object) (entry, error) {
	question, err1 := o.Text("question")
	show, err2 := o.Text("show")
	subtitles, err3 := o.Text("video_subtitles")
	stem, err4 := stemOf(o)
	answer, err5 := answerOf(o)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return entry{}, err
	}
	if question == "" {
		return entry{}, errors.New("the question is empty")
	}
	return entry{benchmark.Question{Text: question, Answer: answer}, stem, show, subtitles}, nil
}

// stemOf finds the video's path under the names that the generators use, with
// or without a leading slash, or makes it of show, season and episode.
func stemOf(o annotation.Object) (string, error) {
	var path string
	for _, key := range []string{"video_path_mp4", "video_path"} {
		p, err := o.Text(key)
		if err != nil {
			return "", err
		}
		path = cmp.Or(path, p)
	}
	if path == "" {
		parts := make([]string, 3)
		for i, key := range []string{"show", "season", "episode"} {
			p, err := o.Text(key)
			if err != nil || p == "" {
				return "", errors.Join(errors.New("it names no video"), err)
			}
			parts[i] = p
		}
		path = strings.Join(parts, "/")
	}
	path = strings.TrimLeft(path, "/")
	if !fs.ValidPath(path) || path == "." || strings.Contains(path, `\`) || len(path) > 512 {
		return "", fmt.Errorf("video %q is not a path below the dataset", annotation.Truncate(path))
	}
	return benchmark.Stem(path), nil
}

// answerOf returns the text of the right option, which is counted from 0, or the
// answer of an open question.
func answerOf(o annotation.Object) (string, error) {
	options, err1 := o.Texts("options")
	index, err2 := o.Text("answer_idx")
	answer, err3 := o.Text("answer")
	at, err4 := o.Number("answer_idx")
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return "", err
	}
	if index == "" {
		return answer, nil
	}
	if at != float64(int(at)) || at < 0 || int(at) >= len(options) {
		return "", fmt.Errorf("answer_idx %s is none of %d options counted from 0", annotation.Truncate(index), len(options))
	}
	return options[int(at)], nil
}

func groupByVideo(episodes map[string]*episode, entries []entry) {
	for _, e := range entries {
		one := episodes[e.stem]
		if one == nil {
			one = &episode{}
			episodes[e.stem] = one
		}
		one.show, one.subtitles = cmp.Or(one.show, e.show), cmp.Or(one.subtitles, e.subtitles)
		one.questions = append(one.questions, e.Question)
	}
}

// record says what is known of the video without its subtitles. The show is
// its category and stands in no title: it is not visible in the picture.
func (e *episode) record() schemas.Video {
	return schemas.Video{Category: e.show, Description: benchmark.Describe(benchmark.Statements(e.questions))}
}

// addSubtitles adds the subtitles, found by the name the annotations give or beside
// the video.
func (e *episode) addSubtitles(ctx context.Context, subtitles *benchmark.Subtitles, stem string, v *schemas.Video) error {
	for _, name := range []string{strings.TrimLeft(e.subtitles, "/"), stem} {
		captions, err := subtitles.Captions(ctx, name)
		if err != nil {
			return err
		}
		if len(captions) > 0 {
			v.Captions, v.Description = captions, benchmark.Describe(benchmark.Texts(captions))
			return nil
		}
	}
	return nil
}
