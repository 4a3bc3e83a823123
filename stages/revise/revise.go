// Package revise rewrites items that gates flag, instead of dropping them.
// question.revise has a model rewrite a flagged question; the plan puts it into
// the loop of gates that have on_fail: revise.
package revise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

const (
	jobRevise  = "question.revise"
	roleAuthor = "author"
)

// maxAttempts bounds attempts, maxToldChars told_chars.
const (
	maxAttempts  = 5
	maxToldChars = 1_000_000
)

// Config configures question.revise.
type Config struct {
	Attempts     int      `json:"attempts" doc:"how often a rewrite is asked for in one round, with the reasons against the earlier answers, before the question is given up"`
	FixedOptions []string `json:"fixed_options" doc:"question types whose options are always the same, so that only the question is rewritten"`
	ToldChars    int      `json:"told_chars" doc:"most characters of what the question was written from (descriptions of sections) that the author reads; what the question does not rest on is left out first"`
	Skip         []string `json:"skip" doc:"question types that are never rewritten: what is flagged is lost"`
}

// SetDefaults implements pipeline.Defaulter. What is fixed and what is skipped is
// as question types are declared.
func (c *Config) SetDefaults() { c.Attempts, c.ToldChars = 2, 60_000 }

// reviseStage rewrites one flagged question and its copies. Its output are the
// questions of the next round: other ids, the same task, media, evidence, keys
// and roles, and the same new words for all copies.
type reviseStage struct {
	cfg Config
	job *model.Job[Input, Draft]
}

func newRevise(c Config) (pipeline.Stage, error) {
	if err := cmp.Or(pipeline.CheckRange("attempts", c.Attempts, 1, maxAttempts), pipeline.CheckRange("told_chars", c.ToldChars, 0, maxToldChars)); err != nil {
		return nil, err
	}
	task, err := model.NewJob[Input, Draft](jobRevise)
	if err != nil {
		return nil, err
	}
	return &reviseStage{c, task}, nil
}

// Spec implements pipeline.Stage.
func (s *reviseStage) Spec() pipeline.Spec {
	ask := s.job.For(roleAuthor)
	ask.Otherwise = "set on_fail to drop or keep at the gates that have revise"
	return pipeline.Spec{
		Accepts: []string{schemas.NameFlagged}, Emits: []string{schemas.NameQuestion},
		Resource: pipeline.Model, Asks: []pipeline.Ask{ask}, ChecksQuestions: true,
	}
}

// Map implements pipeline.Map. A question that cannot be rewritten is rejected
// under its own id, and so are its copies.
func (s *reviseStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	f, err := pipeline.Decode[schemas.Flagged](in)
	if err != nil {
		return nil, err
	}
	next, err := s.rewrite(ctx, scope, f)
	var lost *pipeline.Rejection
	if errors.As(err, &lost) && ctx.Err() == nil {
		rejectAll(scope, f, lost)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := make([]pipeline.Record, len(next))
	for i, q := range next {
		if out[i], err = pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q, in.Blobs...); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// rejectAll rejects a question. Its copies count as flagged, because one record
// was lost with them.
func rejectAll(scope *pipeline.Scope, f schemas.Flagged, why *pipeline.Rejection) {
	scope.Reject(f.Item, why)
	for _, c := range f.Copies {
		with := *why
		with.Flagged, with.Reason = true, "with its copy "+f.Item+": "+why.Reason
		scope.Reject(c.Item, &with)
	}
}

func decodeQuestion(f schemas.Flagged) (schemas.Question, error) {
	return pipeline.Decode[schemas.Question](pipeline.Record{ID: f.Item, Schema: f.Schema, Data: f.Record})
}

func (s *reviseStage) rewrite(ctx context.Context, scope *pipeline.Scope, f schemas.Flagged) ([]schemas.Question, error) {
	old, err := decodeQuestion(f)
	if err != nil {
		return nil, err
	}
	_, stemmed := old.Stem()
	switch {
	case slices.Contains(s.cfg.Skip, old.Type):
		return nil, pipeline.Reject("not-revisable", "questions of type %s are not rewritten; let the gate drop them, or take the type off revise.with.skip", old.Type)
	case len(old.Options) > 0 && !stemmed:
		return nil, pipeline.Reject("not-revisable", "its question_mcq is not a question followed by a line \"KEY. TEXT\" for each option, so it cannot be written anew")
	}
	basis, err := basisOf(ctx, scope, old)
	if err != nil {
		return nil, err
	}
	in := inputOf(old, f, slices.Contains(s.cfg.FixedOptions, old.Type))
	in.addBasis(basis, s.cfg.ToldChars)
	for sample := range s.cfg.Attempts {
		a, err := s.job.Ask(ctx, scope, roleAuthor, in, 0)
		if err != nil {
			return nil, fmt.Errorf("rewrite %s, attempt %d: %w", f.Item, sample+1, err)
		}
		if why := strings.TrimSpace(a.Value.Cannot); why != "" {
			return nil, pipeline.Reject("not-mended", "%s sees no way to mend it: %s", a.Model, why)
		}
		reasons := checkDraft(old, in, a.Value)
		if len(reasons) == 0 {
			reasons = scope.CheckQuestion(old, applyDraft(old, in, a.Value), basis)
		}
		if len(reasons) == 0 {
			return nextQuestions(f, in, a.Value, a.Model)
		}
		in.Refused = append(in.Refused, Refusal{Answer: a.Value, Reasons: reasons})
	}
	last := in.Refused[len(in.Refused)-1]
	return nil, pipeline.Reject("bad-revision", "no rewrite of %d can be used; the last: %s", s.cfg.Attempts, strings.Join(last.Reasons, "; "))
}

// nextQuestions returns the questions of the next round, the flagged one first.
func nextQuestions(f schemas.Flagged, in Input, d Draft, by string) ([]schemas.Question, error) {
	var out []schemas.Question
	for i, m := range append([]schemas.Flagged{f}, f.Copies...) {
		old, err := decodeQuestion(m)
		if err != nil {
			return nil, err
		}
		if i > 0 && m.Gate == "" {
			m.Gate, m.Code, m.Reason = f.Gate, f.Code, pipeline.CopyReason(f.Item, f.Reason)
		}
		q, err := nextRound(old, m, by)
		if err != nil {
			return nil, err
		}
		out = append(out, applyDraft(q, in, d))
	}
	return out, nil
}

// nextRound returns a question under the id and with the labels of its next
// round.
func nextRound(old schemas.Question, f schemas.Flagged, by string) (schemas.Question, error) {
	first, round, err := lineage(old)
	if err != nil {
		return old, err
	}
	q := old
	q.Labels = map[string]string{}
	maps.Copy(q.Labels, old.Labels)
	q.QuestionID = fmt.Sprintf("%s-r%d", first, round)
	q.Labels[schemas.LabelRevision], q.Labels[schemas.LabelRevisedFrom] = strconv.Itoa(round), first
	q.Labels[schemas.LabelAuthor] = by
	q.Revisions = append(slices.Clone(old.Revisions), schemas.Revision{
		Item: f.Item, Question: old.Question, Gate: f.Gate, Code: f.Code, Reason: f.Reason, Model: by,
	})
	return q, nil
}

// applyDraft returns a question in the words of a draft. Its gold keeps key and
// role.
func applyDraft(q schemas.Question, in Input, d Draft) schemas.Question {
	asked := q.QuestionMCQ != ""
	q.Question = strings.TrimSpace(d.Question)
	q.Explanation = strings.TrimSpace(d.Explanation)
	if len(q.Options) == 0 {
		if q.QuestionMCQ = ""; asked {
			q.QuestionMCQ = q.Question
		}
		return q
	}
	q.Options = slices.Clone(q.Options)
	for _, o := range d.Options {
		q.Options[in.places[o.Option-1]].Text = strings.TrimSpace(o.Text)
	}
	for _, o := range q.Options {
		if o.Key == q.AnswerKey {
			q.AnswerText = o.Text
		}
	}
	stem := q.Question
	if in.Choice != "" {
		stem = strings.TrimSpace(d.Choice)
	}
	q.QuestionMCQ = schemas.MCQ(stem, q.Options)
	return q
}

// lineage returns what a question was rewritten from, and the round of its next
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

// Register adds the stages. There is no built-in rule for question.revise: what
// would mend a question depends on its evidence, and a rule that only changes
// words would hide a defect instead of mending it.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "question.flags", "1", "take what gates flagged out of what they give", newFlags)
	pipeline.AddStage(r, "question.gather", "1", "hand questions with the same words on together to be rewritten when a gate flagged one of them", newGather)
	pipeline.AddStage(r, "unit.gather", "1", "hand the records of a unit, such as a task, on together to be rewritten when a gate flagged one of them", newUnit)
	pipeline.AddStage(r, "question.revise", "4", "have an author rewrite a question that a gate flagged, with its copies", newRevise, func(c *Config) {
		c.FixedOptions = r.TypesWhere(func(t pipeline.QuestionType) bool { return t.Fixed })
		c.Skip = r.TypesWhere(func(t pipeline.QuestionType) bool { return t.Frozen })
	})
}

// Tokens of what is told and answered: the question with four options and its
// explanation, eight pieces of evidence of a sentence or two, and what two
// gates found, each at three words to four tokens with the keys around it.
const (
	questionTokens = 300
	evidenceTokens = 8 * 60
	findingTokens  = 2 * 60
	draftTokens    = 300
	// toldTokens is what a question was written from: two videos of ten sections,
	// described under six keys.
	toldTokens = 20 * 290
)

// againShare is how many more requests are put because a rewrite cannot be
// used, for want of a measurement with a model that understands.
const againShare = 0.25

// Forecast implements pipeline.Forecaster: every flagged question is rewritten.
func (s *reviseStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	n, calls := in[schemas.NameFlagged].Records, in[schemas.NameFlagged].Records
	if s.cfg.Attempts > 1 {
		calls *= 1 + againShare
	}
	return pipeline.Forecast{
		Out:       pipeline.Volume{schemas.NameQuestion: {Records: n}},
		Calls:     calls,
		TokensIn:  calls * (s.job.PromptTokens() + questionTokens + evidenceTokens + findingTokens + min(toldTokens, model.TextTokens(float64(s.cfg.ToldChars)))),
		TokensOut: calls * draftTokens,
	}
}
