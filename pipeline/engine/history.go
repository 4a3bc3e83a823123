package engine

import (
	"context"
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
