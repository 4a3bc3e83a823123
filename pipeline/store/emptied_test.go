package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestRepairLeavesNothingThatLooksDeleted: when every blob was lost nothing of the
// results and builds is left after a repair, and the store opens. Blobs that come
// without a result, as of a first build that was killed, are no reason to refuse it
// either.
func TestRepairLeavesNothingThatLooksDeleted(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	d, err := OpenDisk(ctx, dir)
	mustDo(t, err)
	build(t, d, "one")
	mustDo(t, d.Close())
	blobs, err := filepath.Glob(filepath.Join(dir, blobsDir, "*", "*"))
	mustDo(t, err)
	for _, b := range blobs {
		mustDo(t, os.Remove(b))
	}
	report, err := Repair(ctx, dir)
	if err != nil || report.NewDatabase || len(report.Broken) == 0 || len(report.BrokenBuilds) == 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	d, err = OpenDisk(ctx, dir)
	mustDo(t, err)
	put(t, d, "without a result")
	mustDo(t, d.Close())
	d, err = OpenDisk(ctx, dir)
	mustDo(t, err)
	build(t, d, "two")
	mustDo(t, d.write.exec(`DELETE FROM results`))
	mustDo(t, d.write.exec(`DELETE FROM builds`))
	mustDo(t, d.Close())
	var damaged *DatabaseError
	if _, err := OpenDisk(ctx, dir); !errors.As(err, &damaged) {
		t.Errorf("rows were deleted: %v", err)
	}
}
