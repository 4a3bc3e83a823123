package progress

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

// recorded is a line of a recorded build: the steps and what was expected of them, or the
// counts that changed at a moment.
type recorded struct {
	At    float64 `json:"at"` // seconds since the start
	Steps []struct {
		Name     string            `json:"name"`
		From     []string          `json:"from"`
		Resource pipeline.Resource `json:"resource"`
		Whole    bool              `json:"whole"`
		In       float64           `json:"in"`
		Seconds  float64           `json:"seconds"`
	} `json:"steps"`
	After float64 `json:"after"`
	// Counts has known, done, running, closed and complete of the steps that changed, by their index.
	Counts map[int][5]int `json:"counts"`
}

// TestRecordedBuild replays the default build as a machine with two processors ran it, a line
// every two seconds: what is said to be left is within a factor of two (and five seconds, for
// writing the release is not measured) of what was left, and is said for a third of the time.
func TestRecordedBuild(t *testing.T) {
	file, err := os.Open("testdata/default-build.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var lines []recorded
	for s := bufio.NewScanner(file); s.Scan(); {
		var l recorded
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	end := lines[len(lines)-1].At
	clock := time.Unix(0, 0)
	r := New(io.Discard, Text, func() time.Time { return clock })
	counts := make([]engine.Count, len(lines[0].Steps))
	expect := Expectation{Steps: map[string]Expected{}, After: lines[0].After, Processors: 2, Limits: map[pipeline.Resource]int{pipeline.CPU: 2, pipeline.FFmpeg: 2, pipeline.Model: 8, pipeline.Network: 4}}
	for i, s := range lines[0].Steps {
		counts[i] = engine.Count{Step: s.Name, From: s.From, Resource: s.Resource, Whole: s.Whole}
		expect.Steps[s.Name] = Expected{In: s.In, Seconds: s.Seconds}
	}
	when := make(chan Expectation, 1)
	when <- expect
	r.Expect(when)
	said := 0
	for _, l := range lines[1 : len(lines)-1] {
		for i, c := range l.Counts {
			n := &counts[i]
			n.Known, n.Summary.Units, n.Running, n.Closed, n.Complete = c[0], c[1], c[2], c[3] > 0, c[4] > 0
		}
		clock = time.Unix(0, 0).Add(time.Duration(l.At * float64(time.Second)))
		r.Observe(counts)
		if r.eta == 0 {
			continue
		}
		said++
		if eta, left := r.eta.Seconds(), end-l.At; eta+5 < left/2 || eta-5 > 2*left {
			t.Errorf("after %.0f of %.0f s, %.0f s are said to be left", l.At, end, eta)
		}
	}
	if least := len(lines) / 3; said < least {
		t.Errorf("the time left is said at %d of %d moments, want %d", said, len(lines)-2, least)
	}
}
