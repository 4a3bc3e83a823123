package pipeline_test

import (
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// life is three sessions of a task in which Mara moves twice, and then has no home.
func life() []schemas.Session {
	var out []schemas.Session
	for i, text := range []string{"Mara lives in Gent", "Mara lives in Lyon", "Mara has no home"} {
		id := schemas.SessionIDOf("mara", i)
		s := schemas.Session{SessionID: id, TaskID: "mara", Kind: schemas.KindDialogue, Participants: []string{}, Order: int32(i)}
		for n := 12; n > 0; n-- { // ids that do not sort as they count
			s.Turns = append(s.Turns, schemas.Turn{TurnID: id + "/" + string(rune('a'+n)), SessionID: id, Order: int32(13 - n), Role: schemas.TurnUser, Text: text})
		}
		p := schemas.MemoryPoint{
			MemoryID: schemas.PointIDOf(id, 1), SessionID: id, Content: text, Subject: "home", EvidenceTurns: []string{s.Turns[0].TurnID},
			Attributes: map[string]string{"town": text},
		}
		if i > 0 {
			p.IsUpdate, p.Supersedes = true, []string{out[i-1].Points[0].MemoryID}
		}
		if i == 2 {
			p.UpdateType = schemas.UpdateDelete
		}
		s.Points = []schemas.MemoryPoint{p}
		out = append(out, s)
	}
	for i := range out {
		out[i] = out[i].DeriveFields(out)
	}
	return out
}

// TestASessionIsRowsOfThreeTables and is itself again, digest and all, when it is made
// of them; what follows from other sessions stands in none.
func TestASessionIsRowsOfThreeTables(t *testing.T) {
	table, ok := pipeline.NewRegistry().Table(schemas.NameSession)
	if !ok || !table.IsComposed() {
		t.Fatalf("table %v", table)
	}
	rows, recs := map[string][][]any{}, []pipeline.Record{}
	for _, s := range life() {
		rec, err := pipeline.NewRecord(schemas.NameSession, s.SessionID, s)
		if err != nil {
			t.Fatal(err)
		}
		list, err := table.Rows(rec)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			rows[r.Table] = append(rows[r.Table], r.Cells)
		}
		recs = append(recs, rec)
	}
	if len(rows["sessions"]) != 3 || len(rows["turns"]) != 36 || len(rows["memory_points"]) != 3 {
		t.Fatalf("%d, %d and %d rows", len(rows["sessions"]), len(rows["turns"]), len(rows["memory_points"]))
	}
	slices.Reverse(rows["turns"])
	again, err := table.Records(rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, rec := range recs {
		was, err := pipeline.ItemDigest(rec)
		if err != nil {
			t.Fatal(err)
		}
		if is, err := pipeline.ItemDigest(again[i]); err != nil || is != was || again[i].ID != rec.ID {
			t.Errorf("%s became %s, %v", rec.Data, again[i].Data, err)
		}
	}
	// Without the first session another one says something else of what came before.
	rows["sessions"] = rows["sessions"][1:]
	less, err := table.Records(rows)
	if err != nil {
		t.Fatal(err)
	}
	was, _ := pipeline.ItemDigest(recs[1])
	if is, _ := pipeline.ItemDigest(less[0]); is == was {
		t.Error("a session does not tell that the one before it is gone")
	}
}

func TestEarlierIsWhatASessionBuildsOn(t *testing.T) {
	all := life()
	if e := all[1].Earlier; len(e) != 1 || e[0].MemoryID != all[0].Points[0].MemoryID || len(e[0].SupersededBy) > 0 {
		t.Errorf("the second session builds on %+v", e)
	}
	all[2].Order, all[2].Points[0].Supersedes = 9, nil
	later := all[2]
	later.SessionID, later.Order, later.Points = "later", 10, []schemas.MemoryPoint{{MemoryID: "m", Subject: "home", Resembles: all[0].Points[0].MemoryID}}
	if e := later.DeriveFields(all).Earlier; len(e) != 2 || len(e[0].SupersededBy) != 1 || e[1].MemoryID != all[1].Points[0].MemoryID {
		t.Errorf("it builds on %+v; want what it resembles and what holds, and nothing of an end", e)
	}
	held := 0
	for _, p := range schemas.GoldBefore(all, 10) {
		if p.Holds() {
			held++
		}
	}
	if held != 1 {
		t.Errorf("%d points hold after the last session", held)
	}
}
