package video

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// Regions of a segment.
const (
	full  = "full"
	left  = "left"
	right = "right"
)

// joinProfile is the profile of a join by copy: only the shape of the
// mezzanines counts, nothing is encoded again but the sound.
func joinProfile(m *schemas.Mezzanine) media.Profile {
	p := media.DefaultProfile()
	p.Width, p.Height, p.FPS = m.Width, m.Height, m.FPS
	return p
}

// local returns the paths of a mezzanine's files.
func local(ctx context.Context, scope *pipeline.Scope, m *schemas.Mezzanine) (media.Mezzanine, error) {
	picture, err := scope.BlobPath(ctx, pipeline.Digest(m.Video))
	if err != nil {
		return media.Mezzanine{}, fmt.Errorf("mezzanine: %w", err)
	}
	sound, err := scope.BlobPath(ctx, pipeline.Digest(m.Audio))
	if err != nil {
		return media.Mezzanine{}, fmt.Errorf("mezzanine audio: %w", err)
	}
	return media.Mezzanine{Video: picture, Audio: sound, Frames: m.Frames, HasAudio: m.HasAudio}, nil
}

// join plays whole videos one after the other, stores the result and describes
// it as a media row of the given layout.
func join(ctx context.Context, scope *pipeline.Scope, tools *media.Tools, layout string, vs ...schemas.Video) (schemas.Media, error) {
	if why := sameShape(vs...); why != nil {
		return schemas.Media{}, why
	}
	clips := make([]media.Clip, len(vs))
	for i, v := range vs {
		m, err := local(ctx, scope, v.Mezzanine)
		if err != nil {
			return schemas.Media{}, err
		}
		clips[i] = media.Clip{Video: m.Video, To: m.Frames}
		if m.HasAudio {
			clips[i].Audio = m.Audio
		}
	}
	dir, err := scope.TempDir()
	if err != nil {
		return schemas.Media{}, err
	}
	shape := vs[0].Mezzanine
	out, err := tools.Join(ctx, clips, joinProfile(shape), dir, media.DefaultLimits())
	if err != nil {
		return schemas.Media{}, refused("join", layout, err)
	}
	return composed(ctx, scope, out, sequence(layout, vs), shape.FPS, strictest(vs...))
}

// sequence is the recipe of whole videos one after the other.
func sequence(layout string, vs []schemas.Video) schemas.Recipe {
	r := schemas.Recipe{Layout: layout}
	var at int64
	for _, v := range vs {
		r.Segments = append(r.Segments, segments(v, full, at, v.Mezzanine.Frames)...)
		at += v.Mezzanine.Frames
	}
	return r
}

// segments are the first frames of a video, shown in a region from output frame
// at on. A joined video is resolved into its parts, so that every segment leads
// to an original file.
func segments(v schemas.Video, region string, at, frames int64) []schemas.Segment {
	if len(v.Parts) == 0 {
		audio := v.Mezzanine.Audio
		if !v.Mezzanine.HasAudio {
			audio = ""
		}
		return []schemas.Segment{{
			Source: v.Mezzanine.Video, Region: region, To: frames, At: at, Original: v.Media, SourceID: v.SourceID, Audio: audio,
		}}
	}
	var out []schemas.Segment
	for _, p := range v.Parts {
		if p.At >= frames {
			break
		}
		p.To = min(p.To, p.From+frames-p.At)
		p.At, p.Region = p.At+at, region
		out = append(out, p)
	}
	return out
}

// composed stores a composed video and describes it.
func composed(ctx context.Context, scope *pipeline.Scope, out media.Output, r schemas.Recipe, fps int32, license string) (schemas.Media, error) {
	blob, err := scope.PutFile(ctx, out.Path)
	if err != nil {
		return schemas.Media{}, fmt.Errorf("store composed video: %w", err)
	}
	return schemas.Media{
		MediaID: string(blob.Digest), Kind: "video", Mime: "video/mp4", Bytes: blob.Size,
		Width: out.Width, Height: out.Height, Duration: out.Duration, FPS: float64(fps), Frames: out.Frames,
		HasAudio: out.HasAudio, Recipe: r, License: license,
	}, nil
}

// mediaRecord is named by its digest alone, so equal videos of two units are
// one record and no name tells what is in it.
func mediaRecord(m schemas.Media) (pipeline.Record, error) {
	return pipeline.NewRecord(schemas.NameMedia, m.MediaID, m, pipeline.Digest(m.MediaID))
}

// compositionRecord names a composition after its pair and how it is shown.
func compositionRecord(c schemas.Composition) (pipeline.Record, error) {
	id := contentID("composition", pairID(c.Pair), c.Media.Recipe.Layout, c.Order, fmt.Sprint(c.Swaps))
	blobs := append(mezzanineBlobs(c.Pair.A, c.Pair.B), pipeline.Digest(c.Media.MediaID))
	return pipeline.NewRecord(schemas.NameComposition, id, c, blobs...)
}

// pairRecords are the records that a pair composed in one layout gives: its
// compositions, their media, and the one task their questions belong to.
func pairRecords(p schemas.Pair, layout, summary string, cs []schemas.Composition) ([]pipeline.Record, error) {
	var out []pipeline.Record
	add := func(r pipeline.Record, err error) error {
		out = append(out, r)
		return err
	}
	t := schemas.Task{
		TaskID: taskID(p, layout), Family: family, Domain: p.A.Category, Scenario: layout,
		Summary: summary, SourceRecords: sources(p.A, p.B),
	}
	for _, c := range cs {
		t.Media = append(t.Media, c.Media.MediaID)
		if err := add(compositionRecord(c)); err != nil {
			return nil, err
		}
		if err := add(mediaRecord(c.Media)); err != nil {
			return nil, err
		}
	}
	if err := add(pipeline.NewRecord(schemas.NameTask, t.TaskID, t)); err != nil {
		return nil, err
	}
	return out, nil
}
