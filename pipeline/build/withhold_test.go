package build

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// TestWithholdDropsWhatShowsFlaggedMedia checks questions, tasks and media, and
// that a flagged question leaves the rest alone.
func TestWithholdDropsWhatShowsFlaggedMedia(t *testing.T) {
	record := func(schema, id string, v any) pipeline.Record {
		r, err := pipeline.NewRecord(schema, id, v)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	question := func(id, medium, cited string) pipeline.Record {
		return record(schemas.NameQuestion, id, schemas.Question{QuestionID: id, Media: []string{medium}, Evidence: []schemas.Evidence{{Ref: cited + "#t=1,2"}}})
	}
	in := []pipeline.Record{
		record(schemas.NameMedia, "bad", schemas.Media{MediaID: "bad"}), record(schemas.NameMedia, "good", schemas.Media{MediaID: "good"}),
		question("q1", "bad", "bad"), question("q2", "good", "bad"), question("q3", "good", "good"),
		record(schemas.NameTask, "t1", schemas.Task{TaskID: "t1", Media: []string{"bad", "good"}}),
		record(schemas.NameTask, "t2", schemas.Task{TaskID: "t2", Media: []string{"good"}}),
		record(schemas.NameVerdict, "g/bad", schemas.Verdict{Item: "bad", Gate: "g", Outcome: schemas.Fail}),
	}
	kept, lost, err := withhold(in, map[[2]string]string{{schemas.NameMedia, "bad"}: "g", {schemas.NameQuestion, "q3"}: "other gate"})
	if err != nil {
		t.Fatal(err)
	}
	ids := ""
	for _, r := range kept {
		ids += r.ID + " "
	}
	if ids != "good q3 t1 t2 g/bad " {
		t.Errorf("kept %s", ids)
	}
	task, err := pipeline.Decode[schemas.Task](kept[2])
	if err != nil || len(task.Media) != 1 || task.Media[0] != "good" {
		t.Errorf("task %+v, %v; want it without the medium", task, err)
	}
	if len(lost) != 2 || lost[0].ID != "q1" || lost[1].ID != "q2" || lost[0].Stage != "g" || lost[0].Code != "withheld-media" {
		t.Errorf("lost %+v, want q1 and q2 at the gate", lost)
	}
	all, lost, err := withhold(in, map[[2]string]string{{schemas.NameQuestion, "q1"}: "g"})
	if err != nil || len(all) != len(in) || len(lost) != 0 {
		t.Errorf("no flagged medium: %d of %d kept, lost %v, %v", len(all), len(in), lost, err)
	}
}
