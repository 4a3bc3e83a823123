package segmentation_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/author/segmentation"
)

const taskID = "runs/1"

// recorded is a run whose sessions have so many steps. The first opens with what was asked
// for, the last ends with how it came out, and every third step has a picture.
func recorded(lengths ...int) []schemas.Session {
	var all []schemas.Session
	n := 0
	for order, length := range lengths {
		s := schemas.Session{SessionID: schemas.SessionIDOf(taskID, order), TaskID: taskID, Kind: schemas.KindTrajectory, Order: int32(order), Participants: []string{"user", "agent"}, EventType: fmt.Sprintf("goal %d", order)}
		if order == 0 {
			s.Turns = append(s.Turns, schemas.Turn{Role: schemas.TurnUser, Text: "Tidy the room."})
		}
		pictures := 0
		for range length {
			n++
			t := schemas.Turn{Role: schemas.TurnAgent, Observation: strings.Repeat("a shelf ", 100), Action: fmt.Sprintf("act %d", n), Feedback: "done"}
			if n%3 == 0 {
				pictures++
				t.Attachments = []schemas.Attachment{{AttachmentID: schemas.AttachmentIDOf(s.SessionID, pictures), MediaID: strings.Repeat(fmt.Sprint(n%10), 64)}}
			}
			s.Turns = append(s.Turns, t)
		}
		if order == len(lengths)-1 {
			s.Turns = append(s.Turns, schemas.Turn{Role: schemas.TurnEnvironment, Feedback: "success"})
		}
		for i := range s.Turns {
			s.Turns[i].SessionID, s.Turns[i].Order, s.Turns[i].TurnID = s.SessionID, int32(i+1), schemas.TurnIDOf(s.SessionID, i+1)
		}
		all = append(all, s)
	}
	return all
}

// asked are the requests of a test.
type asked struct {
	mu  sync.Mutex
	all []testkit.ChatRequest
}

// parted runs the stage with an author that answers by the steps it is told, and gives the
// sessions, what is noted and what was asked.
func parted(t *testing.T, c segmentation.Config, all []schemas.Session, answer func(steps []segmentation.Step, again bool) []int) ([]schemas.Session, []pipeline.Rejection, []testkit.ChatRequest) {
	t.Helper()
	var got asked
	roles, models := server(t, &got, answer).Live(t, "author")
	out, lost, err := testkit.Subject{Register: segmentation.Register, Use: "lifelong.cut", Config: c, Inputs: []pipeline.Record{held(t, all)}, Roles: roles, Models: models}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(testkit.DecodeAll[schemas.Task](t, schemas.NameTask, out)); n != 1 {
		t.Errorf("%d tasks", n)
	}
	sessions := testkit.DecodeAll[schemas.Session](t, schemas.NameSession, out)
	slices.SortFunc(sessions, func(a, b schemas.Session) int { return int(a.Order) - int(b.Order) })
	return sessions, lost, got.all
}

func server(t *testing.T, into *asked, answer func(steps []segmentation.Step, again bool) []int) *testkit.ModelServer {
	return testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		into.mu.Lock()
		defer into.mu.Unlock()
		into.all = append(into.all, a)
		var steps []segmentation.Step
		if err := a.Data("steps", &steps); err != nil {
			return testkit.ChatReply{Text: err.Error()}
		}
		out := segmentation.Ends{Ends: []segmentation.End{}}
		for _, n := range answer(steps, strings.Contains(a.User, "was refused")) {
			out.Ends = append(out.Ends, segmentation.End{Step: n, Why: "feedback"})
		}
		return testkit.ReplyJSON(out)
	})
}

func held(t *testing.T, all []schemas.Session) pipeline.Record {
	t.Helper()
	r, err := pipeline.NewRecord("visual.dialogue", taskID, map[string]any{"task": schemas.Task{TaskID: taskID}, "sessions": all})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// defaults are the defaults of the stage.
func defaults() (c segmentation.Config) {
	c.SetDefaults()
	return c
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// rule gives the ends that the rule proposes.
func rule(steps []segmentation.Step, _ bool) (out []int) {
	for _, s := range steps {
		if s.RuleEnds {
			out = append(out, s.Number)
		}
	}
	return out
}

// TestEndsOfTheRuleChangeNothing: who keeps all ends gets the sessions that were given.
func TestEndsOfTheRuleChangeNothing(t *testing.T) {
	all := recorded(4, 7, 2)
	got, lost, requests := parted(t, defaults(), all, rule)
	if asJSON(t, got) != asJSON(t, all) || len(lost) > 0 || len(requests) != 1 {
		t.Errorf("%s\nwant\n%s\n%v", asJSON(t, got), asJSON(t, all), lost)
	}
	if user := requests[0].User; !strings.Contains(user, "Tidy the room.") || strings.Contains(user, "success") || strings.Contains(user, strings.Repeat("a shelf ", 60)) {
		t.Errorf("the author is told\n%s", user)
	}
}

// shape tells sessions by their actions.
func shape(all []schemas.Session) string {
	var out []string
	for _, s := range all {
		var acts []string
		for _, t := range s.Turns {
			if t.Action != "" {
				acts = append(acts, strings.TrimPrefix(t.Action, "act "))
			}
		}
		out = append(out, strings.Join(acts, " "))
	}
	return strings.Join(out, " | ")
}

// TestSessionsAreMergedAndParted: sessions 1 and 2 become one, the third two. All turns
// stay in their order, with ids of their new places.
func TestSessionsAreMergedAndParted(t *testing.T) {
	all := recorded(2, 3, 6)
	got, lost, _ := parted(t, defaults(), all, func([]segmentation.Step, bool) []int { return []int{5, 8, 11} })
	if s := shape(got); s != "1 2 3 4 5 | 6 7 8 | 9 10 11" || len(lost) > 0 {
		t.Fatalf("%s, %v", s, lost)
	}
	turns := 0
	for n, s := range got {
		pictures := 0
		for i, turn := range s.Turns {
			if turn.SessionID != s.SessionID || turn.TurnID != schemas.TurnIDOf(s.SessionID, i+1) || int(turn.Order) != i+1 {
				t.Errorf("turn %+v", turn)
			}
			for _, a := range turn.Attachments {
				pictures++
				if a.AttachmentID != schemas.AttachmentIDOf(s.SessionID, pictures) {
					t.Errorf("picture %+v", a)
				}
			}
		}
		if s.SessionID != schemas.SessionIDOf(taskID, n) || int(s.Order) != n || s.EventType != []string{"goal 0", "goal 2", "goal 2"}[n] {
			t.Errorf("session %+v", s)
		}
		turns += len(s.Turns)
	}
	if turns != 13 || got[0].Turns[0].Role != schemas.TurnUser || got[2].Turns[3].Feedback != "success" {
		t.Errorf("%d turns; %s", turns, asJSON(t, got))
	}
}

// TestLongRunsAreReadInWindows: what stands behind the last end of a window is read again.
func TestLongRunsAreReadInWindows(t *testing.T) {
	c := defaults()
	c.Window, c.MaxSteps = 10, 5
	all := recorded(9, 8, 6)
	got, lost, requests := parted(t, c, all, func(steps []segmentation.Step, _ bool) (out []int) {
		for n := 4; n < len(steps); n += 4 {
			out = append(out, n)
		}
		if len(steps) < 10 {
			out = append(out, len(steps))
		}
		return out
	})
	if s := shape(got); s != "1 2 3 4 | 5 6 7 8 | 9 10 11 12 | 13 14 15 16 | 17 18 19 20 | 21 22 23" || len(lost) > 0 || len(requests) != 3 {
		t.Errorf("%s of %d requests, %v", s, len(requests), lost)
	}
}

// TestDefectsOfEnds: ends that can't be are asked for again with the reason; without
// another attempt the run stays as it is.
func TestDefectsOfEnds(t *testing.T) {
	for name, d := range map[string]struct {
		ends   []int
		reason string
	}{
		"no such step":         {[]int{3, 12}, "there is no step 12"},
		"twice":                {[]int{3, 3, 11}, "step 3 does not come behind step 3"},
		"in disorder":          {[]int{5, 4, 11}, "step 4 does not come behind step 5"},
		"a session too long":   {[]int{1, 11}, "of the steps 2 to 11 has 10 steps; 8 are the most"},
		"the last is left out": {[]int{3, 9}, "the run ends with step 11"},
	} {
		t.Run(name, func(t *testing.T) {
			all := recorded(2, 3, 6)
			for _, attempts := range []int{1, 2} {
				c := defaults()
				c.MaxSteps, c.Attempts = 8, attempts
				got, lost, requests := parted(t, c, all, func(_ []segmentation.Step, again bool) []int {
					if again {
						return []int{4, 11}
					}
					return d.ends
				})
				if attempts == 2 {
					if shape(got) != "1 2 3 4 | 5 6 7 8 9 10 11" || len(lost) > 0 || len(requests) != 2 || !strings.Contains(requests[1].User, d.reason) {
						t.Errorf("mended: %s, %v, %d requests", shape(got), lost, len(requests))
					}
					continue
				}
				if asJSON(t, got) != asJSON(t, all) || len(lost) != 1 || !lost[0].Flagged || lost[0].Code != segmentation.CodeBad || !strings.Contains(lost[0].Reason, d.reason) {
					t.Errorf("%s, %v", shape(got), lost)
				}
			}
		})
	}
}

// TestWhatIsNoRunStays: nobody is asked about conversations, nor about runs whose points
// name their turns.
func TestWhatIsNoRunStays(t *testing.T) {
	talk, pointed := recorded(2, 3), recorded(2, 3)
	talk[0].Kind = schemas.KindProfile
	pointed[1].Points = []schemas.MemoryPoint{{MemoryID: schemas.PointIDOf(pointed[1].SessionID, 1), SessionID: pointed[1].SessionID, Content: "It is tidy.", Modality: schemas.ModalityText, EvidenceTurns: []string{pointed[1].Turns[0].TurnID}}}
	for _, c := range []struct {
		all  []schemas.Session
		code string
	}{{talk, ""}, {pointed, segmentation.CodePoints}} {
		got, lost, requests := parted(t, defaults(), c.all, rule)
		code := ""
		for _, l := range lost {
			code += l.Code
		}
		if asJSON(t, got) != asJSON(t, c.all) || len(requests) > 0 || code != c.code {
			t.Errorf("%d requests, %v", len(requests), lost)
		}
	}
}

func TestCutConforms(t *testing.T) {
	var got asked
	roles, models := server(t, &got, rule).Live(t, "author")
	testkit.ConformStage(t, testkit.Subject{
		Register: segmentation.Register, Use: "lifelong.cut", Inputs: []pipeline.Record{held(t, recorded(4, 7, 2))}, Roles: roles, Models: models, Faults: 2,
		Unpinned: "the port of the server is in its keys",
	})
}
