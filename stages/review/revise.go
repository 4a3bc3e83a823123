package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

const (
	taskRevise = "question.revise"
	roleAuthor = "author"
)

// maxAttempts bounds attempts.
const maxAttempts = 5

// Config configures question.revise.
type Config struct {
	Attempts     int      `yaml:"attempts" json:"attempts" doc:"how often a rewrite is asked for in one round, with the reasons against the earlier answers, before the question is given up"`
	FixedOptions []string `yaml:"fixed_options" json:"fixed_options" doc:"question types whose options are always the same, so that only the question is rewritten"`
	Skip         []string `yaml:"skip" json:"skip" doc:"question types that are never rewritten: what is flagged is lost"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	*c = Config{
		Attempts: 2, Skip: []string{schemas.TypeNBack},
		FixedOptions: []string{
			schemas.TypeFalseMemory, schemas.TypeSourceMemory, schemas.TypeSpatialGrounding, schemas.TypeTemporalGrounding,
		},
	}
}

// revise rewrites one flagged question. Its output is the question of the next
// round: another id, the same task, media, evidence, keys and roles.
type revise struct {
	cfg  Config
	task *model.Task[Input, Draft]
}

func newRevise(c Config) (pipeline.Stage, error) {
	if c.Attempts < 1 || c.Attempts > maxAttempts {
		return nil, fmt.Errorf("attempts is %d; want 1 to %d", c.Attempts, maxAttempts)
	}
	task, err := model.NewTask[Input, Draft](taskRevise)
	if err != nil {
		return nil, err
	}
	return &revise{c, task}, nil
}

// Spec implements pipeline.Stage.
func (s *revise) Spec() pipeline.Spec {
	ask := s.task.For(roleAuthor)
	ask.Otherwise = "set on_fail to drop or keep at the gates that have revise"
	return pipeline.Spec{
		Accepts: []string{schemas.NameFlagged}, Emits: []string{schemas.NameQuestion},
		Resource: pipeline.Model, Asks: []pipeline.Ask{ask},
	}
}

// Map implements pipeline.Map. A question that cannot be rewritten is rejected
// under its own id.
func (s *revise) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	f, err := pipeline.Decode[schemas.Flagged](in)
	if err != nil {
		return nil, err
	}
	next, err := s.rewrite(ctx, scope, f)
	var lost *pipeline.Rejection
	if errors.As(err, &lost) && ctx.Err() == nil {
		scope.Reject(f.Item, lost)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r, err := pipeline.NewRecord(schemas.NameQuestion, next.QuestionID, next, in.Blobs...)
	if err != nil {
		return nil, err
	}
	return []pipeline.Record{r}, nil
}

func (s *revise) rewrite(ctx context.Context, scope *pipeline.Scope, f schemas.Flagged) (schemas.Question, error) {
	old, err := pipeline.Decode[schemas.Question](pipeline.Record{ID: f.Item, Schema: f.Schema, Data: f.Record})
	if err != nil {
		return old, err
	}
	switch {
	case slices.Contains(s.cfg.Skip, old.Type):
		return old, pipeline.Reject("not-revisable", "questions of type %s are not rewritten; let the gate drop them, or take the type off revise.with.skip", old.Type)
	case len(old.Options) > 0 && old.QuestionMCQ != form(old.Question, old.Options):
		return old, pipeline.Reject("not-revisable", "its question_mcq is not the question followed by a line \"KEY. TEXT\" for each option, so it cannot be written anew")
	}
	in := inputOf(old, f, slices.Contains(s.cfg.FixedOptions, old.Type))
	for sample := range s.cfg.Attempts {
		a, err := s.task.Ask(ctx, scope, roleAuthor, in, 0)
		if err != nil {
			return old, fmt.Errorf("rewrite %s, attempt %d: %w", f.Item, sample+1, err)
		}
		if why := strings.TrimSpace(a.Value.Cannot); why != "" {
			return old, pipeline.Reject("not-mended", "%s sees no way to mend it: %s", a.Model, why)
		}
		reasons := check(old, in, a.Value)
		if len(reasons) == 0 {
			return nextOf(old, f, in, a.Value, a.Model)
		}
		in.Refused = append(in.Refused, Refusal{Answer: a.Value, Reasons: reasons})
	}
	last := in.Refused[len(in.Refused)-1]
	return old, pipeline.Reject("bad-revision", "no rewrite of %d can be used; the last: %s", s.cfg.Attempts, strings.Join(last.Reasons, "; "))
}

// nextOf is the question of the next round. Its gold keeps key and role.
func nextOf(old schemas.Question, f schemas.Flagged, in Input, d Draft, by string) (schemas.Question, error) {
	first, round, err := lineage(old)
	if err != nil {
		return old, err
	}
	q := old
	q.Labels = map[string]string{}
	for k, v := range old.Labels {
		q.Labels[k] = v
	}
	q.QuestionID = fmt.Sprintf("%s-r%d", first, round)
	q.Labels[schemas.LabelRevision], q.Labels[schemas.LabelRevisedFrom] = strconv.Itoa(round), first
	q.Labels[schemas.LabelAuthor] = by
	q.Revisions = append(slices.Clone(old.Revisions), schemas.Revision{
		Item: f.Item, Question: old.Question, Gate: f.Gate, Code: f.Code, Reason: f.Reason, Model: by,
	})
	q.Question = strings.TrimSpace(d.Question)
	q.Explanation = strings.TrimSpace(d.Explanation)
	if len(old.Options) == 0 {
		if q.QuestionMCQ = ""; old.QuestionMCQ != "" {
			q.QuestionMCQ = q.Question
		}
		return q, nil
	}
	q.Options = slices.Clone(old.Options)
	for _, o := range d.Options {
		q.Options[in.places[o.Option-1]].Text = strings.TrimSpace(o.Text)
	}
	for _, o := range q.Options {
		if o.Key == q.AnswerKey {
			q.AnswerText = o.Text
		}
	}
	q.QuestionMCQ = form(q.Question, q.Options)
	return q, nil
}

// lineage tells what a question was rewritten from, and the round of its next
// form.
func lineage(q schemas.Question) (first string, round int, err error) {
	first = q.Labels[schemas.LabelRevisedFrom]
	if first == "" {
		return q.QuestionID, 1, nil
	}
	last, err := strconv.Atoi(q.Labels[schemas.LabelRevision])
	if err != nil || last < 1 {
		return "", 0, pipeline.Reject("bad-lineage", "its label %s is %q; want the number of a round", schemas.LabelRevision, q.Labels[schemas.LabelRevision])
	}
	return first, last + 1, nil
}

// form is how a solver sees a question with options.
func form(question string, options []schemas.Option) string {
	var b strings.Builder
	b.WriteString(question)
	for _, o := range options {
		b.WriteString("\n" + o.Key + ". " + o.Text)
	}
	return b.String()
}
