package kitchen

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// unpinned: when the domain is yours, take it out and set the Golden that the suite then
// asks for. It notices results that change under one version.
const unpinned = "the domain is a template"

func TestStageConforms(t *testing.T) {
	testkit.ConformStage(t, testkit.Subject{
		Register: Register, Use: "kitchen.ask", Unpinned: unpinned,
		Inputs: []pipeline.Record{dayOf(t, moves()...)},
		Types:  map[string]func(pipeline.Record) error{ClueSchema: testkit.DecodesTo[Clue]},
	})
}

// moves are those of a day: the cup comes back to where it was.
func moves() []Move {
	return []Move{{"cup", "shelf"}, {"cup", "table"}, {"cup", "shelf"}, {"bowl", "sink"}, {"bowl", "oven"}}
}

// dayOf returns the record of a day.
func dayOf(t *testing.T, moves ...Move) pipeline.Record {
	t.Helper()
	day := Day{Moves: moves}
	for _, m := range moves {
		day.Places = append(day.Places, m.Place)
	}
	slices.Sort(day.Places)
	day.Places = slices.Compact(day.Places)
	r, err := pipeline.NewRecord(DaySchema, "may-01", day)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// questionsOf returns the records of the questions about a day.
func questionsOf(t *testing.T, day pipeline.Record) []pipeline.Record {
	t.Helper()
	out, err := ask{}.Map(t.Context(), &pipeline.Scope{}, day)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(out, func(r pipeline.Record) bool { return r.Schema != schemas.NameQuestion })
}

// TestGoldIsTheLastPlace derives the answer from the moves once more.
func TestGoldIsTheLastPlace(t *testing.T) {
	last := map[string]string{}
	for _, m := range moves() {
		last["may-01-"+m.Thing] = m.Place
	}
	asked := questionsOf(t, dayOf(t, moves()...))
	if len(asked) != 2 {
		t.Errorf("%d questions, want 2", len(asked))
	}
	for _, r := range asked {
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			t.Fatal(err)
		}
		if q.AnswerText != last[q.QuestionID] || len(q.Options) != 4 {
			t.Errorf("%s: answer %q of %d options, want %q of 4", q.QuestionID, q.AnswerText, len(q.Options), last[q.QuestionID])
		}
	}
}

func TestTooFewPlacesAreRejected(t *testing.T) {
	for _, few := range [][]Move{{{"cup", "shelf"}}, {{"cup", "shelf"}, {"cup", "table"}}} {
		if _, err := (ask{}).Map(t.Context(), &pipeline.Scope{}, dayOf(t, few...)); err == nil || !strings.Contains(err.Error(), "too-few-places") {
			t.Errorf("%+v: %v", few, err)
		}
	}
}
