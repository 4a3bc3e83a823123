package plugins_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/stages/lifelong/author/extraction"
	"github.com/memforge/memforge/stages/lifelong/author/segmentation"
)

// TestRealDialoguesExtracted has the points of LoCoMo's two conversations extracted in
// place of its observations, and asks its questions over them. The scripted author keeps
// one turn in four, so its figures say how the parts work together and nothing of a model.
func TestRealDialoguesExtracted(t *testing.T) {
	t.Parallel()
	talks := testfiles.Real(t, "locomo")
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply { return testkit.ReplyJSON(remarks(t, a)) })
	o := ownBuild(t, "extracted-dialogues.yaml", server.URL, []string{"writer"}, "sources.talks.with.path="+talks)
	c := o.build()
	checkForecast(t, c, server.Counts(), false, o.args...)
	outcomes := map[string]int{}
	for _, v := range c.Verdicts {
		outcomes[v.Gate+" "+v.Outcome]++
	}
	sessions, points := sessionsAndPoints(t, c)
	got := fmt.Sprintf("%d sessions, %d points, %d questions, %d answers; history %d, recall %d of %d", sessions, points, len(c.Questions), server.Counts().Answered,
		outcomes["history pass"], outcomes["recalled pass"], outcomes["recalled pass"]+outcomes["recalled fail"])
	t.Log(got)
	if want := "38 sessions, 204 points, 147 questions, 38 answers; history 38, recall 38 of 353"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	r, err := audit.Run(t.Context(), plugins.Registry(), c)
	if err != nil {
		t.Fatal(err)
	}
	if r.State() == audit.Differs || r.State() == audit.Errored {
		t.Errorf("audit: %v", r.State())
	}
}

// TestRealRunsExtracted has WebVoyager's seven runs parted anew, every third step an end,
// and their points extracted by an author that sees the screenshots.
func TestRealRunsExtracted(t *testing.T) {
	t.Parallel()
	runs := testfiles.Real(t, "webvoyager")
	var seen atomic.Int32
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		if a.Task == "lifelong_ends" {
			return testkit.ReplyJSON(thirds(t, a))
		}
		seen.Add(int32(len(a.Images)))
		return testkit.ReplyJSON(remarks(t, a))
	})
	reg, c := released(t, "refined-runs.yaml", "sources.runs.with.path="+runs, "models.writer.base_url="+server.URL, "models.writer.key_env=")
	rows, err := release.DecodeTable[extraction.Extraction](c, extraction.Table)
	if err != nil {
		t.Fatal(err)
	}
	soundly(t, reg, c, "webvoyager")
	checkForecast(t, c, server.Counts(), false, "-f", testfiles.Repo(t, "docs/refined-runs.yaml"), "--set", "sources.runs.with.path="+runs, "--set", "models.writer.key_env=")
	sessions, points := sessionsAndPoints(t, c)
	if got, want := fmt.Sprintf("%d sessions, %d points, %d more extracted, %d screenshots seen", sessions, points, len(rows), seen.Load()), "17 sessions, 23 points, 15 more extracted, 47 screenshots seen"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// remarks keeps every fourth turn of a session as a point.
func remarks(t *testing.T, a testkit.ChatRequest) any {
	t.Helper()
	var of extraction.Passage
	if err := a.Data("session", &of); err != nil {
		t.Error(err)
	}
	out := extraction.Proposed{Points: []extraction.Point{}}
	for _, l := range of.Turns {
		said := strings.Fields(l.Said)
		if l.Number%4 != 1 || len(said) < 6 {
			continue
		}
		out.Points = append(out.Points, extraction.Point{
			Content: l.By + ": " + words.Shorten(strings.Join(said, " "), 450), Type: "event", Importance: "low", Thing: l.By, Aspect: fmt.Sprintf("remark %d of %s", l.Number, of.Date),
			Value: strings.Join(said[:6], " "), Status: "holds", Who: l.By, Update: "new", Supersedes: []int{}, Turns: []int{l.Number}, Pictures: []int{},
		})
	}
	return out
}

// thirds ends sessions of a run with every third step, and with the last.
func thirds(t *testing.T, a testkit.ChatRequest) any {
	t.Helper()
	var steps []segmentation.Step
	if err := a.Data("steps", &steps); err != nil {
		t.Error(err)
	}
	var out segmentation.Ends
	for n := range steps {
		if n%3 == 2 || n == len(steps)-1 {
			out.Ends = append(out.Ends, segmentation.End{Step: n + 1, Why: "sub_goal"})
		}
	}
	return out
}
