// Package mmpb is the source "mmpb": the questions of MMPB about people and things that
// have names, and about what the people prefer, for preference reasoning.
package mmpb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

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

// people collects the persons of the rows, and the ids of those that are wanted.
func (s *source) people(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset) (*people, error) {
	out := &people{known: map[string]*schemas.Profile{}}
	err := evidence.Table{Must: mustColumns(), May: mayColumns(), Quiet: true}.Each(ctx, scope, assets, func(r evidence.Row) error {
		one, why := parse(r.Object, s.cfg.Description)
		if why == nil && s.wanted(one, nil) {
			out.add(one)
		}
		return nil
	})
	return out, err
}

// emitQuestion emits a question with its pictures. Rows repeat the pictures of named
// things; the album holds each once.
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

// Columns that are read more than once, and categories.
const (
	keyImage            = "image_path"
	categoryPreference  = "preference"
	categoryRecognition = "recognition"
	placeholder         = "<sks>"
	injections          = 5
	human               = "human"
)

func categories() []string { return []string{categoryPreference, categoryRecognition} }

func descriptions() []string { return []string{"simple", "moderate", "detailed", "super_detailed"} }

func mustColumns() []string { return []string{"index", "question", "answer", "category", "name"} }

func mayColumns() []string {
	out := []string{"A", "B", "C", "D", "attribute", "l2-category", "concept", "target", "preference"}
	for _, d := range descriptions() {
		out = append(out, "description_"+d)
	}
	return out
}

func injection(n int) string { return fmt.Sprintf("injection_image_%d", n) }

func answers() []string { return []string{"A", "B", "C", "D", "Yes", "No"} }

// question is a row without its pictures.
type question struct {
	id, text, category    string
	name, attribute, kind string
	concept, target       string
	preference            string
	description           string
	options               []schemas.Option
	notes                 []schemas.Note
}

func parse(o annotation.Object, description string) (question, *pipeline.Rejection) {
	var q question
	err := o.Fill(annotation.Field{Key: "index", Into: &q.id}, annotation.Field{Key: "question", Into: &q.text}, annotation.Field{Key: "name", Into: &q.name},
		annotation.Field{Key: "l2-category", Into: &q.kind}, annotation.Field{Key: "concept", Into: &q.concept},
		annotation.Field{Key: "target", Into: &q.target}, annotation.Field{Key: "preference", Into: &q.preference}, annotation.Field{Key: "description_" + description, Into: &q.description})
	category, err1 := o.Choice("category", "recognition", "preference")
	if err := errors.Join(err, err1); err != nil {
		return q, pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	}
	if q.attribute, err = o.Choice("attribute", "human", "animal", "object", "character"); err != nil {
		return q, pipeline.Reject(evidence.CodeLabel, "%v", err)
	}
	q.category = category
	switch {
	case q.id == "" || q.name == "" || q.category == "":
		return q, pipeline.Reject(benchmark.CodeBadRow, "it lacks index, name or category")
	case q.category == categoryPreference && q.preference == "":
		return q, pipeline.Reject(schemas.CodeNoUnits, "it asks about a preference, and the column preference is empty")
	case q.category == categoryRecognition && q.description == "":
		return q, pipeline.Reject(schemas.CodeNoUnits, "the column description_%s is empty", description)
	}
	q.text, q.preference, q.description = q.fillName(q.text), q.fillName(q.preference), q.fillName(q.description)
	return q, q.parseOptions(o)
}

// fillName puts the name where the data set holds a place for it.
func (q question) fillName(s string) string { return strings.ReplaceAll(s, placeholder, q.name) }

// parseOptions reads the options and which of them is right: a class by its number, or by
// its name.
func (q *question) parseOptions(o annotation.Object) *pipeline.Rejection {
	right, err := o.Choice("answer", answers()...)
	if err != nil || right == "" {
		return pipeline.Reject(schemas.CodeGoldNoOption, "the answer is no class from 0 to 5: %v", err)
	}
	keys := answers()[4:]
	if slices.Contains(answers()[:4], right) {
		keys = answers()[:4]
	}
	found := false
	for _, key := range keys {
		text := key
		if len(key) == 1 {
			if text, err = o.Text(key); err != nil {
				return pipeline.Reject(benchmark.CodeBadRow, "%v", err)
			}
		}
		if text = q.fillName(text); text == "" {
			continue
		}
		one := schemas.Option{Text: text, Role: schemas.RoleDistractor}
		if key == right {
			one.Role, found = schemas.RoleCorrect, true
		}
		q.options = append(q.options, one)
	}
	if !found {
		return pipeline.Reject(schemas.CodeGoldNoOption, "the answer is %s, and the column %s is empty", right, right)
	}
	return nil
}

// profile returns the id of the person with the preference, or "".
func (q question) profile() string {
	if q.category != categoryPreference || q.attribute != human && q.attribute != "" {
		return ""
	}
	return strings.Trim(strings.ToLower(notInIDs.ReplaceAllString(q.name, "-")), "-")
}

var notInIDs = regexp.MustCompile(`[^A-Za-z0-9]+`)

// item returns the question with its pictures: the one that is asked about, and those by
// which what has a name is known.
func (q question) item(shown string, seen []string) schemas.EvidenceItem {
	out := schemas.EvidenceItem{UpstreamID: q.id, Task: schemas.TaskPreference, Notes: q.notes}
	said := q.preference
	if q.category == categoryRecognition {
		out.Task, said = schemas.TaskSingleHop, q.description
	}
	out.Question = schemas.Question{Question: q.text, Type: strings.ToLower(q.kind), QuestionMedia: []string{shown}, Labels: map[string]string{"category": q.category, "name": q.name}}
	for key, value := range map[string]string{"attribute": q.attribute, "concept": q.concept, "target": q.target} {
		if value != "" {
			out.Question.Labels[key] = value
		}
	}
	if q.category == categoryPreference {
		out.Question.Labels["preference"] = "explicit"
	}
	if p := q.profile(); p != "" {
		out.Profiles = []string{Dataset + "/" + p}
	}
	out.Question.SetOptions(q.options...)
	for _, id := range seen {
		out.Units = append(out.Units, schemas.EvidenceUnit{Modality: schemas.ModalityImage, Media: id, Caption: q.name, Role: schemas.RoleClue})
	}
	out.Units = append(out.Units, schemas.EvidenceUnit{Modality: schemas.ModalityText, Text: said, Role: schemas.RoleClue, Title: q.name})
	return out
}

// people are those the rows are about, in the order of their first rows.
type people struct {
	rows  []string
	order []string
	known map[string]*schemas.Profile
}

func (p *people) add(q question) {
	p.rows = append(p.rows, q.id)
	id := q.profile()
	if id == "" {
		return
	}
	one, met := p.known[id]
	if !met {
		one = &schemas.Profile{UpstreamID: id, Name: q.name}
		if q.description != "" {
			one.Traits = []string{q.description}
		}
		p.known[id], p.order = one, append(p.order, id)
	}
	f := schemas.Preference{Dimension: q.concept, Level: strings.ToLower(q.target), Text: q.preference}
	if f.Dimension == "" {
		f.Dimension = q.preference // the data does not say what it is about
	}
	if !slices.Contains(one.Preferences, f) {
		one.Preferences = append(one.Preferences, f)
	}
}

func (p *people) profiles() (out []schemas.Profile) {
	for _, id := range p.order {
		out = append(out, *p.known[id])
	}
	return out
}
