package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// RepairReport says what was found and, hence, done: corrupt blobs and strays
// were moved to the corrupt folder, broken and damaged rows forgotten.
type RepairReport struct {
	encoding.CheckReport
	// NewDatabase says that the database could not be saved. It lies in the
	// corrupt folder, and the next build starts without results, with all blobs.
	NewDatabase bool
}

// Repair brings the store in dir into a state where everything in it verifies
// and a rerun makes what was lost. It needs the store for itself.
func Repair(ctx context.Context, dir string) (report RepairReport, err error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		_, err = os.Stat(abs)
	}
	if err != nil {
		return report, fmt.Errorf("repair store %s: %w", dir, err)
	}
	d := newDisk(abs)
	err = d.repair(ctx, &report)
	if err = errors.Join(err, d.Close()); err != nil {
		return report, fmt.Errorf("repair store %s: %w", dir, err)
	}
	return report, nil
}

func (d *Disk) repair(ctx context.Context, report *RepairReport) error {
	if err := d.prepareFolders(ctx, false); err != nil {
		return err
	}
	if err := d.saveDatabase(ctx, report); err != nil {
		return err
	}
	if err := d.checkBlobs(ctx, &report.CheckReport); err != nil {
		return err
	}
	for _, digest := range report.Corrupt {
		if err := d.moveToCorrupt(d.blobFile(digest)); err != nil {
			return err
		}
	}
	for _, stray := range report.Strays {
		if err := d.moveToCorrupt(d.path(filepath.FromSlash(stray))); err != nil {
			return err
		}
	}
	rows, err := d.checkRows(ctx, &report.CheckReport, nil)
	if err != nil {
		return err
	}
	return d.write.dropRows(ctx, rows)
}

// QuarantineCorrupt hashes every blob, moves those that are damaged to the corrupt
// folder and returns them: the results that need them are absent from then on.
func (d *Disk) QuarantineCorrupt(ctx context.Context) ([]pipeline.Digest, error) {
	if err := d.writable(); err != nil {
		return nil, fmt.Errorf("set damaged blobs aside: %w", err)
	}
	var report encoding.CheckReport
	if err := d.checkBlobs(ctx, &report); err != nil {
		return nil, fmt.Errorf("look for damaged blobs: %w", err)
	}
	for _, digest := range report.Corrupt {
		if err := d.moveToCorrupt(d.blobFile(digest)); err != nil {
			return nil, err
		}
	}
	return report.Corrupt, nil
}

// saveDatabase opens the database, or a new one when SQLite finds it damaged.
func (d *Disk) saveDatabase(ctx context.Context, report *RepairReport) error {
	err := d.openDatabase(ctx)
	if err == nil {
		err = d.checkDatabase(ctx, &report.CheckReport)
	}
	if err != nil && !isDamage(err) {
		return err
	}
	if err == nil && len(report.Database) == 0 {
		return nil
	}
	if err != nil {
		report.Database = append(report.Database, err.Error())
	}
	report.NewDatabase, d.startOver = true, true
	// What a damaged database says when it is closed does not matter any more.
	_ = d.closeDatabase()
	for _, suffix := range []string{"-wal", "-shm", ""} {
		err := d.moveToCorrupt(d.path(dbFile + suffix))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return d.openDatabase(ctx)
}

// isDamage reports whether SQLite says that the file is malformed, or it is not
// what a store has.
func isDamage(err error) bool {
	var known *DatabaseError
	if errors.As(err, &known) {
		return true
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	primary := e.Code() & 0xff
	lacks := primary == sqlite3.SQLITE_ERROR && strings.Contains(err.Error(), "no such table")
	return lacks || primary == sqlite3.SQLITE_CORRUPT || primary == sqlite3.SQLITE_NOTADB
}
