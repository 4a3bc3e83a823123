package reviews

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// ProposalsConfig of a folder of proposals.
type ProposalsConfig struct {
	Path    string   `json:"path" doc:"folder with the rounds of reviews, relative to pipeline.yaml"`
	Include []string `json:"include" doc:"patterns of the files with proposals"`
	License string   `json:"license" doc:"SPDX id of the licence of what annotators wrote"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *ProposalsConfig) SetDefaults() { c.Path, c.Include = "reviews", []string{"*/proposals.jsonl"} }

// proposals is the source reviews.proposals. It reads the same kind of files as reviews.
type proposals struct{ source }

// NewProposals checks the configuration.
func NewProposals(c ProposalsConfig) (pipeline.Source, error) {
	if _, err := New(Config(c)); err != nil {
		return nil, err
	}
	return &proposals{source{Config(c)}}, nil
}

// Spec implements pipeline.Source.
func (s *proposals) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameProposal}, License: s.cfg.License}
}

// Bytes of a proposal with one change, about.
const bytesOfProposal = 400

// Forecast implements pipeline.Forecaster.
func (s *proposals) Forecast(in pipeline.Volume) pipeline.Forecast {
	n := in[pipeline.VolumeFile].Bytes / bytesOfProposal
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameProposal: {Records: n, Rough: true}}, CPU: readCPU * n, Bytes: in[pipeline.VolumeFile].Bytes}
}

// Read implements pipeline.Source. The last proposal of an annotator about an item stands.
func (s *proposals) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	last := map[string]schemas.Proposal{}
	err := readFiles(ctx, scope, assets, review.ReadProposals, func(p schemas.Proposal) {
		id := "proposal-" + string(pipeline.DigestOf(fmt.Appendf(nil, "%q %q %q", p.Item, p.Sample, p.Annotator)))[:24]
		last[id] = p
	})
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(last)) {
		rec, err := pipeline.NewRecord(schemas.NameProposal, id, last[id])
		if err != nil {
			return err
		}
		if err := emit(rec); err != nil {
			return err
		}
	}
	return nil
}
