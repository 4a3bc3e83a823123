package lifelong_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/question"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// TestPeopleStaySettled: what holds of the user stays for five sessions or longer.
func TestPeopleStaySettled(t *testing.T) {
	t.Parallel()
	changes := 0
	for _, k := range manyTasks(t) {
		last := map[simulation.Key]int{}
		for _, e := range k.life.World.Events {
			if e.Key.Entity != k.life.World.Person || simulate.Interferes(e.Op) {
				continue
			}
			if was, told := last[e.Key]; told {
				changes++
				if e.Session-was < 5 {
					t.Errorf("%s: %s of session %d changes in session %d", k.life.ID, e.Key, was, e.Session)
				}
			}
			last[e.Key] = e.Session
		}
	}
	if changes < 10 {
		t.Errorf("%d changes", changes)
	}
}

// TestChartsCompare: all charts of a world show the same months, so that a question can ask
// which of them has a value.
func TestChartsCompare(t *testing.T) {
	t.Parallel()
	again := 0
	for _, k := range manyTasks(t) {
		first := ""
		for _, x := range k.life.World.Pictures {
			if x.Kind != simulate.Chart {
				continue
			}
			var months []string
			for _, r := range x.Rows {
				months = append(months, r[0])
			}
			if shown := fmt.Sprint(months); first == "" {
				first = shown
			} else if again++; shown != first {
				t.Errorf("%s: a chart of %s, and one of %s", k.life.ID, first, shown)
			}
		}
	}
	if again < 10 {
		t.Errorf("%d further charts", again)
	}
}

// TestDaysAreNear: of the days that do not name a value, those on which something was told
// or shown of the same thing are offered before others.
func TestDaysAreNear(t *testing.T) {
	t.Parallel()
	passed := 0
	each(t, func(k askedOf, q schemas.Question, end int) {
		of, far := fact(q), ""
		var near []string
		for n := 1; n <= end; n++ {
			day := question.Day(k.all[n].Date)
			about, told := false, k.toldOn(n)
			for _, e := range k.life.World.Events {
				if e.Session == n { // what a merge ends, no words name
					about, told = about || e.Key.Entity == of[0], append(told, e.Old)
				}
			}
			switch offered := slices.ContainsFunc(q.Options, func(o schemas.Option) bool { return o.Text == day && o.Role != schemas.RoleCorrect }); {
			case offered && !about:
				far = day
			case !offered && about && day != q.AnswerText && !names(told, of[2]):
				near = append(near, day)
			case offered:
				passed++
			}
		}
		if far != "" && len(near) > 0 {
			t.Errorf("%s offers %s, on which nothing was told of %s, and not %q", q.QuestionID, far, of[0], near)
		}
	}, "tr")
	if passed < 40 {
		t.Errorf("%d days on which something was told of the same thing are offered", passed)
	}
}
