package plugins_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/eval/runner"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/stages/lifelong/format"
)

// TestRealDialogues takes LoCoMo's two conversations through docs/real-dialogues.yaml:
// their questions are asked at checkpoints, the release is laid out as WorldMemArena's
// loader reads it, and memory systems live through it. The counts are those of
// docs/worldmemarena.md.
func TestRealDialogues(t *testing.T) {
	t.Parallel()
	talks := testfiles.Real(t, "locomo")
	reg, c := released(t, "real-dialogues.yaml", "sources.talks.with.path="+talks)
	axes, lost := map[string]int{}, map[string]int{}
	for _, q := range c.Questions {
		axes[q.Labels[format.LabelAxis]]++
		if q.CheckpointID == "" {
			t.Errorf("%s is asked at no checkpoint", q.QuestionID)
		}
	}
	for _, r := range c.Rejections {
		lost[r.Stage+" "+r.Code]++
	}
	sessions, points := sessionsAndPoints(t, c)
	got := fmt.Sprintf("%d tasks, %d sessions, %d points, %d questions %v, lost %v", len(c.Tasks), sessions, points, len(c.Questions), axes, lost)
	t.Log(got)
	if want := "2 tasks, 38 sessions, 353 points, 242 questions map[FR:115 KR:11 MB:57 TR:59], lost map[asked answer-present:10 asked no-evidence:2 asked no-person:1 asked no-point:46 asked no-trap:2 options no-like-answers:200 talks contradicted-question:1 talks date-without-session:16 talks picture-dead:107]"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	arena(t, reg, c, 2)
	r, err := audit.Run(t.Context(), reg, c)
	if err != nil {
		t.Fatal(err)
	}
	if r.State() == audit.Differs || r.State() == audit.Errored {
		t.Errorf("audit: %v", r.State())
	}
}

// arena lays a release out as WorldMemArena does, reads it as a stranger would, and has
// the reference that knows the gold live through it.
func arena(t *testing.T, reg *pipeline.Registry, c release.Contents, tasks int) {
	t.Helper()
	tree, err := format.Layout(c)
	if err != nil {
		t.Fatal(err)
	}
	dir := fstest.MapFS{}
	for _, f := range tree.Files {
		dir[f.Path] = &fstest.MapFile{Data: f.Data}
	}
	picture := testkit.PNG(t, 1)
	for _, m := range tree.Media {
		dir[m.Path] = &fstest.MapFile{Data: picture}
	}
	samples, faults, err := format.Read(dir)
	if err != nil || len(faults) > 0 || len(samples) != tasks {
		t.Errorf("%d samples, %v, %v", len(samples), faults, err)
	}
	asks := 0
	for _, s := range samples {
		asks += s.Asks
	}
	if asks != len(c.Questions) {
		t.Errorf("%d of %d questions are laid out", asks, len(c.Questions))
	}
	s, err := runner.Reference("gold", runner.ReferenceOptions{Gold: runner.GoldTurns(c)})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := runner.Run(t.Context(), reg, c, s, t.TempDir(), runner.Options{TopK: 10})
	if err != nil || sum.Failed > 0 || sum.Tasks != tasks || sum.Questions != len(c.Questions) {
		t.Errorf("driven: %+v, %v", sum, err)
	}
}
