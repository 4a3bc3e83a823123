package computeragentarena_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/sources/computeragentarena"
	"github.com/memforge/memforge/sources/internal/trajectory"
)

// TestGoldenSpoiled pins what is read of a run, and of it with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	golden.CheckSpoiled(t, "spoiled", json.RawMessage(`{
		"task_id": "t1", "instruction": "Rename  the folder\nof photos", "model": "claude", "human_eval_correctness": 1, "rating": 5,
		"traj": [
			{"index": 1, "image": "images/t1_1.png", "timestamp": "2025-01-02T03:04:05Z", "description": "a desktop", "thought": "I open it", "action": "pyautogui.click(3, 4)", "mouse": 1},
			{"index": 3, "image": "", "content": ["I", "type"], "code": "pyautogui.write('x')", "result": "ok"},
			{"index": 3, "thought": "I am done"}]
	}`), func(doc []byte) string {
		f := &trajectory.File{Path: "agent_arena_data.jsonl", Text: doc}
		runs, err := computeragentarena.Parse(f)
		if err != nil {
			return err.Error()
		}
		out := fmt.Sprintf("%+v", *f)
		for _, r := range runs {
			out += fmt.Sprintf("\n%+v", *r)
		}
		return strings.NewReplacer(fmt.Sprint(doc), "", "} {", "}\n{", " losses:", "\nlosses:", " Steps:", "\nSteps:", " Facts:", "\nFacts:").Replace(out)
	})
}
