package structural_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// registerSettles adds a family whose answers are what all clues say, joined.
func registerSettles(r *pipeline.Registry) {
	never := errors.New("not derived here")
	r.AddDerivation("joined", pipeline.Derivation{
		Version: "3",
		Settle: func(q schemas.Question, pieces []schemas.Evidence) (string, error) {
			if q.Labels["by"] == "hand" {
				return "", &pipeline.UnderivedError{Reason: "written by hand"}
			}
			said := []string{}
			for _, e := range pieces {
				if e.Role != schemas.RoleDistractor && e.Role != schemas.RoleSuperseded && e.Text != "" {
					said = append(said, e.Text)
				}
			}
			if len(said) == 0 {
				return "", errors.New("no piece says anything")
			}
			return strings.Join(said, " "), nil
		},
		Question: func(schemas.Question, pipeline.Premises) (pipeline.Derived[schemas.Question], error) {
			return pipeline.Derived[schemas.Question]{}, never
		},
		Task: func(schemas.Task, pipeline.Premises) (pipeline.Derived[schemas.Task], error) {
			return pipeline.Derived[schemas.Task]{}, never
		},
	})
	structural.AddSettles(r, "settles", "1", "test")
}

func joined(id, answer string, pieces ...schemas.Evidence) schemas.Question {
	for i := range pieces {
		pieces[i].Kind, pieces[i].Ref, pieces[i].Order = schemas.EvidenceTurn, id, int32(i+1)
	}
	return schemas.Question{QuestionID: id, Family: "joined", Type: "t", Question: "?", AnswerText: answer, Evidence: pieces, Labels: map[string]string{}}
}

// TestSettles judges questions by what they cite, and leaves those alone that no rule reads.
func TestSettles(t *testing.T) {
	clue := func(text string) schemas.Evidence { return schemas.Evidence{Role: schemas.RoleClue, Text: text} }
	beside := schemas.Evidence{Role: schemas.RoleDistractor, Text: "z"}
	call := joined("call", "", clue("{}"))
	call.AnswerCall = "{}"
	byHand, rewritten, other, dangling := joined("hand", "x", clue("y")), joined("rewritten", "x"), joined("other", "x"), joined("dangling", "x", clue("x"))
	byHand.Labels["by"], other.Family, dangling.Labels[schemas.LabelSufficient] = "hand", "other", "1|2"
	rewritten.Revisions = []schemas.Revision{{}}
	sets := joined("sets", "x", clue("x"), schemas.Evidence{Role: schemas.RoleAlternative, Text: "x"})
	sets.Labels[schemas.LabelSufficient] = "1|2"
	want := map[string]string{}
	var inputs []pipeline.Record
	for _, c := range []struct {
		q    schemas.Question
		want string
	}{
		{joined("right", "x y", clue("x"), beside, clue("y")), "pass "},
		{call, "pass "},
		{sets, "pass "},
		{joined("wrong", "x", clue("y")), "fail not-settled"},
		{joined("omitted", "x y", clue("x"), beside), "fail not-settled"},
		{joined("padded", "x", clue("x"), clue("")), "fail not-settled"},
		{joined("nothing", "x", beside), "fail not-settled"},
		{dangling, "fail not-settled"},
		{byHand, "not_applicable not-by-construction"},
		{rewritten, "not_applicable rewritten"},
		{other, "not_applicable no-derivation"},
	} {
		r, err := pipeline.NewRecord(schemas.NameQuestion, c.q.QuestionID, c.q)
		if err != nil {
			t.Fatal(err)
		}
		inputs, want[c.q.QuestionID] = append(inputs, r), c.want
	}
	s := testkit.Subject{Register: registerSettles, Use: "settles", Inputs: inputs, Golden: "1 04692f8c963179523726bbe6bd46754c571723871c6e9f89595ae09e50d031c3"}
	for _, v := range s.Verdicts(t) {
		code, _, _ := strings.Cut(v.Reason, ":")
		if got := v.Outcome + " " + code; got != want[v.Item] {
			t.Errorf("%s: %s (%s), want %s", v.Item, got, v.Reason, want[v.Item])
		}
		delete(want, v.Item)
	}
	if len(want) > 0 {
		t.Errorf("no verdict on %v", want)
	}
	testkit.ConformGate(t, s)
}
