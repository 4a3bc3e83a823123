package ledger

import (
	"bytes"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
)

// format1 makes a ledger of format 1 with the calls of another.
const format1 = `
CREATE TABLE calls (
	id INTEGER PRIMARY KEY,
	key BLOB NOT NULL UNIQUE,
	at INTEGER NOT NULL,
	host TEXT NOT NULL, model TEXT NOT NULL, task TEXT NOT NULL,
	node TEXT NOT NULL, item TEXT NOT NULL,
	outcome TEXT NOT NULL,
	input INTEGER NOT NULL, cached INTEGER NOT NULL, output INTEGER NOT NULL,
	fields TEXT NOT NULL,
	request BLOB NOT NULL, reply BLOB NOT NULL, sum BLOB NOT NULL);
CREATE INDEX calls_by_task ON calls (task, item);
CREATE TABLE pending (
	key BLOB PRIMARY KEY, name TEXT NOT NULL, node TEXT NOT NULL, item TEXT NOT NULL,
	request BLOB NOT NULL, body BLOB NOT NULL);
CREATE TABLE batches (
	id TEXT PRIMARY KEY, name TEXT NOT NULL, state TEXT NOT NULL, requests INTEGER NOT NULL);
PRAGMA user_version = 1;
ATTACH ? AS new;
INSERT INTO calls SELECT id, key, at, host, model, task, node, item, outcome, input, cached, output,
	'{}', request, reply, sum FROM new.calls JOIN new.requests ON call = id;
INSERT INTO pending SELECT key, name, node, item, request, body FROM new.pending;
INSERT INTO batches SELECT * FROM new.batches;`

// without4 takes away what format 4 added.
const without4 = `DROP INDEX pending_by_batch; ALTER TABLE pending DROP COLUMN batch; DROP TABLE corrected; `

// TestFormat1IsChanged opens a ledger of format 1: everything that was paid for
// is served, exported and pruned as before.
func TestFormat1IsChanged(t *testing.T) {
	now := openLedger(t)
	keys := itemsOf(t, now, 3, 5)
	// Keys were taken of schemas as their files have them.
	written := pipeline.Request{Host: "h", Model: "m", Task: "t", Schema: []byte("{\n  \"type\": \"object\"\n}")}
	e := Entry{Key: Key(written), Step: "n", Item: "i", Request: written, Reply: pipeline.Reply{Outcome: model.OK, Text: "paid"}}
	if _, err := now.Record(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	waits := Pending{Key: keys[0][0], Name: "one", Step: "n", Item: "i", Body: []byte(`{}`)}
	if err := now.AddPending(t.Context(), waits); err != nil {
		t.Fatal(err)
	}
	if err := now.SaveBatch(t.Context(), Batch{ID: "b1", Name: "one", State: "open", Requests: 1}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(format1, pathOf(t, now)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	for range 2 { // changed, then opened again
		old, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range keys {
			for _, key := range item {
				demand(t, old, key)
			}
		}
		put := written
		put.Schema = []byte(`{"type":"object"}`)
		if got, ok, err := old.Find(t.Context(), Key(put)); !ok || err != nil || got.Text != "paid" {
			t.Errorf("a call with a schema on lines, put without: %+v, %t, %v", got, ok, err)
		}
		if n := strings.Count(exported(t, old), "\n"); n != 16 {
			t.Errorf("the changed ledger exports %d calls, want 16", n)
		}
		if n, err := old.Waiting(t.Context()); n != 1 || err != nil {
			t.Errorf("%d requests wait, %v", n, err)
		}
		if b, err := old.Batches(t.Context()); len(b) != 1 || err != nil {
			t.Errorf("batches %v, %v", b, err)
		}
		if err := old.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRequestsGoWithTheirCalls holds that a call that is removed leaves nothing
// for the next one with its id.
func TestRequestsGoWithTheirCalls(t *testing.T) {
	l := openLedger(t)
	keys := itemsOf(t, l, 2, 3)
	if n, _, err := l.Prune(t.Context(), Filter{}, false); n != 6 || err != nil {
		t.Fatalf("pruned %d, %v", n, err)
	}
	var left int
	if err := l.db.QueryRow(`SELECT count(*) FROM requests`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d requests are left, %v", left, err)
	}
	e := Entry{Request: pipeline.Request{Host: "h", Model: "m", Task: "t", Text: "anew"}, Step: "n", Item: "i", Reply: pipeline.Reply{Outcome: model.OK}}
	e.Key = Key(e.Request)
	if _, err := l.Record(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if damaged, err := l.Each(t.Context(), Filter{}, func(got Entry) error {
		if got.Key != e.Key || got.Request.Text != "anew" {
			t.Errorf("%+v", got)
		}
		return nil
	}); damaged != 0 || err != nil {
		t.Errorf("%d damaged, %v", damaged, err)
	}
	if _, found, err := l.Find(t.Context(), keys[0][0]); found || err != nil {
		t.Errorf("a pruned call is served: %t, %v", found, err)
	}
}

func pathOf(t *testing.T, l *Ledger) (path string) {
	t.Helper()
	if err := l.write.QueryRow(`SELECT file FROM pragma_database_list WHERE name = 'main'`).Scan(&path); err != nil {
		t.Fatal(err)
	}
	return path
}

func exported(t *testing.T, l *Ledger) string {
	t.Helper()
	var out bytes.Buffer
	if _, damaged, err := l.Export(t.Context(), &out, Filter{}); damaged > 0 || err != nil {
		t.Fatalf("%d damaged, %v", damaged, err)
	}
	return out.String()
}

// TestFormat2IsChanged opens a ledger whose requests say how many images the
// model takes: the answers are found whatever it takes now, wherever they come
// from.
func TestFormat2IsChanged(t *testing.T) {
	dir := t.TempDir()
	old, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	asked := func(form string) pipeline.Request {
		return pipeline.Request{Host: "h", Model: "m", Task: "t", Form: []byte(form)}
	}
	put := func(l *Ledger, form, text string) Entry {
		t.Helper()
		r := asked(form)
		e := Entry{Key: Key(r), Step: "n", Item: "i", Request: r, Reply: pipeline.Reply{Outcome: model.OK, Text: text}}
		if _, err := l.Record(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		return e
	}
	const of8, of64 = `{"json_schema":true,"media":{"detail":"","max_bytes":9,"max_images":8,"max_long_side":7}}`, `{"json_schema":true,"media":{"detail":"","max_bytes":9,"max_images":64,"max_long_side":7}}`
	const now = `{"json_schema":true,"media":{"detail":"","max_bytes":9,"max_long_side":7}}`
	put(old, of8, "first")
	put(old, of64, "second")
	const other = `{"json_schema":false,"media":{"detail":"","max_bytes":9,"max_images":8,"max_long_side":7}}`
	waits := Pending{Key: Key(asked(other)), Name: "one", Step: "n", Item: "i", Request: asked(other), Body: []byte(`{}`)}
	if err := old.AddPending(t.Context(), waits); err != nil {
		t.Fatal(err)
	}
	written := exported(t, old)
	if _, err := old.write.Exec(without4 + `PRAGMA user_version = 2`); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		l, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok, err := l.Find(t.Context(), Key(asked(now))); !ok || err != nil || got.Text != "first" {
			t.Errorf("a call of format 2: %+v, %t, %v", got, ok, err)
		}
		if n := strings.Count(exported(t, l), "\n"); n != 2 {
			t.Errorf("%d calls are left of 2", n)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	l, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p, ok, err := l.FindPending(t.Context(), waits.Key)
	if !ok || err != nil {
		t.Fatalf("what was sent in a batch is known no more: %v", err)
	}
	if err := l.RecordBatchAnswer(t.Context(), p, pipeline.Reply{Outcome: model.OK, Text: "of a batch"}); err != nil {
		t.Fatal(err)
	}
	if got, ok, _ := l.Find(t.Context(), Key(asked(strings.Replace(now, "true", "false", 1)))); !ok || got.Text != "of a batch" {
		t.Errorf("the answer of a batch: %+v, %t", got, ok)
	}
	if n, err := l.Waiting(t.Context()); n != 0 || err != nil {
		t.Errorf("%d requests wait, %v", n, err)
	}
	fresh := openLedger(t)
	if _, err := fresh.Import(t.Context(), strings.NewReader(written)); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := fresh.Find(t.Context(), Key(asked(now))); !ok || err != nil {
		t.Errorf("an exported call of format 2: %t, %v", ok, err)
	}
}

// TestFormat3IsChanged opens a ledger of format 3: what waits still does, and is
// in no batch.
func TestFormat3IsChanged(t *testing.T) {
	dir := t.TempDir()
	old, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	r := pipeline.Request{Host: "h", Model: "m", Task: "t"}
	p := Pending{Key: Key(r), Name: "one", Step: "n", Item: "i", Request: r, Body: []byte(`{}`)}
	if err := old.AddPending(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if _, err := old.write.Exec(without4 + `PRAGMA user_version = 3`); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		l, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if in, waits, err := l.FindBatch(t.Context(), p.Key); in != "" || !waits || err != nil {
			t.Errorf("in batch %q, waits %t, %v", in, waits, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
