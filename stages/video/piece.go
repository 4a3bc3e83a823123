package video

import (
	"github.com/memforge/memforge/schemas"
	spans "github.com/memforge/memforge/stages/video/segments"
)

// Regions of a segment.
const (
	full  = "full"
	left  = "left"
	right = "right"
)

// piece is frames [from, to) of a video, counted from its first frame.
type piece struct {
	video    schemas.Video
	from, to int64
	// as is what the recipe calls the video, see schemas.Segment; empty within a
	// video that is joined of others.
	as string
}

// span is the piece in frames of the mezzanine's file.
func (p piece) span() (from, to int64) {
	first := p.video.Mezzanine.From
	return first + p.from, first + p.to
}

// wholes are videos from their first frame to their last.
func wholes(vs ...schemas.Video) []piece {
	out := make([]piece, len(vs))
	for i, v := range vs {
		out[i] = whole(v)
	}
	return out
}

// named calls pieces by names, one each.
func named(pieces []piece, names []string) []piece {
	for i := range pieces {
		pieces[i].as = names[i]
	}
	return pieces
}

func whole(v schemas.Video) piece { return piece{video: v, to: v.Mezzanine.Frames} }

// cut divides a video where pieces start: the first is 0, they ascend.
func cut(v schemas.Video, starts []int64) []piece {
	out := make([]piece, len(starts))
	for i, from := range starts {
		out[i] = piece{video: v, from: from, to: v.Mezzanine.Frames}
		if i > 0 {
			out[i-1].to = from
		}
	}
	return out
}

// videos are those that pieces are of, in the same order.
func videos(pieces []piece) []schemas.Video {
	out := make([]schemas.Video, len(pieces))
	for i, p := range pieces {
		out[i] = p.video
	}
	return out
}

// sequence is the recipe of whole videos one after the other.
func sequence(layout string, vs []schemas.Video) schemas.Recipe { return recipe(layout, wholes(vs...)) }

// recipe is that of pieces one after the other.
func recipe(layout string, pieces []piece) schemas.Recipe {
	r := schemas.Recipe{Layout: layout}
	var at int64
	for _, p := range pieces {
		r.Segments = append(r.Segments, shown(p, full, at)...)
		at += p.to - p.from
	}
	return r
}

// shown is what a piece shows in a region from output frame at on. A
// joined video is resolved into its parts, so that every segment leads to an
// original file.
func shown(p piece, region string, at int64) []schemas.Segment {
	v := p.video
	if len(v.Parts) == 0 {
		from, to := p.span()
		s := schemas.Segment{Source: v.Mezzanine.Video, Region: region, From: from, To: to, At: at, Original: v.Media, SourceID: v.SourceID, Video: p.as}
		if v.Mezzanine.HasAudio {
			s.Audio = v.Mezzanine.Audio
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
		s.Region, s.Video = region, p.as
		out = append(out, s)
	}
	return out
}

// keyframes lists where a clip of a normalised video may begin, sorted.
func keyframes(v schemas.Video) []int64 { return spans.Keyframes(*v.Mezzanine) }
