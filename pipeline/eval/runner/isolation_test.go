package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/eval/runner"
)

// answers are the predictions of a run, by id.
func answers(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for dec := json.NewDecoder(strings.NewReader(read(t, dir, runner.FileAnswers))); dec.More(); {
		var l struct{ ID, Prediction string }
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		out[l.ID] = l.Prediction
	}
	return out
}

// TestQuestionsAreAskedAlone: a system that remembers the questions before knows none where
// each has a process or a state of its own, and all where they are not kept apart, which
// the log says.
func TestQuestionsAreAskedAlone(t *testing.T) {
	c := contents(t)
	for _, tc := range []struct{ how, isolation, recorded string }{
		{"peeks", "", runner.IsolationProcess},
		{"peeks-saving", "", runner.IsolationState},
		{"peeks-saving", runner.IsolationProcess, runner.IsolationProcess},
		{"peeks", runner.IsolationNone, runner.IsolationNone},
	} {
		t.Run(tc.how+" "+tc.isolation, func(t *testing.T) {
			t.Parallel()
			c, dir := contents(t), t.TempDir() // the rows of a release are read by one at a time
			s, _ := program(t, tc.how, time.Minute)
			var told runner.Forecast
			sum, err := runner.Run(t.Context(), plugins.Registry(), c, s, dir, runner.Options{
				TopK: 10, Isolation: tc.isolation, Parallel: 2, Started: func(f runner.Forecast) { told = f },
			})
			if err != nil || sum.Answered != len(c.Questions) {
				t.Fatalf("%+v, %v", sum, err)
			}
			remembered := 0
			for _, a := range answers(t, dir) {
				if a != "0" {
					remembered++
				}
			}
			if none := tc.recorded == runner.IsolationNone; none != (remembered > 0) {
				t.Errorf("%d answers rest on earlier questions", remembered)
			}
			if !strings.Contains(read(t, dir, runner.FileRun), `"isolation": "`+tc.recorded+`"`) || told.Isolation != tc.recorded {
				t.Errorf("recorded as %s, foretold as %q", read(t, dir, runner.FileRun), told.Isolation)
			}
			if calls := sum.Latency["replay"].Calls; tc.recorded == runner.IsolationProcess && (calls != len(c.Questions) || told.Processes != calls+1 || told.Told <= told.Turns) {
				t.Errorf("%d histories told again, forecast %+v", calls, told)
			}
			notes, err := runner.Notes(dir + "/" + runner.FileAnswers)
			if said := strings.Contains(strings.Join(notes, "\n"), "isolation none"); err != nil || said != (tc.recorded == runner.IsolationNone) {
				t.Errorf("notes %q, %v", notes, err)
			}
		})
	}
	var fault *runner.SystemError
	for how, isolation := range map[string]string{"server": "", "state": runner.IsolationState, "anew": runner.IsolationProcess} {
		s := runner.System(&scripted{})
		if how == "state" {
			s, _ = program(t, "sound", time.Minute)
		}
		if _, err := runner.Run(t.Context(), plugins.Registry(), c, s, t.TempDir(), runner.Options{TopK: 1, Isolation: isolation}); !errors.As(err, &fault) || fault.Fault != runner.Unusable {
			t.Errorf("%s, isolation %q: %v", how, isolation, err)
		}
	}
}

// scripted is a system in this process, which saves its state. It notes what it was told, and
// ends a run at question number stop.
type scripted struct {
	runner.System
	state bool
	takes string
	stop  int

	told  []runner.Turn
	asked []runner.Query
}

var errStop = errors.New("the run is broken off")

func (s *scripted) Capabilities(context.Context) (runner.Capabilities, error) {
	return runner.Capabilities{Protocol: 1, Name: "scripted", State: s.state, Answers: true, Pictures: s.takes}, nil
}
func (s *scripted) Reset(context.Context, string) error      { return nil }
func (s *scripted) EndSession(context.Context, string) error { return nil }
func (s *scripted) SaveState(context.Context) (json.RawMessage, error) {
	return json.RawMessage("1"), nil
}
func (s *scripted) LoadState(context.Context, json.RawMessage) error              { return nil }
func (s *scripted) Retrieve(context.Context, runner.Query) ([]runner.Item, error) { return nil, nil }
func (s *scripted) Ingest(_ context.Context, t runner.Turn) error {
	s.told = append(s.told, t)
	return nil
}

func (s *scripted) Answer(_ context.Context, q runner.Query) (runner.Reply, error) {
	if s.stop > 0 && len(s.asked) == s.stop {
		return runner.Reply{}, errStop
	}
	s.asked = append(s.asked, q)
	return runner.Reply{Answer: "A", Usage: runner.Usage{Model: "m", InputTokens: 7}}, nil
}

// TestRunsGoOnBehindTheLastQuestion: wherever a run is broken off, the next one asks the
// rest, each question once, and ends with what an unbroken run gives.
func TestRunsGoOnBehindTheLastQuestion(t *testing.T) {
	c := contents(t)
	whole, dir := t.TempDir(), t.TempDir()
	o := runner.Options{TopK: 10}
	if _, err := runner.Run(t.Context(), plugins.Registry(), c, &scripted{state: true}, whole, o); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for n := 0; ; n++ {
		s := &scripted{state: true, stop: 7}
		_, err := runner.Run(t.Context(), plugins.Registry(), c, s, dir, o)
		for _, q := range s.asked {
			counts[q.QuestionID]++
		}
		if err == nil {
			break
		}
		if !errors.Is(err, errStop) || n > len(c.Questions) {
			t.Fatal(err)
		}
	}
	for _, q := range c.Questions {
		if counts[q.QuestionID] != 1 {
			t.Errorf("%s was asked %d times", q.QuestionID, counts[q.QuestionID])
		}
	}
	for _, file := range []string{runner.FileAnswers, runner.FileRetrieved, runner.FileTasks, runner.FileMemories} {
		if read(t, dir, file) != read(t, whole, file) {
			t.Errorf("%s differs from that of an unbroken run", file)
		}
	}
}

// TestViews: each view tells what its name says, and what it cannot show is left out and
// counted.
func TestViews(t *testing.T) {
	c := contents(t)
	turns := rows(t, c)
	for _, tc := range []struct {
		view                     string
		history, texts, captions bool
		leftOut                  string // a code that some questions are left out for
	}{
		{view: "all", history: true, texts: true, captions: true},
		{view: "text", history: true, texts: true},
		{view: "captions-minimal", history: true, texts: true, captions: true},
		{view: "captions-dense", history: true, texts: true, captions: true},
		{view: "none"},
		{view: "oracle", texts: true},
		{view: "oracle-captions-dense", texts: true, captions: true},
		{view: "latest", texts: true, leftOut: "no-update"},
		{view: "stale", texts: true, leftOut: "no-update"},
		{view: "one-source", texts: true, leftOut: "one-source"},
	} {
		s := &scripted{state: true, takes: runner.PicturesPath}
		dir := t.TempDir()
		sum, err := runner.Run(t.Context(), plugins.Registry(), c, s, dir, runner.Options{TopK: 10, View: tc.view})
		if err != nil {
			t.Fatalf("%s: %v", tc.view, err)
		}
		var texts, captions, pictures bool
		for _, m := range s.told {
			texts = texts || m.Text != ""
			for _, p := range m.Attachments {
				captions = captions || p.Caption != ""
				pictures = pictures || p.Path != ""
			}
		}
		shows, err := runner.ViewNamed(tc.view)
		if err != nil {
			t.Fatal(err)
		}
		if tc.view == "none" && len(s.told) > 0 || tc.history && len(s.told) != turns || texts != tc.texts || captions != tc.captions || pictures != shows.Pictures {
			t.Errorf("%s: %d of %d turns told, texts %t, captions %t, pictures %t", tc.view, len(s.told), turns, texts, captions, pictures)
		}
		left := 0
		for code, n := range sum.LeftOut {
			if left += n; code != tc.leftOut {
				t.Errorf("%s: %d questions are left out: %s", tc.view, n, code)
			}
		}
		if sum.Questions+left != len(c.Questions) || sum.Answered != sum.Questions || strings.Count(read(t, dir, runner.FileLeftOut), "\n") != left || (tc.leftOut == "") != (left == 0) {
			t.Errorf("%s: %+v", tc.view, sum)
		}
		if !strings.Contains(read(t, dir, runner.FileRun), `"name": "`+tc.view+`"`) {
			t.Errorf("%s: the log does not name the view", tc.view)
		}
	}
	// A system that takes no pictures gets their captions.
	blind := &scripted{state: true}
	sum, err := runner.Run(t.Context(), plugins.Registry(), c, blind, t.TempDir(), runner.Options{TopK: 10, View: "oracle"})
	captions := 0
	for _, m := range blind.told {
		if strings.HasSuffix(m.Text, "]") {
			captions++
		}
	}
	if err != nil || len(sum.LeftOut) > 0 || captions == 0 {
		t.Errorf("%d captions for a system that takes no pictures: %+v, %v", captions, sum, err)
	}
	if _, err := runner.Run(t.Context(), plugins.Registry(), c, blind, t.TempDir(), runner.Options{TopK: 10, View: "captions"}); err == nil || !strings.Contains(err.Error(), "captions-dense") {
		t.Errorf("an unknown view: %v", err)
	}
}
