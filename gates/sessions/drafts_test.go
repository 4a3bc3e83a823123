package sessions

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// TestPointDrafts: of points that a turn establishes, the rule alone leaves few open; of points that
// it takes back, wishes, asks or tells of others, few are kept from the judge. The rule alone lets
// such points pass: it reads no sense.
func TestPointDrafts(t *testing.T) {
	open, asked := map[string]int{}, map[string]int{}
	for _, file := range []string{"points_established.jsonl", "points_not_established.jsonl"} {
		f, err := os.Open("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var d struct{ Said, Thing, Aspect, Value, Content string }
			if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
				t.Fatal(err)
			}
			s := schemas.Session{SessionID: "s", TaskID: "t", Turns: []schemas.Turn{{TurnID: "t1", SessionID: "s", Order: 1, Role: "user", Text: d.Said}}, Points: []schemas.MemoryPoint{{
				MemoryID: "m", SessionID: "s", Content: d.Content, Modality: schemas.ModalityText, EvidenceTurns: []string{"t1"},
				Attributes: map[string]string{schemas.PointThing: d.Thing, schemas.PointAspect: d.Aspect, schemas.PointValue: d.Value},
			}}}
			if j := CoverageByRule(s); j.Outcome != pipeline.Pass {
				open[file]++
			}
			if len(keepDoubtful(s, lookInSession(s)).Points) > 0 {
				asked[file]++
			}
		}
	}
	t.Logf("of 20 each, left open by the rule: %v; put to a judge: %v", open, asked)
	if open["points_established.jsonl"] > 7 || asked["points_established.jsonl"] > 9 || asked["points_not_established.jsonl"] < 19 {
		t.Errorf("left open %v, asked %v", open, asked)
	}
}
