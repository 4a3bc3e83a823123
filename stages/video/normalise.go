package video

import (
	"context"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// NormaliseConfig configures video.normalise.
type NormaliseConfig struct {
	Profile media.Profile `yaml:"profile" json:"profile" doc:"the common format of all mezzanines"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *NormaliseConfig) SetDefaults() { c.Profile = media.DefaultProfile() }

// normalise encodes a video once, to the format that joins by copy.
type normalise struct {
	profile media.Profile
	tools   *media.Tools
}

func newNormalise(c NormaliseConfig) (pipeline.Stage, error) {
	if err := c.Profile.Check(); err != nil {
		return nil, err
	}
	return &normalise{c.Profile, media.Lazy()}, nil
}

func (*normalise) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts: []string{schemas.NameVideo}, Emits: []string{schemas.NameVideo},
		Resource: pipeline.FFmpeg, Tools: []string{ffmpeg},
	}
}

func (s *normalise) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	v, err := pipeline.Decode[schemas.Video](in)
	if err != nil {
		return nil, err
	}
	if v.Facts == nil {
		return nil, pipeline.Reject("not-probed", "it has no facts; put video.probe before video.normalise")
	}
	path, err := scope.BlobPath(ctx, pipeline.Digest(v.Media))
	if err != nil {
		return nil, fmt.Errorf("normalise %s: %w", in.ID, err)
	}
	dir, err := scope.TempDir()
	if err != nil {
		return nil, err
	}
	m, err := s.tools.Normalise(ctx, path, *v.Facts, s.profile, dir, media.DefaultLimits())
	if err != nil {
		return nil, refused("normalise", in.ID, err)
	}
	if v.Mezzanine, err = s.keep(ctx, scope, m); err != nil {
		return nil, err
	}
	blobs := slices.Concat(in.Blobs, mezzanineBlobs(v))
	slices.Sort(blobs)
	return one(pipeline.NewRecord(schemas.NameVideo, in.ID, v, slices.Compact(blobs)...))
}

func (s *normalise) keep(ctx context.Context, scope *pipeline.Scope, m media.Mezzanine) (*schemas.Mezzanine, error) {
	picture, err := scope.PutFile(ctx, m.Video)
	if err != nil {
		return nil, fmt.Errorf("store mezzanine: %w", err)
	}
	sound, err := scope.PutFile(ctx, m.Audio)
	if err != nil {
		return nil, fmt.Errorf("store mezzanine audio: %w", err)
	}
	return &schemas.Mezzanine{
		Video: string(picture.Digest), Audio: string(sound.Digest),
		Width: s.profile.Width, Height: s.profile.Height, FPS: s.profile.FPS,
		Frames: m.Frames, HasAudio: m.HasAudio,
	}, nil
}
