package engine

import (
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"

	"github.com/memforge/memforge/schemas"
)

// SchemaMemory is the schema of the record that remembers a node's run.
const SchemaMemory = "memforge.memory"

// Summary is what a node's run amounts to: the row of the funnel.
type Summary struct {
	In    int `json:"in"`
	Units int `json:"units"`
	// Reused counts units found in the store. It is how this run went, not
	// what the node did, so it is never remembered.
	Reused int `json:"-"`
	// Out is the records given. What a gate says of items (verdicts, probes,
	// items handed on to be rewritten) is not counted.
	Out int `json:"out"`
	// Lost items were rejected by a source or stage, Flagged ones by a gate.
	Lost    int `json:"lost"`
	Flagged int `json:"flagged"`
	// Revised are those of the flagged that were handed on to be rewritten.
	Revised int `json:"revised"`
	// Transient losses make the run one not to remember.
	Transient int `json:"-"`
	// Waiting are those of the transient losses that answers are still to come for.
	Waiting int `json:"-"`
	// Reasons counts rejections by code.
	Reasons map[string]int `json:"reasons,omitempty"`
	// Verdicts are what a gate's verdicts amount to; nil for what is no gate and
	// while the gate is not complete.
	Verdicts *VerdictCounts `json:"verdicts,omitempty"`
	// Outputs is the digest of all outputs: equal outputs, equal digest.
	Outputs pipeline.Digest `json:"outputs"`
}

func (s *Summary) count(u pipeline.Unit) {
	s.Units++
	for _, r := range u.Out {
		switch r.Schema {
		case schemas.NameVerdict, schemas.NameProbes:
		case schemas.NameFlagged:
			s.Revised++
		default:
			s.Out++
		}
	}
	for _, r := range u.Rejections {
		if s.Reasons == nil {
			s.Reasons = map[string]int{}
		}
		s.Reasons[r.Code]++
		if r.Transient {
			s.Transient++
		}
		if r.Waiting {
			s.Waiting++
		}
		if r.Flagged {
			s.Flagged++
		} else {
			s.Lost++
		}
	}
}

// LossShare is the share of items the node lost, 0 to 1. A source's items are
// the records it gave and those it lost.
func (s Summary) LossShare(kind pipeline.Kind) float64 {
	of := s.In
	if kind == pipeline.KindSource {
		of = s.Out + s.Lost
	}
	if of == 0 || s.Lost == 0 {
		return 0
	}
	return float64(s.Lost) / float64(of)
}

// ReasonCodes lists the codes of Reasons, sorted.
func (s Summary) ReasonCodes() []string { return slices.Sorted(maps.Keys(s.Reasons)) }

// Memory is the record that remembers a whole run of a node, so that a rebuild
// without changes looks at nodes and not at records.
type Memory struct {
	Summary Summary `json:"summary"`
	// Units is the blob with the node's units.
	Units pipeline.Digest `json:"units"`
	// Unit is the key of the unit of a node that is one.
	Unit pipeline.Key `json:"unit,omitempty"`
}

// Remember returns the result that keeps the memory of a run under its key.
func (f StepResult) Remember(key pipeline.Key, units pipeline.Blob) (pipeline.Committed, error) {
	memory := Memory{Summary: f.Summary, Units: units.Digest}
	if len(f.New) == 1 && f.New[0].In.ID == "" {
		memory.Unit = f.New[0].Key
	}
	rec, err := pipeline.NewRecord(SchemaMemory, "memory/"+string(key), memory, units.Digest)
	if err != nil {
		return pipeline.Committed{}, err
	}
	ref, err := rec.Ref()
	if err != nil {
		return pipeline.Committed{}, err
	}
	blobs := append([]pipeline.Digest{units.Digest}, f.Blobs...)
	slices.Sort(blobs)
	return pipeline.Committed{Result: pipeline.Result{Key: key, Outputs: []pipeline.Ref{ref}, Blobs: slices.Compact(blobs)}, Records: []pipeline.Record{rec}}, nil
}
