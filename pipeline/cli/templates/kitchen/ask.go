package kitchen

import (
	"context"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

type ask struct{}

func newAsk(struct{}) (pipeline.Stage, error) { return ask{}, nil }

// Spec declares tasks, their sessions, questions and clues.
func (ask) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{DaySchema}, Emits: []string{schemas.NameTask, schemas.NameSession, schemas.NameQuestion, ClueSchema}, Types: []string{LastPlace}}
}

// Map gives one task with its session, a turn a move, and a question with its clue for every thing. It must depend on
// nothing but the record and scope.Rand: its results are kept and used again.
func (ask) Map(_ context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	day, err := pipeline.Decode[Day](in)
	if err != nil {
		return nil, err
	}
	session := schemas.Session{SessionID: schemas.SessionIDOf(in.ID, 1), TaskID: in.ID, Kind: schemas.KindDialogue, Participants: []string{"cook"}}
	var things []string
	for i, m := range day.Moves {
		session.Turns = append(session.Turns, schemas.Turn{
			TurnID: schemas.TurnIDOf(session.SessionID, i+1), SessionID: session.SessionID, Order: int32(i + 1), Role: schemas.TurnUser,
			Text: fmt.Sprintf("The %s is put on the %s.", m.Thing, m.Place),
		})
		if !slices.Contains(things, m.Thing) {
			things = append(things, m.Thing)
		}
	}
	var out pipeline.RecordBuilder
	out.Add(schemas.NameTask, in.ID, schemas.Task{TaskID: in.ID, Family: "kitchen", Domain: "kitchen", SourceRecords: []string{in.ID}})
	out.Add(schemas.NameSession, session.SessionID, session)
	for _, thing := range things {
		q, clue, why := question(scope, thing, day, session)
		if why != nil {
			return nil, why
		}
		out.Add(schemas.NameQuestion, q.QuestionID, q)
		out.Add(ClueSchema, q.QuestionID+"-clue", clue)
	}
	return out.Records()
}

// question offers the last place of a thing, the one before (an intrusion), and
// two places where it never was. The last move overrides those before.
func question(scope *pipeline.Scope, thing string, day Day, session schemas.Session) (q schemas.Question, clue Clue, why *pipeline.Rejection) {
	q = schemas.Question{
		QuestionID: session.TaskID + "-" + thing, Family: "kitchen", TaskID: session.TaskID, Type: LastPlace, Split: "test",
		Question: fmt.Sprintf("Where is the %s in the end?", thing),
	}
	var put []string
	for i, m := range day.Moves {
		if m.Thing == thing {
			put = append(put, m.Place)
			q.Evidence = append(q.Evidence, schemas.Evidence{
				Kind: schemas.EvidenceTurn, Ref: session.Turns[i].TurnID, SessionID: session.SessionID,
				Role: schemas.RoleSuperseded, Order: int32(len(put)), Text: schemas.QuoteTurns("", session.Turns[i]),
			})
		}
	}
	q.Evidence[len(put)-1].Role = schemas.RoleUpdate
	q.Labels = map[string]string{"moved": fmt.Sprint(len(put))}
	last, before := put[len(put)-1], ""
	for _, place := range put {
		if place != last {
			before = place
		}
	}
	rnd := scope.Rand(session.TaskID, thing)
	options := []schemas.Option{{Text: last, Role: schemas.RoleCorrect}, {Text: before, Role: schemas.RoleIntrusion}}
	for _, i := range rnd.Perm(len(day.Places)) {
		if len(options) < 4 && !slices.Contains(put, day.Places[i]) {
			options = append(options, schemas.Option{Text: day.Places[i], Role: schemas.RoleUnrelated})
		}
	}
	if before == "" || len(options) < 4 {
		return q, clue, pipeline.Reject("too-few-places", "%s has %d places, and the file %d: a question takes two of its own and two others", thing, len(put), len(day.Places))
	}
	rnd.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
	q.SetOptions(options...)
	return q, Clue{q.QuestionID, thing, put}, nil
}
