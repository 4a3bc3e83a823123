package video

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/segments"
)

// SegmentConfig configures video.segment.
type SegmentConfig struct {
	By         string  `json:"by" doc:"how a video is cut: uniform (count sections), seconds (sections of that length) or scenes (at hard cuts)"`
	Count      int     `json:"count" doc:"how many sections, for uniform"`
	Seconds    float64 `json:"seconds" doc:"length of a section, for seconds"`
	MinSeconds float64 `json:"min_seconds" doc:"shortest section, for scenes"`
	MaxSeconds float64 `json:"max_seconds" doc:"longest section, for scenes; longer scenes are cut evenly"`
	Keep       int     `json:"keep" doc:"most sections that are kept of one video, spread evenly over it; 0 keeps all"`
	Frames     int     `json:"frames" doc:"pictures taken of each section, for models that see; 0 takes none"`
	Side       int     `json:"side" doc:"longest side of a picture in pixels"`
}

const (
	byUniform = "uniform"
	bySeconds = "seconds"
	byScenes  = "scenes"
)

// SetDefaults implements pipeline.Defaulter.
func (c *SegmentConfig) SetDefaults() {
	*c = SegmentConfig{By: byUniform, Count: 10, Seconds: 30, MinSeconds: 2, MaxSeconds: 60, Frames: 8, Side: 512}
}

func (c SegmentConfig) check() error {
	switch {
	case c.By != byUniform && c.By != bySeconds && c.By != byScenes:
		return fmt.Errorf("by is %q; want %s, %s or %s", c.By, byUniform, bySeconds, byScenes)
	case !(c.MinSeconds >= 0.5 && c.MaxSeconds >= 2*c.MinSeconds && c.MaxSeconds <= 3600):
		return fmt.Errorf("min_seconds is %g and max_seconds %g; want at least 0.5, and at least twice as much up to 3600", c.MinSeconds, c.MaxSeconds)
	}
	return cmp.Or(pipeline.CheckRange("count", c.Count, 1, 1000), checkWithin("seconds", c.Seconds, 0.5, 3600), pipeline.CheckRange("keep", c.Keep, 0, 100_000),
		pipeline.CheckRange("frames", c.Frames, 0, maxFrames), pipeline.CheckRange("side", c.Side, 64, 4096))
}

// segmentStage cuts a normalised video into sections that begin at keyframes
// (M3Eval C.1.1), measures what they look like and takes pictures of them. It
// decodes here so that the stages that ask models run no decoder.
type segmentStage struct {
	cfg   SegmentConfig
	tools *media.Tools
}

func newSegment(c SegmentConfig) (pipeline.Stage, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return &segmentStage{c, media.Lazy()}, nil
}

func (*segmentStage) Spec() pipeline.Spec {
	return ffmpegSpec(schemas.NameVideo, schemas.NameVideo)
}

func (s *segmentStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	v, err := decodeNormalised(in)
	if err != nil {
		return nil, err
	}
	starts, err := s.sectionStarts(v)
	if err != nil {
		return nil, err
	}
	v.Sections = nil
	for i, from := range starts {
		to := v.Normalised.Frames
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		v.Sections = append(v.Sections, schemas.Section{From: from, To: to})
	}
	v.Sections = s.spreadSections(v.Sections)
	taken, err := s.measureSections(ctx, scope, in.ID, &v)
	if err != nil {
		return nil, err
	}
	return singleRecord(pipeline.NewRecord(schemas.NameVideo, in.ID, v, distinct(slices.Concat(in.Blobs, taken))...))
}

func (s *segmentStage) spreadSections(all []schemas.Section) []schemas.Section {
	if s.cfg.Keep == 0 || len(all) <= s.cfg.Keep {
		return all
	}
	var out []schemas.Section
	for _, i := range (media.Span{To: int64(len(all))}).Spread(s.cfg.Keep) {
		out = append(out, all[i])
	}
	return out
}

func (s *segmentStage) sectionStarts(v schemas.Video) ([]int64, error) {
	switch s.cfg.By {
	case bySeconds:
		return segments.CutAtInterval(*v.Normalised, s.cfg.Seconds)
	case byScenes:
		if v.Facts == nil {
			return nil, pipeline.Reject("not-probed", "it has no facts, which hold its cuts; put video.probe before video.normalise, or cut it by %s or %s", byUniform, bySeconds)
		}
		return segments.CutAtScenes(*v.Normalised, *v.Facts, s.cfg.MinSeconds, s.cfg.MaxSeconds)
	}
	return segments.CutUniformly(*v.Normalised, s.cfg.Count)
}

// measureSections measures the sections with one decoding, takes their pictures
// with another, and returns the pictures' digests.
func (s *segmentStage) measureSections(ctx context.Context, scope *pipeline.Scope, id string, v *schemas.Video) ([]pipeline.Digest, error) {
	m, err := localFiles(ctx, scope, v.Normalised)
	if err != nil {
		return nil, err
	}
	cut := make([]media.Span, len(v.Sections))
	for i, sec := range v.Sections {
		cut[i] = media.Span{From: sec.From, To: sec.To}
	}
	measured, err := s.tools.MeasureAppearance(ctx, m.Video, v.Normalised.FPS, cut)
	if err != nil {
		return nil, fmt.Errorf("segment %s: %w", id, err)
	}
	for i := range measured {
		v.Sections[i].Looks = &measured[i]
	}
	if s.cfg.Frames == 0 {
		return nil, nil
	}
	var taken []pipeline.Digest
	pictured := pictureArea(*v)
	for at := 0; at < len(cut); {
		some := cut[at:min(len(cut), at+max(1, maxStillsInMemory/s.cfg.Frames))]
		stills, err := s.tools.SpanStills(ctx, m.Video, some, s.cfg.Frames, pictured, s.cfg.Side)
		if err != nil {
			return nil, fmt.Errorf("segment %s: %w", id, err)
		}
		for _, group := range stills {
			if v.Sections[at].Frames, err = storeStills(ctx, scope, group); err != nil {
				return nil, fmt.Errorf("segment %s: %w", id, err)
			}
			for i, d := range v.Sections[at].Frames {
				taken = append(taken, pipeline.Digest(d))
				v.Sections[at].At = append(v.Sections[at].At, float64(group[i].Frame)/float64(v.Normalised.FPS))
			}
			at++
		}
	}
	return taken, nil
}

// pictureArea returns the part of a normalised video's frames that is not black
// fill, so that a portrait is not made small by the black beside it. A video
// joined from several has no single area.
func pictureArea(v schemas.Video) image.Rectangle {
	if len(v.Parts) > 0 {
		return image.Rectangle{}
	}
	return media.PictureArea(v.Facts, *v.Normalised)
}

// maxStillsInMemory bounds the pictures in memory. A video of more is decoded again for
// the rest.
const maxStillsInMemory = 400

func storeStills(ctx context.Context, scope *pipeline.Scope, stills []media.Still) ([]string, error) {
	var out []string
	for _, still := range stills {
		b, err := media.JPEG(still.Picture)
		if err != nil {
			return nil, err
		}
		blob, err := scope.PutBlob(ctx, bytes.NewReader(b))
		if err != nil {
			return nil, fmt.Errorf("store picture: %w", err)
		}
		out = append(out, string(blob.Digest))
	}
	return out, nil
}
