// Package reviews is the source "reviews": what people decided about items, in
// files of JSON lines that are appended to. It declares the table of releases that
// holds it.
package reviews

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/kit/glob"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// Config of a folder of decisions.
type Config struct {
	Path    string   `json:"path" doc:"folder with the decisions, relative to pipeline.yaml"`
	Include []string `json:"include" doc:"patterns of the files"`
	License string   `json:"license" doc:"SPDX id of the licence of what annotators wrote"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() { c.Path, c.Include = "reviews", []string{"*.jsonl"} }

// maxBytes bounds a file.
const maxBytes = 64 << 20

// Register adds the source and the table.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "reviews", "1", "what people decided about items, as JSON lines", New)
	pipeline.AddSource(r, "reviews.proposals", "1", "changes of questions that annotators propose, as JSON lines", NewProposals)
}

type source struct{ cfg Config }

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if c.Path == "" || len(c.Include) == 0 {
		return nil, errors.New("path and include: required; name the folder with the decisions, and its files")
	}
	if _, err := glob.Compile(c.Include, nil); err != nil {
		return nil, err
	}
	return &source{c}, nil
}

// Spec implements pipeline.Source.
func (s *source) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameReview}, License: s.cfg.License}
}

// Needs implements pipeline.Source.
func (s *source) Needs() []pipeline.Need {
	return []pipeline.Need{{From: fetch.Local, Root: s.cfg.Path, Include: s.cfg.Include, MaxBytes: maxBytes, License: s.cfg.License}}
}

// Bytes of a decision without a note, about, and processor seconds to read one.
const (
	bytesOfOne = 110
	readCPU    = 5e-5
)

// Forecast implements pipeline.Forecaster: files are taken to have one decision a line,
// without notes.
func (s *source) Forecast(in pipeline.Volume) pipeline.Forecast {
	n := in[pipeline.VolumeFile].Bytes / bytesOfOne
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameReview: {Records: n, Rough: true}}, CPU: readCPU * n, Bytes: in[pipeline.VolumeFile].Bytes}
}

// Read implements pipeline.Source. A line that is no decision ends the build: a
// decision that is passed over would be lost without notice. Of one annotator's
// decisions about one item the last stands, over all files in the order of their
// paths.
func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	last := map[[3]string]schemas.Review{}
	err := readFiles(ctx, scope, assets, review.Read, func(r schemas.Review) { last[[3]string{r.Item, r.Sample, r.Annotator}] = r })
	if err != nil {
		return err
	}
	for _, r := range review.SortReviews(last) {
		id := "review-" + string(pipeline.DigestOf(fmt.Appendf(nil, "%q %q %q", r.Item, r.Sample, r.Annotator)))[:24]
		rec, err := pipeline.NewRecord(schemas.NameReview, id, r)
		if err != nil {
			return err
		}
		if err := emit(rec); err != nil {
			return err
		}
	}
	return nil
}

// readFiles reads files of JSON lines in the order of their paths.
func readFiles[T any](ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, parse func(string, []byte) ([]T, error), take func(T)) error {
	for _, a := range slices.SortedFunc(slices.Values(assets), func(a, b pipeline.Asset) int { return cmp.Compare(a.Path, b.Path) }) {
		b, err := scope.ReadBlob(ctx, a.Blob, maxBytes)
		if err == nil && len(b) > maxBytes {
			err = fmt.Errorf("%s has more than %d bytes; split it", a.Path, maxBytes)
		}
		if err != nil {
			return fmt.Errorf("reviews: %w", err)
		}
		found, err := parse(a.Path, b)
		if err != nil {
			return fmt.Errorf("reviews: %w", err)
		}
		for _, v := range found {
			take(v)
		}
	}
	return nil
}
