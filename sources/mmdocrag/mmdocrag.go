// Package mmdocrag is the source "mmdocrag": the questions of MMDocRAG about long
// documents, with gold and other quotes. The quotes of one page become one file-like
// unit (SMMBench B.2); pages without gold stand beside them as distractors.
package mmdocrag

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

// licence is both that are stated: the card of the data set says the one, the
// repository says the other of the data. A release meets the stricter.
const licence = "Apache-2.0 AND CC-BY-NC-4.0"

// Dataset begins the ids of its items.
const Dataset = "mmdocrag"

// Needs in their order.
const (
	needQuestions = iota
	needMedia
	needImages
)

// Config of the source.
type Config struct {
	evidence.Repository
	evidence.Selection
	Files   []string `json:"files" doc:"files of questions, those first of which a question is taken that stands in several"`
	Images  bool     `json:"images" doc:"fetch images.zip (2.2 GB); without it the pictures lie in the folder that run.media_dirs names"`
	MinGold int      `json:"min_gold" doc:"pass over questions that rest on fewer quotes"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Repo, c.Revision, c.MaxBytes = "MMDocIR/MMDocRAG", "main", evidence.DefaultMaxBytes
	c.Files, c.MinGold = []string{"dev_15.jsonl", "evaluation_15.jsonl", "dev_20.jsonl", "evaluation_20.jsonl"}, 2
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, Dataset, "1", "MMDocRAG: questions about documents with gold quotes, single-hop", New)
}

type source struct{ cfg Config }

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if err := evidence.Check(fetch.Hub, c.Repository, c.Selection); err != nil {
		return nil, err
	}
	switch {
	case len(c.Files) == 0:
		return nil, errors.New("files: name at least one")
	case c.MinGold < 1:
		return nil, fmt.Errorf("min_gold: %d: want 1 or more", c.MinGold)
	}
	return &source{c}, nil
}

// Spec implements pipeline.Source.
func (*source) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameEvidenceItem}}
}

// Needs implements pipeline.Source.
func (s *source) Needs() []pipeline.Need {
	place := pipeline.Need{From: fetch.Hub, Repo: s.cfg.Repo, Revision: s.cfg.Revision, License: licence}
	questions, images := place, place
	questions.Include, questions.MaxBytes = s.cfg.Files, annotation.MaxBytes
	images.Include, images.MaxBytes = []string{"images.zip"}, s.cfg.MaxBytes
	media := pipeline.Need{From: fetch.Media, Include: slices.Concat(benchmark.PicturePatterns(), benchmark.ArchivePatterns()), MaxBytes: s.cfg.MaxBytes, License: licence}
	if !s.cfg.Images {
		return []pipeline.Need{questions, media}
	}
	return []pipeline.Need{questions, media, images}
}

// Read implements pipeline.Source.
func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	g := evidence.NewEmitter(scope, emit, Dataset, licence, assets)
	all, err := s.questions(ctx, scope, assets)
	if err != nil {
		return err
	}
	all = evidence.Pick(scope, all, func(q question) string { return q.id }, s.cfg.MaxItems)
	pictures := benchmark.IndexPictures(assets, needImages, needMedia)
	if err := pictures.AddArchives(ctx, scope, s.cfg.MaxBytes, assets, needImages, needMedia); err != nil {
		return err
	}
	var stems []string
	for _, q := range all {
		for _, o := range q.quotes {
			if o.image != "" {
				stems = append(stems, pictures.Stem(o.image))
			}
		}
	}
	if err := pictures.Extract(ctx, scope, stems); err != nil {
		return err
	}
	for _, q := range all {
		if err := emitQuestion(ctx, g, pictures, q); err != nil {
			return err
		}
	}
	return nil
}

// questions reads the files in the order of the configuration, each question once: the
// same one stands in several with other quotes beside the gold.
func (s *source) questions(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset) ([]question, error) {
	var all []question
	at := map[string]int{}
	for _, name := range s.cfg.Files {
		file := slices.DeleteFunc(slices.Clone(assets), func(a pipeline.Asset) bool { return a.Path != name })
		err := evidence.Lines(ctx, scope, file, needQuestions, func(l evidence.Line) error {
			q, why := parse(l.Object)
			first, twice := at[q.id]
			switch {
			case why != nil:
				scope.Reject(l.Where, why)
			case twice && all[first].text != q.text:
				scope.Reject(l.Where, pipeline.Reject(evidence.CodeCopy, "question %s asks something else in another file", q.id))
			case !twice && q.gold() >= s.cfg.MinGold:
				at[q.id] = len(all)
				all = append(all, q)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("questions %s: %w", name, err)
		}
	}
	return all, nil
}

// emitQuestion takes the pictures of a question and gives it. It is lost where one of the gold
// is; another one leaves the rest of its page.
func emitQuestion(ctx context.Context, g *evidence.Emitter, pictures *benchmark.Files, q question) error {
	kept := q.quotes[:0:0]
	for _, o := range q.quotes {
		if o.image != "" {
			why, err := o.addPicture(ctx, g, pictures)
			if err != nil {
				return err
			}
			if why != nil && o.gold {
				g.RejectWith(q.id, why)
				return nil
			}
			if why != nil {
				q.notes = append(q.notes, schemas.Note{Code: evidence.NoteLeftOut, Text: fmt.Sprintf("quote %s, which is not gold: %s: %s", o.id, why.Code, why.Reason)})
				continue
			}
		}
		kept = append(kept, o)
	}
	q.quotes = kept
	return g.EmitItem(q.item())
}

func (o *quote) addPicture(ctx context.Context, g *evidence.Emitter, pictures *benchmark.Files) (*pipeline.Rejection, error) {
	blob, why := pictures.Blob(pictures.Stem(o.image))
	if why != nil {
		return why, nil
	}
	id, why, err := g.Album.AddBlob(ctx, blob)
	o.media = id
	return why, err
}

// questionsHeld are those of the files for development and evaluation, readCPU what one
// takes with its pictures, in seconds.
const (
	questionsHeld = 4055
	readCPU       = 0.1
)

// Forecast implements pipeline.Forecaster.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	return evidence.Forecast(s.cfg.MaxItems, questionsHeld, readCPU)
}
