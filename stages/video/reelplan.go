package video

import (
	"context"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/reels"
)

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

// reelPlanStage groups labelled clips into reels.
type reelPlanStage struct{ cfg ReelPlanConfig }

func newReelPlan(c ReelPlanConfig) (pipeline.Stage, error) {
	if c.Attribute == "" {
		return nil, fmt.Errorf("attribute is empty; name the label that says what a clip shows, for example action")
	}
	if c.ClipsPerReel < 2 || c.ClipsPerReel > 100 {
		return nil, fmt.Errorf("clips_per_reel is %d; want 2 to 100", c.ClipsPerReel)
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

// commonLabels says what the clips of a reel with this one have in common.
func (s *reelPlanStage) commonLabels(v schemas.Video) string {
	told := ""
	for _, name := range s.cfg.Same {
		told += fmt.Sprintf(" and %s %q", name, v.Labels[name])
	}
	return told
}
