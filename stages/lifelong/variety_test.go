package lifelong_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// TestTurnsSeldomRepeat: in the lives of a build of seven, turns of assistants and of users
// that say the same as one before are few.
func TestTurnsSeldomRepeat(t *testing.T) {
	t.Parallel()
	n, again, said := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, all := range made(t).sessions {
		for _, s := range all[1:] {
			for _, turn := range s.Turns {
				n[turn.Role]++
				if said[turn.Role+turn.Text] {
					again[turn.Role]++
				}
				said[turn.Role+turn.Text] = true
			}
		}
	}
	t.Logf("turns %v, said before %v", n, again)
	for _, role := range []string{schemas.TurnUser, schemas.TurnAssistant} {
		if n[role] < 400 || again[role]*100 > n[role]*15 {
			t.Errorf("of %d turns of %s %d were said before; want 400 turns and at most 15 in a hundred", n[role], role, again[role])
		}
	}
}

// TestMainLine: sessions of side arcs lie off the main line, and so do some of the main arc.
func TestMainLine(t *testing.T) {
	t.Parallel()
	on := map[bool]map[bool]int{false: {}, true: {}}
	for _, k := range manyTasks(t) {
		for _, s := range k.all[1:] {
			on[s.ArcRole == schemas.ArcMain][s.OnMainLine]++
		}
	}
	t.Logf("sessions of side arcs %v, of main arcs %v", on[false], on[true])
	if on[false][true] > 0 || on[false][false] < 20 || on[true][true] < 50 || on[true][false] < 30 {
		t.Errorf("sessions of side arcs %v, of main arcs %v", on[false], on[true])
	}
}

// TestOrdersSayWhereValuesStand: whoever sends an agent says where it finds what things are
// to be, and gets the report that was asked for. The agent never goes to what it stands
// before.
func TestOrdersSayWhereValuesStand(t *testing.T) {
	t.Parallel()
	runs, reports := 0, 0
	for _, k := range manyTasks(t) {
		if simulate.Regime(k.life.World.Domain) == "" {
			continue
		}
		for _, s := range k.all[1:] {
			runs++
			order, last := s.Turns[0].Text, s.Turns[len(s.Turns)-1]
			if !strings.Contains(order, "ticket") {
				t.Errorf("%s does not say where values stand: %q", s.Turns[0].TurnID, order)
			}
			asked := slices.ContainsFunc([]string{"Tell me when", "Say when", "Let me know"}, func(ask string) bool { return strings.Contains(order, ask) })
			told := strings.HasPrefix(last.Action, "SEND ") || strings.HasPrefix(last.Action, "SAY ")
			if asked != told {
				t.Errorf("%s is asked %q, and ends with %q", s.SessionID, order, last.Action)
			}
			if told {
				reports++
			}
			front := ""
			for _, turn := range s.Turns {
				before := front
				for _, o := range outcomes[:2] {
					if m := o.said.FindStringSubmatch(turn.Feedback); m != nil {
						front = m[1]
						if front == before {
							t.Errorf("%s goes to %s, which is in front", turn.TurnID, front)
						}
					}
				}
			}
		}
	}
	if reports*3 < runs || reports*3 > runs*2 {
		t.Errorf("%d of %d sessions end with a report", reports, runs)
	}
}

// TestDaysStandAnywhere: of the four days that are offered the right one is the first, the
// last or one between about as often.
func TestDaysStandAnywhere(t *testing.T) {
	t.Parallel()
	places, n := [4]int{}, 0
	each(t, func(_ askedOf, q schemas.Question, _ int) {
		var days []string
		right := ""
		for _, o := range q.Options {
			day, err := time.Parse("2 January 2006", o.Text)
			if err != nil {
				t.Fatal(err)
			}
			days = append(days, day.Format(time.DateOnly))
			if o.Role == schemas.RoleCorrect {
				right = days[len(days)-1]
			}
		}
		slices.Sort(days)
		places[slices.Index(days, right)]++
		n++
	}, "tr")
	t.Logf("of %d days the right one stands at %v", n, places)
	for _, at := range places {
		if at*20 < n*3 || at*20 > n*7 { // a quarter, give or take a tenth
			t.Errorf("of %d days the right one stands at %v", n, places)
		}
	}
}

// TestTypesFromTheStart: at each checkpoint, the first one too, each type is asked of a
// third of the tasks that ask it at all: a fact is asked in one form only, and few are disputed.
func TestTypesFromTheStart(t *testing.T) {
	t.Parallel()
	tasks, asked := map[string]map[string]bool{}, map[string]map[string]int{}
	for _, k := range manyTasks(t) {
		for _, q := range k.questions {
			at := q.CheckpointID[strings.LastIndexByte(q.CheckpointID, '/')+1:]
			if tasks[q.Type] == nil {
				tasks[q.Type], asked[q.Type] = map[string]bool{}, map[string]int{}
			}
			tasks[q.Type][q.TaskID] = true
			asked[q.Type][at]++
		}
	}
	for kind, of := range tasks {
		t.Logf("%s: %d tasks, %v", kind, len(of), asked[kind])
		if len(of) < 20 {
			t.Errorf("%s is asked in %d tasks", kind, len(of))
		}
		for i := range 5 {
			if n := asked[kind][fmt.Sprintf("C%02d", i)]; n*3 < len(of) {
				t.Errorf("%s is asked at checkpoint %d of %d tasks, in %d at all", kind, i, n, len(of))
			}
		}
	}
}
