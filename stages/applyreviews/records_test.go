package applyreviews

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// sessions are six of two kinds, and decisions of two people about those given.
func sessions(t *testing.T, decisions ...string) (out []pipeline.Record) {
	t.Helper()
	var made pipeline.RecordBuilder
	for i := range 6 {
		kind := []string{schemas.KindDialogue, schemas.KindDocument}[i%2]
		made.Add(schemas.NameSession, fmt.Sprint("s", i), schemas.Session{SessionID: fmt.Sprint("s", i), TaskID: "t", Kind: kind, Arc: "move", Order: int32(i)})
	}
	for _, d := range decisions {
		item, said, _ := strings.Cut(d, " ")
		decision, label, _ := strings.Cut(said, " ")
		for _, annotator := range []string{"ann", "bea"} {
			made.Add(schemas.NameReview, item+annotator, schemas.Review{Item: item, Annotator: annotator, Sample: "review", Decision: decision, Label: label})
		}
	}
	out, err := made.Records()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSessionsAreDrawnAndSettled: one of each kind is drawn by a column, and what people
// decide holds as it does of questions.
func TestSessionsAreDrawnAndSettled(t *testing.T) {
	c := config(0.3, keep)
	c.Of, c.By = schemas.NameSession, []string{"kind"}
	run := func(decisions ...string) ([]pipeline.Record, []pipeline.Rejection, error) {
		return testkit.Subject{Register: Register, Use: "review.settle", Config: c, Inputs: sessions(t, decisions...)}.Run(t)
	}
	out, _, err := run()
	if err != nil {
		t.Fatal(err)
	}
	var drawn []string
	strata := map[string]int{}
	for _, r := range out {
		if r.Schema != schemas.NameSampled {
			continue
		}
		d, err := pipeline.Decode[schemas.Sampled](r)
		if err != nil || d.Schema != schemas.NameSession {
			t.Fatalf("%+v, %v", d, err)
		}
		if strata[fmt.Sprint(d.Stratum, d.Selected)]++; d.Selected {
			drawn = append(drawn, d.Item)
		}
	}
	if strata["[dialogue] true"] != 1 || strata["[document] true"] != 1 || len(strata) != 4 {
		t.Fatalf("drawn %v", strata)
	}
	c.Undecided = refuse
	if _, _, err := run(drawn[0] + " accept"); err == nil || !strings.Contains(err.Error(), drawn[1]) {
		t.Errorf("%s is open: %v", drawn[1], err)
	}
	out, lost, err := run(drawn[0]+" reject", drawn[1]+" relabel arc=stay")
	if err != nil || len(lost) != 1 || lost[0].ID != drawn[0] {
		t.Fatalf("lost %v, %v", lost, err)
	}
	for _, r := range out {
		if r.Schema != schemas.NameSession {
			continue
		}
		s, err := pipeline.Decode[schemas.Session](r)
		if err != nil || (s.Arc == "stay") != (r.ID == drawn[1]) {
			t.Errorf("%s: arc %q, %v", r.ID, s.Arc, err)
		}
	}
	for _, label := range []string{"task_id=other", "mood=glad", "order=3"} {
		if _, _, err := run(drawn[0]+" accept", drawn[1]+" relabel "+label); err == nil || !strings.Contains(err.Error(), "correct the decision") {
			t.Errorf("%s is set: %v", label, err)
		}
	}
}

// TestRelabelledKeepsTheRest: of a record of any schema.
func TestRelabelledKeepsTheRest(t *testing.T) {
	rec, err := pipeline.NewRecord("dish", "d", map[string]any{"dish_id": "d", "labels": map[string]string{"taste": "sour"}, "steps": []int{1, 2}}, "blob")
	if err != nil {
		t.Fatal(err)
	}
	got, err := review.Relabel(rec, [2]string{"taste", "sweet"})
	if err != nil {
		t.Fatal(err)
	}
	var was, is map[string]any
	if json.Unmarshal(rec.Data, &was) != nil || json.Unmarshal(got.Data, &is) != nil || !slices.Equal(got.Blobs, rec.Blobs) {
		t.Fatalf("%s, %v", got.Data, got.Blobs)
	}
	was["labels"] = map[string]any{"taste": "sweet"}
	if fmt.Sprint(was) != fmt.Sprint(is) {
		t.Errorf("%v, want %v", is, was)
	}
}
