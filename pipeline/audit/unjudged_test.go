package audit

import "testing"

// TestUnjudgedAreCounted: those with a verdict are checked, and the others are named.
func TestUnjudgedAreCounted(t *testing.T) {
	w := gateBacking{applied: map[string]bool{"a": true, "b": true, "c": true}}
	if p := w.unjudged("memory_points", []string{"c", "x", "a", "w"}); p.Checked != 2 || p.Unchecked != 2 || p.State != Unjudged || p.Why != "no gate judged 2 of the memory points: w, x" {
		t.Errorf("%+v", p)
	}
	if p := w.unjudged("questions", []string{"a", "b"}); p.Checked != 2 || p.Unchecked != 0 || p.State != Same || p.Why != "" {
		t.Errorf("%+v", p)
	}
}
