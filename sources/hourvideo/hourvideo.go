// Package hourvideo is the source "hourvideo": the egocentric videos of
// HourVideo with their captions by the minute. Annotations and captions are
// fetched; the videos are Ego4D's, under its licence, and come from the folder
// that run.media_dirs names.
package hourvideo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
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
	benchmark.RejectProblems(scope, file.Path, found.bad)
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

// video is one entry of the annotations.
type video struct {
	uid       string
	seconds   float64
	canary    string
	questions []question
}

type question struct {
	benchmark.Question
	task string
}

// dataset is a whole annotation file, videos sorted by uid.
type dataset struct {
	videos []video
	bad    []benchmark.Problem
	// canary is what stands beside the videos, as written.
	canary string
}

// uidForm is an Ego4D uid.
var uidForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// parse reads the object of videos. A key that is no video is kept as canary;
// a bad video (".uid") loses itself, a bad question (".uid.qid") at most
// itself. A file without a single video is an error.
func parse(text []byte) (dataset, error) {
	text, err := annotation.Prepare(text)
	if err != nil {
		return dataset{}, err
	}
	all, err := annotation.ParseObject(text)
	if err != nil {
		return dataset{}, err
	}
	var out dataset
	for _, uid := range slices.Sorted(maps.Keys(all)) {
		entry, err := annotation.ParseObject(all[uid])
		if err != nil || entry["benchmark_dataset"] == nil && entry["video_metadata"] == nil {
			out.canary = joinPath(out.canary, uid+": "+asText(all[uid]))
			continue
		}
		v, lost, err := parseVideo(uid, entry)
		if err != nil {
			out.bad = append(out.bad, benchmark.Problem{Where: "." + annotation.Truncate(uid), Why: err.Error()})
			continue
		}
		out.videos, out.bad = append(out.videos, v), append(out.bad, lost...)
	}
	if len(out.videos) == 0 {
		return dataset{}, errors.New("it names no video; is it a file of HourVideo?")
	}
	return out, nil
}

// asText returns a JSON text's content unchanged, or the JSON itself.
func asText(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func joinPath(a, b string) string { return strings.TrimPrefix(a+"\n"+b, "\n") }

func parseVideo(uid string, o annotation.Object) (video, []benchmark.Problem, error) {
	if !uidForm.MatchString(uid) {
		return video{}, nil, errors.New("the key is not a video's uid")
	}
	meta, err1 := o.Object("video_metadata")
	asked, err2 := o.Objects("benchmark_dataset")
	if err := errors.Join(err1, err2); err != nil {
		return video{}, nil, err
	}
	seconds, err := meta.Number("duration_in_seconds")
	if err != nil {
		return video{}, nil, err
	}
	v := video{uid: uid, seconds: max(0, seconds), canary: joinPath(canaryIn(o), canaryIn(meta))}
	var lost []benchmark.Problem
	for i, q := range asked {
		one, id, err := parseQuestion(q)
		if err != nil {
			lost = append(lost, benchmark.Problem{Where: "." + uid + "." + cmp.Or(annotation.Truncate(id), fmt.Sprint(i)), Why: err.Error()})
		}
		if one.Text != "" {
			v.questions = append(v.questions, one)
		}
	}
	return v, lost, nil
}

func canaryIn(o annotation.Object) string {
	found := ""
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if strings.Contains(strings.ToLower(key), "canary") {
			found = joinPath(found, key+": "+asText(o[key]))
		}
	}
	return found
}

func parseQuestion(o annotation.Object) (question, string, error) {
	id, err1 := o.Text("qid")
	task, err2 := o.Text("task")
	text, err3 := o.Text("question")
	label, err4 := o.Text("correct_answer_label")
	when, err5 := o.Texts("relevant_timestamps")
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return question{}, id, err
	}
	if text == "" {
		return question{}, id, errors.New("the question is empty")
	}
	q := question{benchmark.Question{Text: text}, task}
	// Options of image tasks are paths, which say nothing in a text.
	if len(label) == 1 && label >= "A" && label <= "E" && !strings.HasSuffix(task, "_image") {
		answer, err := o.Text(fmt.Sprintf("answer_%d", label[0]-'A'+1))
		if err != nil {
			return q, id, err
		}
		q.Answer = answer
	}
	var err error
	q.Spans, err = annotation.ParseSpans(strings.Join(when, ","))
	return q, id, err
}

// record says what is known of the video without its captions: the questions,
// with their right answers where they name a time.
func (v video) record(canary string) schemas.Video {
	out := schemas.Video{Category: v.category(), StatedDuration: v.seconds, Canary: strings.Trim(joinPath(canary, v.canary), "\n")}
	asked := make([]benchmark.Question, len(v.questions))
	for i, q := range v.questions {
		asked[i] = q.Question
	}
	out.Captions, out.Description = benchmark.TimedCaptions(asked), benchmark.Describe(benchmark.Statements(asked))
	return out
}

// category returns the kind of task that asks most about the video: the first part
// of the tasks' paths.
func (v video) category() string {
	counts := map[string]int{}
	for _, q := range v.questions {
		kind, _, _ := strings.Cut(q.task, "/")
		counts[kind]++
	}
	best := ""
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		if kind != "" && (best == "" || counts[kind] > counts[best]) {
			best = kind
		}
	}
	return best
}
