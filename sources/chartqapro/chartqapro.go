// Package chartqapro is the source "chartqapro": the charts of ChartQAPro, each with a
// question or a chain of questions, of which the last one counts.
package chartqapro

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/benchmark"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// licence is that of the repository of the data set; the card of the data states one
// as well, which is joined with it.
const licence = "MIT"

// Dataset begins the ids of its items.
const Dataset = "chartqapro"

// Config of the source.
type Config struct {
	evidence.Repository
	evidence.Selection
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Repo, c.Revision, c.MaxBytes = "ahmed-masry/ChartQAPro", "main", evidence.DefaultMaxBytes
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, Dataset, "1", "ChartQAPro: charts with questions, single-hop", New)
}

type source struct{ cfg Config }

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if err := evidence.Check(fetch.Hub, c.Repository, c.Selection); err != nil {
		return nil, err
	}
	return &source{c}, nil
}

// Spec implements pipeline.Source.
func (*source) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameEvidenceItem}}
}

// Needs implements pipeline.Source.
func (s *source) Needs() []pipeline.Need {
	return []pipeline.Need{{From: fetch.Hub, Repo: s.cfg.Repo, Revision: s.cfg.Revision, Include: []string{"data/*.parquet"}, MaxBytes: s.cfg.MaxBytes}}
}

// Read implements pipeline.Source. Rows without pictures are read first where only
// some are taken, so that no picture is stored in vain.
func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	g := evidence.NewEmitter(scope, emit, Dataset, licence, assets)
	table := evidence.Table{Must: []string{keyQuestion, keyAnswer, keyImage}, May: []string{keyType, keyYear, keyParagraph}}
	chosen, err := s.pickRows(ctx, scope, assets)
	if err != nil {
		return err
	}
	return table.Each(ctx, scope, assets, func(r evidence.Row) error {
		id := fmt.Sprint(r.Number)
		if chosen != nil && !chosen[id] {
			return nil
		}
		item, why := parse(r.Object)
		if why != nil {
			g.RejectWith(id, why)
			return nil
		}
		return s.emitRow(ctx, g, id, item, r)
	})
}

// pickRows are the rows that are taken, nil for all.
func (s *source) pickRows(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset) (map[string]bool, error) {
	if s.cfg.MaxItems == 0 {
		return nil, nil
	}
	var ids []string
	err := evidence.Table{Must: []string{keyQuestion}, Quiet: true}.Each(ctx, scope, assets, func(r evidence.Row) error {
		ids = append(ids, fmt.Sprint(r.Number))
		return nil
	})
	return evidence.PickIDs(scope, ids, s.cfg.MaxItems), err
}

func (s *source) emitRow(ctx context.Context, g *evidence.Emitter, id string, item schemas.EvidenceItem, r evidence.Row) error {
	data, _, err := r.Picture(keyImage)
	if err != nil {
		g.Reject(id, benchmark.CodeBadRow, "%v", err)
		return nil
	}
	picture, why, err := g.Album.AddBytes(ctx, data)
	if err != nil {
		return err
	}
	if why != nil {
		g.RejectWith(id, why)
		return nil
	}
	chart := schemas.EvidenceUnit{Modality: schemas.ModalityImage, Media: picture, Role: schemas.RoleClue, Labels: map[string]string{"kind": "chart"}}
	item.UpstreamID, item.Units = id, append([]schemas.EvidenceUnit{chart}, item.Units...)
	return g.EmitItem(item)
}

// rows of the data set as its paper counts them, and what reading one takes, in
// seconds.
const (
	rows    = 1948
	readCPU = 0.03
)

// Forecast implements pipeline.Forecaster.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	return evidence.Forecast(s.cfg.MaxItems, rows, readCPU)
}
