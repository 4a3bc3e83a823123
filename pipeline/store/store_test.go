package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
)

func TestOpenIsExclusive(t *testing.T) {
	dir := t.TempDir()
	first, err := OpenDisk(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = OpenDisk(context.Background(), dir)
	var locked *LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("second Open: %v, want a *LockedError", err)
	}
	if locked.PID != strconv.Itoa(os.Getpid()) {
		t.Errorf("the lock names process %q, want %d", locked.PID, os.Getpid())
	}

	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		began := time.Now()
		if _, err := OpenWait(ctx, dir); !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &locked) || time.Since(began) < time.Hour {
			t.Errorf("OpenWait past its deadline: %v after %v", err, time.Since(began))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		opened := make(chan error, 1)
		go func() {
			second, err := OpenWait(context.Background(), dir)
			if err == nil {
				err = second.Close()
			}
			opened <- err
		}()
		synctest.Wait() // it waits for the lock
		if len(opened) != 0 {
			t.Errorf("it did not wait: %v", <-opened)
		}
		if err := errors.Join(first.Close(), <-opened); err != nil {
			t.Error(err)
		}
	})
}

func TestReadOnlyWhileBuilding(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "odd name?x=1#y %41")
	if _, err := OpenDiskReadOnly(context.Background(), dir); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("OpenReadOnly without a store: %v", err)
	}
	d := open(t, dir)
	r, err := OpenDiskReadOnly(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	blob := storetest.Put(t, d, "blob")
	o := storetest.Outcome(t, "one", blob)
	storetest.CommitAll(t, d, []pipeline.Committed{o})
	got, err := r.Results(context.Background(), []pipeline.Key{o.Result.Key})
	if err != nil || len(got) != 1 {
		t.Errorf("the reader sees %d results (%v), want 1", len(got), err)
	}
	if text, err := storetest.ReadBlob(r, blob); text != "blob" || err != nil {
		t.Errorf("the reader reads %q, %v", text, err)
	}
	for name, err := range map[string]error{
		"Commit":     r.Commit(context.Background(), []pipeline.Committed{o}),
		"SaveBuild":  r.SaveBuild(context.Background(), pipeline.Build{}),
		"PutBlob":    storetest.Second(r.PutBlob(context.Background(), nil)),
		"PutFile":    storetest.Second(r.PutFile(context.Background(), "x", false)),
		"CachedFile": storetest.Second(r.CachedFile(context.Background(), "x")),
		"GC":         storetest.Second(r.GC(context.Background(), 1)),
	} {
		if !errors.Is(err, encoding.ErrReadOnly) {
			t.Errorf("%s: %v, want ErrReadOnly", name, err)
		}
	}
	damage(t, d, blob, storetest.Flip)
	if _, err := storetest.ReadBlob(r, blob); !storetest.IsCorrupt(err, blob) {
		t.Errorf("corrupt blob through the reader: %v", err)
	}
	if ok, err := d.hasBlob(blob); !ok || err != nil {
		t.Errorf("a reader moved the blob (%v)", err)
	}
}

func TestReadOnlyAfterClose(t *testing.T) {
	dir := t.TempDir()
	d, err := OpenDisk(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	o := storetest.Outcome(t, "one")
	storetest.CommitAll(t, d, []pipeline.Committed{o})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenDiskReadOnly(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := r.Results(context.Background(), []pipeline.Key{o.Result.Key})
	if err != nil || len(got) != 1 {
		t.Errorf("%d results, %v", len(got), err)
	}
}

func TestOpenSweepsTemporaryFiles(t *testing.T) {
	dir := t.TempDir()
	d, err := OpenDisk(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(d.ScratchRoot(), "task-1", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.ScratchRoot(), "blob-1"), []byte("half"), 0o444); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(open(t, dir).ScratchRoot())
	if err != nil || len(entries) != 0 {
		t.Errorf("after Open %d entries are left in tmp (%v)", len(entries), err)
	}
}

func TestOpenRefusesLaterFormat(t *testing.T) {
	dir := t.TempDir()
	d, err := OpenDisk(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.write.exec(`PRAGMA user_version = 3`), d.Close()); err != nil {
		t.Fatal(err)
	}
	if d, err := OpenDisk(context.Background(), dir); err == nil {
		t.Error("opened a store of a later format", d.Close())
	}
	if d, err := OpenDiskReadOnly(context.Background(), dir); err == nil {
		t.Error("read a store of a later format", d.Close())
	}
}

func TestBuildHistory(t *testing.T) { eachKind(t, testBuildHistory) }

func testBuildHistory(t *testing.T, k kind) {
	d := k.open(t)
	ctx := context.Background()
	units := storetest.Put(t, d, "units")
	for i := range 3 {
		b := pipeline.Build{Seq: 99, Steps: []pipeline.BuildStep{{Name: strconv.Itoa(i), UnitList: units, Built: i}}}
		if err := d.SaveBuild(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	got, err := d.Builds(ctx, 2)
	if err != nil || len(got) != 2 {
		t.Fatalf("%d builds, %v", len(got), err)
	}
	if got[0].Seq != 3 || got[1].Seq != 2 || got[0].Steps[0].Name != "2" || got[0].Steps[0].Built != 2 {
		t.Errorf("got %+v", got)
	}
	absent := pipeline.Build{Steps: []pipeline.BuildStep{{Name: "x", UnitList: pipeline.DigestOf(nil)}}}
	if err := d.SaveBuild(ctx, absent); !errors.Is(err, pipeline.ErrNoBlob) {
		t.Errorf("a build whose units are not stored: %v", err)
	}
}
