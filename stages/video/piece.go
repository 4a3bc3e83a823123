package video

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/segments"
)

const (
	regionFull  = "full"
	regionLeft  = "left"
	regionRight = "right"
)

// piece is frames [from, to) of a video, counted from its first frame.
type piece struct {
	video    schemas.Video
	from, to int64
	// name is what the recipe calls the video, see schemas.Segment; empty within a
	// video that is joined of others.
	name string
}

// fileSpan returns the piece in frames of the normalised video's file.
func (p piece) fileSpan() (from, to int64) {
	first := p.video.Normalised.From
	return first + p.from, first + p.to
}

func wholePieces(vs ...schemas.Video) []piece {
	out := make([]piece, len(vs))
	for i, v := range vs {
		out[i] = wholePiece(v)
	}
	return out
}

func namePieces(pieces []piece, names []string) []piece {
	for i := range pieces {
		pieces[i].name = names[i]
	}
	return pieces
}

func wholePiece(v schemas.Video) piece { return piece{video: v, to: v.Normalised.Frames} }

// cutPieces divides a video at the frames where pieces start: the first is 0,
// they ascend.
func cutPieces(v schemas.Video, starts []int64) []piece {
	out := make([]piece, len(starts))
	for i, from := range starts {
		out[i] = piece{video: v, from: from, to: v.Normalised.Frames}
		if i > 0 {
			out[i-1].to = from
		}
	}
	return out
}

func sequenceRecipe(layout string, vs []schemas.Video) schemas.Recipe {
	return recipeOf(layout, wholePieces(vs...))
}

func recipeOf(layout string, pieces []piece) schemas.Recipe {
	r := schemas.Recipe{Layout: layout}
	var at int64
	for _, p := range pieces {
		r.Segments = append(r.Segments, segmentsOf(p, regionFull, at)...)
		at += p.to - p.from
	}
	return r
}

// segmentsOf returns what a piece shows in a region from output frame at on. A
// joined video is resolved into its parts, so that every segment leads to an
// original file.
func segmentsOf(p piece, region string, at int64) []schemas.Segment {
	v := p.video
	if len(v.Parts) == 0 {
		from, to := p.fileSpan()
		s := schemas.Segment{Source: v.Normalised.Video, Region: region, From: from, To: to, At: at, Original: v.Media, SourceID: v.SourceID, Video: p.name}
		if v.Normalised.HasAudio {
			s.Audio = v.Normalised.Audio
		}
		return []schemas.Segment{s}
	}
	var out []schemas.Segment
	for _, s := range v.Parts {
		from, to := max(p.from, s.At), min(p.to, s.At+s.To-s.From)
		if from >= to {
			continue
		}
		s.From, s.To, s.At = s.From+from-s.At, s.From+to-s.At, at+from-p.from
		s.Region, s.Video = region, p.name
		out = append(out, s)
	}
	return out
}

func keyframes(v schemas.Video) []int64 { return segments.Keyframes(*v.Normalised) }

// standaloneFiles returns a normalised video's files for tools that read from
// the first frame: those of a clip are cut, by copy, out of the files it
// shares.
func standaloneFiles(ctx context.Context, scope *pipeline.Scope, tools *media.Tools, m *schemas.NormalisedVideo) (media.NormalisedVideo, error) {
	files, err := localFiles(ctx, scope, m)
	if err != nil || m.Of == 0 {
		return files, err
	}
	clip := media.Clip{Video: files.Video, From: m.From, To: m.From + m.Frames}
	out, err := joinClips(ctx, scope, tools, "clip", m, []media.Clip{clip})
	if err != nil {
		return files, err
	}
	dir, err := scope.TempDir()
	if err != nil {
		return files, err
	}
	files.Audio, err = media.JoinSound([]media.SoundPiece{{Path: files.Audio, From: clip.From, To: clip.To}}, m.FPS, dir)
	if err != nil {
		return files, fmt.Errorf("cut the sound of the normalised video: %w", err)
	}
	files.Video = out.Path
	return files, nil
}
