package audit

import (
	"testing"

	"github.com/memforge/memforge/pipeline/release"
)

// TestNothingUncheckedIsNotTold: a release of no verdicts has none on items that are gone.
func TestNothingUncheckedIsNotTold(t *testing.T) {
	if p := checkBound(&Items{}, release.Contents{}); p.State != Same || p.Why != "" || p.Checked != 0 || p.Unchecked != 0 {
		t.Errorf("%+v", p)
	}
}
