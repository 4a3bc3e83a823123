package simulation_test

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/simulation"
)

var sofa = simulation.Key{Entity: "the sofa", Aspect: "colour"}

// of sets a key to values at moments 0, 1, 2 and so on.
func of(t *testing.T, values ...string) *simulation.Timeline {
	t.Helper()
	w := new(simulation.Timeline)
	for at, v := range values {
		if err := w.Set(at, sofa, v); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func TestState(t *testing.T) {
	w := of(t, "red", "red", "blue", "")
	for at, want := range []string{"red", "red", "blue", "", ""} {
		if got := w.At(at, sofa); got != want {
			t.Errorf("at %d it is %q, want %q", at, got, want)
		}
	}
	if got := w.At(-1, sofa); got != "" {
		t.Errorf("before anything it is %q", got)
	}
	if n := len(w.Events()); n != 3 {
		t.Errorf("%d events, want 3: one value held on", n)
	}
}

func TestEventsDoNotContradict(t *testing.T) {
	w := of(t, "red", "blue")
	if err := w.Set(0, sofa, "green"); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("back in time: %v", err)
	}
	if err := w.Set(1, sofa, "green"); err == nil || !strings.Contains(err.Error(), "it becomes") {
		t.Errorf("two values at once: %v", err)
	}
	if err := w.Set(1, sofa, "blue"); err != nil {
		t.Errorf("the same again: %v", err)
	}
}

func TestEventsAreInOrderOfTime(t *testing.T) {
	w := of(t, "red", "blue")
	lamp := simulation.Key{Entity: "the lamp", Aspect: "colour"}
	if err := w.Set(1, lamp, "white"); err != nil {
		t.Fatal(err)
	}
	got := w.Events()
	if len(got) != 3 || got[0].Value != "red" || got[1].Key != lamp || got[2].Value != "blue" {
		t.Errorf("events %v", got)
	}
}

// chain is what looks at moments 0, 1, 2 and so on show.
func chain(t *testing.T, values ...string) simulation.Observations {
	t.Helper()
	w := of(t, values...)
	var out simulation.Observations
	for at := range values {
		out = append(out, simulation.Observation{At: at, Value: w.At(at, sofa)})
	}
	return out
}

func TestChains(t *testing.T) {
	for name, c := range map[string]struct {
		values  []string
		pattern string
		now     string
		changed bool
		before  string
	}{
		"nothing changes":  {[]string{"red", "red"}, simulation.Steady, "red", false, ""},
		"one override":     {[]string{"red", "blue"}, simulation.Override, "blue", true, "red"},
		"two overrides":    {[]string{"red", "blue", "green"}, simulation.Override, "green", true, "blue"},
		"old majority":     {[]string{"red", "red", "red", "blue"}, simulation.StaleMajority, "blue", true, "red"},
		"new majority":     {[]string{"red", "blue", "blue", "blue"}, simulation.Override, "blue", true, "red"},
		"back again":       {[]string{"red", "blue", "red"}, simulation.Reversal, "red", true, "blue"},
		"gone and back":    {[]string{"red", "", "red"}, simulation.Return, "red", true, ""},
		"gone for good":    {[]string{"red", ""}, simulation.Override, "", true, "red"},
		"back as another":  {[]string{"red", "", "blue"}, simulation.Return, "blue", true, ""},
		"three and return": {[]string{"red", "red", "blue", "red"}, simulation.Reversal, "red", true, "blue"},
	} {
		got := chain(t, c.values...)
		now, changed := got.Current()
		before, _ := got.Previous()
		if got.Pattern() != c.pattern || now != c.now || changed != c.changed || before != c.before {
			t.Errorf("%s: %s, now %q (%t), before %q", name, got.Pattern(), now, changed, before)
		}
	}
	if now, changed := (simulation.Observations{}).Current(); now != "" || changed {
		t.Error("what nobody saw holds")
	}
}
