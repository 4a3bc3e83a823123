package computeragentarena_test

import (
	"testing"

	"github.com/memforge/memforge/sources/computeragentarena"
	"github.com/memforge/memforge/sources/internal/trajectory"
)

// FuzzParse: whatever stands in a file, a run has a name that ids can have, and each
// of its steps a place.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"task_id":"a","instruction":"Bold row 1","human_eval_correctness":1,"model":"m","traj":[{"index":1,"image":"images/a_step_1.png"}]}`, "", "[]", "{}", "null"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		runs, err := computeragentarena.Parse(&trajectory.File{Path: "agent_arena_data.jsonl", Text: data, Pictures: []string{"screenshot1.png", "screenshot2_no_box.png"}})
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
