package video

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
	"github.com/memforge/memforge/stages/video/reels"
	spans "github.com/memforge/memforge/stages/video/segments"
)

// ReelConfig configures video.reel, which has nothing to set.
type ReelConfig struct{}

// reel renders a planned reel: its clips one after the other, by copy, as a
// normalised video whose events say what is shown when.
type reel struct{ tools *media.Tools }

func newReel(ReelConfig) (pipeline.Stage, error) { return &reel{media.Lazy()}, nil }

func (*reel) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts: []string{reels.Schema}, Emits: []string{schemas.NameVideo},
		Resource: pipeline.FFmpeg, Tools: []string{ffmpeg},
	}
}

func (s *reel) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	p, err := pipeline.Decode[reels.Plan](in)
	if err != nil {
		return nil, err
	}
	if len(p.Clips) == 0 {
		return nil, pipeline.Reject("empty-reel", "the plan has no clips")
	}
	if why := sameShape(p.Clips...); why != nil {
		return nil, why
	}
	picture, frames, err := s.picture(ctx, scope, p.Clips)
	if err != nil {
		return nil, err
	}
	sound, err := joinSound(ctx, scope, p.Clips)
	if err != nil {
		return nil, err
	}
	v := reelVideo(p)
	m := *p.Clips[0].Mezzanine
	m.Video, m.Audio, m.Frames = string(picture), string(sound), frames
	m.From, m.Of = 0, 0
	m.KeyEvery, m.Keyframes = spans.Joined(shapes(p.Clips)...)
	m.HasAudio = slices.ContainsFunc(p.Clips, func(c schemas.Video) bool { return c.Mezzanine.HasAudio })
	v.Media, v.Mezzanine = m.Video, &m
	return one(pipeline.NewRecord(schemas.NameVideo, in.ID, v, mezzanineBlobs(v)...))
}

func shapes(clips []schemas.Video) []schemas.Mezzanine {
	ms := make([]schemas.Mezzanine, len(clips))
	for i, c := range clips {
		ms[i] = *c.Mezzanine
	}
	return ms
}

// picture joins the clips' pictures without sound.
func (s *reel) picture(ctx context.Context, scope *pipeline.Scope, clips []schemas.Video) (pipeline.Digest, int64, error) {
	list := make([]media.Clip, len(clips))
	for i, c := range clips {
		path, err := scope.BlobPath(ctx, pipeline.Digest(c.Mezzanine.Video))
		if err != nil {
			return "", 0, fmt.Errorf("mezzanine: %w", err)
		}
		list[i] = media.Clip{Video: path}
		list[i].From, list[i].To = whole(c).span()
	}
	dir, err := scope.TempDir()
	if err != nil {
		return "", 0, err
	}
	out, err := s.tools.Join(ctx, list, joinProfile(clips[0].Mezzanine), dir, media.DefaultLimits())
	if err != nil {
		return "", 0, refused("join", "reel", err)
	}
	blob, err := scope.PutFile(ctx, out.Path)
	if err != nil {
		return "", 0, fmt.Errorf("store reel: %w", err)
	}
	return blob.Digest, out.Frames, nil
}

// joinSound puts the clips' sound one after the other.
func joinSound(ctx context.Context, scope *pipeline.Scope, clips []schemas.Video) (pipeline.Digest, error) {
	pieces := make([]media.Sound, len(clips))
	for i, c := range clips {
		path, err := scope.BlobPath(ctx, pipeline.Digest(c.Mezzanine.Audio))
		if err != nil {
			return "", fmt.Errorf("mezzanine audio: %w", err)
		}
		pieces[i].Path = path
		pieces[i].From, pieces[i].To = whole(c).span()
	}
	dir, err := scope.TempDir()
	if err != nil {
		return "", err
	}
	path, err := media.JoinSound(pieces, clips[0].Mezzanine.FPS, dir)
	if err != nil {
		return "", fmt.Errorf("reel: %w", err)
	}
	blob, err := scope.PutFile(ctx, path)
	if err != nil {
		return "", fmt.Errorf("store reel audio: %w", err)
	}
	return blob.Digest, nil
}

// reelVideo describes a reel but for its media. It has no title: questions
// name it by what it shows.
func reelVideo(p reels.Plan) schemas.Video {
	v := schemas.Video{
		Name: "reel", Category: p.Clips[0].Category, License: strictest(p.Clips...),
		SourceID: strings.Join(sources(p.Clips...), sourceSeparator),
		Parts:    sequence(schemas.LayoutConcat, p.Clips).Segments,
	}
	for _, name := range p.Same {
		if v.Labels == nil {
			v.Labels = map[string]string{}
		}
		v.Labels[name] = p.Clips[0].Labels[name]
	}
	var at float64
	var shown []string
	for _, c := range p.Clips {
		label := c.Labels[p.Attribute]
		end := at + seconds(c.Mezzanine)
		v.Events = append(v.Events, schemas.Event{Kind: groundtruth.Shows, Object: label, Start: at, End: end, StatedBy: cmp.Or(c.LabelledBy[p.Attribute], statedBy(c))})
		shown = append(shown, label)
		at = end
	}
	v.Description = "Clips showing " + strings.Join(shown, ", ") + "."
	return v
}
