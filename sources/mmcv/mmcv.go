// Package mmcv is the source "mmcv": the claims of MMCV, each supported or refuted by
// texts, pictures and tables that MultiModalQA holds. Without MultiModalQA an item is a
// skeleton: it says which pieces belong together and what would have to be brought.
package mmcv

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

// licence is that of the claims.
const licence = "CC-BY-SA-4.0"

// Dataset begins the ids of its items; Pieces is the data set that its evidence is of.
const (
	Dataset = "mmcv"
	Pieces  = "multimodalqa"
)

// Needs in their order; the last is there only with MultiModalQA.
const (
	needClaims = iota
	needMedia
	needPieces
)

// allHops is the file that holds those of all others again.
const allHops = "mmcv_all"

// Config of the source.
type Config struct {
	evidence.Repository
	evidence.Selection
	Hops           []string `json:"hops" doc:"files of claims: 1hop, 2hop, 3hop, 4hop, or mmcv_all alone, which holds them all"`
	MultiModalQA   bool     `json:"multimodalqa" doc:"fetch texts and tables of MultiModalQA, and take its pictures from the folder that run.media_dirs names; without it every item is a skeleton"`
	PiecesRepo     string   `json:"pieces_repo" doc:"repository of MultiModalQA on GitHub"`
	PiecesRevision string   `json:"pieces_revision" doc:"its branch, tag or commit"`
	PiecesLicense  string   `json:"pieces_license" doc:"SPDX id of the licence of what MultiModalQA brings, as far as you know it"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Repo, c.Revision, c.MaxBytes = "mmcv-dataset/MMCV", "main", evidence.DefaultMaxBytes
	c.PiecesRepo, c.PiecesRevision = "allenai/multimodalqa", "master"
	c.Hops = []string{"3hop", "4hop"}
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, Dataset, "1", "MMCV: claims over several hops, with evidence of MultiModalQA", New)
}

type source struct{ cfg Config }

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if err := evidence.Check(fetch.GitHub, c.Repository, c.Selection); err != nil {
		return nil, err
	}
	if err := fetch.CheckGitHub(c.PiecesRepo, c.PiecesRevision); err != nil {
		return nil, fmt.Errorf("pieces_%w", err)
	}
	if len(c.Hops) == 0 {
		return nil, errors.New("hops: name at least one")
	}
	for i, h := range c.Hops {
		switch {
		case !slices.Contains([]string{"1hop", "2hop", "3hop", "4hop", allHops}, h) || slices.Contains(c.Hops[:i], h):
			return nil, fmt.Errorf("hops: %q: want 1hop, 2hop, 3hop, 4hop or mmcv_all, each once", h)
		case h == allHops && len(c.Hops) > 1:
			return nil, errors.New("hops: mmcv_all holds the claims of the other files again; name it alone")
		}
	}
	return &source{c}, nil
}

// Spec implements pipeline.Source.
func (*source) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameEvidenceItem}}
}

// Needs implements pipeline.Source.
func (s *source) Needs() []pipeline.Need {
	claims := pipeline.Need{From: fetch.GitHub, Repo: s.cfg.Repo, Revision: s.cfg.Revision, MaxBytes: annotation.MaxBytes, License: licence}
	for _, h := range s.cfg.Hops {
		claims.Include = append(claims.Include, "Dataset/"+h+".json")
	}
	media := pipeline.Need{From: fetch.Media, Include: slices.Concat(benchmark.PicturePatterns(), benchmark.ArchivePatterns()), MaxBytes: s.cfg.MaxBytes, License: s.cfg.PiecesLicense}
	if !s.cfg.MultiModalQA {
		return []pipeline.Need{claims, media}
	}
	pieces := pipeline.Need{From: fetch.GitHub, Repo: s.cfg.PiecesRepo, Revision: s.cfg.PiecesRevision, MaxBytes: s.cfg.MaxBytes, License: s.cfg.PiecesLicense}
	for _, kind := range kinds() {
		pieces.Include = append(pieces.Include, kind.file)
	}
	return []pipeline.Need{claims, media, pieces}
}

// Read implements pipeline.Source.
func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	g := evidence.NewEmitter(scope, emit, Dataset, licence, assets)
	g.Album = evidence.NewAlbum(scope, s.cfg.PiecesLicense)
	var all []claim
	said := map[string]string{}
	err := evidence.Lines(ctx, scope, assets, needClaims, func(l evidence.Line) error {
		c, why := parse(l.Object, l.File, l.Number)
		if why == nil && said[c.text] != "" {
			why = pipeline.Reject(evidence.CodeCopy, "it is the claim of %s again", said[c.text])
		}
		if why != nil {
			scope.Reject(l.Where, why)
			return nil
		}
		said[c.text] = c.id
		all = append(all, c)
		return nil
	})
	if err != nil {
		return err
	}
	all = evidence.Pick(scope, all, func(c claim) string { return c.id }, s.cfg.MaxItems)
	pieces, err := s.pieces(ctx, scope, assets, g, all)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := g.EmitItem(c.item(pieces, g.AddOptions)); err != nil {
			return err
		}
	}
	return nil
}

// readCPU is what a claim takes, in seconds.
const readCPU = 0.001

// perFile are the claims of the files that were counted.
func perFile() map[string]int { return map[string]int{"3hop": 804, "4hop": 396} }

// Forecast implements pipeline.Forecaster.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	all := 0
	for _, h := range s.cfg.Hops {
		n, counted := perFile()[h]
		if !counted {
			return pipeline.Forecast{Unknown: "how many claims " + h + " holds shows when it is read"}
		}
		all += n
	}
	return evidence.Forecast(s.cfg.MaxItems, all, readCPU)
}
