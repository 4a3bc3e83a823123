package plugins_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// firstLines are those of a text with lines.
func firstLines(text []byte, n int) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	return bytes.Join(lines[:min(n, len(lines))], nil)
}

// TestRealLivesReleased takes the first of LifeSim's users, two in the small size and ten in the full one, through
// docs/real-lives.yaml into a release that an audit finds as it states it. The release
// says of each user which fields its life has not.
func TestRealLivesReleased(t *testing.T) {
	t.Parallel()
	users, events := testkit.ReadRealInput(t, "lifesim/users.jsonl"), testkit.ReadRealInput(t, "lifesim/events.jsonl")
	n := testsize.Choose(2, 6)
	h := testkit.NewHub(t)
	h.SetRepo("dfy37/lifesim", testkit.Repo{Commit: commit, Files: map[string][]byte{
		"data/single_session/users.jsonl": firstLines(users, n), "data/single_session/events.jsonl": firstLines(events, n),
	}})
	reg, c := released(t, "real-lives.yaml", "run.endpoints="+fmt.Sprintf("{hub: %q, github_api: %q, github_raw: %q, github_lfs: %q}", h.URL, h.URL, h.URL, h.URL))
	codes := map[string]int{}
	for _, r := range c.Rejections {
		codes[r.Stage+" "+r.Code]++
	}
	sessions, points := sessionsAndPoints(t, c)
	t.Logf("%d tasks, %d sessions, %d points, %d questions, lost %v", len(c.Tasks), sessions, points, len(c.Questions), codes)
	if len(c.Tasks) != n || codes["lives fields-left-out"] != n || codes["users field-left-out"] == 0 || !c.Manifest.Private {
		t.Errorf("%d tasks of %d users, private %t, lost %v", len(c.Tasks), n, c.Manifest.Private, codes)
	}
	arena(t, reg, c, n)
	soundly(t, reg, c, "lifelong")
}
