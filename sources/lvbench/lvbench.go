// Package lvbench is the source "lvbench": the 103 long videos of LVBench,
// their genre and their questions. The annotations are fetched; the videos lie
// on a video site and come from the folder that run.media_dirs names.
package lvbench

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
	benchmark.RejectProblems(scope, annotations, bad)
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

// video is one line of the annotations.
type video struct {
	key, genre string
	seconds    float64
	questions  []benchmark.Question
}

// parse reads the lines. A bad line (":line") loses its video, a bad question
// (":line:uid") at most itself. A file without a single video is an error.
func parse(text []byte) ([]video, []benchmark.Problem, error) {
	text, err := annotation.Prepare(text)
	if err != nil {
		return nil, nil, err
	}
	var videos []video
	var bad []benchmark.Problem
	seen := map[string]bool{}
	for _, line := range annotation.Lines(text) {
		where := fmt.Sprintf(":%d", line.Number)
		v, lost, err := parseLine(line.Text)
		if err == nil && seen[v.key] {
			err = fmt.Errorf("key %q occurs twice", annotation.Truncate(v.key))
		}
		if err != nil {
			bad = append(bad, benchmark.Problem{Where: where, Why: err.Error()})
			continue
		}
		for _, l := range lost {
			bad = append(bad, benchmark.Problem{Where: where + ":" + l.Where, Why: l.Why})
		}
		seen[v.key] = true
		videos = append(videos, v)
	}
	if len(videos) == 0 {
		return nil, nil, errors.New("no line names a video; is it the file of LVBench?")
	}
	return videos, bad, nil
}

// keyForm is a video site's id. One may begin with a dash.
var keyForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func parseLine(text []byte) (video, []benchmark.Problem, error) {
	o, err := annotation.ParseObject(text)
	if err != nil {
		return video{}, nil, err
	}
	var v video
	key, err1 := o.Text("key")
	genre, err2 := o.Text("type")
	info, err3 := o.Object("video_info")
	asked, err4 := o.Objects("qa")
	minutes, err5 := info.Number("duration_minutes")
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return video{}, nil, err
	}
	if !keyForm.MatchString(key) {
		return video{}, nil, fmt.Errorf("key %q is not a video's id", annotation.Truncate(key))
	}
	v = video{key: key, genre: genre, seconds: max(0, minutes*60)}
	var lost []benchmark.Problem
	for i, q := range asked {
		one, uid, err := parseQuestion(q)
		if err != nil {
			lost = append(lost, benchmark.Problem{Where: cmp.Or(annotation.Truncate(uid), fmt.Sprintf("#%d", i)), Why: err.Error()})
		}
		if one.Text != "" {
			v.questions = append(v.questions, one)
		}
	}
	return v, lost, nil
}

func parseQuestion(o annotation.Object) (q benchmark.Question, uid string, err error) {
	uid, err1 := o.Text("uid") // a number in some files
	text, err2 := o.Text("question")
	letter, err3 := o.Text("answer")
	when, err4 := o.Text("time_reference")
	_, err5 := o.Texts("question_type")
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return q, uid, err
	}
	stem, options := splitOptions(text)
	if stem == "" {
		return q, uid, errors.New("the question is empty")
	}
	q.Text, q.Answer = stem, options[strings.Trim(letter, "() .")]
	q.Spans, err = annotation.ParseSpans(when)
	return q, uid, err
}

// option begins an option that stands in the question's text.
var option = regexp.MustCompile(`(?m)^\s*\(([A-Z])\)[ \t]*`)

func splitOptions(text string) (stem string, options map[string]string) {
	at := option.FindAllStringSubmatchIndex(text, -1)
	if at == nil {
		return text, nil
	}
	options = map[string]string{}
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		options[text[m[2]:m[3]]] = strings.TrimSpace(text[m[1]:end])
	}
	return strings.TrimSpace(text[:at[0][0]]), options
}

func (v video) record() schemas.Video {
	return schemas.Video{
		Category: v.genre, StatedDuration: v.seconds,
		Captions: benchmark.TimedCaptions(v.questions), Description: benchmark.Describe(benchmark.Statements(v.questions)),
	}
}
