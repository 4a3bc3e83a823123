// Package mmke is the source "mmke": the edits of MMKE-Bench, each a picture with a
// question whose answer was one thing and is now another, for conflict resolution.
package mmke

import (
	"cmp"
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

// emitEdit emits an edit. Its own picture is required, the other one of the same thing is
// not.
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

const (
	codeEmpty = "no-new-answer"
	codeSame  = "nothing-changed"
)

// edit is a row: what a question was answered with, and is answered with now.
type edit struct {
	id, kind       string
	asked, again   string // the question of the edit, and in other words
	before, now    string
	image, other   string
	aboutOther     string   // the question that belongs to the other picture
	beside         []string // facts about the same thing that did not change
	portTypes      []string
	notes          []schemas.Note
	knowledgeLabel string
}

func (e edit) key() string { return e.image + "\n" + e.asked + "\n" + e.now }

func parse(o annotation.Object, file string, number int) (e edit, why *pipeline.Rejection) {
	err := o.Fill(annotation.Field{Key: "knowledge_type", Into: &e.knowledgeLabel}, annotation.Field{Key: "src", Into: &e.asked}, annotation.Field{Key: "pred", Into: &e.before}, annotation.Field{Key: "alt", Into: &e.now},
		annotation.Field{Key: "rephrase", Into: &e.again}, annotation.Field{Key: "image", Into: &e.image}, annotation.Field{Key: "image_rephrase", Into: &e.other}, annotation.Field{Key: "image_rephrase_question", Into: &e.aboutOther})
	if err != nil {
		return e, pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	}
	kinds := map[string]string{"entity_level": "entity", "visual_knowledge": "visual", "user_specific": "user"}
	if e.kind = kinds[e.knowledgeLabel]; e.kind == "" {
		return e, pipeline.Reject(evidence.CodeLabel, "knowledge_type %q is none of entity_level, visual_knowledge and user_specific", annotation.Truncate(e.knowledgeLabel))
	}
	e.id = fmt.Sprintf("%s-%s-%d", e.kind, splitOf(file), number)
	switch {
	case e.now == "":
		return e, pipeline.Reject(codeEmpty, "alt is empty; upstream passes over such rows as well")
	case e.asked == "" || e.image == "":
		return e, pipeline.Reject(benchmark.CodeBadRow, "it lacks src or image")
	case e.before == "":
		return e, pipeline.Reject(benchmark.CodeBadRow, "pred is empty: nothing is known that the new answer takes the place of")
	case strings.EqualFold(e.before, e.now):
		return e, pipeline.Reject(codeSame, "the old answer and the new one are both %q", annotation.Truncate(e.now))
	}
	if why := e.addRelations(o); why != nil {
		return e, why
	}
	return e, e.addPortability(o)
}

// splitOf returns the split that a file holds: visual_train.json and visual/train.json do.
func splitOf(file string) string {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	return stem[strings.LastIndex(stem, "_")+1:]
}

// addRelations takes facts about the thing that the edit leaves as they are. Their answers
// are spelled in two ways.
func (e *edit) addRelations(o annotation.Object) *pipeline.Rejection {
	for _, r := range []struct {
		asked   string
		answers []string
	}{{"rel_1", []string{"rel_ans_1", "rel_1_ans"}}, {"rel_2", []string{"rel_ans_2", "rel_2_ans"}}, {"rel", []string{"rel_ans"}}} {
		key, err := o.SpellingOf(r.answers...)
		if err != nil {
			return pipeline.Reject(evidence.CodeSpellings, "%v", err)
		}
		var asked, answer string
		if err := o.Fill(annotation.Field{Key: r.asked, Into: &asked}, annotation.Field{Key: key, Into: &answer}); err != nil {
			return pipeline.Reject(benchmark.CodeBadRow, "%v", err)
		}
		if asked != "" && answer != "" {
			e.beside = append(e.beside, statement(asked, answer))
		}
	}
	return nil
}

// addPortability reads the kinds of questions that go further. Their keys were not seen: both
// cases are read, and one that is neither is noted.
func (e *edit) addPortability(o annotation.Object) *pipeline.Rejection {
	list, err := o.Objects("port_new")
	if err != nil {
		return pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	}
	for _, p := range list {
		kind, err1 := p.Text("port_type")
		qa, err2 := p.Object("Q&A")
		if err := errors.Join(err1, err2); err != nil {
			return pipeline.Reject(benchmark.CodeBadRow, "port_new: %v", err)
		}
		asks, err1 := qa.SpellingOf("Question", "question")
		answers, err2 := qa.SpellingOf("Answer", "answer")
		if err := errors.Join(err1, err2); err != nil {
			return pipeline.Reject(evidence.CodeSpellings, "port_new: %v", err)
		}
		asked, err1 := qa.Text(asks)
		answer, _, err2 := qa.LooseList(answers)
		if err1 != nil || err2 != nil || asked == "" || len(answer) == 0 {
			e.notes = append(e.notes, schemas.Note{Code: evidence.NoteLeftOut, Text: fmt.Sprintf("a question of port_new of type %q has no question or answer in a form that is known", annotation.Truncate(kind))})
			continue
		}
		e.portTypes = append(e.portTypes, kind)
	}
	return nil
}

// statement returns an answer with its question, as somebody could state it.
func statement(asked, answer string) string { return asked + " " + answer }

// item returns the edit with its pictures: an old statement, and a new one that takes its
// place. Facts that did not change stand beside.
func (e edit) item(seen, asked string) schemas.EvidenceItem {
	out := schemas.EvidenceItem{UpstreamID: e.id, Task: schemas.TaskConflict, Notes: e.notes}
	out.Question = schemas.Question{Question: cmp.Or(e.again, e.asked), AnswerText: e.now, Type: e.knowledgeLabel, Labels: map[string]string{"conflict": "time"}}
	if len(e.portTypes) > 0 {
		out.Question.Labels["portability"] = strings.Join(e.portTypes, "+")
	}
	if asked != "" {
		out.Question.QuestionMedia = []string{asked}
		out.Question.Question = cmp.Or(e.aboutOther, out.Question.Question)
	}
	out.Units = []schemas.EvidenceUnit{
		{UpstreamID: e.image, Modality: schemas.ModalityImage, Media: seen, Role: schemas.RoleClue},
		{UpstreamID: "pred", Modality: schemas.ModalityText, Text: statement(e.asked, e.before), Role: schemas.RoleSuperseded},
		{UpstreamID: "alt", Modality: schemas.ModalityText, Text: statement(e.asked, e.now), Role: schemas.RoleUpdate, Revises: []string{schemas.UnitIDOf(Dataset+"/"+e.id, 2)}},
	}
	for i, b := range e.beside {
		out.Units = append(out.Units, schemas.EvidenceUnit{UpstreamID: fmt.Sprintf("relation%d", i+1), Modality: schemas.ModalityText, Text: b, Role: schemas.RoleDistractor})
	}
	return out
}
