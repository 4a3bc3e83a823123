package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// SaveHistory keeps the build for explain, unless it did nothing new. trial is
// that of pipeline.Build.
func SaveHistory(ctx context.Context, st pipeline.Store, plan Plan, nodes []StepRun, trial string) error {
	digest, err := plan.Digest()
	if err != nil {
		return err
	}
	b := pipeline.Build{Config: digest, Trial: trial}
	for _, n := range nodes {
		b.Steps = append(b.Steps, pipeline.BuildStep{
			Name: n.Step.Name, From: n.Step.From, Identity: n.Step.Identity, UnitList: n.Units,
			Reused: n.Summary.Reused, Built: n.Built(),
		})
	}
	last, err := st.Builds(ctx, 1)
	if err != nil {
		return fmt.Errorf("read the build history: %w", err)
	}
	if len(last) == 1 && last[0].Config == digest && last[0].Trial == trial && sameUnits(last[0].Steps, b.Steps) {
		return nil
	}
	return st.SaveBuild(ctx, b)
}

func sameUnits(a, b []pipeline.BuildStep) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || a[i].UnitList != b[i].UnitList {
			return false
		}
	}
	return true
}

// savedRun is a StepRun without its step, with the counts that are not remembered.
type savedRun struct {
	Step      string           `json:"node"`
	Summary   Summary          `json:"summary"`
	Reused    int              `json:"reused"`
	Transient int              `json:"transient"`
	Waiting   int              `json:"waiting"`
	Units     pipeline.Digest  `json:"units"`
	Assets    []pipeline.Asset `json:"assets,omitempty"`
	// Corrections are those of the identity: they do not follow from the steps.
	Corrections pipeline.Digest `json:"corrections,omitempty"`
}

// EncodeRuns encodes what a run left of its steps, for a reader that has the steps.
func EncodeRuns(nodes []StepRun) ([]byte, error) {
	saved := make([]savedRun, len(nodes))
	for i, n := range nodes {
		s := n.Summary
		saved[i] = savedRun{n.Step.Name, s, s.Reused, s.Transient, s.Waiting, n.Units, n.Assets, n.Step.Identity.Corrections}
	}
	b, err := pipeline.Canonical(saved)
	if err != nil {
		return nil, fmt.Errorf("encode what a run left: %w", err)
	}
	return b, nil
}

// DecodeRuns is the inverse of EncodeRuns, for the same steps.
func DecodeRuns(steps []Step, b []byte) ([]StepRun, error) {
	byName := map[string]Step{}
	for _, s := range steps {
		byName[s.Name] = s
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	var saved []savedRun
	if err := dec.Decode(&saved); err != nil {
		return nil, fmt.Errorf("read what a run left: %w", err)
	}
	nodes := make([]StepRun, len(saved))
	for i, s := range saved {
		step, ok := byName[s.Step]
		if !ok {
			return nil, fmt.Errorf("read what a run left: it has the step %q, which the plan has not", s.Step)
		}
		step.Identity.Corrections = s.Corrections
		s.Summary.Reused, s.Summary.Transient, s.Summary.Waiting = s.Reused, s.Transient, s.Waiting
		nodes[i] = StepRun{Step: step, Summary: s.Summary, Units: s.Units, Assets: s.Assets}
	}
	return nodes, nil
}
