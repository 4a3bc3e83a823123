package lifesim

import (
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/sources/internal/annotation"
)

func FuzzParse(f *testing.F) {
	testkit.AddFuzzLines(f, "testdata/users.jsonl", "testdata/events.jsonl")
	f.Fuzz(func(t *testing.T, line []byte) {
		o, err := annotation.ParseObject(line)
		if err != nil {
			return
		}
		if p, why := parseUser(o, true); why == nil && p.UpstreamID == "" {
			t.Fatal("a profile without an id")
		}
		l, why := parseLife(o)
		if why != nil {
			return
		}
		for i, e := range l.events {
			if e.text == "" || i > 0 && e.at.Before(l.events[i-1].at) {
				t.Fatalf("event %d: %+v", i, e)
			}
		}
	})
}
