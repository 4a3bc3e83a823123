// Package slidevqa is the source "slidevqa": questions about decks of slides, as
// references. The licence of SlideVQA allows evaluation and forbids passing anything on,
// so no word of a question and no slide enters a record: an item has the ids, pages and
// SHA-256 digests by which somebody who has the data set finds it.
package slidevqa

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// licence has no SPDX id, so that a release with its items is private.
const licence = "LicenseRef-NTT-Evaluation"

// Dataset begins the ids of its items.
const Dataset = "slidevqa"

// Needs in their order.
const (
	needQuestions = iota
	needSlides
)

// Config of the source.
type Config struct {
	evidence.Repository
	evidence.Selection
	MinPages int `json:"min_pages" doc:"pass over questions that rest on fewer pages"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Repo, c.Revision, c.MaxBytes, c.MinPages = "nttmdlab-nlp/SlideVQA", "main", evidence.DefaultMaxBytes, 2
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, Dataset, "1", "SlideVQA: questions about slides, as references and digests only", New)
}

type source struct{ cfg Config }

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if err := evidence.Check(fetch.GitHub, c.Repository, c.Selection); err != nil {
		return nil, err
	}
	if c.MinPages < 1 {
		return nil, fmt.Errorf("min_pages: %d: want 1 or more", c.MinPages)
	}
	return &source{c}, nil
}

// Spec implements pipeline.Source.
func (*source) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameEvidenceItem}}
}

// Needs implements pipeline.Source.
func (s *source) Needs() []pipeline.Need {
	return []pipeline.Need{
		{From: fetch.GitHub, Repo: s.cfg.Repo, Revision: s.cfg.Revision, Include: []string{"annotations/qa/*.jsonl"}, MaxBytes: annotation.MaxBytes, License: licence},
		{From: fetch.Media, Include: slices.Concat(benchmark.PicturePatterns(), benchmark.ArchivePatterns()), MaxBytes: s.cfg.MaxBytes, License: licence},
	}
}

// Read implements pipeline.Source.
func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	g := evidence.NewEmitter(scope, emit, Dataset, licence, assets)
	var all []slideQuestion
	err := evidence.Lines(ctx, scope, assets, needQuestions, func(l evidence.Line) error {
		q, why := parse(l.Object)
		switch {
		case why != nil:
			scope.Reject(l.Where, why)
		case len(q.pages) >= s.cfg.MinPages || len(q.pages) == 0:
			all = append(all, q)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slides := benchmark.IndexPictures(assets, needSlides)
	if err := slides.AddArchives(ctx, scope, s.cfg.MaxBytes, assets, needSlides); err != nil {
		return err
	}
	return s.emitQuestions(ctx, scope, g, slides, all)
}

func (s *source) emitQuestions(ctx context.Context, scope *pipeline.Scope, g *evidence.Emitter, slides *benchmark.Files, all []slideQuestion) error {
	all = evidence.Pick(scope, all, func(q slideQuestion) string { return q.id }, s.cfg.MaxItems)
	var stems []string
	for _, q := range all {
		stems = append(stems, q.stems()...)
	}
	if err := slides.Extract(ctx, scope, stems); err != nil {
		return err
	}
	for _, q := range all {
		item := q.item()
		for i, stem := range q.stems() {
			digest, why := slides.Blob(stem)
			if why == nil {
				item.Units[i].SHA256 = string(digest)
				continue
			}
			item.Notes = append(item.Notes, schemas.Note{Code: evidence.NoteMissing, Text: fmt.Sprintf("page %d has no digest: %s", q.pages[i], strings.TrimPrefix(why.Reason, "state "))})
		}
		if err := g.EmitItem(item); err != nil {
			return err
		}
	}
	return nil
}

// questions are those of the data set, readCPU what one takes, in seconds.
const (
	questions = 14484
	readCPU   = 0.0005
)

// Forecast implements pipeline.Forecaster.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	return evidence.Forecast(s.cfg.MaxItems, questions, readCPU)
}
