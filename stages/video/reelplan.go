package video

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/reels"
)

// ReelPlanConfig configures video.reel-plan.
type ReelPlanConfig struct {
	Attribute    string `yaml:"attribute" json:"attribute" doc:"the label of a clip that says what it shows"`
	ClipsPerReel int    `yaml:"clips_per_reel" json:"clips_per_reel" doc:"clips of a reel; all have different labels"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *ReelPlanConfig) SetDefaults() { *c = ReelPlanConfig{Attribute: "action", ClipsPerReel: 4} }

// reelPlan groups labelled clips into reels.
type reelPlan struct{ cfg ReelPlanConfig }

func newReelPlan(c ReelPlanConfig) (pipeline.Stage, error) {
	if c.Attribute == "" {
		return nil, fmt.Errorf("attribute is empty; name the label that says what a clip shows, for example action")
	}
	if c.ClipsPerReel < 2 || c.ClipsPerReel > 100 {
		return nil, fmt.Errorf("clips_per_reel is %d; want 2 to 100", c.ClipsPerReel)
	}
	return &reelPlan{c}, nil
}

func (*reelPlan) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameVideo}, Emits: []string{reels.Schema}}
}

func (s *reelPlan) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	entries, err := collect(ctx, scope, in, s.cfg.Attribute)
	if err != nil {
		return err
	}
	clips := make([]schemas.Video, len(entries))
	for i, e := range entries {
		clips[i] = e.video
	}
	groups, left := reels.Group(clips, s.cfg.Attribute, s.cfg.ClipsPerReel, scope.Rand("groups"))
	for _, g := range groups {
		p := reels.Plan{Attribute: s.cfg.Attribute}
		parts := []string{s.cfg.Attribute}
		for _, i := range g {
			p.Clips = append(p.Clips, clips[i])
			parts = append(parts, entries[i].id)
		}
		rec, err := pipeline.NewRecord(reels.Schema, contentID("reel", parts...), p, mezzanineBlobs(p.Clips...)...)
		if err != nil {
			return err
		}
		if err := emit(rec); err != nil {
			return err
		}
	}
	for _, i := range left {
		scope.Reject(entries[i].id, pipeline.Reject("no-reel", "the other clips of category %q do not make another reel of %d different %s labels; add clips or lower clips_per_reel",
			clips[i].Category, s.cfg.ClipsPerReel, s.cfg.Attribute))
	}
	return nil
}
