package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/store/encoding"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
)

func TestGC(t *testing.T) { eachKind(t, testGC) }

func testGC(t *testing.T, k kind) {
	ctx := context.Background()
	d := k.open(t)
	if report, err := d.GC(ctx, 1); err != nil || report != (encoding.GCReport{}) {
		t.Errorf("GC of an empty store: %+v, %v", report, err)
	}
	storetest.Build(t, d, "old", "shared")
	storetest.Build(t, d, "shared", "middle")
	storetest.Build(t, d, "shared", "new")
	storetest.CommitAll(t, d, []pipeline.Committed{storetest.Outcome(t, "unfinished", storetest.Put(t, d, "blob of unfinished"))})
	loose := storetest.Put(t, d, "loose")

	report, err := d.GC(ctx, 2)
	if err != nil {
		t.Fatal(err)
	}
	// Gone: one build with its units, results old and unfinished with their
	// records and three blobs, and the loose blob.
	if report.Builds != 1 || report.Results != 2 || report.Records != 2 || report.Blobs != 5 || report.BlobBytes == 0 {
		t.Errorf("report %+v", report)
	}
	got := storetest.LookUp(t, d, "old", "shared", "middle", "new", "unfinished")
	if len(got) != 3 || got[storetest.KeyOf("old")].Key != "" || got[storetest.KeyOf("unfinished")].Key != "" {
		t.Errorf("results left: %v", got)
	}
	if missing, err := d.MissingBlobs(ctx, []pipeline.Digest{loose}); len(missing) != 1 || err != nil {
		t.Errorf("the loose blob is still there (%v)", err)
	}
	if _, err := os.Stat(k.object(t, d, loose)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("so are its bytes (%v)", err)
	}
	if again, err := d.GC(ctx, 2); err != nil || again != (encoding.GCReport{}) {
		t.Errorf("second GC: %+v, %v", again, err)
	}
	if _, err := d.GC(ctx, 0); err == nil {
		t.Error("GC that keeps no build")
	}
	disk, ok := d.(*Disk)
	if !ok {
		return
	}
	check, err := disk.Check(ctx)
	if err != nil || !check.OK() || check.Builds != 2 || check.Results != 3 || check.Records != 3 || check.Blobs != 8 {
		t.Errorf("check: %+v, %v", check, err)
	}
	if look, err := disk.newLookup(ctx); err != nil || look.lossy {
		t.Errorf("GC counts as loss (%v)", err)
	}
}

func TestGCStopsWhenUnsure(t *testing.T) {
	for name, breakIt := range map[string]func(t *testing.T, d *Disk, units pipeline.Digest){
		"units gone":    func(t *testing.T, d *Disk, units pipeline.Digest) { storetest.MustDo(t, os.Remove(d.blobFile(units))) },
		"units corrupt": func(t *testing.T, d *Disk, units pipeline.Digest) { damage(t, d, units, storetest.Flip) },
		"build damaged": func(t *testing.T, d *Disk, _ pipeline.Digest) {
			storetest.MustDo(t, d.write.exec(`UPDATE builds SET body = x'7b'`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, t.TempDir())
			units := storetest.Build(t, d, "one")
			loose := storetest.Put(t, d, "loose")
			breakIt(t, d, units)
			if _, err := d.GC(context.Background(), 1); err == nil {
				t.Fatal("no error")
			}
			if got := storetest.LookUp(t, d, "one"); len(got) != 1 {
				t.Error("the result is gone")
			}
			if ok, err := d.hasBlob(loose); !ok || err != nil {
				t.Errorf("a blob is gone (%v)", err)
			}
		})
	}
}

func TestGCKeepsRecordsBesideTheirPlace(t *testing.T) {
	d := open(t, t.TempDir())
	o := storetest.Outcome(t, "one")
	storetest.MustDo(t, d.write.exec(`INSERT INTO records VALUES (?, x'00')`, recordID(t, o)))
	storetest.Build(t, d, "two")
	units, err := engine.EncodeUnits([]pipeline.Unit{{Key: o.Result.Key, Out: o.Result.Outputs}})
	storetest.MustDo(t, err)
	storetest.CommitAll(t, d, []pipeline.Committed{o})
	digest := storetest.Put(t, d, string(units))
	storetest.MustDo(t, d.SaveBuild(context.Background(), pipeline.Build{Steps: []pipeline.BuildStep{{UnitList: digest}}}))
	if _, err := d.GC(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Records(context.Background(), []pipeline.Digest{o.Result.Outputs[0].Digest}); err != nil {
		t.Error(err)
	}
	if got := storetest.LookUp(t, d, "one", "two"); len(got) != 1 {
		t.Errorf("results left: %v", got)
	}
}

func TestCheckAndRepair(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name    string
		breakIt func(t *testing.T, d *Disk)
		found   func(r encoding.CheckReport) bool
		// lost says that the result of "one" must be built again.
		lost, builds bool
	}{
		{name: "sound", breakIt: func(*testing.T, *Disk) {}, found: encoding.CheckReport.OK, builds: true},
		{name: "flipped blob", lost: true, builds: true,
			breakIt: func(t *testing.T, d *Disk) { damage(t, d, pipeline.DigestOf([]byte("log of one")), storetest.Flip) },
			found:   func(r encoding.CheckReport) bool { return len(r.Corrupt) == 1 && len(r.Broken) == 1 }},
		{name: "blob gone", lost: true, builds: true,
			breakIt: func(t *testing.T, d *Disk) {
				storetest.MustDo(t, os.Remove(d.blobFile(pipeline.DigestOf([]byte("blob of one")))))
			},
			found: func(r encoding.CheckReport) bool { return len(r.Corrupt) == 0 && len(r.Broken) == 1 }},
		{name: "swapped blobs", lost: true, builds: true,
			breakIt: func(t *testing.T, d *Disk) {
				a, b := d.blobFile(pipeline.DigestOf([]byte("blob of one"))), d.blobFile(pipeline.DigestOf([]byte("log of one")))
				storetest.MustDo(t, errors.Join(os.Rename(a, a+".x"), os.Rename(b, a), os.Rename(a+".x", b)))
			},
			found: func(r encoding.CheckReport) bool { return len(r.Corrupt) == 2 && len(r.Broken) == 1 }},
		{name: "strays", builds: true,
			breakIt: func(t *testing.T, d *Disk) {
				storetest.MustDo(t, os.MkdirAll(d.path(blobsDir, "01", string(pipeline.DigestOf(nil))), 0o755))
				storetest.MustDo(t, os.MkdirAll(d.path(blobsDir, "00"), 0o755))
				storetest.MustDo(t, os.WriteFile(d.path(blobsDir, "00", "note.txt"), nil, 0o644))
			},
			found: func(r encoding.CheckReport) bool { return len(r.Strays) == 2 && r.Strays[0] == "blobs/00/note.txt" }},
		{name: "record damaged", lost: true, builds: true,
			breakIt: func(t *testing.T, d *Disk) {
				storetest.MustDo(t, d.write.exec(`UPDATE records SET body = x'7b7d'`))
			},
			found: func(r encoding.CheckReport) bool { return r.Damaged == 1 && len(r.Broken) == 1 }},
		{name: "result damaged", lost: true, builds: true,
			breakIt: func(t *testing.T, d *Disk) { storetest.MustDo(t, d.write.exec(`UPDATE results SET body = x'00'`)) },
			found:   func(r encoding.CheckReport) bool { return r.Damaged == 1 && len(r.Broken) == 0 }},
		{name: "build damaged",
			breakIt: func(t *testing.T, d *Disk) { storetest.MustDo(t, d.write.exec(`UPDATE builds SET body = x'00'`)) },
			found:   func(r encoding.CheckReport) bool { return len(r.BrokenBuilds) == 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			d, err := OpenDisk(ctx, dir)
			storetest.MustDo(t, err)
			storetest.Build(t, d, "one")
			c.breakIt(t, d)
			report, err := d.Check(ctx)
			if err != nil || !c.found(report) || report.OK() != (c.name == "sound") {
				t.Errorf("check: %+v, %v", report, err)
			}
			storetest.MustDo(t, d.Close())
			assertRepair(t, dir, report)
			d = open(t, dir)
			if got := storetest.LookUp(t, d, "one"); (len(got) == 0) != c.lost {
				t.Errorf("%d results after the repair, lost should be %v", len(got), c.lost)
			}
			if builds, err := d.Builds(ctx, 0); err != nil || (len(builds) == 1) != c.builds {
				t.Errorf("%d builds after the repair, %v", len(builds), err)
			}
			storetest.Build(t, d, "one")
			if got := storetest.LookUp(t, d, "one"); len(got) != 1 {
				t.Error("a rerun did not bring the result back")
			}
		})
	}
}

// assertRepair repairs: it finds what check found, and nothing is left to find.
func assertRepair(t *testing.T, dir string, check encoding.CheckReport) {
	t.Helper()
	repaired, err := Repair(context.Background(), dir)
	if err != nil || repaired.NewDatabase {
		t.Fatalf("repair: %+v, %v", repaired, err)
	}
	if got, want := fmt.Sprint(repaired.Corrupt, repaired.Strays, repaired.Broken, repaired.Damaged, repaired.BrokenBuilds),
		fmt.Sprint(check.Corrupt, check.Strays, check.Broken, check.Damaged, check.BrokenBuilds); got != want {
		t.Errorf("repair found %s, check %s", got, want)
	}
	again, err := Repair(context.Background(), dir)
	if err != nil || !again.OK() {
		t.Errorf("second repair: %+v, %v", again, err)
	}
}

func TestRepairReplacesDamagedDatabase(t *testing.T) {
	ctx := context.Background()
	for name, breakIt := range map[string]func([]byte) []byte{
		"emptied":           func([]byte) []byte { return nil },
		"cut":               func(b []byte) []byte { return b[:len(b)/2] },
		"header page alone": func(b []byte) []byte { return b[:4096] },
		"header":            func(b []byte) []byte { return append([]byte("not a database at all"), b[21:]...) },
		"pages": func(b []byte) []byte {
			for i := 4096; i < len(b); i += 64 {
				b[i] ^= 0x5a
			}
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			d, err := OpenDisk(ctx, dir)
			storetest.MustDo(t, err)
			storetest.Build(t, d, "one")
			path := d.path(dbFile)
			storetest.MustDo(t, d.Close())
			b, err := os.ReadFile(path)
			storetest.MustDo(t, err)
			storetest.MustDo(t, os.WriteFile(path, breakIt(b), 0o644))

			var damaged *DatabaseError
			if d, err := OpenDisk(ctx, dir); err == nil {
				// Not all of it is read when it is opened.
				check, err := d.Check(ctx)
				if err != nil || check.OK() {
					t.Errorf("a damaged database is opened and checks: %+v, %v", check, err)
				}
				storetest.MustDo(t, d.Close())
			} else if !errors.As(err, &damaged) {
				t.Errorf("opened: %v (%T), want a DatabaseError", err, err)
			}
			report, err := Repair(ctx, dir)
			if err != nil || !report.NewDatabase || len(report.Database) == 0 || report.Blobs != 3 {
				t.Fatalf("repair: %+v, %v", report, err)
			}
			d = open(t, dir)
			if got := storetest.LookUp(t, d, "one"); len(got) != 0 {
				t.Errorf("results out of nowhere: %v", got)
			}
			storetest.Build(t, d, "one")
			if check, err := d.Check(ctx); err != nil || !check.OK() || check.Results != 1 {
				t.Errorf("check: %+v, %v", check, err)
			}
		})
	}
	if _, err := Repair(ctx, t.TempDir()+"/absent"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("repair of an absent store: %v", err)
	}
}

// Trials do not push out the whole builds that are to be kept.
func TestGCKeepsWholeBuildsBehindTrials(t *testing.T) {
	ctx := context.Background()
	d := open(t, t.TempDir())
	storetest.Build(t, d, "old")
	storetest.Build(t, d, "whole")
	units := storetest.Build(t, d, "whole", "tried")
	builds, err := d.Builds(ctx, 1)
	storetest.MustDo(t, err)
	for range 3 {
		trial := builds[0]
		trial.Trial = "limit 2"
		trial.Steps[0].UnitList = units
		storetest.MustDo(t, d.SaveBuild(ctx, trial))
	}
	if _, err := d.GC(ctx, 2); err != nil {
		t.Fatal(err)
	}
	if got := storetest.LookUp(t, d, "old", "whole", "tried"); len(got) != 2 || got[storetest.KeyOf("old")].Key != "" {
		t.Errorf("results left: %v", got)
	}
	if left, err := d.Builds(ctx, 0); err != nil || len(left) != 5 {
		t.Errorf("%d builds left, %v; want two whole ones and three trials", len(left), err)
	}
}
