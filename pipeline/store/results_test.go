package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
)

func TestResultsRoundTrip(t *testing.T) { eachKind(t, testResultsRoundTrip) }

func testResultsRoundTrip(t *testing.T, k kind) {
	d := k.open(t)
	own, out := storetest.Put(t, d, "own"), storetest.Put(t, d, "of the record")
	full := storetest.Outcome(t, "full", out)
	more := storetest.Outcome(t, "more", out, own)
	full.Result.Outputs = append(full.Result.Outputs, more.Result.Outputs[0], full.Result.Outputs[0])
	full.Records = append(full.Records, more.Records...)
	full.Result.Blobs = []pipeline.Digest{own, out}
	full.Result.Rejections = []pipeline.Rejection{{ID: "a", Code: "b", Reason: "c"}, {ID: "é\n", Flagged: true}}
	empty := pipeline.Committed{Result: pipeline.Result{Key: storetest.KeyOf("empty")}}
	if err := d.Commit(context.Background(), []pipeline.Committed{full, empty}); err != nil {
		t.Fatal(err)
	}
	want := map[pipeline.Key]pipeline.Result{full.Result.Key: full.Result, empty.Result.Key: empty.Result}
	if got := storetest.LookUp(t, d, "unknown", "empty", "full", "full"); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	digests := []pipeline.Digest{full.Result.Outputs[1].Digest, full.Result.Outputs[0].Digest, full.Result.Outputs[1].Digest}
	records, err := d.Records(context.Background(), digests)
	if err != nil {
		t.Fatal(err)
	}
	if want := []pipeline.Record{more.Records[0], full.Records[0], more.Records[0]}; !reflect.DeepEqual(records, want) {
		t.Errorf("records: got %+v, want %+v", records, want)
	}
	full.Result.Rejections = nil
	storetest.CommitAll(t, d, []pipeline.Committed{full})
	if got := storetest.LookUp(t, d, "full")[full.Result.Key]; got.Rejections != nil {
		t.Error("a second commit did not replace the result")
	}
}

func TestManyResults(t *testing.T) { eachKind(t, testManyResults) }

func testManyResults(t *testing.T, k kind) {
	d := k.open(t)
	all := smallOutcomes(t, 3*chunk+5)
	storetest.CommitAll(t, d, all)
	var keys []pipeline.Key
	var digests []pipeline.Digest
	for _, o := range all {
		keys = append(keys, o.Result.Key)
		digests = append(digests, o.Result.Outputs[0].Digest)
	}
	got, err := d.Results(context.Background(), keys)
	if err != nil || len(got) != len(all) {
		t.Fatalf("%d of %d results, %v", len(got), len(all), err)
	}
	records, err := d.Records(context.Background(), digests)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range all {
		if !reflect.DeepEqual(got[o.Result.Key], o.Result) || !reflect.DeepEqual(records[i], o.Records[0]) {
			t.Fatalf("item %d differs", i)
		}
	}
}

func TestIncompleteResultIsAbsent(t *testing.T) { eachKind(t, testIncompleteResultIsAbsent) }

func testIncompleteResultIsAbsent(t *testing.T, k kind) {
	for name, breakIt := range map[string]func(t *testing.T, d anyStore, o pipeline.Committed){
		"own blob gone": func(t *testing.T, d anyStore, o pipeline.Committed) {
			k.lose(t, d, o.Result.Blobs[0])
		},
		"record's blob gone": func(t *testing.T, d anyStore, o pipeline.Committed) {
			k.lose(t, d, o.Records[0].Blobs[0])
		},
		"record deleted": func(t *testing.T, d anyStore, o pipeline.Committed) {
			k.sql(t, d, k.or(`DELETE FROM records WHERE id = ?`, `DELETE FROM records WHERE digest = $1`), storetest.RecordSum(t, o))
		},
		"row damaged": func(t *testing.T, d anyStore, o pipeline.Committed) {
			k.sql(t, d, k.or(`UPDATE results SET body = substr(body, 1, 70) || x'00' || substr(body, 72) WHERE id = ?`,
				`UPDATE results SET body = substr(body, 1, 70) || '\x00' || substr(body, 72) WHERE key = $1`), storetest.KeySum(t, o))
		},
		"row cut": func(t *testing.T, d anyStore, o pipeline.Committed) {
			k.sql(t, d, k.or(`UPDATE results SET body = substr(body, 1, 20) WHERE id = ?`, `UPDATE results SET body = substr(body, 1, 20) WHERE key = $1`), storetest.KeySum(t, o))
		},
		"row of another key": func(t *testing.T, d anyStore, o pipeline.Committed) {
			other := hex.EncodeToString(keyRow(t, "other"))
			k.sql(t, d, k.or(`UPDATE results SET body = x'`+other+`' WHERE id = ?`, `UPDATE results SET body = '\x`+other+`' WHERE key = $1`), storetest.KeySum(t, o))
		},
		"record damaged and read": func(t *testing.T, d anyStore, o pipeline.Committed) {
			k.sql(t, d, k.or(`UPDATE records SET body = x'7b7d' WHERE id = ?`, `UPDATE records SET body = '{}' WHERE digest = $1`), storetest.RecordSum(t, o))
			digest := o.Result.Outputs[0].Digest
			if _, err := d.Records(context.Background(), []pipeline.Digest{digest}); !storetest.IsCorrupt(err, digest) {
				t.Errorf("damaged record: %v", err)
			}
			if _, err := d.Records(context.Background(), []pipeline.Digest{digest}); !errors.Is(err, encoding.ErrNoRecord) {
				t.Errorf("damaged record, second read: %v", err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := k.open(t)
			o := storetest.Outcome(t, "one", storetest.Put(t, d, "a"))
			o.Result.Blobs = []pipeline.Digest{storetest.Put(t, d, "b")}
			storetest.CommitAll(t, d, []pipeline.Committed{o})
			if got := storetest.LookUp(t, d, "one"); len(got) != 1 {
				t.Fatalf("%d results before", len(got))
			}
			breakIt(t, d, o)
			if got := storetest.LookUp(t, d, "one"); len(got) != 0 {
				t.Errorf("the result is still there: %+v", got)
			}
			storetest.Put(t, d, "a")
			storetest.Put(t, d, "b")
			storetest.CommitAll(t, d, []pipeline.Committed{o})
			if got := storetest.LookUp(t, d, "one"); len(got) != 1 {
				t.Error("a rerun did not bring the result back")
			}
			if _, err := d.Records(context.Background(), []pipeline.Digest{o.Result.Outputs[0].Digest}); err != nil {
				t.Errorf("record after the rerun: %v", err)
			}
		})
	}
}

func recordID(tb testing.TB, o pipeline.Committed) int64 {
	tb.Helper()
	return storetest.RecordSum(tb, o).ID()
}

func keyRow(tb testing.TB, name string) []byte {
	tb.Helper()
	key, err := encoding.ParseSum(storetest.KeyOf(name))
	storetest.MustDo(tb, err)
	body, err := encoding.EncodeRow(key, encoding.Row{Result: pipeline.Result{Key: storetest.KeyOf(name)}})
	storetest.MustDo(tb, err)
	return body
}

// Another record may own the first eight bytes of a digest.
func TestRecordsWithEqualPrefix(t *testing.T) {
	d := open(t, t.TempDir())
	o := storetest.Outcome(t, "one")
	id := recordID(t, o)
	for i := range int64(2) {
		storetest.MustDo(t, d.write.exec(`INSERT INTO records VALUES (?, ?)`, id+i, []byte(fmt.Sprint("squatter", i))))
	}
	for range 2 {
		storetest.CommitAll(t, d, []pipeline.Committed{o})
	}
	got, err := d.Records(context.Background(), []pipeline.Digest{o.Result.Outputs[0].Digest})
	if err != nil || !reflect.DeepEqual(got, o.Records) {
		t.Fatalf("got %+v, %v", got, err)
	}
	var n int
	storetest.MustDo(t, d.read.QueryRow(`SELECT count(*) FROM records`).Scan(&n))
	if n != 3 {
		t.Errorf("%d rows, want the two squatters and one record", n)
	}
	for i := int64(3); i <= probes; i++ {
		storetest.MustDo(t, d.write.exec(`INSERT INTO records VALUES (?, x'00')`, id+i))
	}
	storetest.MustDo(t, d.write.exec(`UPDATE records SET body = x'01' WHERE id = ?`, id+2))
	if err := d.Commit(context.Background(), []pipeline.Committed{o}); err == nil {
		t.Error("committed a record without a free row")
	}
}

func TestAbsentRecordSparesNeighbour(t *testing.T) {
	d := open(t, t.TempDir())
	o := storetest.Outcome(t, "one")
	storetest.CommitAll(t, d, []pipeline.Committed{o})
	s, err := encoding.ParseSum(o.Result.Outputs[0].Digest)
	storetest.MustDo(t, err)
	s[31] ^= 1 // same first eight bytes
	if _, err := d.Records(context.Background(), []pipeline.Digest{pipeline.Digest(s.Hex())}); !errors.Is(err, encoding.ErrNoRecord) {
		t.Errorf("absent record: %v", err)
	}
	if got := storetest.LookUp(t, d, "one"); len(got) != 1 {
		t.Error("asking for an absent record lost its neighbour")
	}
}

func TestLossesHealAtOpen(t *testing.T) {
	dir := t.TempDir()
	d, err := OpenDisk(context.Background(), dir)
	storetest.MustDo(t, err)
	lost, kept := storetest.Outcome(t, "lost"), storetest.Outcome(t, "kept")
	storetest.CommitAll(t, d, []pipeline.Committed{lost, kept})
	storetest.MustDo(t, d.write.exec(`DELETE FROM records WHERE id = ?`, recordID(t, lost)))
	storetest.MustDo(t, d.Close())
	d = open(t, dir)
	look, err := d.newLookup(context.Background())
	if err != nil || look.lossy {
		t.Errorf("still lossy (%v)", err)
	}
	if got := storetest.LookUp(t, d, "lost", "kept"); len(got) != 1 || got[storetest.KeyOf("kept")].Key == "" {
		t.Errorf("got %+v", got)
	}
}
