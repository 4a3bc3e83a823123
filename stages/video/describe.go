package video

import (
	"cmp"
	"context"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/appearance"
)

// DescribeConfig configures video.describe.
type DescribeConfig struct {
	Frames       int  `json:"frames" doc:"most pictures of a section that the captioner sees, of those that video.segment took; 0 shows none"`
	CaptionChars int  `json:"caption_chars" doc:"most characters of a section's captions that the captioner reads"`
	Before       bool `json:"before" doc:"whether a section is described knowing how the one before was; false lets all sections of a video wait for one batch"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *DescribeConfig) SetDefaults() {
	*c = DescribeConfig{Frames: 4, CaptionChars: 2000, Before: true}
}

const (
	maxFrames       = 64
	maxCaptionChars = 100_000
)

func checkRequest(frames, chars int) error {
	return cmp.Or(pipeline.CheckRange("frames", frames, 0, maxFrames), pipeline.CheckRange("caption_chars", chars, 0, maxCaptionChars))
}

const (
	jobDescribe  = "video.describe"
	jobSummarise = "video.summarise"
)

// sectionInput is what a section is described from. Start and End are seconds
// of the video.
type sectionInput struct {
	Index  int         `json:"index"`
	Count  int         `json:"count"`
	Start  float64     `json:"start"`
	End    float64     `json:"end"`
	Frames int         `json:"frames"`
	Shots  []frameTime `json:"shots,omitempty"`
	// Before is how the section before was described; nil for the first.
	Before   *schemas.Description `json:"before,omitempty"`
	Looks    *schemas.Appearance  `json:"looks"`
	Captions []string             `json:"captions"`
}

// frameTime is a frame: which of how many, and its second of the video.
type frameTime struct {
	Frame  int     `json:"frame"`
	Of     int     `json:"of"`
	Second float64 `json:"second"`
}

// descriptionAnswer is a description, or why there is none.
type descriptionAnswer struct {
	schemas.Description
	Cannot string `json:"cannot"`
}

type summaryInput struct {
	Seconds  float64         `json:"seconds"`
	Sections []describedPart `json:"sections"`
}

type describedPart struct {
	Start    float64  `json:"start"`
	End      float64  `json:"end"`
	Captions []string `json:"captions"`
	schemas.Description
}

type summaryAnswer struct {
	Summary string `json:"summary"`
}

// describeStage has a captioner describe the sections of a video by six keys, and
// then the whole (M3Eval C.1.2).
type describeStage struct {
	cfg        DescribeConfig
	sectionJob *model.Job[sectionInput, descriptionAnswer]
	summaryJob *model.Job[summaryInput, summaryAnswer]
}

func newDescribe(c DescribeConfig) (pipeline.Stage, error) {
	if err := checkRequest(c.Frames, c.CaptionChars); err != nil {
		return nil, err
	}
	section, err := model.NewJob[sectionInput, descriptionAnswer](jobDescribe)
	if err != nil {
		return nil, err
	}
	summarise, err := model.NewJob[summaryInput, summaryAnswer](jobSummarise)
	if err != nil {
		return nil, err
	}
	return &describeStage{c, section, summarise}, nil
}

func (s *describeStage) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts: []string{schemas.NameVideo}, Emits: []string{schemas.NameVideo}, Resource: pipeline.Model,
		Asks: []pipeline.Ask{s.sectionJob.For(roleCaptioner), s.summaryJob.For(roleCaptioner)},
	}
}

func (s *describeStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	v, err := decodeSectioned(in)
	if err != nil {
		return nil, err
	}
	whole := summaryInput{Seconds: playSeconds(v.Normalised)}
	var waiting error
	for i := range v.Sections {
		ask, frames := sectionRequest(v, i, s.cfg.Frames, s.cfg.CaptionChars)
		if i > 0 && s.cfg.Before {
			ask.Before = v.Sections[i-1].Description
		}
		got, err := s.sectionJob.Ask(ctx, scope, roleCaptioner, ask, 0, frames...)
		if err == nil && got.Value.Cannot != "" {
			err = rejectDeclined(got.Model, got.Value.Cannot)
		}
		if err != nil {
			err = pipeline.WithSubject(err, "describe section %d of %d", i+1, len(v.Sections))
			if !pipeline.IsTransient(err) {
				return nil, err
			}
			waiting = err
			if s.cfg.Before {
				break // the next one is described knowing this one
			}
			continue
		}
		v.Sections[i].Description, v.Describer = &got.Value.Description, got.Model
		whole.Sections = append(whole.Sections, describedPart{ask.Start, ask.End, ask.Captions, got.Value.Description})
	}
	if waiting != nil {
		return nil, waiting
	}
	got, err := s.summaryJob.Ask(ctx, scope, roleCaptioner, whole, 0)
	if err != nil {
		return nil, pipeline.WithSubject(err, "summarise the video")
	}
	v.Summary = got.Value.Summary
	return singleRecord(pipeline.NewRecord(schemas.NameVideo, in.ID, v, in.Blobs...))
}

// codeDeclined is the rejection code of what a model says it cannot write.
const codeDeclined = "declined"

func rejectDeclined(by, why string) *pipeline.Rejection {
	return pipeline.Reject(codeDeclined, "%s declines: %s", by, why)
}

func decodeSectioned(in pipeline.Record) (schemas.Video, error) {
	v, err := decodeNormalised(in)
	if err != nil {
		return v, err
	}
	if len(v.Sections) == 0 {
		return v, pipeline.Reject("not-segmented", "it has no sections; put video.segment before this stage")
	}
	return v, nil
}

// sectionRequest returns what a captioner reads about section i, and the
// pictures it sees.
func sectionRequest(v schemas.Video, i, frames, chars int) (sectionInput, []pipeline.Digest) {
	sec, fps := v.Sections[i], float64(v.Normalised.FPS)
	in := sectionInput{
		Index: i + 1, Count: len(v.Sections), Start: float64(sec.From) / fps, End: float64(sec.To) / fps,
		Looks: sec.Looks,
	}
	in.Captions = captionTexts(v.Captions, in.Start, in.End, chars)
	shown := spreadEvenly(sec.Frames, frames)
	in.Frames = len(shown)
	if len(sec.At) == len(sec.Frames) {
		for j, at := range spreadEvenly(sec.At, frames) {
			in.Shots = append(in.Shots, frameTime{Frame: j + 1, Of: len(shown), Second: at})
		}
	}
	images := make([]pipeline.Digest, len(shown))
	for j, d := range shown {
		images[j] = pipeline.Digest(d)
	}
	return in, images
}

// captionTexts returns the captions of a span, at most so many characters:
// where there are more, whole captions are left out evenly.
func captionTexts(all []schemas.Caption, start, end float64, chars int) []string {
	out := []string{}
	for _, c := range all {
		if c.Start < end && c.End > start {
			out = append(out, c.Text)
		}
	}
	for len(out) > 0 {
		total := 0
		for _, t := range out {
			total += len(t)
		}
		if total <= chars {
			break
		}
		out = spreadEvenly(out, min(len(out)-1, len(out)*chars/total))
	}
	return out
}

// spreadEvenly returns n elements of a list at even distances, or all where
// there are fewer.
func spreadEvenly[T any](list []T, n int) []T {
	if n >= len(list) {
		return list
	}
	out := make([]T, n)
	for i := range out {
		out[i] = list[(2*i+1)*len(list)/(2*n)]
	}
	return out
}

func describeByAppearance(_ context.Context, _ *pipeline.Scope, in sectionInput, _ []pipeline.Digest) (descriptionAnswer, error) {
	return descriptionAnswer{Description: appearance.Describe(in.Looks, in.Captions)}, nil
}

func summariseByAppearance(_ context.Context, _ *pipeline.Scope, in summaryInput, _ []pipeline.Digest) (summaryAnswer, error) {
	descriptions := make([]schemas.Description, len(in.Sections))
	for i, s := range in.Sections {
		descriptions[i] = s.Description
	}
	return summaryAnswer{appearance.Summary(descriptions)}, nil
}
