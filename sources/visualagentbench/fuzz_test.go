package visualagentbench_test

import (
	"testing"

	"github.com/memforge/memforge/sources/internal/trajectory"
	"github.com/memforge/memforge/sources/visualagentbench"
)

// FuzzParse: whatever stands in a file, a run has a name that ids can have, and each
// of its steps a place.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"index":4,"output":{"result":{"success":true},"history":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,a/b.png"}}]},{"role":"agent","content":"Action: put(1)"}]}}`, "", "[]", "{}", "null"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		runs, err := visualagentbench.Parse(&trajectory.File{Path: "o/a/t/runs.jsonl", Text: data, Pictures: []string{"screenshot1.png", "screenshot2_no_box.png"}})
		if err != nil && len(runs) > 0 {
			t.Errorf("runs beside the error %v", err)
		}
		for _, r := range runs {
			if name, err := trajectory.RunName(r.Name); err != nil || name != r.Name {
				t.Errorf("name %q", r.Name)
			}
			for i, s := range r.Steps {
				if s.Ref == "" {
					t.Errorf("step %d has no place", i)
				}
			}
		}
	})
}
