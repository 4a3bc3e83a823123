package embodiedbench_test

import (
	"testing"

	"github.com/memforge/memforge/sources/embodiedbench"
	"github.com/memforge/memforge/sources/internal/trajectory"
)

// FuzzParse: whatever stands in a file, a run has a name that ids can have, and each
// of its steps a place.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`[{"model_name":"m","eval_set":"base","episode_id":3,"instruction":"i","success":1.0,"trajectory":[{"executable_plan":[{"action":[4,"find"],"action_success":0.0}]}]}]`, "", "[]", "{}", "null"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		runs, err := embodiedbench.Parse(&trajectory.File{Path: "x_multi_step.json", Text: data, Pictures: []string{"screenshot1.png", "screenshot2_no_box.png"}})
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
