package embodiedbench_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/sources/embodiedbench"
	"github.com/memforge/memforge/sources/internal/trajectory"
)

// TestGoldenSpoiled pins what is read of a run, and of it with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	golden.CheckSpoiled(t, "spoiled", json.RawMessage(`[{
		"model_name": "gpt", "eval_set": "base", "episode_id": 3, "instruction": "Find the mug.", "success": 1, "cost": 2,
		"trajectory": [
			{"visual_description": "a kitchen", "reasoning_and_reflection": "It is near.", "language_plan": "Go there.", "input_image_path": "images/0.png", "tokens": 5, "executable_plan": [
				{"step_id": 1, "img_path": "images/1.png", "action": [4, "find a mug"], "action_success": 1, "env_feedback": "found", "x": 1},
				{"step_id": 2, "img_path": "images/2.png", "action": [5, "take it"], "action_success": 0, "env_feedback": "It is too far."}]},
			{"visual_state_description": "nothing", "executable_plan": []},
			{"executable_plan": [{"step_id": 3, "action": [0.1, 0.2, 0.3]}]}]
	}, 7]`), func(doc []byte) string {
		f := &trajectory.File{Path: "x_multi_step.json", Text: doc}
		runs, err := embodiedbench.Parse(f)
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
