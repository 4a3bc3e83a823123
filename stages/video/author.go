package video

import (
	"cmp"
	"context"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/author"
	"github.com/memforge/memforge/stages/video/question"
	"github.com/memforge/memforge/stages/video/timeline"
)

// AuthorConfig configures video.author.
type AuthorConfig struct {
	Types              []string `json:"types" doc:"question types to write; empty means all that fit the layout"`
	QuestionsPerTarget int      `json:"questions_per_target" doc:"questions of a type about each video of a pair, per composed video"`
	MinSeparability    float64  `json:"min_separability" doc:"least separability (video.separability) of a pair, 0 to 1, for questions in which video something happens; pairs below it are asked the other types"`
	Attempts           int      `json:"attempts" doc:"how often a question or name is asked for, with the reasons against the earlier answers, before it is given up"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *AuthorConfig) SetDefaults() {
	*c = AuthorConfig{Types: []string{}, QuestionsPerTarget: 1, Attempts: 2}
}

// authorStage has an author write questions from the descriptions of two composed
// videos, for videos without ground truth (M3Eval C.1.3). What it asks says
// nothing of order, swaps or repetition, so every composition of a pair in one
// layout asks the same requests and gets the same questions, with the same
// options in the same places. Where something happens depends on the composition:
// of such questions they share the events of sections that they both ask about.
type authorStage struct {
	cfg       AuthorConfig
	nameJob   *model.Job[author.NameInput, author.Name]
	draftJobs map[string]*model.Job[author.Input, author.Draft]
	// eventJob is asked for the types that ask where something happens.
	eventJob *model.Job[author.EventInput, author.Event]
}

func authorTypes() []string { return allTypes(author.Types) }

func newAuthor(c AuthorConfig) (pipeline.Stage, error) {
	known := authorTypes()
	if err := cmp.Or(pipeline.CheckRange("questions_per_target", c.QuestionsPerTarget, 1, maxQuestions),
		checkMinSeparability(c.MinSeparability), checkAttempts(c.Attempts), checkTypes(c.Types, known)); err != nil {
		return nil, err
	}
	s := &authorStage{cfg: c, draftJobs: map[string]*model.Job[author.Input, author.Draft]{}}
	var err error
	if s.nameJob, err = model.NewJob[author.NameInput, author.Name](author.NameJob); err != nil {
		return nil, err
	}
	if s.eventJob, err = model.NewJob[author.EventInput, author.Event](author.EventJob); err != nil {
		return nil, err
	}
	for _, t := range known {
		if author.JobName(t) == "" || !s.wantsType(t) {
			continue
		}
		if s.draftJobs[t], err = model.NewJob[author.Input, author.Draft](author.JobName(t)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *authorStage) wantsType(typ string) bool {
	return len(s.cfg.Types) == 0 || slices.Contains(s.cfg.Types, typ)
}

func (s *authorStage) typesOf(layout string) []string {
	return slices.DeleteFunc(author.Types(layout), func(t string) bool { return !s.wantsType(t) })
}

func (s *authorStage) Spec() pipeline.Spec {
	asks := []pipeline.Ask{s.nameJob.For(roleAuthor)}
	events := false
	for _, t := range authorTypes() {
		if task, ok := s.draftJobs[t]; ok {
			asks = append(asks, task.For(roleAuthor))
		}
		_, grounds := question.GroundingFor(t)
		events = events || grounds && s.wantsType(t)
	}
	if events {
		asks = append(asks, s.eventJob.For(roleAuthor))
	}
	return pipeline.Spec{
		Accepts: []string{schemas.NameComposition}, Emits: []string{schemas.NameQuestion}, Resource: pipeline.Model, Asks: asks,
		Types: slices.DeleteFunc(authorTypes(), func(t string) bool { return !s.wantsType(t) }),
	}
}

func (s *authorStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	c, err := pipeline.Decode[schemas.Composition](in)
	if err != nil {
		return nil, err
	}
	if why := checkSameFormat(c.Pair.A, c.Pair.B); why != nil {
		return nil, why
	}
	a, b, err := timeline.Trace(c)
	if err != nil {
		return nil, pipeline.Reject("bad-recipe", "%v", err)
	}
	w := &questionWriter{stage: s, scope: scope, id: in.ID, composition: c, lines: map[question.Side]timeline.Line{question.A: a, question.B: b}}
	var why *pipeline.Rejection
	if w.types, why = selectTypes(author.Types(c.Media.Recipe.Layout), s.cfg.Types, c, s.cfg.MinSeparability); why != nil {
		return nil, why
	}
	if err := w.prepareStories(ctx); err != nil {
		return nil, err
	}
	if err := w.writeAll(ctx); err != nil {
		return nil, err
	}
	if len(w.questions) == 0 {
		return nil, w.rejectComposition()
	}
	for _, r := range w.rejected {
		scope.Reject(r.ID, r)
	}
	return questionRecords(w.questions)
}
