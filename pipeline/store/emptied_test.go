package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/storetest"
)

// TestRepairLeavesNothingThatLooksDeleted: when every blob was lost nothing of the
// results and builds is left after a repair, and the store opens. Blobs that come
// without a result, as of a first build that was killed, are no reason to refuse it
// either.
func TestRepairLeavesNothingThatLooksDeleted(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	d, err := OpenDisk(ctx, dir)
	storetest.MustDo(t, err)
	storetest.Build(t, d, "one")
	storetest.MustDo(t, d.Close())
	blobs, err := filepath.Glob(filepath.Join(dir, blobsDir, "*", "*"))
	storetest.MustDo(t, err)
	for _, b := range blobs {
		storetest.MustDo(t, os.Remove(b))
	}
	report, err := Repair(ctx, dir)
	if err != nil || report.NewDatabase || len(report.Broken) == 0 || len(report.BrokenBuilds) == 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	d, err = OpenDisk(ctx, dir)
	storetest.MustDo(t, err)
	storetest.Put(t, d, "without a result")
	storetest.MustDo(t, d.Close())
	d, err = OpenDisk(ctx, dir)
	storetest.MustDo(t, err)
	storetest.Build(t, d, "two")
	storetest.MustDo(t, d.write.exec(`DELETE FROM results`))
	storetest.MustDo(t, d.write.exec(`DELETE FROM builds`))
	storetest.MustDo(t, d.Close())
	var damaged *DatabaseError
	if _, err := OpenDisk(ctx, dir); !errors.As(err, &damaged) {
		t.Errorf("rows were deleted: %v", err)
	}
}
