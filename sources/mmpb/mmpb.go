// Package mmpb is the source "mmpb": the questions of MMPB about people and things that
// have names, and about what the people prefer, for preference reasoning.
package mmpb

import (
	"cmp"
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

// licence is that of the data set. Its authors do not own the film stills in it.
const licence = "CC-BY-NC-SA-4.0"

// Dataset begins the ids of its items and profiles.
const Dataset = "mmpb"

// Config of the source.
type Config struct {
	evidence.Repository
	evidence.Selection
	Categories  []string `json:"categories" doc:"preference, recognition"`
	Description string   `json:"description" doc:"which description of what has a name is evidence: simple, moderate, detailed, super_detailed"`
	Injections  int      `json:"injections" doc:"how many of the five pictures of it are evidence, from 1"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Repo, c.Revision, c.MaxBytes = "snu-aidas/MMPB", "main", evidence.DefaultMaxBytes
	c.Categories, c.Description, c.Injections = []string{categoryPreference}, "simple", 1
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, Dataset, "1", "MMPB: what people prefer, preference reasoning", New)
}

type source struct{ cfg Config }

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if err := evidence.Check(fetch.Hub, c.Repository, c.Selection); err != nil {
		return nil, err
	}
	for i, k := range c.Categories {
		if !slices.Contains(categories(), k) || slices.Contains(c.Categories[:i], k) {
			return nil, fmt.Errorf("categories: %q: want some of %q, each once", k, categories())
		}
	}
	switch {
	case len(c.Categories) == 0:
		return nil, errors.New("categories: name at least one")
	case !slices.Contains(descriptions(), c.Description):
		return nil, fmt.Errorf("description: %q: want one of %q", c.Description, descriptions())
	case c.Injections < 1 || c.Injections > injections:
		return nil, fmt.Errorf("injections: %d: want 1 to %d", c.Injections, injections)
	}
	return &source{c}, nil
}

// Spec implements pipeline.Source.
func (*source) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameEvidenceItem, schemas.NameProfile}}
}

// Needs implements pipeline.Source.
func (s *source) Needs() []pipeline.Need {
	return []pipeline.Need{{From: fetch.Hub, Repo: s.cfg.Repo, Revision: s.cfg.Revision, Include: []string{"**/train*.parquet"}, MaxBytes: s.cfg.MaxBytes, License: licence}}
}

// Read implements pipeline.Source. Rows are read without their pictures first: for the
// people and what they prefer, which many rows repeat, and to draw.
func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	g := evidence.NewEmitter(scope, emit, Dataset, licence, assets)
	all, err := s.people(ctx, scope, assets)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, p := range all.profiles() {
		given, err := g.EmitProfile(p)
		if err != nil {
			return err
		}
		known[p.UpstreamID] = given
	}
	chosen := evidence.PickIDs(scope, all.rows, s.cfg.MaxItems)
	table := evidence.Table{Must: slices.Concat(mustColumns(), []string{keyImage, injection(1)}), May: mayColumns()}
	for i := 2; i <= s.cfg.Injections; i++ {
		table.May = append(table.May, injection(i))
	}
	return table.Each(ctx, scope, assets, func(r evidence.Row) error {
		one, why := parse(r.Object, s.cfg.Description)
		switch {
		case why != nil:
			g.RejectWith(cmp.Or(one.id, fmt.Sprintf("row%d", r.Number)), why)
		case !s.wanted(one, chosen):
		case one.profile() != "" && !known[one.profile()]:
			g.Reject(one.id, schemas.CodeContradiction, "what %s prefers contradicts itself between rows", one.name)
		default:
			return s.emitQuestion(ctx, g, one, r)
		}
		return nil
	})
}

func (s *source) wanted(q question, chosen map[string]bool) bool {
	return slices.Contains(s.cfg.Categories, q.category) && (chosen == nil || chosen[q.id])
}

// people gathers who the rows are about, and the ids of those that are wanted.
func (s *source) people(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset) (*people, error) {
	out := newPeople()
	err := evidence.Table{Must: mustColumns(), May: mayColumns(), Quiet: true}.Each(ctx, scope, assets, func(r evidence.Row) error {
		one, why := parse(r.Object, s.cfg.Description)
		if why == nil && s.wanted(one, nil) {
			out.add(one)
		}
		return nil
	})
	return out, err
}

// emitQuestion takes the pictures of a question and gives it. The ones of what has a name are
// in every row again: the album holds each once.
func (s *source) emitQuestion(ctx context.Context, g *evidence.Emitter, q question, r evidence.Row) error {
	take := func(column string) (string, *pipeline.Rejection, error) {
		data, _, err := r.Picture(column)
		if err != nil {
			return "", pipeline.Reject(benchmark.CodeBadRow, "%s: %v", column, err), nil
		}
		return g.Album.AddBytes(ctx, data)
	}
	shown, why, err := take(keyImage)
	if err != nil {
		return err
	}
	var seen []string
	for i := 1; i <= s.cfg.Injections && why == nil; i++ {
		id, lost, err := take(injection(i))
		if err != nil {
			return err
		}
		switch {
		case lost != nil && i == 1:
			why = lost
		case lost != nil:
			q.notes = append(q.notes, schemas.Note{Code: evidence.NoteLeftOut, Text: fmt.Sprintf("%s: %s: %s", injection(i), lost.Code, annotation.Truncate(lost.Reason))})
		case !slices.Contains(seen, id):
			seen = append(seen, id)
		}
	}
	if why != nil {
		g.RejectWith(q.id, why)
		return nil
	}
	return g.EmitItem(q.item(shown, seen))
}

// questions are those about preferences that SMMBench counts (table 4), readCPU what
// one takes with its pictures, in seconds.
const (
	questions = 9827
	readCPU   = 0.03
)

// Forecast implements pipeline.Forecaster.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	return evidence.Forecast(s.cfg.MaxItems, questions, readCPU)
}
