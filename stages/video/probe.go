package video

import (
	"context"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// ffmpeg is the tool whose version shapes the bytes of this package's stages.
const ffmpeg = "ffmpeg"

// ProbeConfig configures video.probe.
type ProbeConfig struct {
	MaxPixels  int64   `json:"max_pixels" doc:"largest picture in pixels"`
	MaxSeconds float64 `json:"max_seconds" doc:"longest video"`
	MinFrames  int64   `json:"min_frames" doc:"fewest frames a video must decode to"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *ProbeConfig) SetDefaults() {
	l := media.DefaultLimits()
	*c = ProbeConfig{MaxPixels: l.MaxPixels, MaxSeconds: l.MaxDuration, MinFrames: l.MinFrames}
}

type probeStage struct {
	limits media.Limits
	tools  *media.Tools
}

func newProbe(c ProbeConfig) (pipeline.Stage, error) {
	if c.MaxPixels < 1 || c.MaxSeconds <= 0 || c.MinFrames < 1 {
		return nil, fmt.Errorf("max_pixels %d, max_seconds %g and min_frames %d must be positive", c.MaxPixels, c.MaxSeconds, c.MinFrames)
	}
	l := media.DefaultLimits()
	l.MaxPixels, l.MaxDuration, l.MinFrames = c.MaxPixels, c.MaxSeconds, c.MinFrames
	return &probeStage{l, media.Lazy()}, nil
}

func (*probeStage) Spec() pipeline.Spec {
	return ffmpegSpec(schemas.NameVideo, schemas.NameVideo)
}

func (s *probeStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	v, err := pipeline.Decode[schemas.Video](in)
	if err != nil {
		return nil, err
	}
	path, err := scope.BlobPath(ctx, pipeline.Digest(v.Media))
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", in.ID, err)
	}
	f, err := s.tools.Probe(ctx, path, s.limits)
	if err != nil {
		return nil, rejectUnplayable("probe", in.ID, err)
	}
	v.Facts = &f
	return singleRecord(pipeline.NewRecord(schemas.NameVideo, in.ID, v, in.Blobs...))
}

// sourceFileOf returns which file a video is and what probing found odd about
// it.
func sourceFileOf(rec pipeline.Record) (pipeline.SourceFile, error) {
	v, err := pipeline.Decode[schemas.Video](rec)
	if err != nil {
		return pipeline.SourceFile{}, err
	}
	t := pipeline.SourceFile{File: v.Name}
	if v.Facts != nil {
		t.Notes = v.Facts.Notes
	}
	return t, nil
}

// rejectUnplayable turns an unplayable file into a rejection; other errors keep
// their chain.
func rejectUnplayable(what, id string, err error) error {
	var u *media.Unplayable
	if errors.As(err, &u) {
		r := pipeline.Reject(u.Code, "%s", u.Reason)
		// Another attempt, on a machine that is less busy, may end in time.
		r.Transient = u.Code == media.CodeTimeout
		return r
	}
	return fmt.Errorf("%s %s: %w", what, id, err)
}

// ffmpegSpec is the spec of a stage that runs ffmpeg.
func ffmpegSpec(accepts string, emits ...string) pipeline.Spec {
	return pipeline.Spec{Accepts: []string{accepts}, Emits: emits, Resource: pipeline.FFmpeg, Tools: []string{ffmpeg}}
}

func singleRecord(r pipeline.Record, err error) ([]pipeline.Record, error) {
	if err != nil {
		return nil, err
	}
	return []pipeline.Record{r}, nil
}
