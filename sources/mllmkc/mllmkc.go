// Package mllmkc is the source "mllmkc": the statements of MLLMKC (MMKC-Bench) that
// contradict what a picture shows, for conflict resolution.
package mllmkc

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// Dataset begins the ids of its items. No licence of it is known.
const Dataset = "mllmkc"

// Needs in their order.
const (
	needConflicts = iota
	needMedia
	needImages
)

// Config of the source.
type Config struct {
	evidence.Repository
	evidence.Selection
	Images     bool     `json:"images" doc:"fetch the pictures; without it they lie in the folder that run.media_dirs names"`
	AnswerKeys []string `json:"answer_keys" doc:"keys that may hold the right answer, of which those with a kind of error may end in it; the first that is there counts"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Repo, c.Revision, c.MaxBytes = "starjyf/MLLMKC-datasets", "main", evidence.DefaultMaxBytes
	c.Images = true
	c.AnswerKeys = []string{"mcq_answer", "mcq_ans", "correct_answer", "answer", "gt"}
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, Dataset, "1", "MLLMKC: statements that contradict pictures, conflict resolution", New)
}

type source struct{ cfg Config }

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if err := evidence.Check(fetch.Hub, c.Repository, c.Selection); err != nil {
		return nil, err
	}
	if len(c.AnswerKeys) == 0 {
		return nil, errors.New("answer_keys: name at least one")
	}
	return &source{c}, nil
}

// Spec implements pipeline.Source.
func (*source) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameEvidenceItem}}
}

// files are those of the data set: of descriptions, and of knowledge.
func files() []string {
	return []string{"ER.json", "IS.json", "people_knowledge.json", "logo_knowledge.json"}
}

// Needs implements pipeline.Source.
func (s *source) Needs() []pipeline.Need {
	texts := pipeline.Need{From: fetch.Hub, Repo: s.cfg.Repo, Revision: s.cfg.Revision, MaxBytes: annotation.MaxBytes}
	for _, name := range files() {
		texts.Include = append(texts.Include, "**/"+name)
	}
	pictures := slices.Concat(benchmark.PicturePatterns(), benchmark.ArchivePatterns())
	media := pipeline.Need{From: fetch.Media, Include: pictures, MaxBytes: s.cfg.MaxBytes}
	if !s.cfg.Images {
		return []pipeline.Need{texts, media}
	}
	return []pipeline.Need{texts, media, {From: fetch.Hub, Repo: s.cfg.Repo, Revision: s.cfg.Revision, Include: pictures, MaxBytes: s.cfg.MaxBytes}}
}

// Read implements pipeline.Source.
func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	g := evidence.NewEmitter(scope, emit, Dataset, "", assets)
	var all []conflict
	err := evidence.Lines(ctx, scope, assets, needConflicts, func(l evidence.Line) error {
		for _, c := range parse(l.Object, l.File, s.cfg.AnswerKeys) {
			if c.why != nil {
				scope.Reject(fmt.Sprintf("%s%s", l.Where, c.suffix()), c.why)
				continue
			}
			all = append(all, c)
		}
		return nil
	})
	if err != nil {
		return err
	}
	all = evidence.Pick(scope, all, func(c conflict) string { return c.id }, s.cfg.MaxItems)
	var names []string
	for _, c := range all {
		names = append(names, c.images...)
	}
	pictures, err := evidence.IndexPictures(ctx, scope, assets, s.cfg.MaxBytes, names, needImages, needMedia)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := emitConflict(ctx, g, pictures, c); err != nil {
			return err
		}
	}
	return nil
}

// emitConflict takes the pictures of a conflict and gives it.
func emitConflict(ctx context.Context, g *evidence.Emitter, pictures *benchmark.Files, c conflict) error {
	ids := make([]string, len(c.images))
	for i, image := range c.images {
		id, why, err := g.Album.AddNamed(ctx, pictures, image)
		if err != nil {
			return err
		}
		if ids[i] = id; why != nil {
			g.RejectWith(c.id, why)
			return nil
		}
	}
	item := c.item(ids)
	if item.Question.AnswerText = c.right; len(c.wrong) > 0 {
		g.AddOptions(&item.Question, c.id, c.right, c.wrong...)
	}
	return g.EmitItem(item)
}

// kindOf is what a file is of: er, is, people or logo.
func kindOf(file string) string {
	switch path.Base(file) {
	case "ER.json":
		return "er"
	case "IS.json":
		return "is"
	case "people_knowledge.json":
		return "people"
	}
	return "logo"
}

// conflicts are those that SMMBench counts (table 4), readCPU what one takes with its
// pictures, in seconds.
const (
	conflicts = 520
	readCPU   = 0.1
)

// Forecast implements pipeline.Forecaster.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	return evidence.Forecast(s.cfg.MaxItems, conflicts, readCPU)
}
