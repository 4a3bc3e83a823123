package kitchen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// AskConfig is what pipeline.yaml says of the stage.
type AskConfig struct {
	Split string `yaml:"split" json:"split" doc:"split of the release that the questions go to"`
}

// SetDefaults makes test questions.
func (c *AskConfig) SetDefaults() { c.Split = "test" }

type ask struct{ cfg AskConfig }

func newAsk(c AskConfig) (pipeline.Stage, error) {
	if c.Split == "" {
		return nil, errors.New("split must not be empty")
	}
	return ask{c}, nil
}

// lastPlace is the type of its questions.
const lastPlace = "last_place"

// Spec declares tasks and questions.
func (ask) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{Schema}, Emits: []string{schemas.NameTask, schemas.NameQuestion, ClueSchema}, Types: []string{lastPlace}}
}

// Map gives one task, and a question with its clue for every thing.
func (s ask) Map(_ context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	w, err := pipeline.Decode[World](in)
	if err != nil {
		return nil, err
	}
	task, err := pipeline.NewRecord(schemas.NameTask, in.ID, schemas.Task{
		TaskID: in.ID, Family: "kitchen", Domain: "kitchen", Scenario: story(w),
		Summary: fmt.Sprintf("%d moves", len(w.Moves)), SourceRecords: []string{in.ID},
	})
	if err != nil {
		return nil, err
	}
	out := []pipeline.Record{task}
	for _, thing := range things {
		q := s.question(scope, in.ID, w, thing)
		r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
		if err != nil {
			return nil, err
		}
		now, before := w.Last(thing)
		c, err := pipeline.NewRecord(ClueSchema, q.QuestionID+"-clue", Clue{q.QuestionID, thing, append(before, now)})
		if err != nil {
			return nil, err
		}
		out = append(out, r, c)
	}
	return out, nil
}

func story(w World) string {
	lines := make([]string, len(w.Moves))
	for i, m := range w.Moves {
		lines[i] = fmt.Sprintf("The %s is put on the %s.", m.Thing, m.Place)
	}
	return strings.Join(lines, " ")
}

// question offers the right place, a place where the thing was before (an
// intrusion, if there is one) and places where it never was.
func (s ask) question(scope *pipeline.Scope, task string, w World, thing string) schemas.Question {
	now, before := w.Last(thing)
	rnd := scope.Rand(task, thing)
	options := []schemas.Option{{Text: now, Role: schemas.RoleCorrect}}
	add := func(place, role string) {
		known := slices.ContainsFunc(options, func(o schemas.Option) bool { return o.Text == place })
		if len(options) < 4 && !known {
			options = append(options, schemas.Option{Text: place, Role: role})
		}
	}
	if len(before) > 0 {
		add(before[len(before)-1], schemas.RoleIntrusion)
	}
	for _, i := range rnd.Perm(len(places)) {
		if !slices.Contains(before, places[i]) {
			add(places[i], schemas.RoleUnrelated)
		}
	}
	rnd.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
	q := schemas.Question{
		QuestionID: task + "-" + thing, Family: "kitchen", TaskID: task, Type: lastPlace, Split: s.cfg.Split,
		Question: fmt.Sprintf("Where is the %s in the end?", thing), AnswerText: now, Options: options,
		Labels: map[string]string{"thing": thing, "moved": fmt.Sprint(len(before))},
	}
	q.QuestionMCQ = q.Question
	for i := range options {
		options[i].Key = string(rune('A' + i))
		q.QuestionMCQ += fmt.Sprintf("\n%s. %s", options[i].Key, options[i].Text)
		if options[i].Text == now {
			q.AnswerKey = options[i].Key
		}
	}
	return q
}
