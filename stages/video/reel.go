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
	"github.com/memforge/memforge/stages/video/segments"
)

// ReelConfig configures video.reel, which has nothing to set.
type ReelConfig struct{}

// reelStage renders a planned reel: its clips one after the other, by copy, as a
// normalised video whose events say what is shown when.
type reelStage struct{ tools *media.Tools }

func newReel(ReelConfig) (pipeline.Stage, error) { return &reelStage{media.Lazy()}, nil }

func (*reelStage) Spec() pipeline.Spec {
	return ffmpegSpec(reels.Schema, schemas.NameVideo)
}

func (s *reelStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	p, err := pipeline.Decode[reels.Plan](in)
	if err != nil {
		return nil, err
	}
	if len(p.Clips) == 0 {
		return nil, pipeline.Reject("empty-reel", "the plan has no clips")
	}
	if why := checkSameFormat(p.Clips...); why != nil {
		return nil, why
	}
	picture, frames, err := s.joinPictures(ctx, scope, p.Clips)
	if err != nil {
		return nil, err
	}
	sound, err := joinSounds(ctx, scope, p.Clips)
	if err != nil {
		return nil, err
	}
	v := reelVideo(p)
	m := *p.Clips[0].Normalised
	m.Video, m.Audio, m.Frames = string(picture), string(sound), frames
	m.From, m.Of = 0, 0
	all := make([]schemas.NormalisedVideo, len(p.Clips))
	for i, c := range p.Clips {
		all[i] = *c.Normalised
	}
	m.KeyEvery, m.Keyframes = segments.JoinedKeyframes(all...)
	m.HasAudio = slices.ContainsFunc(p.Clips, func(c schemas.Video) bool { return c.Normalised.HasAudio })
	v.Media, v.Normalised = m.Video, &m
	return singleRecord(pipeline.NewRecord(schemas.NameVideo, in.ID, v, normalisedBlobs(v)...))
}

func (s *reelStage) joinPictures(ctx context.Context, scope *pipeline.Scope, clips []schemas.Video) (pipeline.Digest, int64, error) {
	list := make([]media.Clip, len(clips))
	for i, c := range clips {
		path, err := scope.BlobPath(ctx, pipeline.Digest(c.Normalised.Video))
		if err != nil {
			return "", 0, fmt.Errorf("normalised video: %w", err)
		}
		list[i] = media.Clip{Video: path}
		list[i].From, list[i].To = wholePiece(c).fileSpan()
	}
	out, err := joinClips(ctx, scope, s.tools, "reel", clips[0].Normalised, list)
	if err != nil {
		return "", 0, err
	}
	blob, err := scope.PutFile(ctx, out.Path)
	if err != nil {
		return "", 0, fmt.Errorf("store reel: %w", err)
	}
	return blob.Digest, out.Frames, nil
}

func joinSounds(ctx context.Context, scope *pipeline.Scope, clips []schemas.Video) (pipeline.Digest, error) {
	pieces := make([]media.SoundPiece, len(clips))
	for i, c := range clips {
		path, err := scope.BlobPath(ctx, pipeline.Digest(c.Normalised.Audio))
		if err != nil {
			return "", fmt.Errorf("sound of the normalised video: %w", err)
		}
		pieces[i].Path = path
		pieces[i].From, pieces[i].To = wholePiece(c).fileSpan()
	}
	dir, err := scope.TempDir()
	if err != nil {
		return "", err
	}
	path, err := media.JoinSound(pieces, clips[0].Normalised.FPS, dir)
	if err != nil {
		return "", fmt.Errorf("reel: %w", err)
	}
	blob, err := scope.PutFile(ctx, path)
	if err != nil {
		return "", fmt.Errorf("store reel audio: %w", err)
	}
	return blob.Digest, nil
}

// reelVideo describes a reel but for its media. It has no title: questions name
// it by what it shows.
func reelVideo(p reels.Plan) schemas.Video {
	v := schemas.Video{
		Name: "reel", Category: p.Clips[0].Category, License: combinedLicense(p.Clips...),
		SourceID: strings.Join(sourceIDs(p.Clips...), sourceSeparator),
		Parts:    sequenceRecipe(schemas.LayoutConcat, p.Clips).Segments,
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
		end := at + playSeconds(c.Normalised)
		v.Events = append(v.Events, schemas.Event{Kind: groundtruth.Shows, Object: label, Start: at, End: end, StatedBy: cmp.Or(c.LabelledBy[p.Attribute], statedBy(c))})
		shown = append(shown, label)
		at = end
	}
	v.Description = "Clips showing " + strings.Join(shown, ", ") + "."
	return v
}

// ReelPlanConfig configures video.reel-plan.
type ReelPlanConfig struct {
	Attribute    string `json:"attribute" doc:"the label of a clip that says what it shows"`
	ClipsPerReel int    `json:"clips_per_reel" doc:"clips of a reel; all have different labels"`
	// Same makes a reel one thing to look at.
	Same []string `json:"same" doc:"labels that the clips of a reel have in common, for example signer: what stays the same in a reel and can tell it from another"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *ReelPlanConfig) SetDefaults() {
	*c = ReelPlanConfig{Attribute: "action", ClipsPerReel: 4, Same: []string{}}
}

type reelPlanStage struct{ cfg ReelPlanConfig }

func newReelPlan(c ReelPlanConfig) (pipeline.Stage, error) {
	if c.Attribute == "" {
		return nil, fmt.Errorf("attribute is empty; name the label that says what a clip shows, for example action")
	}
	if err := pipeline.CheckRange("clips_per_reel", c.ClipsPerReel, 2, 100); err != nil {
		return nil, err
	}
	for i, name := range c.Same {
		if name == "" || name == c.Attribute || slices.Contains(c.Same[:i], name) {
			return nil, fmt.Errorf("same has %q; want labels other than %s, each once", name, c.Attribute)
		}
	}
	return &reelPlanStage{c}, nil
}

func (*reelPlanStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameVideo}, Emits: []string{reels.Schema}}
}

func (s *reelPlanStage) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	entries, err := collectVideos(ctx, scope, in, append([]string{s.cfg.Attribute}, s.cfg.Same...)...)
	if err != nil {
		return err
	}
	clips := make([]schemas.Video, len(entries))
	for i, e := range entries {
		clips[i] = e.video
	}
	groups, left := reels.GroupClips(clips, s.cfg.Attribute, s.cfg.Same, s.cfg.ClipsPerReel, scope.Rand("groups"))
	for _, g := range groups {
		p := reels.Plan{Attribute: s.cfg.Attribute, Same: s.cfg.Same}
		parts := []string{s.cfg.Attribute}
		for _, i := range g {
			p.Clips = append(p.Clips, clips[i])
			parts = append(parts, entries[i].id)
		}
		rec, err := pipeline.NewRecord(reels.Schema, contentID("reel", parts...), p, normalisedBlobs(p.Clips...)...)
		if err != nil {
			return err
		}
		if err := emit(rec); err != nil {
			return err
		}
	}
	for _, i := range left {
		scope.Reject(entries[i].id, pipeline.Reject("no-reel", "the other clips of category %q%s do not make another reel of %d different %s labels; add clips or lower clips_per_reel",
			clips[i].Category, s.commonLabels(clips[i]), s.cfg.ClipsPerReel, s.cfg.Attribute))
	}
	return nil
}

func (s *reelPlanStage) commonLabels(v schemas.Video) string {
	text := ""
	for _, name := range s.cfg.Same {
		text += fmt.Sprintf(" and %s %q", name, v.Labels[name])
	}
	return text
}
