package mmdocrag

import (
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/sources/internal/annotation"
)

func FuzzParse(f *testing.F) {
	testkit.AddFuzzLines(f, "testdata/dev_15.jsonl")
	f.Fuzz(func(t *testing.T, line []byte) {
		o, err := annotation.ParseObject(line)
		if err != nil {
			return
		}
		q, why := parse(o)
		if why != nil {
			return
		}
		gold := 0
		for _, u := range q.item().Units {
			if len(u.Parts) == 0 {
				t.Fatalf("unit %s is empty", u.UpstreamID)
			}
			for _, p := range u.Parts {
				if p.Gold {
					gold++
				}
			}
		}
		if gold != q.gold() {
			t.Fatalf("%d gold parts of %d gold quotes", gold, q.gold())
		}
	})
}
