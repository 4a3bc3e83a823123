package store

import (
	"context"
	"errors"
)

// errDeleted is the Err of a database without results that once had some.
var errDeleted = errors.New("its results were deleted, and not by memforge")

// deleted tells a database whose rows somebody deleted from that of a first build
// which was killed: the trigger counts deleted records in losses, which has one
// row, and SQLite remembers the last number of a build. GC and Repair leave neither
// a loss nor a number of builds that are gone while no result is left.
const deleted = `SELECT NOT EXISTS (SELECT 1 FROM results) AND (
	NOT EXISTS (SELECT 1 FROM losses WHERE records = 0) OR
	NOT EXISTS (SELECT 1 FROM builds) AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'builds' AND seq > 0))`

// checkDeleted refuses a database whose rows were deleted: what comes after would
// work everything out again without a word.
func (d *Disk) checkDeleted(ctx context.Context) error {
	var gone bool
	if err := d.read.QueryRowContext(ctx, deleted).Scan(&gone); err != nil {
		return dbErr("open database", err)
	}
	if gone {
		return &DatabaseError{errDeleted}
	}
	return nil
}
