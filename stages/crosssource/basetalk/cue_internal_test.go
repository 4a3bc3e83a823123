package basetalk

import (
	"strings"
	"testing"
)

// TestWhoWritesByCueAsksNobody: what stands in for a turn that a model should write puts no
// question by name, for the next turn is another's; and it is as long as was decided.
func TestWhoWritesByCueAsksNobody(t *testing.T) {
	t.Parallel()
	v, _ := spoken(t, 10)
	last, long := "", 0
	for _, c := range v.PlanTurns(600, 12) {
		l, err := v.Say(c, last)
		if err != nil {
			t.Fatal(err)
		}
		if v.asked.kind != "" {
			t.Errorf("as %s %s asks %q", c.Act, l.Speaker, l.Text)
		}
		if n := strings.Count(l.Text, ". "); c.Long && n >= 4 {
			long++
		} else if !c.Long && n > 4 {
			t.Errorf("a short turn is %q", l.Text)
		}
		last = l.Speaker
	}
	if long < 30 {
		t.Errorf("%d turns are long", long)
	}
}
