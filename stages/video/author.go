package video

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/author"
	ask "github.com/memforge/memforge/stages/video/question"
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

// authoring has an author write questions from the descriptions of two composed
// videos, for videos without ground truth (M3Eval C.1.3). What it asks says
// nothing of order, swaps or repetition, so every composition of a pair in one
// layout asks the same requests and gets the same questions, with the same
// options in the same places. Where something happens depends on the composition:
// of such questions they share the events of sections that they both ask about.
type authoring struct {
	cfg   AuthorConfig
	name  *model.Task[author.NameInput, author.Name]
	tasks map[string]*model.Task[author.Input, author.Draft]
	// event is asked for the types that ask where something happens.
	event *model.Task[author.EventInput, author.Event]
}

// authored are the layouts that questions can be written for.
func authored() []string {
	return []string{schemas.LayoutConcat, schemas.LayoutSplit, schemas.LayoutInterleaved}
}

// authorTypes lists every question type that can be written.
func authorTypes() []string {
	var out []string
	for _, l := range authored() {
		out = append(out, author.Types(l)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func newAuthor(c AuthorConfig) (pipeline.Stage, error) {
	if err := pipeline.Between("questions_per_target", c.QuestionsPerTarget, 1, maxQuestions); err != nil {
		return nil, err
	}
	if err := checkFloor(c.MinSeparability); err != nil {
		return nil, err
	}
	if err := checkAttempts(c.Attempts); err != nil {
		return nil, err
	}
	known := authorTypes()
	for _, t := range c.Types {
		if !slices.Contains(known, t) {
			return nil, fmt.Errorf("types holds %q; want some of %s", t, strings.Join(known, ", "))
		}
	}
	s := &authoring{cfg: c, tasks: map[string]*model.Task[author.Input, author.Draft]{}}
	var err error
	if s.name, err = model.NewTask[author.NameInput, author.Name](author.NameTask); err != nil {
		return nil, err
	}
	if s.event, err = model.NewTask[author.EventInput, author.Event](author.EventTask); err != nil {
		return nil, err
	}
	for _, t := range known {
		if author.Task(t) == "" || !s.writes(t) {
			continue
		}
		if s.tasks[t], err = model.NewTask[author.Input, author.Draft](author.Task(t)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// writes reports whether questions of a type are asked for.
func (s *authoring) writes(typ string) bool {
	return len(s.cfg.Types) == 0 || slices.Contains(s.cfg.Types, typ)
}

// types are those that are written over a layout.
func (s *authoring) types(layout string) []string {
	return slices.DeleteFunc(author.Types(layout), func(t string) bool { return !s.writes(t) })
}

func (s *authoring) Spec() pipeline.Spec {
	asks := []pipeline.Ask{s.name.For(roleAuthor)}
	events := false
	for _, t := range authorTypes() {
		if task, ok := s.tasks[t]; ok {
			asks = append(asks, task.For(roleAuthor))
		}
		_, grounds := ask.GroundingOf(t)
		events = events || grounds && s.writes(t)
	}
	if events {
		asks = append(asks, s.event.For(roleAuthor))
	}
	return pipeline.Spec{
		Accepts: []string{schemas.NameComposition}, Emits: []string{schemas.NameQuestion}, Resource: pipeline.Model, Asks: asks,
		Types: slices.DeleteFunc(authorTypes(), func(t string) bool { return !s.writes(t) }),
	}
}

func (s *authoring) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	c, err := pipeline.Decode[schemas.Composition](in)
	if err != nil {
		return nil, err
	}
	if why := sameShape(c.Pair.A, c.Pair.B); why != nil {
		return nil, why
	}
	a, b, err := timeline.Of(c)
	if err != nil {
		return nil, pipeline.Reject("bad-recipe", "%v", err)
	}
	w := &writing{stage: s, scope: scope, id: in.ID, composition: c, lines: map[ask.Side]timeline.Line{ask.A: a, ask.B: b}}
	if why := w.types(); why != nil {
		return nil, why
	}
	if err := w.tell(ctx); err != nil {
		return nil, err
	}
	if err := w.all(ctx); err != nil {
		return nil, err
	}
	if len(w.questions) == 0 {
		return nil, w.nothing()
	}
	for _, r := range w.lost {
		scope.Reject(r.ID, r)
	}
	return questionRecords(w.questions)
}
