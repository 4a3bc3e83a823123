package video

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/segments"
)

// NormaliseConfig configures video.normalise.
type NormaliseConfig struct {
	Profile    media.Profile `json:"profile" doc:"the common format of all normalised videos"`
	Boundaries Boundaries    `json:"boundaries" doc:"where later stages may cut, besides the profile's regular keyframes"`
}

// Boundaries say where keyframes are set for the cuts of later stages.
type Boundaries struct {
	Uniform []int     `json:"uniform" doc:"numbers of equal segments a video can be cut into, for example [10] for interleaving"`
	Every   []float64 `json:"every" doc:"lengths in seconds of the clips a video can be cut into"`
	Scenes  bool      `json:"scenes" doc:"whether a video can be cut at its scene changes"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *NormaliseConfig) SetDefaults() {
	c.Profile = media.DefaultProfile()
	c.Boundaries = Boundaries{Uniform: []int{10}, Every: []float64{}, Scenes: true}
}

// minScene is the least distance of two scene changes that are both worth a
// keyframe, in seconds: shorter sections are neither described nor cut out.
const minScene = 1.0

func (b Boundaries) check() error {
	for _, n := range b.Uniform {
		if n < 2 || n > 1000 {
			return fmt.Errorf("boundaries.uniform has %d; want 2 to 1000 segments", n)
		}
	}
	for _, s := range b.Every {
		if !(s >= 1 && s <= 3600) {
			return fmt.Errorf("boundaries.every has %g; want 1 to 3600 seconds", s)
		}
	}
	return nil
}

// keyframes returns the boundaries of a video, by the length predicted from its
// facts.
func (b Boundaries) keyframes(f schemas.VideoFacts, fps int32) []int64 {
	total := media.FramesOf(f, fps)
	var keys []int64
	for _, n := range b.Uniform {
		if int64(n) <= total {
			keys = append(keys, segments.EvenStarts(total, n)...)
		}
	}
	for _, s := range b.Every {
		step := max(1, int64(math.Round(s*float64(fps))))
		for k := step; k < total; k += step {
			keys = append(keys, k)
		}
	}
	if b.Scenes {
		keys = append(keys, segments.ChangeFrames(f, fps, minScene)...)
	}
	return keys
}

// normaliseStage encodes a video once, to the format that joins by copy.
type normaliseStage struct {
	cfg   NormaliseConfig
	tools *media.Tools
}

func newNormalise(c NormaliseConfig) (pipeline.Stage, error) {
	if err := cmp.Or(c.Profile.Check(), c.Boundaries.check()); err != nil {
		return nil, err
	}
	return &normaliseStage{c, media.Lazy()}, nil
}

func (*normaliseStage) Spec() pipeline.Spec {
	return ffmpegSpec(schemas.NameVideo, schemas.NameVideo)
}

func (s *normaliseStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	v, err := pipeline.Decode[schemas.Video](in)
	if err != nil {
		return nil, err
	}
	if s.hasFormat(v) {
		return []pipeline.Record{in}, nil
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
	keys := s.cfg.Boundaries.keyframes(*v.Facts, s.cfg.Profile.FPS)
	if len(keys) > media.MaxKeyframes {
		return nil, pipeline.Reject("too-many-boundaries", "%d boundaries, at most %d are possible; ask for fewer or use shorter videos", len(keys), media.MaxKeyframes)
	}
	m, err := s.tools.Normalise(ctx, path, *v.Facts, keys, s.cfg.Profile, dir, media.DefaultLimits())
	if err != nil {
		return nil, rejectUnplayable("normalise", in.ID, err)
	}
	if v.Normalised, err = s.storeNormalised(ctx, scope, m); err != nil {
		return nil, err
	}
	return singleRecord(pipeline.NewRecord(schemas.NameVideo, in.ID, v, distinct(slices.Concat(in.Blobs, normalisedBlobs(v)))...))
}

// hasFormat reports whether a video is in the common format already and can be
// cut at the boundaries: a film that was drawn straight into it.
func (s *normaliseStage) hasFormat(v schemas.Video) bool {
	m, p, drawn := v.Normalised, s.cfg.Profile, media.DefaultProfile()
	if m == nil || v.Script == "" {
		return false
	}
	if drawn.Width, drawn.Height, drawn.FPS = m.Width, m.Height, m.FPS; p != drawn {
		return false
	}
	keys := segments.Keyframes(*m)
	whole := schemas.VideoFacts{Duration: playSeconds(m)}
	return !slices.ContainsFunc(s.cfg.Boundaries.keyframes(whole, m.FPS), func(k int64) bool {
		_, found := slices.BinarySearch(keys, k)
		return !found && k < m.Frames
	})
}

func (s *normaliseStage) storeNormalised(ctx context.Context, scope *pipeline.Scope, m media.NormalisedVideo) (*schemas.NormalisedVideo, error) {
	picture, err := scope.PutFile(ctx, m.Video)
	if err != nil {
		return nil, fmt.Errorf("store normalised video: %w", err)
	}
	sound, err := scope.PutFile(ctx, m.Audio)
	if err != nil {
		return nil, fmt.Errorf("store the sound of the normalised video: %w", err)
	}
	return &schemas.NormalisedVideo{
		Video: string(picture.Digest), Audio: string(sound.Digest),
		Width: s.cfg.Profile.Width, Height: s.cfg.Profile.Height, FPS: s.cfg.Profile.FPS,
		Frames: m.Frames, HasAudio: m.HasAudio, KeyEvery: m.KeyEvery, Keyframes: m.Keyframes,
	}, nil
}
