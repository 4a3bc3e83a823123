package kitchen

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

type ask struct{}

func newAsk(struct{}) (pipeline.Stage, error) { return ask{}, nil }

// Spec declares tasks, questions and clues.
func (ask) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{Schema}, Emits: []string{schemas.NameTask, schemas.NameQuestion, ClueSchema}, Types: []string{LastPlace}}
}

// Map gives one task, and a question with its clue for every thing.
func (ask) Map(_ context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	w, err := pipeline.Decode[World](in)
	if err != nil {
		return nil, err
	}
	var story []string
	put := map[string][]string{}
	for _, m := range w.Moves {
		story, put[m.Thing] = append(story, sentence(m)), append(put[m.Thing], m.Place)
	}
	var out pipeline.RecordBuilder
	out.Add(schemas.NameTask, in.ID, schemas.Task{
		TaskID: in.ID, Family: "kitchen", Domain: "kitchen", Scenario: strings.Join(story, " "), SourceRecords: []string{in.ID},
	})
	for _, thing := range things {
		q := question(scope, in.ID, thing, put[thing])
		out.Add(schemas.NameQuestion, q.QuestionID, q)
		out.Add(ClueSchema, q.QuestionID+"-clue", Clue{q.QuestionID, thing, put[thing]})
	}
	return out.Records()
}

func sentence(m Move) string { return fmt.Sprintf("The %s is put on the %s.", m.Thing, m.Place) }

// question offers the last place of a thing, the one before (an intrusion), and
// places where it never was. The last move overrides those before.
func question(scope *pipeline.Scope, task, thing string, put []string) schemas.Question {
	q := schemas.Question{
		QuestionID: task + "-" + thing, Family: "kitchen", TaskID: task, Type: LastPlace, Split: "test",
		Question: fmt.Sprintf("Where is the %s in the end?", thing), Labels: map[string]string{"moved": fmt.Sprint(len(put))},
	}
	for i, place := range put {
		e := schemas.Evidence{Kind: schemas.ModalityText, Ref: task, Role: schemas.RoleSuperseded, Order: int32(i + 1), Text: sentence(Move{thing, place})}
		if i == len(put)-1 {
			e.Role = schemas.RoleUpdate
		}
		q.Evidence = append(q.Evidence, e)
	}
	rnd := scope.Rand(task, thing)
	options := []schemas.Option{{Text: put[len(put)-1], Role: schemas.RoleCorrect}, {Text: put[len(put)-2], Role: schemas.RoleIntrusion}}
	for _, i := range rnd.Perm(len(places)) {
		if len(options) < 4 && !slices.Contains(put, places[i]) {
			options = append(options, schemas.Option{Text: places[i], Role: schemas.RoleUnrelated})
		}
	}
	rnd.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
	q.SetOptions(options...)
	return q
}
