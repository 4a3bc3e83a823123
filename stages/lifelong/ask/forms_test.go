package ask

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memforge/memforge/stages/lifelong/worlds"
)

// TestTagsDiffer asks for tags of things some of whose names end as they begin: of those
// none is asked, for a wrong tag would be the right one.
func TestTagsDiffer(t *testing.T) {
	b := &book{rnd: rand.New(rand.NewPCG(1, 2)), rules: []worlds.Event{{Op: worlds.TagRule, Value: "KX"}}, things: []string{"the Entertainment diary", "the Fog fund", "the Falcon fund"}}
	drafts := b.rulesApplied()
	if len(drafts) != 1 || drafts[0].Right[:6] != "KX-FAL" {
		t.Errorf("asked is %+v, want the tag of the Falcon fund alone", drafts)
	}
	for _, d := range drafts {
		if texts := slices.Compact(slices.Sorted(slices.Values(append(d.Wrong, d.Right)))); len(texts) != 4 {
			t.Errorf("the options are %q", texts)
		}
	}
}
