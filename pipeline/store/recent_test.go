package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
)

// someOutcomes are as many as go to recent.
func someOutcomes(tb testing.TB, prefix string) []pipeline.Committed {
	tb.Helper()
	out := make([]pipeline.Committed, leastRecent)
	for i := range out {
		out[i] = storetest.Outcome(tb, fmt.Sprint(prefix, i))
	}
	return out
}

func count(tb testing.TB, d *Disk, table string) (n int) {
	tb.Helper()
	storetest.MustDo(tb, d.read.QueryRow(`SELECT count(*) FROM `+table).Scan(&n))
	return n
}

// readBack looks up all outcomes and reads their records.
func readBack(tb testing.TB, d *Disk, all []pipeline.Committed) {
	tb.Helper()
	var keys []pipeline.Key
	var digests []pipeline.Digest
	for _, o := range all {
		keys = append(keys, o.Result.Key)
		digests = append(digests, o.Result.Outputs[0].Digest)
	}
	results, err := d.Results(context.Background(), keys)
	storetest.MustDo(tb, err)
	records, err := d.Records(context.Background(), digests)
	storetest.MustDo(tb, err)
	for i, o := range all {
		if !reflect.DeepEqual(results[o.Result.Key], o.Result) || !reflect.DeepEqual(records[i], o.Records[0]) {
			tb.Fatalf("outcome %d is read as %+v, %+v", i, results[o.Result.Key], records[i])
		}
	}
}

// killed is the folder of a store as a killed process leaves it.
func killed(tb testing.TB, d *Disk) string {
	tb.Helper()
	dir := tb.TempDir()
	storetest.MustDo(tb, os.CopyFS(dir, os.DirFS(d.dir)))
	return dir
}

func TestRecentRowsAreReadAndGoToTheirPlaces(t *testing.T) {
	d := open(t, t.TempDir())
	all := someOutcomes(t, "a")
	storetest.CommitAll(t, d, all)
	if rows, results := count(t, d, "recent"), count(t, d, "results"); rows != 1 || results != 0 {
		t.Fatalf("%d rows are recent, %d results in their places", rows, results)
	}
	readBack(t, d, all)
	reader, err := OpenDiskReadOnly(t.Context(), d.dir)
	storetest.MustDo(t, err)
	readBack(t, reader, all)
	storetest.MustDo(t, reader.Close())
	for name, settle := range map[string]func(d *Disk) error{
		"a build":          func(d *Disk) error { return d.SaveBuild(t.Context(), pipeline.Build{}) },
		"a check":          func(d *Disk) error { _, err := d.Check(t.Context()); return err },
		"a later process":  func(*Disk) error { return nil },
		"the same results": func(d *Disk) error { return d.Commit(t.Context(), all[:3]) },
		"a garbage collection": func(d *Disk) error {
			storetest.Build(t, d, "kept")
			_, err := d.GC(t.Context(), 1)
			storetest.CommitAll(t, d, all)
			storetest.MustDo(t, d.write.moveAllRecent(t.Context()))
			return err
		},
	} {
		other := open(t, killed(t, d))
		storetest.MustDo(t, settle(other))
		if rows, results := count(t, other, "recent"), count(t, other, "results"); rows != 0 || results < len(all) {
			t.Errorf("%s: %d rows are recent, %d results in their places", name, rows, results)
		}
		readBack(t, other, all)
	}
}

// TestAResultReplacesARecentOne, also in a process that reads both anew.
func TestAResultReplacesARecentOne(t *testing.T) {
	d := open(t, t.TempDir())
	all := someOutcomes(t, "a")
	storetest.CommitAll(t, d, all)
	next := storetest.Outcome(t, "another")
	next.Result.Key = all[7].Result.Key
	storetest.CommitAll(t, d, []pipeline.Committed{next})
	all[7] = next
	readBack(t, d, all)
	readBack(t, open(t, killed(t, d)), all)
}

// TestManyRecentRowsAreSettled before they take more memory.
func TestManyRecentRowsAreSettled(t *testing.T) {
	d := open(t, t.TempDir())
	first, last := someOutcomes(t, "a"), someOutcomes(t, "b")
	storetest.CommitAll(t, d, first)
	d.write.recent.bytes = mostRecentBytes
	storetest.CommitAll(t, d, last)
	if rows, results := count(t, d, "recent"), count(t, d, "results"); rows != 1 || results != len(first) {
		t.Errorf("%d rows are recent, %d results in their places", rows, results)
	}
	readBack(t, d, append(first, last...))
}

// TestLargeCommitsGoToTheirPlaces: as one row they would be held several times.
func TestLargeCommitsGoToTheirPlaces(t *testing.T) {
	d, random := open(t, t.TempDir()), rand.NewChaCha8([32]byte{})
	all := someOutcomes(t, "a")
	for i := range all {
		noise := make([]byte, 2*mostBytesAtOnce/len(all))
		random.Read(noise)
		r, err := pipeline.NewRecord("question", fmt.Sprint("a", i), map[string]string{"text": hex.EncodeToString(noise)})
		storetest.MustDo(t, err)
		ref, err := r.Ref()
		storetest.MustDo(t, err)
		all[i].Records[0], all[i].Result.Outputs[0] = r, ref
	}
	storetest.CommitAll(t, d, all)
	if rows, results := count(t, d, "recent"), count(t, d, "results"); rows != 0 || results != len(all) {
		t.Errorf("%d rows are recent, %d results in their places", rows, results)
	}
	readBack(t, d, all)
}

// TestADamagedRecentRowIsMadeAgain: it counts as records that are lost.
func TestADamagedRecentRowIsMadeAgain(t *testing.T) {
	d := open(t, t.TempDir())
	lost, sound := someOutcomes(t, "lost"), someOutcomes(t, "sound")
	storetest.CommitAll(t, d, lost)
	storetest.CommitAll(t, d, sound)
	passed := pipeline.Committed{Result: pipeline.Result{Key: storetest.KeyOf("gate"), Outputs: lost[0].Result.Outputs}}
	storetest.CommitAll(t, d, []pipeline.Committed{passed})
	for name, damage := range map[string]string{
		"a byte": `UPDATE recent SET body = substr(body, 1, 700) || x'00' || substr(body, 702) WHERE seq = 1`,
		"cut":    `UPDATE recent SET body = substr(body, 1, 5000) WHERE seq = 1`,
		"a kind": `UPDATE recent SET body = x'07' || substr(body, 2) WHERE seq = 1`,
	} {
		dir := killed(t, d)
		raw, err := sql.Open("sqlite", dsn(filepath.Join(dir, dbFile)))
		storetest.MustDo(t, err)
		_, err = raw.Exec(damage)
		storetest.MustDo(t, err)
		storetest.MustDo(t, raw.Close())
		again := open(t, dir)
		readBack(t, again, sound)
		if got := storetest.LookUp(t, again, "lost0", "lost255", "gate"); len(got) != 0 {
			t.Errorf("%s: %v is left", name, got)
		}
		storetest.CommitAll(t, again, append(lost, passed))
		readBack(t, again, lost)
		if report, err := again.Check(t.Context()); err != nil || !report.OK() {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
	}
}

// TestAStoreOfFormat1IsTakenOver with all that it holds.
func TestAStoreOfFormat1IsTakenOver(t *testing.T) {
	dir := t.TempDir()
	d, err := OpenDisk(t.Context(), dir)
	storetest.MustDo(t, err)
	all := someOutcomes(t, "a")
	storetest.CommitAll(t, d, all)
	storetest.MustDo(t, d.write.moveAllRecent(t.Context()))
	storetest.MustDo(t, d.write.exec(`DROP TABLE recent; PRAGMA user_version = 1`))
	storetest.MustDo(t, d.Close())
	reader, err := OpenDiskReadOnly(t.Context(), dir)
	storetest.MustDo(t, err)
	readBack(t, reader, all)
	storetest.MustDo(t, reader.Close())
	again := open(t, dir)
	more := someOutcomes(t, "b")
	storetest.CommitAll(t, again, more)
	readBack(t, again, append(all, more...))
}

// FuzzRecent: of any bytes there is an error, or parts that are encoded as these.
func FuzzRecent(f *testing.F) {
	records, _, err := encoding.EncodeRecords([]pipeline.Committed{storetest.Outcome(f, "a"), storetest.Outcome(f, "b")})
	if err != nil {
		f.Fatal(err)
	}
	key, err := encoding.ParseSum(storetest.KeyOf("a"))
	if err != nil {
		f.Fatal(err)
	}
	body, err := encoding.EncodeRow(key, encoding.Row{Result: storetest.Outcome(f, "a").Result})
	if err != nil {
		f.Fatal(err)
	}
	whole := encodeRecent([]*commitShare{{records: records, results: []encoding.StoredResult{{Key: key, Body: body}}}})
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add([]byte{recordPart, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) {
		records, results, err := decodeRecent(b)
		if err != nil {
			return
		}
		again, other, err := decodeRecent(encodeRecent([]*commitShare{{records: records, results: results}}))
		if err != nil || !reflect.DeepEqual(again, records) || !reflect.DeepEqual(other, results) {
			t.Fatalf("%d and %d parts, again %d and %d (%v)", len(records), len(results), len(again), len(other), err)
		}
	})
}
