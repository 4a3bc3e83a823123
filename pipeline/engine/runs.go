package engine

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// savedRun is a StepRun without its step, with the counts that are not remembered.
type savedRun struct {
	Step      string           `json:"node"`
	Summary   Summary          `json:"summary"`
	Reused    int              `json:"reused"`
	Transient int              `json:"transient"`
	Waiting   int              `json:"waiting"`
	Units     pipeline.Digest  `json:"units"`
	Assets    []pipeline.Asset `json:"assets,omitempty"`
	// Corrections are those of the identity: who has the steps alone does not know them.
	Corrections pipeline.Digest `json:"corrections,omitempty"`
}

// EncodeRuns gives nodes as a run left them as bytes, for who has the steps.
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
			return nil, fmt.Errorf("read what a run left: it has the node %q, which the plan has not", s.Step)
		}
		step.Identity.Corrections = s.Corrections
		s.Summary.Reused, s.Summary.Transient, s.Summary.Waiting = s.Reused, s.Transient, s.Waiting
		nodes[i] = StepRun{Step: step, Summary: s.Summary, Units: s.Units, Assets: s.Assets}
	}
	return nodes, nil
}
