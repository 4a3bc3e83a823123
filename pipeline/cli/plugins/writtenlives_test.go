package plugins_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/author/extraction"
)

// writtenLives is a build of docs/written-lives.yaml, small.
func writtenLives(t *testing.T, url string, sets ...string) *own {
	n := testsize.Choose(4, 6)
	return ownBuild(t, "written-lives.yaml", url, []string{"writer", "other"}, append(sets,
		fmt.Sprintf("sources.lives.with.size={sessions: %d, facts: 5, pictures: %d, interference: 1, chatter: 2}", n, testsize.Choose(1, 2)))...)
}

// TestWrittenLives builds docs/written-lives.yaml with a scripted server as author, as
// who extracts points, and as judge: once calmly, once with every third request spoiled,
// once killed on the way. All three are one release. The first build, whose author finds
// no points, tells what the points are.
func TestWrittenLives(t *testing.T) {
	t.Parallel()
	m := &teller{truth: map[string][]schemas.MemoryPoint{}, asked: map[string]int{}}
	server := testkit.NewModelServer(t, m.answer)
	m.learn(t, writtenLives(t, server.URL, "gates.precise.max_insufficient=1", "gates.recalled.max_insufficient=1", "gates.updates-found.max_insufficient=1",
		"gates.apart.on_fail=keep", "gates.apart.keep_because=nothing tells interference apart where no point is known").build())
	server.ResetCounts()
	o := writtenLives(t, server.URL)
	calm := o.build()
	want := server.Counts()
	checkForecast(t, calm, want, false, o.args...)
	checkWritten(t, m, calm)
	if want.Repeated > 0 {
		t.Errorf("%d calls of %d are paid twice", want.Repeated, want.Answered)
	}
	t.Logf("%d sessions, %d questions of %d calls: %v", len(m.truth), len(calm.Questions), want.Answered, m.asked)

	steadfast(t, server, calm, want.Answered, 1, func(t *testing.T, sets ...string) *own { return writtenLives(t, server.URL, sets...) })
}

// learn takes the points of a release as those that its sessions have.
func (m *teller) learn(t *testing.T, c release.Contents) {
	t.Helper()
	sessions, err := release.DecodeTable[schemas.Session](c, "sessions")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions {
		key := sessionKey(s.Date, len(s.Turns))
		if m.truth[key] != nil {
			t.Fatalf("two sessions are like %s", key)
		}
		m.truth[key] = s.Points
	}
	if len(sessions) == 0 {
		t.Fatal("the release has no session")
	}
	clear(m.asked)
}

// checkWritten wants a release that verifies and audits clean, in which the author's
// words stand and every check of what a model gave has found something.
func checkWritten(t *testing.T, m *teller, c release.Contents) {
	t.Helper()
	if code, said := memforge("verify", c.Dir); code != 0 {
		t.Errorf("verify: exit code %d\n%s", code, said)
	}
	soundly(t, plugins.Registry(), c, "lifelong")
	for _, what := range []string{"lifelong_session", "lifelong_session again", "lifelong_points", "lifelong_points again", "gate_point_coverage", "gate_caption_coverage", "gate_interference"} {
		if m.asked[what] == 0 {
			t.Errorf("nobody was asked %s: %v", what, m.asked)
		}
	}
	lost, outcomes := map[string]int{}, map[string]int{}
	for _, r := range c.Rejections {
		lost[r.Stage+" "+r.Code]++
	}
	for _, v := range c.Verdicts {
		outcomes[v.Gate+" "+v.Outcome]++
	}
	t.Logf("lost: %v; verdicts: %v", lost, outcomes)
	if lost["write bad-session"] == 0 || lost["extract bad-point"] == 0 {
		t.Errorf("what could not be used is not noted: %v", lost)
	}
	card, err := os.ReadFile(filepath.Join(c.Dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, gate := range []string{"precise", "recalled", "updates-found"} {
		row := regexp.MustCompile(fmt.Sprintf(`(?m)^\| %s \|.*\| %d \| %d \|`, gate, outcomes[gate+" pass"], outcomes[gate+" fail"]))
		if !row.Match(card) {
			t.Errorf("the card has no line of %s with %d and %d", gate, outcomes[gate+" pass"], outcomes[gate+" fail"])
		}
	}
	for _, want := range []string{"precise pass", "precise fail", "recalled pass", "recalled fail", "updates-found pass", "told pass", "covered pass", "captions pass", "apart pass"} {
		if outcomes[want] == 0 {
			t.Errorf("no verdict says %s: %v", want, outcomes)
		}
	}
	for _, never := range []string{"told fail", "covered fail", "captions fail", "apart fail", "covered error", "captions error", "apart error"} {
		if outcomes[never] > 0 {
			t.Errorf("%d verdicts say %s", outcomes[never], never)
		}
	}
}

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
