package videogates

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// integrityGate compares a composed video with its recipe: the file must show,
// frame by frame, what the recipe names of the normalised sources, sound where
// these have sound, and say nothing about itself in words.
//
// The sources are read from the store by the digests in the recipe. They are no
// part of the media record, so a release does not carry them.
type integrityGate struct{ tools *media.Tools }

func newIntegrity(struct{}) (pipeline.Gate, error) { return &integrityGate{media.Lazy()}, nil }

func (*integrityGate) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameMedia}, Resource: pipeline.FFmpeg, Tools: []string{"ffmpeg"}}
}

// Judge compares each video with its recipe; see pipeline.Gate.
func (g *integrityGate) Judge(ctx context.Context, scope *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	out := make([]pipeline.Judgement, len(items))
	for i, r := range items {
		m, err := pipeline.Decode[schemas.Media](r)
		if err != nil {
			return nil, err
		}
		if out[i], err = g.judgeMedia(ctx, scope, m); err != nil {
			return nil, fmt.Errorf("look at %s: %w", r.ID, err)
		}
	}
	return out, nil
}

func (g *integrityGate) judgeMedia(ctx context.Context, scope *pipeline.Scope, m schemas.Media) (pipeline.Judgement, error) {
	if m.Kind != "video" || len(m.Recipe.Segments) == 0 {
		return pipeline.NotApplicable.Because("no-recipe", "it is of kind %q with %d segments; only a composed video has a recipe to hold it against", m.Kind, len(m.Recipe.Segments)), nil
	}
	if why := rowProblem(m); why != "" {
		return pipeline.Fail.Because("bad-row", "%s", why), nil
	}
	files, err := storedFiles(ctx, scope, m)
	if errors.Is(err, pipeline.ErrNoBlob) {
		return pipeline.Judgement{Outcome: pipeline.GateError, Code: "no-source", Reason: fmt.Sprintf("what its recipe names is not in the store: %v", err)}, nil
	}
	if err != nil {
		return pipeline.Judgement{}, err
	}
	path := files[m.MediaID]
	report, err := g.tools.Verify(ctx, path, m.Recipe, fileFinder(m.Recipe, files), sourceProfile(m))
	if err != nil {
		return pipeline.Judgement{}, err
	}
	if len(report.Problems) > 0 {
		return pipeline.Fail.Because("not-its-recipe", "%s", strings.Join(report.Problems, "; ")), nil
	}
	tags, err := g.tools.Tags(ctx, path)
	if err != nil {
		return pipeline.Judgement{}, err
	}
	if unexpected := unexpectedTags(tags); len(unexpected) > 0 {
		return pipeline.Fail.Because("telling-tags", "a viewer could read in the file: %s", strings.Join(unexpected, ", ")), nil
	}
	j := structural.Pass()
	j.Reason = fmt.Sprintf("%s; %d tags, all of the format", strings.Join(report.Checked, "; "), len(tags))
	return j, nil
}

func rowProblem(m schemas.Media) string {
	var frames int64
	sounds := map[string]string{}
	for _, s := range m.Recipe.Segments {
		if audio, known := sounds[s.Source]; known && audio != s.Audio {
			return fmt.Sprintf("its recipe names two sounds for source %s", s.Source)
		}
		sounds[s.Source] = s.Audio
		for _, d := range []string{s.Source, s.Audio} {
			if _, err := pipeline.ParseDigest(d); err != nil && d != "" {
				return fmt.Sprintf("its recipe names a source that is no digest: %v", err)
			}
		}
		frames = max(frames, s.At+s.To-s.From)
	}
	_, err := pipeline.ParseDigest(m.MediaID)
	switch {
	case err != nil:
		return fmt.Sprintf("its media id is no digest: %v", err)
	case m.Frames != frames:
		return fmt.Sprintf("it states %d frames and its recipe has %d", m.Frames, frames)
	case m.FPS < 1 || m.FPS != math.Trunc(m.FPS) || m.Duration != float64(m.Frames)/m.FPS:
		return fmt.Sprintf("it states %g s for %d frames at %g a second", m.Duration, m.Frames, m.FPS)
	}
	return ""
}

// sourceProfile returns the format of the sources: side by side, each of them
// is shown at half its size.
func sourceProfile(m schemas.Media) media.Profile {
	p := media.DefaultProfile()
	p.Width, p.Height, p.FPS = m.Width, m.Height, int32(m.FPS)
	if m.Recipe.Segments[0].Region != "full" {
		p.Height *= 2
	}
	return p
}

// storedFiles finds the video and all that its recipe names in the store: paths
// by digest.
func storedFiles(ctx context.Context, scope *pipeline.Scope, m schemas.Media) (map[string]string, error) {
	files := map[string]string{m.MediaID: ""}
	for _, s := range m.Recipe.Segments {
		files[s.Source] = ""
		if s.Audio != "" {
			files[s.Audio] = ""
		}
	}
	for d := range files {
		path, err := scope.BlobPath(ctx, pipeline.Digest(d))
		if err != nil {
			return nil, err
		}
		files[d] = path
	}
	return files, nil
}

func fileFinder(r schemas.Recipe, files map[string]string) func(string) (media.NormalisedVideo, error) {
	return func(source string) (media.NormalisedVideo, error) {
		i := slices.IndexFunc(r.Segments, func(s schemas.Segment) bool { return s.Source == source })
		if i < 0 {
			return media.NormalisedVideo{}, fmt.Errorf("the recipe has no source %s", source)
		}
		m := media.NormalisedVideo{Video: files[source]}
		if audio := r.Segments[i].Audio; audio != "" {
			m.Audio, m.HasAudio = files[audio], true
		}
		return m, nil
	}
}

// formatTags are the tags that every MP4 of this project has.
var formatTags = []string{
	"file: compatible_brands=isomiso2avc1mp41", "file: major_brand=isom", "file: minor_version=512",
	"stream: encoder=Lavc libx264", "stream: handler_name=SoundHandler", "stream: handler_name=VideoHandler",
	"stream: language=und", "stream: vendor_id=[0][0][0][0]",
}

func unexpectedTags(tags []string) []string {
	return slices.DeleteFunc(slices.Clone(tags), func(t string) bool { return slices.Contains(formatTags, t) })
}

// Runs of ffmpeg and ffprobe that look at one video: one shows all that is compared, one
// reads the tags.
const runsToInspect = 2

// Forecast implements pipeline.Forecaster: every video is decoded, and so is
// what it is held against.
func (*integrityGate) Forecast(in pipeline.Volume) pipeline.Forecast {
	m := in[schemas.NameMedia]
	return pipeline.Forecast{
		Out: pipeline.Volume{schemas.NameMedia: m, schemas.NameVerdict: {Records: m.Records}},
		CPU: media.RunsCPU(runsToInspect*m.Records) + 2*media.DecodingCPU(m),
	}
}
