package plugins_test

import (
	"fmt"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/stages/lifelong/format"
)

// TestRealBrowsing takes WebVoyager's seven runs through docs/real-browsing.yaml into a
// release that an audit finds as it states it. The counts are those of docs/worldmemarena.md.
func TestRealBrowsing(t *testing.T) {
	t.Parallel()
	runs := testfiles.Real(t, "webvoyager")
	reg, c := released(t, "real-browsing.yaml", "sources.runs.with.path="+runs)
	axes, open := map[string]int{}, 0
	for _, q := range c.Questions {
		axes[q.Labels[format.LabelAxis]]++
		if len(q.Options) == 0 {
			open++
		}
	}
	lost := map[string]int{}
	for _, r := range c.Rejections {
		if r.Stage != "runs" {
			lost[r.Stage+" "+r.Code]++
		}
	}
	sessions, points := sessionsAndPoints(t, c)
	got := fmt.Sprintf("%d tasks, %d sessions, %d points, %d pictures, %d questions %v, %d without options, lost %v", len(c.Tasks), sessions, points, len(c.Media), len(c.Questions), axes, open, lost)
	t.Log(got)
	if want := "7 tasks, 15 sessions, 23 points, 46 pictures, 21 questions map[DU:2 FR:4 TR:15], 0 without options, lost map[remembered too-few-answers:1]"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	soundly(t, reg, c, "webvoyager")
}
