package visualagentbench_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/sources/internal/trajectory"
	"github.com/memforge/memforge/sources/visualagentbench"
)

// TestGoldenSpoiled pins what is read of a run, and of it with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	golden.CheckSpoiled(t, "spoiled", json.RawMessage(`{
		"index": 4, "error": "timeout", "extra": 1, "time": {"timestamp": 1700000000000, "str": "x", "zone": "UTC"},
		"output": {"index": 4, "status": "completed", "seed": 1, "result": {"success": true, "score": 0.5}, "history": [
			{"role": "user", "content": [{"type": "text", "text": "Craft a lamp."}, {"type": "image_url", "image_url": {"url": "file://shots\\one.png"}}]},
			{"role": "agent", "content": "OBSERVATION: a wood\nTHOUGHT: dig\nACTION: craft(\"lamp\")"},
			{"role": "user", "content": "Error: it is not possible."},
			{"role": "agent", "content": "I wait."},
			{"role": "robot", "content": "beep"},
			{"role": "user", "content": "You look around."},
			{"role": "agent", "content": [{"type": "text", "text": "Action: look()"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0K"}}]}]}
	}`), func(doc []byte) string {
		f := &trajectory.File{Path: "out/gpt/VAB-Minecraft/runs.jsonl", Text: doc}
		runs, err := visualagentbench.Parse(f)
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
