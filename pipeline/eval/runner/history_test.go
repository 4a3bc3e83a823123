package runner

import (
	"fmt"
	"slices"
	"testing"

	"github.com/memforge/memforge/schemas"
)

func session(id string, order int32, positions ...int64) schemas.Session {
	s := schemas.Session{SessionID: id, TaskID: "t", Order: order}
	for i, p := range positions {
		s.Turns = append(s.Turns, schemas.Turn{TurnID: fmt.Sprintf("%s%d", id, i+1), Order: int32(i + 1), Position: p})
	}
	return s
}

// TestTimeOrdersTurns: positions merge the sessions of a task, where all turns have one;
// a session ends behind the last of its turns, and a question is asked behind the last
// session that its checkpoint covers, else at the end.
func TestTimeOrdersTurns(t *testing.T) {
	b := &taskSource{
		checkpoints: map[string][]string{"c1": {"a"}},
		questions:   map[string][]schemas.Question{"t": {{QuestionID: "early", CheckpointID: "c1"}, {QuestionID: "late"}}},
	}
	for _, tc := range []struct {
		name     string
		sessions []schemas.Session
		want     []string
	}{
		{"by session", []schemas.Session{session("b", 2, 0, 0), session("a", 1, 0, 0)}, []string{"a1", "a2 /a early", "b1", "b2 /b late"}},
		{"merged", []schemas.Session{session("a", 1, 1, 4), session("b", 2, 2, 3)}, []string{"a1", "b1", "b2 /b", "a2 /a early late"}},
		{"one turn has no position", []schemas.Session{session("a", 1, 1, 4), session("b", 2, 2, 0)}, []string{"a1", "a2 /a early", "b1", "b2 /b late"}},
		{"the covered one is the last", []schemas.Session{session("a", 1, 9), session("b", 2, 2)}, []string{"b1 /b", "a1 /a early late"}},
	} {
		got, err := b.taskOf("t", tc.sessions)
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, s := range got.steps {
			line := s.turn.TurnID
			if s.ended != "" {
				line += " /" + s.ended
			}
			for _, q := range s.asked {
				line += " " + q.QuestionID
			}
			told = append(told, line)
		}
		if !slices.Equal(told, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, told, tc.want)
		}
	}
	if _, err := b.taskOf("t", []schemas.Session{session("a", 1)}); err == nil {
		t.Error("a task without a turn is taken")
	}
}
