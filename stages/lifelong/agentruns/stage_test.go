package agentruns_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/agentruns"
)

// records are the sessions of five runs, in each of which a mug ends elsewhere; in the
// first it is moved twice, and in the last nothing is.
func records(t *testing.T) (out []pipeline.Record) {
	t.Helper()
	for n, place := range []string{"Shelf", "Desk", "Bed", "SideTable", ""} {
		id := fmt.Sprintf("a/run-%d", n)
		s := schemas.Session{SessionID: schemas.SessionIDOf(id, 0), TaskID: id, Kind: schemas.KindTrajectory, Participants: []string{"user", "agent"}}
		actions := []string{"MoveAhead"}
		if n == 0 {
			actions = append(actions, "PickupObject Mug|1", "PutObject Mug|1 Desk|1")
		}
		if place != "" {
			actions = append(actions, "PickupObject Mug|1", "PutObject Mug|1 "+place+"|1")
		}
		for i, a := range actions {
			s.Turns = append(s.Turns, schemas.Turn{TurnID: schemas.TurnIDOf(s.SessionID, i+1), SessionID: s.SessionID, Order: int32(i + 1), Role: schemas.TurnAgent, Action: a})
		}
		rec, err := pipeline.NewRecord(schemas.NameSession, s.SessionID, s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rec)
	}
	return out
}

func subject(t *testing.T) testkit.Subject {
	t.Helper()
	return testkit.Subject{Register: agentruns.Register, Use: "lifelong.runs", Inputs: records(t),
		Types:  map[string]func(pipeline.Record) error{schemas.NameCheckpoint: testkit.DecodesTo[schemas.Checkpoint]},
		Golden: "1 703a9535d3a9565ed18ae9ac8947e509056d281c19a611eebafb3ef05f35916a",
	}
}

func TestRunsConform(t *testing.T) { testkit.ConformStage(t, subject(t)) }

// TestGoldenSpoiled pins what is made of runs with one value of a session wrong.
func TestGoldenSpoiled(t *testing.T) {
	s := subject(t)
	s.CheckSpoiledInput(t, pipeline.KindStage, "spoiled-first", 0)
	s.CheckSpoiledInput(t, pipeline.KindStage, "spoiled-last", len(s.Inputs)-1)
}

func TestRunsBecomeTasks(t *testing.T) {
	out, lost, err := subject(t).Run(t)
	if err != nil || len(lost) != 1 || lost[0].Code != agentruns.CodeNothing {
		t.Fatalf("lost %v, %v; want the run that moves nothing", lost, err)
	}
	questions := testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out)
	if len(questions) != 4 {
		t.Fatalf("%d questions, want one of each run that moves something", len(questions))
	}
	first := questions[0]
	texts := []string{}
	for _, o := range first.Options {
		texts = append(texts, o.Text)
	}
	slices.Sort(texts)
	if first.AnswerText != "at the shelf" || !slices.Equal(texts, []string{"at the bed", "at the desk", "at the shelf", "at the side table"}) {
		t.Errorf("it asks %q with %q, the answer is %q", first.Question, texts, first.AnswerText)
	}
	if n := len(first.Evidence); n != 4 || first.Evidence[3].Role != schemas.RoleUpdate || first.Evidence[0].Role != schemas.RoleSuperseded {
		t.Errorf("evidence %+v", first.Evidence)
	}
	if got := first.Evidence[3].Text; got != "agent: action: PutObject Mug|1 Shelf|1" {
		t.Errorf("evidence says %q", got)
	}
	points := 0
	for _, s := range testkit.DecodeAll[schemas.Session](t, schemas.NameSession, out) {
		for i, p := range s.Points {
			points++
			if p.IsUpdate != (i > 0) || p.IsUpdate && p.Supersedes[0] != s.Points[i-1].MemoryID {
				t.Errorf("point %d of %s replaces %v", i+1, s.SessionID, p.Supersedes)
			}
		}
	}
	if points != 10 {
		t.Errorf("%d points, want two for each move", points)
	}
}
