package build

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/run"
	"github.com/memforge/memforge/schemas"
)

// note leans on a question and perhaps on another note.
type note struct {
	NoteID string `json:"note_id"`
	On     string `json:"on"`
	After  string `json:"after,omitempty"`
}

// TestWhatRestsOnSomethingDroppedGoesWithIt: q2 was dropped by a gate, q3 was lost
// before; n2 and n3 lean on these, n4 on n2; a gate dropped n6 itself, and n7 leans
// on it.
func TestWhatRestsOnSomethingDroppedGoesWithIt(t *testing.T) {
	reg := pipeline.NewRegistry()
	pipeline.AddTable[note](reg, "notes", "note", []string{"note_id"},
		pipeline.Reference{Column: "on", Tables: []string{"questions"}}, pipeline.Reference{Column: "after", Tables: []string{"notes"}})
	if err := reg.Err(); err != nil {
		t.Fatal(err)
	}
	var recs []pipeline.Record
	var refs []pipeline.Ref
	add := func(schema, id string, v any) {
		r, err := pipeline.NewRecord(schema, id, v)
		if err != nil {
			t.Fatal(err)
		}
		ref, err := r.Ref()
		if err != nil {
			t.Fatal(err)
		}
		recs, refs = append(recs, r), append(refs, ref)
	}
	add(schemas.NameQuestion, "q1", schemas.Question{QuestionID: "q1"})
	for id, n := range map[string]note{
		"n1": {On: "q1"}, "n2": {On: "q2"}, "n3": {On: "q3"}, "n4": {On: "q1", After: "n2"}, "n5": {On: "q1", After: "n1"},
		"n6": {On: "q1"}, "n7": {On: "q1", After: "n6"},
	} {
		n.NoteID = id
		add("note", "record-"+id, n)
	}
	gate := run.Node{Step: pipeline.Step{Node: pipeline.Node{Name: "gate", Kind: pipeline.KindGate}, Spec: pipeline.Spec{Accepts: []string{schemas.NameQuestion, "note"}}}}
	c := &collector{
		reg: reg, outputs: map[string]map[[2]string]bool{}, nodes: []run.Node{{Step: pipeline.Step{Node: pipeline.Node{Name: "ask"}}}, gate},
		units: map[string][]pipeline.Unit{"ask": {{Out: refs}}, "gate": {{Rejections: []pipeline.Rejection{{ID: "q2"}, {ID: "record-n6"}}}}},
	}
	kept, lost, err := c.rested(recs, reg.Tables(), c.droppedBy())
	if err != nil {
		t.Fatal(err)
	}
	var ids, why []string
	for _, r := range kept {
		ids = append(ids, r.ID)
	}
	for _, r := range lost {
		why = append(why, fmt.Sprintf("%s at %s: %s, %s", r.ID, r.Stage, r.Code, r.Reason))
	}
	slices.Sort(ids)
	slices.Sort(why)
	if got := strings.Join(ids, " "); got != "q1 record-n1 record-n5" {
		t.Errorf("kept %s", got)
	}
	want := []string{
		"record-n2 at gate: withheld-record, it refers to questions q2, which is not released",
		"record-n3 at ask: withheld-record, it refers to questions q3, which is not released",
		"record-n4 at ask: withheld-record, it refers to notes n2, which is not released",
		"record-n7 at ask: withheld-record, it refers to notes n6, which is not released",
	}
	if !slices.Equal(why, want) {
		t.Errorf("lost\n%s\nwant\n%s", strings.Join(why, "\n"), strings.Join(want, "\n"))
	}
}
