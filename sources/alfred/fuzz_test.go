package alfred_test

import (
	"testing"

	"github.com/memforge/memforge/sources/alfred"
	"github.com/memforge/memforge/sources/internal/trajectory"
)

// FuzzParse: whatever stands in a file, a run has a name that ids can have, and each
// of its steps a place.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"task_id":"t","repeat_idx":0,"turk_annotations":{"anns":[{"task_desc":"d","high_descs":["h"]}]},"plan":{"high_pddl":[{"high_idx":0,"discrete_action":{"action":"G"}}],"low_actions":[{"high_idx":0,"api_action":{"action":"M"}}]}}`, "", "[]", "{}", "null"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		runs, err := alfred.Parse(&trajectory.File{Path: "t/pp/ann_0.json", Text: data, Pictures: []string{"screenshot1.png", "screenshot2_no_box.png"}})
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
