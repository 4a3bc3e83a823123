// Package mmke is the source "mmke": the edits of MMKE-Bench, each a picture with a
// question whose answer was one thing and is now another, for conflict resolution.
package mmke

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// Dataset begins the ids of its items. The repository of its code is under MIT; the
// licence of the data was not seen.
const Dataset = "mmke"

// Needs in their order.
const (
	needEdits = iota
	needMedia
	needImages
)

// Config of the source.
type Config struct {
	evidence.Repository
	evidence.Selection
	Kinds  []string `json:"kinds" doc:"kinds of knowledge: entity, visual, user"`
	Splits []string `json:"splits" doc:"train, eval; an edit that stands in both is taken once"`
	Images bool     `json:"images" doc:"fetch the pictures; without it they lie in the folder that run.media_dirs names"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Repo, c.Revision, c.MaxBytes = "kailinjiang/MMKE-Bench-dataset", "main", evidence.DefaultMaxBytes
	c.Kinds, c.Splits, c.Images = []string{"entity", "visual", "user"}, []string{"train", "eval"}, true
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, Dataset, "1", "MMKE-Bench: answers that changed, conflict resolution", New)
}

type source struct{ cfg Config }

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if err := evidence.Check(fetch.Hub, c.Repository, c.Selection); err != nil {
		return nil, err
	}
	return &source{c}, errors.Join(checkChoices("kinds", c.Kinds, "entity", "visual", "user"), checkChoices("splits", c.Splits, "train", "eval"))
}

func checkChoices(key string, have []string, want ...string) error {
	for i, h := range have {
		if !slices.Contains(want, h) || slices.Contains(have[:i], h) {
			return fmt.Errorf("%s: %q: want some of %q, each once", key, h, want)
		}
	}
	if len(have) == 0 {
		return fmt.Errorf("%s: name at least one of %q", key, want)
	}
	return nil
}

// Spec implements pipeline.Source.
func (*source) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameEvidenceItem}}
}

// Needs implements pipeline.Source. The repository and the hub name the files in two
// ways, and both are taken.
func (s *source) Needs() []pipeline.Need {
	texts := pipeline.Need{From: fetch.Hub, Repo: s.cfg.Repo, Revision: s.cfg.Revision, MaxBytes: annotation.MaxBytes}
	for _, k := range s.cfg.Kinds {
		for _, split := range s.cfg.Splits {
			texts.Include = append(texts.Include, fmt.Sprintf("**/data_json/%s_%s.json", k, split), fmt.Sprintf("**/data_json/%s/%s.json", k, split))
		}
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
	var all []edit
	told := map[string]string{}
	err := evidence.Lines(ctx, scope, assets, needEdits, func(l evidence.Line) error {
		e, why := parse(l.Object, l.File, l.Number)
		if why == nil && told[e.key()] != "" {
			why = pipeline.Reject(evidence.CodeCopy, "it is the edit of %s again", told[e.key()])
		}
		if why != nil {
			scope.Reject(l.Where, why)
			return nil
		}
		told[e.key()] = e.id
		all = append(all, e)
		return nil
	})
	if err != nil {
		return err
	}
	all = evidence.Pick(scope, all, func(e edit) string { return e.id }, s.cfg.MaxItems)
	var names []string
	for _, e := range all {
		names = append(names, e.image, e.other)
	}
	pictures, err := evidence.IndexPictures(ctx, scope, assets, s.cfg.MaxBytes, names, needImages, needMedia)
	if err != nil {
		return err
	}
	for _, e := range all {
		if err := emitEdit(ctx, g, pictures, e); err != nil {
			return err
		}
	}
	return nil
}

// emitEdit takes the pictures of an edit and gives it. The picture of the edit is needed,
// the other one of the same thing is not.
func emitEdit(ctx context.Context, g *evidence.Emitter, pictures *benchmark.Files, e edit) error {
	seen, why, err := g.Album.AddNamed(ctx, pictures, e.image)
	if err != nil {
		return err
	}
	if why != nil {
		g.RejectWith(e.id, why)
		return nil
	}
	asked := ""
	if e.other != "" {
		if asked, why, err = g.Album.AddNamed(ctx, pictures, e.other); err != nil {
			return err
		}
		if why != nil {
			e.notes = append(e.notes, schemas.Note{Code: evidence.NoteLeftOut, Text: "the other picture of the same thing: " + why.Code + ": " + why.Reason})
		}
	}
	return g.EmitItem(e.item(seen, asked))
}

// edits are those of the data set, readCPU what one takes with its pictures, in seconds.
const (
	edits   = 2940
	readCPU = 0.07
)

// Forecast implements pipeline.Forecaster.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	return evidence.Forecast(s.cfg.MaxItems, edits, readCPU)
}
