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
	return pipeline.Spec{Accepts: []string{DaySchema}, Emits: []string{schemas.NameTask, schemas.NameQuestion, ClueSchema}, Types: []string{LastPlace}}
}

// Map gives one task, and a question with its clue for every thing. It must depend on
// nothing but the record and scope.Rand: its results are kept and used again.
func (ask) Map(_ context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	day, err := pipeline.Decode[Day](in)
	if err != nil {
		return nil, err
	}
	var story, things []string
	put := map[string][]string{}
	for _, m := range day.Moves {
		if put[m.Thing] == nil {
			things = append(things, m.Thing)
		}
		story, put[m.Thing] = append(story, sentence(m)), append(put[m.Thing], m.Place)
	}
	var out pipeline.RecordBuilder
	out.Add(schemas.NameTask, in.ID, schemas.Task{
		TaskID: in.ID, Family: "kitchen", Domain: "kitchen", Scenario: strings.Join(story, " "), SourceRecords: []string{in.ID},
	})
	for _, thing := range things {
		q, why := question(scope, in.ID, thing, put[thing], day.Places)
		if why != nil {
			return nil, why
		}
		out.Add(schemas.NameQuestion, q.QuestionID, q)
		out.Add(ClueSchema, q.QuestionID+"-clue", Clue{q.QuestionID, thing, put[thing]})
	}
	return out.Records()
}

func sentence(m Move) string { return fmt.Sprintf("The %s is put on the %s.", m.Thing, m.Place) }

// question offers the last place of a thing, the one before (an intrusion), and
// two places where it never was. The last move overrides those before.
func question(scope *pipeline.Scope, task, thing string, put, places []string) (q schemas.Question, why *pipeline.Rejection) {
	q = schemas.Question{
		QuestionID: task + "-" + thing, Family: "kitchen", TaskID: task, Type: LastPlace, Split: "test",
		Question: fmt.Sprintf("Where is the %s in the end?", thing), Labels: map[string]string{"moved": fmt.Sprint(len(put))},
	}
	last, before := put[len(put)-1], ""
	for i, place := range put {
		e := schemas.Evidence{Kind: schemas.ModalityText, Ref: task, Role: schemas.RoleSuperseded, Order: int32(i + 1), Text: sentence(Move{thing, place})}
		if i == len(put)-1 {
			e.Role = schemas.RoleUpdate
		} else if place != last {
			before = place
		}
		q.Evidence = append(q.Evidence, e)
	}
	rnd := scope.Rand(task, thing)
	options := []schemas.Option{{Text: last, Role: schemas.RoleCorrect}, {Text: before, Role: schemas.RoleIntrusion}}
	for _, i := range rnd.Perm(len(places)) {
		if len(options) < 4 && !slices.Contains(put, places[i]) {
			options = append(options, schemas.Option{Text: places[i], Role: schemas.RoleUnrelated})
		}
	}
	if before == "" || len(options) < 4 {
		return q, pipeline.Reject("too-few-places", "%s has %d places, and the file %d: a question takes two of its own and two others", thing, len(put), len(places))
	}
	rnd.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
	q.SetOptions(options...)
	return q, nil
}
