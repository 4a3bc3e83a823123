package pipeline

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

func TestSplitRound(t *testing.T) {
	for name, want := range map[string]struct {
		node  string
		round int
	}{
		"oracle": {"oracle", 0}, RoundName("oracle", 2): {"oracle", 2}, ReviserName("oracle", 12): {"revise~oracle", 12},
		"oracle~": {"oracle~", 0}, "oracle~0": {"oracle~0", 0}, "oracle~x": {"oracle~x", 0}, "": {"", 0},
	} {
		if node, round := SplitRound(name); node != want.node || round != want.round {
			t.Errorf("%q: %q, %d", name, node, round)
		}
	}
}

func TestRelabelledChangesLabelsAlone(t *testing.T) {
	q := schemas.Question{QuestionID: "q", Question: "What?", Labels: map[string]string{"a": "1", "b": "2"}}
	in, err := NewRecord(schemas.NameQuestion, "q", q, "00")
	if err != nil {
		t.Fatal(err)
	}
	out, err := relabelled(in, map[string]string{"b": "3", "c": "4"})
	if err != nil || out.ID != "q" || len(out.Blobs) != 1 {
		t.Fatal(out, err)
	}
	got, err := Decode[schemas.Question](out)
	if err != nil || got.Question != "What?" || got.Labels["a"] != "1" || got.Labels["b"] != "3" || got.Labels["c"] != "4" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := relabelled(Record{ID: "v", Schema: schemas.NameVideo}, map[string]string{"b": "3"}); err == nil || !strings.Contains(err.Error(), "only a question") {
		t.Errorf("a video is relabelled: %v", err)
	}
}

func TestSummaryCountsItemsOnly(t *testing.T) {
	var s Summary
	s.count(Unit{
		Out:        []Ref{{ID: "q", Schema: schemas.NameQuestion}, {ID: "v", Schema: schemas.NameVerdict}, {ID: "p", Schema: schemas.NameProbes}, {ID: "f", Schema: schemas.NameFlagged}},
		Rejections: []Rejection{{Code: "guessable", Flagged: true}, {Code: "gate-error"}},
	})
	if s.Units != 1 || s.Out != 1 || s.Revised != 1 || s.Flagged != 1 || s.Lost != 1 {
		t.Errorf("%+v", s)
	}
}
