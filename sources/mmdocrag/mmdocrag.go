// Package mmdocrag is the source "mmdocrag": the questions of MMDocRAG about long
// documents, with gold and other quotes. The quotes of one page become one file-like
// unit (SMMBench B.2); pages without gold stand beside them as distractors.
package mmdocrag

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// emitQuestion emits a question with its pictures. A missing gold picture rejects it;
// another one leaves the rest of its page.
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

// codeTrain marks lines of the file for training, which has another form.
const codeTrain = "training-record"

// quote is a region of a page.
type quote struct {
	id, text, image, caption string
	// page is upstream's number; from where it counts was never stated.
	page, layout int
	gold         bool
	media        string
}

// question is a line with its quotes in the order of the document.
type question struct {
	id, doc, text string
	kind, answer  string
	explanation   string
	labels        map[string]string
	quotes        []quote
	notes         []schemas.Note
}

func (q question) gold() (n int) {
	for _, o := range q.quotes {
		if o.gold {
			n++
		}
	}
	return n
}

func parse(o annotation.Object) (question, *pipeline.Rejection) {
	q := question{labels: map[string]string{}}
	if _, train := o["messages"]; train {
		return q, pipeline.Reject(codeTrain, "it is a conversation of the file for training; name files of questions under files")
	}
	var domain string
	err := o.Fill(annotation.Field{Key: "q_id", Into: &q.id}, annotation.Field{Key: "doc_name", Into: &q.doc}, annotation.Field{Key: "domain", Into: &domain},
		annotation.Field{Key: "question", Into: &q.text}, annotation.Field{Key: "question_type", Into: &q.kind}, annotation.Field{Key: "answer_interleaved", Into: &q.explanation})
	modalities, _, err1 := o.LooseList("evidence_modality_type")
	answer, raw, err2 := o.LooseList("answer_short")
	golden, _, err3 := o.LooseList("gold_quotes")
	if err := errors.Join(err, err1, err2, err3); err != nil {
		return q, pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	}
	if q.id == "" || q.doc == "" {
		return q, pipeline.Reject(benchmark.CodeBadRow, "it lacks q_id or doc_name")
	}
	q.answer = strings.Join(answer, ", ")
	q.labels["domain"], q.labels["document"] = domain, q.doc
	q.labels["evidence_modality"] = strings.Join(slices.Compact(slices.Sorted(slices.Values(modalities))), "+")
	if raw != q.answer {
		q.labels["answer_raw"] = raw
	}
	return q, q.addQuotes(o, golden)
}

func (q *question) addQuotes(o annotation.Object, golden []string) *pipeline.Rejection {
	for _, key := range []string{"text_quotes", "img_quotes"} {
		list, err := o.Objects(key)
		if err != nil {
			return pipeline.Reject(benchmark.CodeBadRow, "%v", err)
		}
		for _, item := range list {
			one, err := parseQuote(item)
			if err != nil {
				return pipeline.Reject(benchmark.CodeBadRow, "%s: %v", key, err)
			}
			one.gold = slices.Contains(golden, one.id)
			switch {
			case slices.ContainsFunc(q.quotes, func(o quote) bool { return o.id == one.id }):
				return pipeline.Reject(evidence.CodeCopy, "two quotes are called %s", annotation.Truncate(one.id))
			case one.page < 0 && one.gold:
				return pipeline.Reject(evidence.CodePage, "gold quote %s names no page of its document", annotation.Truncate(one.id))
			case one.page < 0:
				q.notes = append(q.notes, schemas.Note{Code: evidence.NoteLeftOut, Text: "quote " + annotation.Truncate(one.id) + ", which is not gold, names no page"})
				continue
			}
			q.quotes = append(q.quotes, one)
		}
	}
	for _, id := range golden {
		if !slices.ContainsFunc(q.quotes, func(o quote) bool { return o.id == id }) {
			return pipeline.Reject(schemas.CodeDanglingUnit, "gold quote %s is none of the %d quotes", annotation.Truncate(id), len(q.quotes))
		}
	}
	slices.SortStableFunc(q.quotes, func(a, b quote) int { return cmp.Or(a.page-b.page, a.layout-b.layout, strings.Compare(a.id, b.id)) })
	return nil
}

func parseQuote(o annotation.Object) (quote, error) {
	var q quote
	var kind, page, layout string
	err := o.Fill(annotation.Field{Key: "quote_id", Into: &q.id}, annotation.Field{Key: "type", Into: &kind}, annotation.Field{Key: "text", Into: &q.text},
		annotation.Field{Key: "img_path", Into: &q.image}, annotation.Field{Key: "img_description", Into: &q.caption},
		annotation.Field{Key: "page_id", Into: &page}, annotation.Field{Key: "layout_id", Into: &layout})
	switch {
	case err != nil:
		return q, err
	case q.id == "":
		return q, errors.New("a quote has no quote_id")
	case q.text == "" && q.image == "":
		return q, errors.New("quote " + annotation.Truncate(q.id) + " has neither text nor img_path")
	}
	if q.page, err = strconv.Atoi(page); err != nil || q.page < 0 {
		q.page = -1
	}
	q.layout, _ = strconv.Atoi(layout) // it only orders what is on a page
	return q, nil
}

// item makes a unit of the quotes of each page.
func (q question) item() schemas.EvidenceItem {
	item := schemas.EvidenceItem{
		UpstreamID: q.id, Task: schemas.TaskSingleHop, Notes: q.notes,
		Question: schemas.Question{Question: q.text, AnswerText: q.answer, Explanation: q.explanation, Labels: q.labels, Type: strings.ReplaceAll(strings.ToLower(q.kind), " ", "_")},
	}
	for i, o := range q.quotes {
		if i == 0 || q.quotes[i-1].page != o.page {
			page := strconv.Itoa(o.page)
			item.Units = append(item.Units, schemas.EvidenceUnit{
				UpstreamID: q.doc + "#" + page, Modality: schemas.ModalityDocument, Title: q.doc, Role: schemas.RoleDistractor, Labels: map[string]string{"page_id": page},
			})
		}
		u := &item.Units[len(item.Units)-1]
		part := schemas.UnitPart{UpstreamID: o.id, Text: o.text, Media: o.media, Caption: o.caption, Gold: o.gold}
		if o.media != "" {
			part.Text = ""
		}
		u.Parts = append(u.Parts, part)
		if o.gold {
			u.Role = schemas.RoleClue
		}
	}
	return item
}
