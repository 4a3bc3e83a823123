package assemble

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/internal/extsort"
	"github.com/memforge/memforge/schemas"
)

// note leans on a question and perhaps on another note.
type note struct {
	NoteID string `json:"note_id"`
	On     string `json:"on"`
	After  string `json:"after,omitempty"`
}

// unitsOf gives units that a test made up.
func unitsOf(units map[string][]pipeline.Unit) func(string) iter.Seq2[pipeline.Unit, error] {
	return func(node string) iter.Seq2[pipeline.Unit, error] {
		return func(yield func(pipeline.Unit, error) bool) {
			for _, u := range units[node] {
				if !yield(u, nil) {
					return
				}
			}
		}
	}
}

// giving gives records that a test made up.
func giving(recs []pipeline.Record) iter.Seq2[pipeline.Record, error] {
	return func(yield func(pipeline.Record, error) bool) {
		for _, r := range recs {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// collectorOf is a collector of steps with units that a test made up.
func collectorOf(reg *pipeline.Registry, steps []engine.StepRun, units func(string) iter.Seq2[pipeline.Unit, error]) *collector {
	c := newCollector(context.Background(), reg, nil, steps, "")
	c.units = units
	return c
}

// recordStore is a store of records alone.
type recordStore struct {
	pipeline.Store
	byDigest map[pipeline.Digest]pipeline.Record
}

func (s recordStore) Records(_ context.Context, digests []pipeline.Digest) (out []pipeline.Record, err error) {
	for _, d := range digests {
		r, ok := s.byDigest[d]
		if !ok {
			return nil, fmt.Errorf("no record %s", d)
		}
		out = append(out, r)
	}
	return out, nil
}

// stand gives the records of a release and the rejections of what it leaves out,
// whether references wait in memory or on disk.
func stand(t *testing.T, c *collector, recs []pipeline.Record) (kept []pipeline.Record, lost []schemas.Rejection) {
	t.Helper()
	for _, memory := range []int{1 << 20, 1} {
		c.rows = extsort.New(t.TempDir(), memory)
		st := recordStore{byDigest: map[pipeline.Digest]pipeline.Record{}}
		for _, r := range recs {
			ref, err := r.Ref()
			if err != nil {
				t.Fatal(err)
			}
			st.byDigest[ref.Digest] = r
			if err := c.rows.Add(refRows, extsort.AppendKey(nil, ref.ID, ref.Schema), []any{ref.ID, ref.Schema, string(ref.Digest)}); err != nil {
				t.Fatal(err)
			}
		}
		c.store = st
		l, err := c.close(t.Context(), []string{c.steps[len(c.steps)-1].Step.Name}, nil, nil, c.newGateCounter())
		if err != nil {
			t.Fatal(err)
		}
		before := len(kept)
		for r, err := range l.released(t.Context(), refRows) {
			if err != nil {
				t.Fatal(err)
			}
			kept = append(kept, r)
		}
		if lost = l.lost; memory == 1 && before*2 != len(kept) {
			t.Errorf("%d records are kept in memory, %d on disk", before, len(kept)-before)
		}
		if err := c.rows.Close(); err != nil {
			t.Error(err)
		}
	}
	return kept[:len(kept)/2], lost
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
	add(schemas.NameQuestion, "q1", schemas.Question{QuestionID: "q1"}) // of no task
	for id, n := range map[string]note{
		"n1": {On: "q1"}, "n2": {On: "q2"}, "n3": {On: "q3"}, "n4": {On: "q1", After: "n2"}, "n5": {On: "q1", After: "n1"},
		"n6": {On: "q1"}, "n7": {On: "q1", After: "n6"},
	} {
		n.NoteID = id
		add("note", "record-"+id, n)
	}
	gate := engine.StepRun{Step: engine.Step{Name: "gate", Kind: pipeline.KindGate, Spec: pipeline.Spec{Accepts: []string{schemas.NameQuestion, "note"}}}}
	c := collectorOf(reg, []engine.StepRun{{Step: engine.Step{Name: "ask", Spec: pipeline.Spec{Emits: []string{"note"}}}}, gate},
		unitsOf(map[string][]pipeline.Unit{"ask": {{Out: refs}}, "gate": {{Rejections: []pipeline.Rejection{{ID: "q2"}, {ID: "record-n6"}}}}}))
	kept, lost := stand(t, c, recs)
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

// ofGate is a collector of one gate that dropped these records.
func ofGate(schema string, dropped ...string) *collector {
	gate := engine.StepRun{Step: engine.Step{Name: "g", Kind: pipeline.KindGate, Spec: pipeline.Spec{Accepts: []string{schema}}}}
	var u pipeline.Unit
	for _, id := range dropped {
		u.Rejections = append(u.Rejections, pipeline.Rejection{ID: id})
	}
	return collectorOf(pipeline.NewRegistry(), []engine.StepRun{{Step: engine.Step{Name: "make", MaxLoss: 1}}, gate}, unitsOf(map[string][]pipeline.Unit{"g": {u}}))
}

func recordOf(t *testing.T, schema, id string, v any) pipeline.Record {
	t.Helper()
	r, err := pipeline.NewRecord(schema, id, v)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func clue(kind, ref string, order int32) schemas.Evidence {
	return schemas.Evidence{Kind: kind, Ref: ref, Role: schemas.RoleClue, Order: order}
}

func idsOf(recs []pipeline.Record) string {
	var ids []string
	for _, r := range recs {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

// TestWhatShowsADroppedMediumGoesWithIt checks questions, tasks and media, and that
// a dropped question leaves the rest alone.
func TestWhatShowsADroppedMediumGoesWithIt(t *testing.T) {
	question := func(id, medium, cited string) pipeline.Record {
		return recordOf(t, schemas.NameQuestion, id, schemas.Question{
			QuestionID: id, TaskID: "t1", Question: id, Media: []string{medium}, Evidence: []schemas.Evidence{clue(schemas.EvidenceMedia, cited+"#t=1,2", 1)},
		})
	}
	in := []pipeline.Record{
		recordOf(t, schemas.NameMedia, "bad", schemas.Media{MediaID: "bad", Kind: "video"}), recordOf(t, schemas.NameMedia, "good", schemas.Media{MediaID: "good", Kind: "video"}),
		question("q1", "bad", "bad"), question("q2", "good", "bad"), question("q3", "good", "good"),
		recordOf(t, schemas.NameTask, "t1", schemas.Task{TaskID: "t1", Media: []string{"bad", "good"}}),
		recordOf(t, schemas.NameVerdict, "g/bad", schemas.Verdict{Item: "bad", Gate: "g", Outcome: schemas.Fail}),
	}
	kept, lost := stand(t, ofGate(schemas.NameMedia, "bad"), in)
	if ids := idsOf(kept); ids != "g/bad good q3 t1" {
		t.Errorf("kept %s", ids)
	}
	i := slices.IndexFunc(kept, func(r pipeline.Record) bool { return r.ID == "t1" })
	task, err := pipeline.Decode[schemas.Task](kept[i])
	if err != nil || len(task.Media) != 1 || task.Media[0] != "good" {
		t.Errorf("task %+v, %v; want it without the medium", task, err)
	}
	if len(lost) != 2 || lost[0].ID != "q1" || lost[1].ID != "q2" || lost[0].Stage != "g" || lost[0].Code != "withheld-media" {
		t.Errorf("lost %+v, want q1 and q2 at the gate", lost)
	}
	if all, lost := stand(t, ofGate(schemas.NameQuestion, "q9"), in); len(all) != len(in) || len(lost) != 0 {
		t.Errorf("no dropped medium: %d of %d kept, lost %v", len(all), len(in), lost)
	}
}

// TestTasksWithoutQuestionsAreLeftOut holds that a task whose questions were all
// lost keeps no medium alive, and one that is only cited stays.
func TestTasksWithoutQuestionsAreLeftOut(t *testing.T) {
	in := []pipeline.Record{recordOf(t, schemas.NameQuestion, "q", schemas.Question{
		QuestionID: "q", TaskID: "asked", Media: []string{"m-asked"},
		Evidence: []schemas.Evidence{clue(schemas.EvidenceTask, "cited#step=3", 1), clue(schemas.EvidenceMedia, "m-evidence#t=1.00,2.00", 2)},
	})}
	for id, media := range map[string][]string{
		"asked": {"m-asked", "m-shared"}, "cited": {"m-cited", "m-shared"}, "lost": {"m-lost", "m-shared"}, "lost-too": {"m-lost", "m-asked"},
	} {
		in = append(in, recordOf(t, schemas.NameTask, id, schemas.Task{TaskID: id, Media: media}))
	}
	for _, id := range []string{"m-asked", "m-cited", "m-evidence", "m-lost", "m-nobody", "m-shared"} {
		in = append(in, recordOf(t, schemas.NameMedia, id, schemas.Media{MediaID: id, Kind: "image"}))
	}
	for _, item := range []string{"m-lost", "m-asked", "lost", "cited", "q", "q-rejected"} {
		in = append(in, recordOf(t, schemas.NameVerdict, "v/"+item, schemas.Verdict{Item: item}))
	}
	kept, lost := stand(t, ofGate(schemas.NameQuestion), in)
	if want := "asked cited m-asked m-cited m-evidence m-shared q v/cited v/m-asked v/q v/q-rejected"; idsOf(kept) != want || len(lost) > 0 {
		t.Errorf("kept %s, want %s; lost %v", idsOf(kept), want, lost)
	}
}

// TestSessionsThatRestOnADroppedOneGoWithIt: the second says of the first what was
// true; a question and a checkpoint rest on it. A question that names a turn of
// another session stays.
func TestSessionsThatRestOnADroppedOneGoWithIt(t *testing.T) {
	session := func(i int, points ...schemas.MemoryPoint) schemas.Session {
		id := schemas.SessionIDOf("t", i)
		return schemas.Session{SessionID: id, TaskID: "t", Kind: schemas.KindDialogue, Order: int32(i), Turns: []schemas.Turn{{TurnID: schemas.TurnIDOf(id, 1), SessionID: id, Order: 1, Role: schemas.TurnUser}}, Points: points}
	}
	all := []schemas.Session{session(0, schemas.MemoryPoint{MemoryID: "old", SessionID: "t/S00", Subject: "home", Content: "at home", Modality: schemas.ModalityText}),
		session(1, schemas.MemoryPoint{MemoryID: "other", SessionID: "t/S01", Subject: "home", Content: "at home", Modality: schemas.ModalityText}), session(2)}
	question := func(id, ref string) pipeline.Record {
		return recordOf(t, schemas.NameQuestion, id, schemas.Question{QuestionID: id, TaskID: "t", Question: id, Evidence: []schemas.Evidence{clue(schemas.EvidenceTurn, ref, 1)}})
	}
	in := []pipeline.Record{
		recordOf(t, schemas.NameTask, "t", schemas.Task{TaskID: "t"}), question("q-lost", "t/S01/T001"), question("q", "t/S02/T001"),
		recordOf(t, schemas.NameCheckpoint, "c", schemas.Checkpoint{CheckpointID: "c", TaskID: "t", Sessions: []string{"t/S01", "t/S02"}}),
	}
	for _, s := range all {
		in = append(in, recordOf(t, schemas.NameSession, s.SessionID, s.DeriveFields(all)))
	}
	c := ofGate(schemas.NameSession, "t/S00")
	c.steps[0].Step.Spec.Emits = []string{schemas.NameSession, schemas.NameCheckpoint}
	kept, lost := stand(t, c, in)
	if got := idsOf(kept); got != "q t t/S02" || len(lost) != 3 {
		t.Errorf("kept %s, lost %+v", got, lost)
	}
	c.units = unitsOf(nil)
	if all, lost := stand(t, c, in); len(all) != len(in) {
		t.Errorf("nothing was dropped, and lost are %+v", lost)
	}
}

// TestWhatIsTooLargeForARowIsWithheld: the first question is, and a note leans on it; a
// gate judged it, and another one whose form was too large before it was rewritten.
func TestWhatIsTooLargeForARowIsWithheld(t *testing.T) {
	reg := pipeline.NewRegistry()
	pipeline.AddTable[note](reg, "notes", "note", []string{"note_id"}, pipeline.Reference{Column: "on", Tables: []string{"questions"}})
	if err := reg.Err(); err != nil {
		t.Fatal(err)
	}
	large := recordOf(t, schemas.NameQuestion, "q1", schemas.Question{QuestionID: "q1", Question: strings.Repeat("why ", 1<<19-100)})
	in := []pipeline.Record{
		large, recordOf(t, schemas.NameQuestion, "q2", schemas.Question{QuestionID: "q2", Question: "why?"}),
		recordOf(t, "note", "n1", note{NoteID: "n1", On: "q1"}), recordOf(t, "note", "n2", note{NoteID: "n2", On: "q2"}),
	}
	c := ofGate(schemas.NameQuestion)
	c.reg, c.steps[0].Step.Spec.Emits = reg, []string{"note"}
	kept, lost := stand(t, c, in)
	if got := idsOf(kept); got != "n2 q2" {
		t.Errorf("kept %s", got)
	}
	if len(lost) != 2 || lost[0].ID != "q1" || lost[0].Code != schemas.ExcludedSize || !strings.Contains(lost[0].Reason, "table questions has 2") || lost[1].ID != "n1" || lost[1].Code != schemas.ExcludedRecord {
		t.Errorf("lost %.300s", fmt.Sprintf("%+v", lost))
	}
	var judged []version
	for _, r := range in[:2] {
		ref, err := r.Ref()
		if err != nil {
			t.Fatal(err)
		}
		judged = append(judged, version{ref: ref, gates: []string{"b", "a"}})
	}
	f, err := c.loadForms(t.Context(), judged, nil)
	if err != nil || len(f.questions) != 1 || f.questions[0].Question.QuestionID != "q2" || len(f.lost) != 2 || f.lost[1].Stage != "b" || f.lost[1].ID != "q1" {
		t.Errorf("forms that are lost: %.300s, %v", fmt.Sprintf("%+v", f.lost), err)
	}
}

// TestWhatBreaksARuleIsWithheld: a value that its column does not take, and one that
// breaks the rule of its column, each lose their record and what rests on it.
func TestWhatBreaksARuleIsWithheld(t *testing.T) {
	reg := pipeline.NewRegistry()
	pipeline.AddTable[note](reg, "notes", "note", []string{"note_id"}, pipeline.Reference{Column: "on", Tables: []string{"questions"}})
	if err := reg.Err(); err != nil {
		t.Fatal(err)
	}
	piece := schemas.Evidence{Kind: schemas.EvidenceTurn, Ref: "t1", Role: "hearsay", Order: 1}
	in := []pipeline.Record{
		recordOf(t, schemas.NameQuestion, "q1", schemas.Question{QuestionID: "q1", Evidence: []schemas.Evidence{piece}}),
		recordOf(t, schemas.NameQuestion, "q2", schemas.Question{QuestionID: "q2"}),
		recordOf(t, "note", "n1", note{NoteID: "n1", On: "q1"}), recordOf(t, "note", "n2", note{NoteID: "n2", On: "q2"}),
	}
	c := ofGate(schemas.NameQuestion)
	c.reg, c.steps[0].Step.Spec.Emits = reg, []string{"note"}
	kept, lost := stand(t, c, in)
	if got := idsOf(kept); got != "n2 q2" {
		t.Errorf("kept %s", got)
	}
	if len(lost) != 2 || lost[0].ID != "q1" || lost[0].Code != schemas.ExcludedRule || !strings.Contains(lost[0].Reason, "hearsay") || lost[1].ID != "n1" || lost[1].Code != schemas.ExcludedRecord {
		t.Errorf("lost %+v", lost)
	}
}
