// Package mmcv is the source "mmcv": the claims of MMCV, each supported or refuted by
// texts, pictures and tables that MultiModalQA holds. Without MultiModalQA an item is a
// skeleton: it says which pieces belong together and what would have to be brought.
package mmcv

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

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

// perFile returns the claims of the files that were counted.
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

// kind is a modality as MMCV lists it and as MultiModalQA keeps it.
type kind struct{ key, modality, file string }

// kinds are in the order of units.
func kinds() []kind {
	return []kind{
		{"text_evidence", schemas.ModalityText, "dataset/MMQA_texts.jsonl.gz"},
		{"image_evidence", schemas.ModalityImage, "dataset/MMQA_images.jsonl.gz"},
		{"table_evidence", schemas.ModalityTable, "dataset/MMQA_tables.jsonl.gz"},
	}
}

// ref names a piece of MultiModalQA.
type ref struct{ modality, id string }

func (r ref) String() string { return Pieces + ":" + r.modality + ":" + r.id }

// claim is an entry of a file.
type claim struct {
	id, hops, text, context string
	supported               bool
	refs                    []ref
	notes                   []schemas.Note
}

// Options of every claim.
const (
	supported = "It is supported."
	refuted   = "It is refuted."
)

// parse reads the n-th entry, from 0, of a file. Entries have no id of their own.
func parse(o annotation.Object, file string, n int) (claim, *pipeline.Rejection) {
	c := claim{hops: strings.TrimSuffix(path.Base(file), ".json")}
	c.id = fmt.Sprintf("%s:%d", c.hops, n)
	var label string
	err := o.Fill(annotation.Field{Key: "claim", Into: &c.text}, annotation.Field{Key: "wiki_context", Into: &c.context}, annotation.Field{Key: "label", Into: &label})
	if err != nil {
		return c, pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	}
	switch {
	case c.text == "":
		return c, pipeline.Reject(schemas.CodeNoQuestion, "it has no claim")
	case label != "SUPPORT" && label != "REFUTE":
		return c, pipeline.Reject(evidence.CodeLabel, "label %q: want SUPPORT or REFUTE; what a number would stand for was never stated", annotation.Truncate(label))
	}
	c.supported = label == "SUPPORT"
	for _, k := range kinds() {
		if err := c.addPieces(o, k); err != nil {
			return c, pipeline.Reject(benchmark.CodeBadRow, "%v", err)
		}
	}
	if len(c.refs) == 0 {
		return c, pipeline.Reject(schemas.CodeNoUnits, "it rests on no evidence")
	}
	return c, nil
}

func (c *claim) addPieces(o annotation.Object, k kind) error {
	ids, _, err := o.LooseList(k.key)
	if err != nil {
		return err
	}
	again := 0
	for _, id := range ids {
		r := ref{k.modality, id}
		switch {
		case id == "":
			return errors.New(k.key + " holds an empty id")
		case slices.Contains(c.refs, r):
			again++
		default:
			c.refs = append(c.refs, r)
		}
	}
	if again > 0 {
		c.notes = append(c.notes, schemas.Note{Code: evidence.NoteDuplicate, Text: fmt.Sprintf("%s names pieces again that it has named, %d times", k.key, again)})
	}
	return nil
}

func (c claim) modalities() string {
	var out []string
	for _, r := range c.refs {
		if !slices.Contains(out, r.modality) {
			out = append(out, r.modality)
		}
	}
	return strings.Join(out, "+")
}

// item returns the claim with the pieces that are there.
func (c claim) item(pieces pieceUnits, offer func(q *schemas.Question, upstream, right string, wrong ...string)) schemas.EvidenceItem {
	item := schemas.EvidenceItem{UpstreamID: c.id, Task: schemas.TaskMultiHop, Notes: c.notes, Question: schemas.Question{
		Question: "What does the evidence say of this claim? " + c.text, Type: "claim_verification",
		Labels: map[string]string{"hops": c.hops, "mix": c.modalities(), "pieces": fmt.Sprint(len(c.refs))},
	}}
	right, wrong := supported, refuted
	if !c.supported {
		right, wrong = refuted, supported
	}
	offer(&item.Question, c.id, right, wrong)
	missing := map[string]int{}
	for _, r := range c.refs {
		u, here := pieces[r]
		if !here {
			u = schemas.EvidenceUnit{State: schemas.UnitMissing, Ref: r.String()}
		}
		if u.State != "" {
			missing[r.modality]++
		}
		u.UpstreamID, u.Dataset, u.Modality, u.Role = r.id, Pieces, r.modality, schemas.RoleClue
		item.Units = append(item.Units, u)
	}
	if c.context != "" {
		item.Units = append(item.Units, schemas.EvidenceUnit{Modality: schemas.ModalityText, Text: c.context, Role: schemas.RoleContext})
	}
	if len(missing) > 0 {
		item.Notes = append(item.Notes, schemas.Note{Code: evidence.NoteMissing, Text: fmt.Sprintf(
			"MultiModalQA would have to bring %d texts, %d pictures and %d tables", missing[schemas.ModalityText], missing[schemas.ModalityImage], missing[schemas.ModalityTable])})
	}
	return item
}
