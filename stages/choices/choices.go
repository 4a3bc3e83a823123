// Package choices gives open questions options: the answers of other questions that
// are alike in what is asked, in form and in length, so that no option stands out. It
// belongs to no family.
package choices

import (
	"cmp"
	"context"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// Register adds the stage.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "choices", "3", "give open questions options: answers of other questions that are alike in what is asked, in form and in length", newChoices)
}

// Config configures the stage.
type Config struct {
	Options int      `json:"options" doc:"how many options a question gets; one that has as many goes on as it is"`
	Types   []string `json:"types" doc:"question types to give options to; empty means all"`
	None    string   `json:"none" doc:"the answer that says there is none. It stands as a wrong option so often that it is right no more often than any other"`
	Open    bool     `json:"open" doc:"whether questions that get no options go on in their open form; either way each counts as a loss"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() { c.Options, c.None, c.Open = 4, schemas.AnswerNone, true }

const mostOptions = 26

// fewestOptions leave room for an answer, for that there is none and for a wrong one.
const fewestOptions = 3

// codeUnlike is the code of questions that keep their open form alone.
const codeUnlike = "no-like-answers"

type choices struct{ cfg Config }

func newChoices(c Config) (pipeline.Stage, error) {
	return &choices{c}, pipeline.CheckRange("options", c.Options, fewestOptions, mostOptions)
}

// Spec implements pipeline.Stage.
func (*choices) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameQuestion}, Emits: []string{schemas.NameQuestion}}
}

// Fold implements pipeline.Fold: it reads the questions twice, for answers and to
// give them out. A question that too few others are like goes on as it is, and counts
// as a loss: unlike options would tell which is right. One that says there is no
// answer loses what options it has, for with these alone that is always right.
func (s *choices) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	d := &dealer{cfg: s.cfg, rand: scope.Rand("deal"), at: map[string]int{}, why: map[string]string{}}
	for rec, err := range in.All {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		q, err := pipeline.Decode[schemas.Question](rec)
		if err != nil {
			return err
		}
		if s.wantsOptions(q) {
			d.add(q)
		}
	}
	if err := d.dealAll(ctx); err != nil {
		return err
	}
	for rec, err := range in.All {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		rec, goes, err := s.giveOptions(scope, rec, d)
		if err != nil {
			return err
		}
		if !goes {
			continue
		}
		if err := emit(rec); err != nil {
			return err
		}
	}
	return nil
}

func (s *choices) wantsOptions(q schemas.Question) bool {
	return q.AnswerText != "" && len(q.Options) < s.cfg.Options && (len(s.cfg.Types) == 0 || slices.Contains(s.cfg.Types, q.Type))
}

// giveOptions gives a question its options. It is false where the question goes
// no further.
func (s *choices) giveOptions(scope *pipeline.Scope, rec pipeline.Record, d *dealer) (out pipeline.Record, goes bool, err error) {
	q, err := pipeline.Decode[schemas.Question](rec)
	if err != nil || !s.wantsOptions(q) {
		return rec, true, err
	}
	given, why := d.optionsFor(q.QuestionID)
	switch {
	case why == "":
		options := wrongOptions(q)
		for _, text := range given {
			options = append(options, schemas.Option{Text: text, Role: schemas.RoleDistractor})
		}
		options = append(options, schemas.Option{Text: q.AnswerText, Role: schemas.RoleCorrect})
		scope.Rand("choices", q.QuestionID).Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
		q.SetOptions(options...)
	case !s.cfg.Open:
		scope.Reject(q.QuestionID, pipeline.Reject(codeUnlike, "%s", why))
		return rec, false, nil
	default:
		scope.Reject(q.QuestionID, pipeline.Reject(codeUnlike, "%s; it goes on without", why))
		if !words.SameWords(q.AnswerText, s.cfg.None) {
			return rec, true, nil
		}
		q.Options, q.AnswerKey, q.QuestionMCQ = nil, "", q.Question
	}
	out, err = pipeline.NewRecord(rec.Schema, rec.ID, q, rec.Blobs...)
	return out, true, err
}

func wrongOptions(q schemas.Question) (out []schemas.Option) {
	for _, o := range q.Options {
		if o.Key != q.AnswerKey && o.Role != schemas.RoleCorrect && !words.SameWords(o.Text, q.AnswerText) {
			out = append(out, o)
		}
	}
	return out
}

// drawCPU is what it takes to compare a question's answer with the others of its
// task, in seconds.
const drawCPU = 1e-3

// Forecast implements pipeline.Forecaster: every question goes on.
func (*choices) Forecast(in pipeline.Volume) pipeline.Forecast {
	q := in[schemas.NameQuestion]
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameQuestion: q}, CPU: drawCPU * q.Records}
}
