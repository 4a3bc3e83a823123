package video

import (
	"context"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// joinProfile is the profile of a join by copy: only the shape of the
// mezzanines counts, nothing is encoded again.
func joinProfile(m *schemas.NormalisedVideo) media.Profile {
	p := media.DefaultProfile()
	p.Width, p.Height, p.FPS = m.Width, m.Height, m.FPS
	return p
}

// localFiles returns the paths of a mezzanine's files. Those of a clip hold more
// than the clip.
func localFiles(ctx context.Context, scope *pipeline.Scope, m *schemas.NormalisedVideo) (media.NormalisedVideo, error) {
	picture, err := scope.BlobPath(ctx, pipeline.Digest(m.Video))
	if err != nil {
		return media.NormalisedVideo{}, fmt.Errorf("mezzanine: %w", err)
	}
	sound, err := scope.BlobPath(ctx, pipeline.Digest(m.Audio))
	if err != nil {
		return media.NormalisedVideo{}, fmt.Errorf("mezzanine audio: %w", err)
	}
	return media.NormalisedVideo{Video: picture, Audio: sound, Frames: m.Frames, HasAudio: m.HasAudio}, nil
}

// joinPieces plays pieces of videos one after the other, stores the result and
// describes it as a media row of the given layout.
func joinPieces(ctx context.Context, scope *pipeline.Scope, tools *media.Tools, layout string, pieces ...piece) (schemas.Media, error) {
	vs := pieceVideos(pieces)
	if why := checkSameFormat(vs...); why != nil {
		return schemas.Media{}, why
	}
	clips := make([]media.Clip, len(pieces))
	for i, p := range pieces {
		m, err := localFiles(ctx, scope, p.video.Normalised)
		if err != nil {
			return schemas.Media{}, err
		}
		clips[i] = media.Clip{Video: m.Video}
		clips[i].From, clips[i].To = p.fileSpan()
		if m.HasAudio {
			clips[i].Audio = m.Audio
		}
	}
	dir, err := scope.TempDir()
	if err != nil {
		return schemas.Media{}, err
	}
	shape := vs[0].Normalised
	out, err := tools.Join(ctx, clips, joinProfile(shape), dir, media.DefaultLimits())
	if err != nil {
		return schemas.Media{}, rejectUnplayable("join", layout, err)
	}
	return storeComposed(ctx, scope, out, recipeOf(layout, pieces), shape.FPS, combinedLicense(vs...))
}

// storeComposed stores a composed video and describes it.
func storeComposed(ctx context.Context, scope *pipeline.Scope, out media.Output, r schemas.Recipe, fps int32, license string) (schemas.Media, error) {
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
// one record and no name tells what is in it. Besides the video it keeps what
// the recipe names, so that the video can be held against it; a release takes
// the video only.
func mediaRecord(m schemas.Media) (pipeline.Record, error) {
	blobs := []pipeline.Digest{pipeline.Digest(m.MediaID)}
	for _, s := range m.Recipe.Segments {
		blobs = append(blobs, pipeline.Digest(s.Source))
		if s.Audio != "" {
			blobs = append(blobs, pipeline.Digest(s.Audio))
		}
	}
	slices.Sort(blobs)
	return pipeline.NewRecord(schemas.NameMedia, m.MediaID, m, slices.Compact(blobs)...)
}

// compositionRecord names a composition after its pair and how it is shown.
func compositionRecord(c schemas.Composition) (pipeline.Record, error) {
	parts := []string{pairID(c.Pair), c.Media.Recipe.Layout, c.Order, fmt.Sprint(c.Swaps)}
	if c.Segments > 0 {
		parts = append(parts, fmt.Sprint(c.Segments))
	}
	id := contentID("composition", parts...)
	blobs := append(normalisedBlobs(c.Pair.A, c.Pair.B), pipeline.Digest(c.Media.MediaID))
	return pipeline.NewRecord(schemas.NameComposition, id, c, blobs...)
}

// pairRecords are the records that a pair composed in one layout gives: its
// compositions, their media, the one task their questions belong to, and what
// both videos show.
func pairRecords(p schemas.Pair, layout, summary string, cs []schemas.Composition) ([]pipeline.Record, error) {
	var out []pipeline.Record
	add := func(r pipeline.Record, err error) error {
		out = append(out, r)
		return err
	}
	t := schemas.Task{
		TaskID: taskID(p, layout), Family: family, Domain: p.A.Category, Scenario: layout,
		Summary: summary + separabilityText(p), SourceRecords: sourceIDs(p.A, p.B),
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
	if err := add(statementsRecord(p.A, p.B)); err != nil {
		return nil, err
	}
	return out, nil
}
