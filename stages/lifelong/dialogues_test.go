package lifelong_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
)

// spoken is a conversation of six sessions: in each Ann says something and Bob answers.
// A point states what Ann says in all of them but the last.
func spoken() (out []schemas.Session) {
	for n := 1; n <= 6; n++ {
		s := schemas.Session{SessionID: schemas.SessionIDOf("talk/a", n), TaskID: "talk/a", Kind: schemas.KindDialogue, Order: int32(n - 1), Date: fmt.Sprintf("2023-05-%02dT10:00:00Z", n), Participants: []string{"Ann", "Bob"}}
		for i, text := range []string{fmt.Sprintf("I sold %d boats.", n), fmt.Sprintf("My cat is %d.", n)} {
			s.Turns = append(s.Turns, schemas.Turn{TurnID: schemas.TurnIDOf(s.SessionID, i+1), SessionID: s.SessionID, Order: int32(i + 1), Role: schemas.TurnUser, Speaker: s.Participants[i], Text: text})
		}
		if n < 6 {
			s.Points = []schemas.MemoryPoint{{MemoryID: schemas.PointIDOf(s.SessionID, 1), SessionID: s.SessionID, Content: "Ann sold boats.", Type: "observation", Importance: 1, Modality: schemas.ModalityText, EvidenceTurns: []string{s.Turns[0].TurnID}}}
		}
		out = append(out, s)
	}
	return out
}

// asks is a question of a kind that rests on the first turns of sessions.
func asks(id, kind, text, answer, trap string, rests ...int) schemas.Question {
	q := schemas.Question{QuestionID: "talk/a/" + id, Family: "talk", TaskID: "talk/a", Question: text, AnswerText: answer, Type: kind, Labels: map[string]string{}, Split: schemas.DefaultSplit}
	role := schemas.RoleClue
	if trap != "" {
		role = schemas.RoleDistractor
		q.SetOptions(schemas.Option{Text: answer, Role: schemas.RoleCorrect}, schemas.Option{Text: trap, Role: role})
	}
	for i, n := range rests {
		session := schemas.SessionIDOf("talk/a", n)
		q.Evidence = append(q.Evidence, schemas.Evidence{Kind: schemas.EvidenceTurn, Ref: schemas.TurnIDOf(session, 1), SessionID: session, Role: role, Order: int32(i + 1), Modality: schemas.ModalityText, Text: "x"})
	}
	return q
}

// dialogueOf is the subject of the stage over a conversation and questions.
func dialogueOf(t *testing.T, questions ...schemas.Question) testkit.Subject {
	t.Helper()
	s := testkit.Subject{Register: lifelong.Register, Use: "lifelong.dialogues", Types: recordTypes(), Golden: "1 1a811eb5d8c3968eaff70bb5bdda64a4e1d307fc4119421036b4942c284bd19a"}
	add := func(schema, id string, v any) {
		r, err := pipeline.NewRecord(schema, id, v)
		if err != nil {
			t.Fatal(err)
		}
		s.Inputs = append(s.Inputs, r)
	}
	for _, one := range spoken() {
		add(schemas.NameSession, one.SessionID, one)
	}
	for _, q := range questions {
		add(schemas.NameQuestion, q.QuestionID, q)
	}
	return s
}

func TestDialoguesConform(t *testing.T) {
	testkit.ConformStage(t, dialogueOf(t, asks("Q1", "single_hop", "How many boats?", "2", "", 2), asks("Q2", "adversarial", "What did Bob sell?", schemas.AnswerNone, "3 boats", 3)))
}

// TestDialoguesAreAsked wants each question at the first checkpoint that covers what it
// rests on, as its type, and every one without a place lost by its reason.
func TestDialoguesAreAsked(t *testing.T) {
	t.Parallel()
	none := schemas.AnswerNone
	unknown := asks("Q09", "single_hop", "How?", "So", "", 1)
	unknown.Evidence[0].SessionID = "talk/a/S77"
	out, lost, err := dialogueOf(t,
		asks("Q01", "single_hop", "How many boats?", "2", "", 1), asks("Q02", "multi_hop", "How many boats?", "6", "", 1, 4), asks("Q03", "temporal", "When?", "Then", "", 3),
		asks("Q04", "open_domain", "Would she sail?", "Likely", "", 5), asks("Q05", "adversarial", "What did Bob sell?", none, "3 boats", 3),
		asks("Q06", "adversarial", "What did Ann sell?", none, "3 boats", 3), asks("Q07", "single_hop", "How many boats?", "6", "", 6), asks("Q08", "single_hop", "How many?", "None", ""), unknown,
		asks("Q10", "adversarial", "What did Annabel sell?", none, "3 boats", 3), asks("Q11", "adversarial", "What did Bob's cat sell?", none, "", 3), asks("Q12", "riddle", "Who?", "Ann", "", 1),
	).Run(t)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, q := range testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out) {
		got = append(got, strings.TrimPrefix(q.QuestionID+" "+q.CheckpointID+" ", "talk/a/")+q.Labels["axis"]+" "+q.Labels["distance"]+" "+q.Labels["difficulty"])
	}
	cp := func(n int) string { return schemas.CheckpointIDOf("talk/a", n) }
	want := []string{"Q01 " + cp(0) + " FR 1 easy", "Q02 " + cp(2) + " FR 0 easy", "Q03 " + cp(1) + " TR 0 easy", "Q04 " + cp(3) + " KR 0 easy", "Q05 " + cp(4) + " MB 3 easy"}
	if !slices.Equal(got, want) {
		t.Errorf("asked are\n%q\nwant\n%q", got, want)
	}
	const reasons = "talk/a/Q06 answer-present\ntalk/a/Q07 no-point\ntalk/a/Q08 no-evidence\ntalk/a/Q09 no-evidence\ntalk/a/Q10 no-person\ntalk/a/Q11 no-trap\ntalk/a/Q12 no-such-type"
	if codes := testkit.Codes(lost); codes != reasons {
		t.Errorf("lost\n%s\nwant\n%s", codes, reasons)
	}
	for _, s := range testkit.DecodeAll[lifelong.Standing](t, "lifelong.standing", out) {
		if code := codeOf(t, "no-future", s); code != "" {
			t.Errorf("%s: no-future says %q", s.QuestionID, code)
		}
		s.Pieces[0].SessionID, s.Pieces[0].Order = schemas.SessionIDOf("talk/a", 9), 9
		if code := codeOf(t, "no-future", s); code != "future" {
			t.Errorf("%s on what is said later: no-future says %q", s.QuestionID, code)
		}
	}
}
