package video

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/nback"
)

// NBackPlanConfig configures video.nback-plan.
type NBackPlanConfig struct {
	Attribute         string `json:"attribute" doc:"the label that is compared: action or scene"`
	Sequences         int    `json:"sequences" doc:"clip sequences; an even number, so that yes and no can be equal in each cell (M3Eval: 32 an attribute)"`
	ClipsPerSequence  int    `json:"clips_per_sequence" doc:"clips that the videos of a sequence are made of, at least the largest k"`
	LabelsPerSequence int    `json:"labels_per_sequence" doc:"different labels of a sequence; more where their clips do not suffice (M3Eval: 4, of three clips each)"`
	N                 []int  `json:"n" doc:"lags; only n below k make a trial"`
	K                 []int  `json:"k" doc:"numbers of clips of a trial"`
	AllowRepeat       bool   `json:"allow_repeat" doc:"let a clip come again where its label has too few clips; such matches are marked same-clip"`
}

// SetDefaults implements pipeline.Defaulter. The grid gives M3Eval's 26 cells.
func (c *NBackPlanConfig) SetDefaults() {
	*c = NBackPlanConfig{
		Attribute: "action", Sequences: 2, ClipsPerSequence: 12, LabelsPerSequence: 4,
		N: []int{1, 2, 3, 4}, K: []int{2, 3, 4, 5, 6, 8, 10, 12},
	}
}

// nbackPlanStage plans N-Back trials over labelled clips.
type nbackPlanStage struct {
	cfg    NBackPlanConfig
	design nback.Design
}

func newNBackPlan(c NBackPlanConfig) (pipeline.Stage, error) {
	switch {
	case c.Attribute == "":
		return nil, fmt.Errorf("attribute is empty; name the label to compare, for example action or scene")
	case c.Sequences < 2 || c.Sequences > 10000 || c.Sequences%2 != 0:
		return nil, fmt.Errorf("sequences is %d; want an even number from 2 to 10000, so that each cell has as many yes as no", c.Sequences)
	case c.ClipsPerSequence < 2 || c.ClipsPerSequence > 100:
		return nil, fmt.Errorf("clips_per_sequence is %d; want 2 to 100", c.ClipsPerSequence)
	case c.LabelsPerSequence < 2:
		return nil, fmt.Errorf("labels_per_sequence is %d; yes and no need at least 2", c.LabelsPerSequence)
	}
	if err := checkGrid(c); err != nil {
		return nil, err
	}
	return &nbackPlanStage{c, nback.Design{
		Sequences: c.Sequences, Length: c.ClipsPerSequence, LabelsPerSequence: c.LabelsPerSequence,
		N: c.N, K: c.K, AllowRepeat: c.AllowRepeat,
	}}, nil
}

func checkGrid(c NBackPlanConfig) error {
	if !distinctPositive(c.N) || !distinctPositive(c.K) {
		return fmt.Errorf("n is %v and k is %v; want different numbers from 1 in each", c.N, c.K)
	}
	if most := slices.Max(c.K); most > c.ClipsPerSequence {
		return fmt.Errorf("k goes to %d and clips_per_sequence is %d; a trial cannot be longer than its sequence", most, c.ClipsPerSequence)
	}
	if slices.Min(c.N) >= slices.Max(c.K) {
		return fmt.Errorf("no n of %v is below a k of %v, so there is no trial", c.N, c.K)
	}
	return nil
}

func distinctPositive(list []int) bool {
	sorted := slices.Sorted(slices.Values(list))
	return len(sorted) > 0 && sorted[0] >= 1 && len(slices.Compact(sorted)) == len(list)
}

func (*nbackPlanStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameVideo}, Emits: []string{schemas.NameTrial}}
}

func (s *nbackPlanStage) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	clips, err := collectVideos(ctx, scope, in, s.cfg.Attribute)
	if err != nil || len(clips) == 0 {
		return err
	}
	labels, design := make([]string, len(clips)), s.design
	for i, c := range clips {
		labels[i] = c.video.Labels[s.cfg.Attribute]
		design.Sources = append(design.Sources, c.video.Media)
	}
	plan, err := nback.Plan(labels, design, scope.Rand)
	var short *nback.ShortageError
	if errors.As(err, &short) {
		for _, c := range clips {
			scope.Reject(c.id, pipeline.Reject("too-few-clips", "no balanced %s trials: %v", s.cfg.Attribute, short))
		}
		return nil
	}
	if err != nil {
		return err
	}
	for _, row := range plan {
		if err := s.emitSequence(clips, row, emit); err != nil {
			return err
		}
	}
	return nil
}

// emitSequence names a sequence after what its trials hold and emits these.
func (s *nbackPlanStage) emitSequence(clips []videoEntry, row []nback.Trial, emit func(pipeline.Record) error) error {
	parts := []string{s.cfg.Attribute}
	for _, t := range row {
		for _, i := range t.Clips {
			parts = append(parts, clips[i].id)
		}
	}
	sequence := contentID("seq", parts...)
	for _, t := range row {
		trial := schemas.Trial{Sequence: sequence, Attribute: s.cfg.Attribute, K: int32(t.K)}
		for _, i := range t.Clips {
			trial.Clips = append(trial.Clips, clips[i].video)
		}
		for _, q := range t.Lags {
			trial.Lags = append(trial.Lags, schemas.Lag{N: int32(q.N), Match: q.Match})
		}
		id := contentID("trial", sequence, fmt.Sprint(t.K))
		rec, err := pipeline.NewRecord(schemas.NameTrial, id, trial, normalisedBlobs(trial.Clips...)...)
		if err != nil {
			return err
		}
		if err := emit(rec); err != nil {
			return err
		}
	}
	return nil
}
