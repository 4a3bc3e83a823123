package progress

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/engine"
)

// clock moves only when told.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func counts(done, reused, known int, complete bool) []engine.Count {
	return []engine.Count{{
		Step: "probe", Running: 1, Known: known, Closed: true, Complete: complete,
		Summary: engine.Summary{In: known, Units: done, Reused: reused, Out: done, Lost: 1, Reasons: map[string]int{"truncated": 1}},
	}}
}

func TestSumCountsOnlyComputedUnitsInTheRate(t *testing.T) {
	s := Sum(counts(60, 40, 100, false), 10*time.Second)
	if s.Rate != 2 {
		t.Fatalf("rate %v; want 2 units a second", s.Rate)
	}
}

func TestTextShowsEachFinishedNodeOnceAndALineEveryInterval(t *testing.T) {
	c := &clock{t: time.Unix(0, 0)}
	var out bytes.Buffer
	r := New(&out, Text, c.now)
	r.Observe(counts(1, 0, 10, false))
	c.t = c.t.Add(interval)
	r.Observe(counts(5, 0, 10, false))
	r.Observe(counts(10, 0, 10, true))
	r.Observe(counts(10, 0, 10, true))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("want one progress line and one step line, have:\n%s", out.String())
	}
	if !strings.Contains(lines[0], "5 of 10 tasks, 1.0/s, ETA 4s") || !strings.Contains(lines[1], "truncated=1") {
		t.Fatalf("unexpected lines:\n%s", out.String())
	}
}

func TestJSONLinesParse(t *testing.T) {
	c := &clock{t: time.Unix(0, 0)}
	var out bytes.Buffer
	r := New(&out, JSON, c.now)
	c.t = c.t.Add(interval)
	r.Observe(counts(5, 0, 10, false))
	r.Observe(counts(10, 0, 10, true))
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
	}
	if n := strings.Count(out.String(), `"event":"node"`); n != 1 {
		t.Fatalf("%d step events, want 1", n)
	}
}

func TestAnInterruptionIsSaidOnce(t *testing.T) {
	for format, want := range map[Format]string{
		Text: "interrupted: nothing new is started, running tasks of [probe] may end; 3 calls; a second signal ends all at once\n",
		JSON: `{"active":["probe"],"awaits":"3 calls","event":"interrupted"}` + "\n",
	} {
		var out bytes.Buffer
		r := New(&out, format, (&clock{t: time.Unix(0, 0)}).now)
		drain := make(chan struct{})
		r.Draining(drain, func() string { return "3 calls" })
		r.Observe(counts(1, 0, 10, false))
		if out.Len() > 0 {
			t.Errorf("%s: said before it was: %s", format, &out)
		}
		close(drain)
		r.Observe(counts(2, 0, 10, false))
		r.Observe(counts(3, 0, 10, false))
		if out.String() != want {
			t.Errorf("%s: %q, want %q", format, &out, want)
		}
	}
}
