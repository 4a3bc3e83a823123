// Package slidevqa is the source "slidevqa": questions about decks of slides, as
// references. The licence of SlideVQA allows evaluation and forbids passing anything on,
// so no word of a question and no slide enters a record: an item has the ids, pages and
// SHA-256 digests by which somebody who has the data set finds it.
package slidevqa

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
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

// slideQuestion is a question without its words.
type slideQuestion struct {
	id, deck string
	// pages count from 1; images are their addresses.
	pages  []int
	images []string
	kind   string
	labels map[string]string
}

// none are how upstream writes that there is no expression.
var none = [...]string{"", "none", "null", "nan"}

// parse reads a line. Page n is the n-th of image_urls.
func parse(o annotation.Object) (slideQuestion, *pipeline.Rejection) {
	var q slideQuestion
	var question, answer, sum, answerType string
	err := o.Fill(annotation.Field{Key: "qa_id", Into: &q.id}, annotation.Field{Key: "deck_name", Into: &q.deck}, annotation.Field{Key: "question", Into: &question},
		annotation.Field{Key: "answer", Into: &answer}, annotation.Field{Key: "reasoning_type", Into: &q.kind}, annotation.Field{Key: "answer_type", Into: &answerType},
		annotation.Field{Key: "arithmetic_expression", Into: &sum})
	images, err1 := o.Texts("image_urls")
	pages, _, err2 := o.LooseList("evidence_pages")
	if err := errors.Join(err, err1, err2); err != nil {
		return q, pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	}
	if q.id == "" || q.deck == "" || question == "" || answer == "" {
		return q, pipeline.Reject(benchmark.CodeBadRow, "it lacks qa_id, deck_name, question or answer")
	}
	for _, p := range pages {
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 || n > len(images) || images[n-1] == "" {
			return q, pipeline.Reject(evidence.CodePage, "evidence page %s of question %s: the deck has the pages 1 to %d", annotation.Truncate(p), annotation.Truncate(q.id), len(images))
		}
		if !slices.Contains(q.pages, n) {
			q.pages, q.images = append(q.pages, n), append(q.images, images[n-1])
		}
	}
	q.labels = map[string]string{
		"deck": q.deck, "answer_type": strings.ToLower(answerType), "arithmetic": strconv.FormatBool(!slices.Contains(none[:], strings.ToLower(sum))),
		"question_sha256": string(pipeline.DigestOf([]byte(question))), "answer_sha256": string(pipeline.DigestOf([]byte(answer))),
	}
	return q, nil
}

// stems returns what the files of its pages are found by: the deck's name and the last part
// of the address.
func (q slideQuestion) stems() []string {
	out := make([]string, len(q.images))
	for i, address := range q.images {
		name, _, _ := strings.Cut(path.Base(address), "?")
		out[i] = path.Join(q.deck, strings.TrimSuffix(name, path.Ext(name)))
	}
	return out
}

func (q slideQuestion) item() schemas.EvidenceItem {
	item := schemas.EvidenceItem{
		UpstreamID: q.id, Task: schemas.TaskSingleHop, ReferenceOnly: true,
		Question: schemas.Question{Type: strings.ToLower(q.kind), Labels: q.labels},
	}
	for i, address := range q.images {
		item.Units = append(item.Units, schemas.EvidenceUnit{
			UpstreamID: fmt.Sprintf("%s#%d", q.deck, q.pages[i]), Modality: schemas.ModalityImage, State: schemas.UnitReference,
			Ref: address, Role: schemas.RoleClue, Labels: map[string]string{"page": strconv.Itoa(q.pages[i])},
		})
	}
	return item
}
