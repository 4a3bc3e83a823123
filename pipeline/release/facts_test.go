package release

import (
	"fmt"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// TestWrittenFactsAreRestated writes a release whose questions a gate measured:
// the card has the figures, and they follow from its tables.
func TestWrittenFactsAreRestated(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 24)
	in.Gates = append(in.Gates, manifest.GateInfo{Name: "guesses", Use: "statistical-shortcuts", Version: "2", Config: pipeline.RawConfig(`{}`), OnFail: "drop"})
	for i := range 24 {
		v := schemas.Verdict{Item: fmt.Sprintf("q-%04d", i), Gate: "guesses", Outcome: schemas.Pass, Reason: "longest 31 %"}
		in.Records = append(in.Records, record(t, schemas.NameVerdict, fmt.Sprint("g", i), v))
	}
	dir := write(t, store, t.TempDir(), in).Dir
	got := files(t, dir)
	cells := map[string]string{"type of question": "nback", "rows": "8", "distinct facts": "8"}
	guess := map[string]string{"type of question": "nback", "best guess": "longest 31 %"}
	for name, all := range map[string][]grid{"card": cardGrids(string(got["README.md"])), "report": pageGrids(t, parsePage(t, got["report.html"]))} {
		if !findGrid(all, "type of question", "rows").has(cells) || !findGrid(all, "type of question", "best guess").has(guess) {
			t.Errorf("the %s lacks what the gate measured: %q", name, all)
		}
	}
	for _, r := range mustRestate(t, mustRead(t, dir)) {
		if r.Unknown != "" || len(r.Differs) > 0 {
			t.Errorf("%s: %s %q", r.Path, r.Unknown, r.Differs)
		}
	}
}
