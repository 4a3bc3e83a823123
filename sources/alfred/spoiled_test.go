package alfred_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/sources/alfred"
	"github.com/memforge/memforge/sources/internal/trajectory"
)

// TestGoldenSpoiled pins what is read of a run, and of it with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	golden.CheckSpoiled(t, "spoiled", json.RawMessage(`{
		"task_id": "trial_T1", "task_type": "pick_and_place", "split": "train", "repeat_idx": 1, "root": "data/x", "images": [1],
		"pddl_params": {"object_target": "Mug", "parent_target": "Desk", "mrecep_target": "", "toggle_target": "Lamp", "object_sliced": false},
		"scene": {"floor_plan": "FloorPlan3", "dirty": true,
			"object_poses": [{"objectName": "Mug_1", "position": 1}, {"objectName": "Desk_2"}, {"objectName": "Mug_3"}],
			"object_toggles": [{"isOn": true, "objectType": "Lamp"}]},
		"turk_annotations": {"anns": [{"task_desc": "other"}, {"task_desc": "Put a mug on the desk", "votes": [1], "high_descs": ["Go to the mug", "Take it", ""]}]},
		"plan": {
			"high_pddl": [
				{"high_idx": 0, "discrete_action": {"action": "GotoLocation", "args": []}}, {"high_idx": 1, "discrete_action": {"action": "PickupObject"}},
				{"high_idx": 2, "discrete_action": {"action": "PutObject"}}, {"high_idx": 3, "discrete_action": {"action": "NoOp"}}],
			"low_actions": [
				{"high_idx": 0, "api_action": {"action": "MoveAhead", "forceAction": true}}, {"high_idx": 1, "api_action": {"action": "PickupObject", "objectId": "Mug|1"}},
				{"high_idx": 0, "api_action": {"action": "RotateLeft"}}, {"high_idx": 7, "api_action": {"action": "RotateLeft"}},
				{"high_idx": 2, "api_action": {"action": "PutObject", "objectId": "Mug|1", "receptacleObjectId": "Desk|2"}}]}
	}`), func(doc []byte) string {
		f := &trajectory.File{Path: "t/pp/ann_1.json", Text: doc}
		runs, err := alfred.Parse(f)
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
