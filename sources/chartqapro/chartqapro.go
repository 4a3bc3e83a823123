// Package chartqapro is the source "chartqapro": the charts of ChartQAPro, each with a
// question or a chain of questions, of which the last one counts.
package chartqapro

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
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

// pickRows returns the rows that are taken, nil for all.
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

// Columns. The last three were not seen in a file: they need not be there.
const (
	keyQuestion  = "Question"
	keyAnswer    = "Answer"
	keyImage     = "image"
	keyType      = "Question Type"
	keyYear      = "Year"
	keyParagraph = "Paragraph"
)

// typeChoice is the type of questions that hold their options.
const typeChoice = "multi_choice"

func parse(o annotation.Object) (schemas.EvidenceItem, *pipeline.Rejection) {
	item := schemas.EvidenceItem{Task: schemas.TaskSingleHop}
	questions, err1 := o.Texts(keyQuestion)
	answers, err2 := o.Texts(keyAnswer)
	kind, err3 := o.Text(keyType)
	years, _, err4 := o.LooseList(keyYear)
	paragraph, err5 := o.Texts(keyParagraph)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return item, pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	}
	if len(questions) == 0 || len(questions) != len(answers) {
		return item, pipeline.Reject(benchmark.CodeBadRow, "%d questions and %d answers; want as many of both", len(questions), len(answers))
	}
	q := &item.Question
	q.Type, q.Labels = strings.ReplaceAll(strings.ToLower(kind), " ", "_"), map[string]string{}
	last := len(questions) - 1
	q.Question = joinQuestions(questions, answers)
	raw := strings.TrimRight(strings.TrimSpace(answers[last]), ".\n ")
	q.AnswerText = raw
	if list, ok := annotation.ParseLooseList(raw); ok {
		q.AnswerText = strings.Join(list, ", ")
		q.Labels["answer_raw"] = raw
	}
	if len(years) > 0 {
		q.Labels["year_exact"] = strings.ToLower(years[len(years)-1])
	}
	if why := parseOptions(&item, questions[last]); why != nil {
		return item, why
	}
	if text := strings.TrimSpace(strings.Join(paragraph, "\n")); text != "" {
		item.Units = append(item.Units, schemas.EvidenceUnit{Modality: schemas.ModalityText, Text: text, Role: schemas.RoleClue})
	}
	return item, nil
}

// joinQuestions returns the last question, after those that it goes on from.
func joinQuestions(questions, answers []string) string {
	last := len(questions) - 1
	if last == 0 {
		return questions[0]
	}
	var b strings.Builder
	b.WriteString("Before this was asked and answered:\n")
	for i, q := range questions[:last] {
		b.WriteString(q + " " + answers[i] + "\n")
	}
	b.WriteString("Now answer: " + questions[last])
	return b.String()
}

// option begins an option on a line of its own: "A) Norway", "(B) Sweden", "C. Both".
var option = regexp.MustCompile(`(?m)^\s*\(?([A-H])[).:][ \t]+`)

// parseOptions takes the options out of a question of the type that has some. How they are
// written was not seen, so a question in which none are found stays an open one.
func parseOptions(item *schemas.EvidenceItem, asked string) *pipeline.Rejection {
	q := &item.Question
	if q.Type != typeChoice {
		return nil
	}
	at := option.FindAllStringSubmatchIndex(q.Question, -1)
	if len(at) < 2 {
		item.Notes = append(item.Notes, schemas.Note{Code: evidence.NoteOptions, Text: "its type has options, and none stand on lines of their own: it is taken as an open question"})
		return nil
	}
	var out []schemas.Option
	letter := strings.Trim(q.AnswerText, "(). ")
	right := 0
	for i, m := range at {
		end := len(q.Question)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		o := schemas.Option{Text: strings.TrimSpace(q.Question[m[1]:end]), Role: schemas.RoleDistractor}
		if q.Question[m[2]:m[3]] == letter || strings.EqualFold(o.Text, q.AnswerText) {
			o.Role = schemas.RoleCorrect
			right++
		}
		out = append(out, o)
	}
	if right != 1 {
		return pipeline.Reject(schemas.CodeGoldNoOption, "the answer %q is %d of the %d options of %q", annotation.Truncate(q.AnswerText), right, len(out), annotation.Truncate(asked))
	}
	q.Question = strings.TrimSpace(q.Question[:at[0][0]])
	q.SetOptions(out...)
	return nil
}
