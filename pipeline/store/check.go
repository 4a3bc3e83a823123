package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// Check reads the whole store and verifies it. It changes nothing of
// what is stored. An error
// means that the check itself could not go on.
func (d *Disk) Check(ctx context.Context) (encoding.CheckReport, error) {
	var report encoding.CheckReport
	if d.write != nil {
		if err := d.write.moveAllRecent(ctx); err != nil {
			return report, fmt.Errorf("check store: %w", err)
		}
	}
	for _, step := range []func(context.Context, *encoding.CheckReport) error{
		d.checkDatabase, d.checkTemp, d.checkBlobs,
	} {
		if err := step(ctx, &report); err != nil {
			return report, fmt.Errorf("check store: %w", err)
		}
	}
	if len(report.Database) > 0 {
		return report, nil // its tables cannot be trusted to be readable
	}
	bad := map[pipeline.Digest]bool{}
	for _, digest := range report.Corrupt {
		bad[digest] = true
	}
	if _, err := d.checkRows(ctx, &report, bad); err != nil {
		return report, fmt.Errorf("check store: %w", err)
	}
	return report, nil
}

func (d *Disk) checkDatabase(ctx context.Context, report *encoding.CheckReport) error {
	rows, err := d.read.QueryContext(ctx, `PRAGMA integrity_check(20)`)
	if isDamage(err) {
		report.Database = append(report.Database, err.Error())
		return nil
	}
	if err != nil {
		return dbErr("check database", err)
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return dbErr("check database", err)
		}
		if line != "ok" {
			report.Database = append(report.Database, line)
		}
	}
	if err := rows.Err(); isDamage(err) {
		report.Database = append(report.Database, err.Error())
	} else if err != nil {
		return dbErr("check database", err)
	}
	return nil
}

func (d *Disk) checkTemp(_ context.Context, report *encoding.CheckReport) error {
	entries, err := os.ReadDir(d.path(tmpDir))
	for _, e := range entries {
		report.Temp = append(report.Temp, tmpDir+"/"+e.Name())
	}
	return err
}

// checkBlobs hashes every blob, a few at a time.
func (d *Disk) checkBlobs(ctx context.Context, report *encoding.CheckReport) error {
	var mu sync.Mutex
	err := d.eachBlobFolder(ctx, func(folder byte, entries []os.DirEntry) error {
		work, ctx := errgroup.WithContext(ctx)
		work.SetLimit(runtime.GOMAXPROCS(0))
		for _, e := range entries {
			if !isBlobName(folder, e) {
				report.Strays = append(report.Strays, fmt.Sprintf("%s/%02x/%s", blobsDir, folder, e.Name()))
				continue
			}
			work.Go(func() error {
				b, err := d.hashBlob(ctx, pipeline.Digest(e.Name()))
				if errors.Is(err, pipeline.ErrNoBlob) {
					return nil // collected or set aside meanwhile
				}
				mu.Lock()
				defer mu.Unlock()
				report.Blobs++
				report.BlobBytes += b.Size
				if err == nil && b.Digest != pipeline.Digest(e.Name()) {
					report.Corrupt = append(report.Corrupt, pipeline.Digest(e.Name()))
				}
				return err
			})
		}
		return work.Wait()
	})
	slices.Sort(report.Corrupt)
	return err
}

func isBlobName(folder byte, e os.DirEntry) bool {
	s, err := encoding.ParseSum(e.Name())
	return err == nil && s[0] == folder && e.Type().IsRegular()
}

func (d *Disk) hashBlob(ctx context.Context, digest pipeline.Digest) (pipeline.Blob, error) {
	f, err := d.openBlob(digest)
	if err != nil {
		return pipeline.Blob{}, err
	}
	b, err := encoding.CopyHashed(ctx, io.Discard, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return pipeline.Blob{}, fmt.Errorf("read blob %s: %w", digest, err)
	}
	return b, nil
}

// eachBlobFolder lists the folders of blobs one after the other.
func (d *Disk) eachBlobFolder(ctx context.Context, fn func(folder byte, entries []os.DirEntry) error) error {
	for i := range 256 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		entries, err := os.ReadDir(d.path(blobsDir, fmt.Sprintf("%02x", i)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := fn(byte(i), entries); err != nil {
			return err
		}
	}
	return nil
}

// badRows are the ids of rows that Repair removes.
type badRows struct {
	results, records, builds []int64
}

// checkRows looks at every row. The blobs in bad count as absent.
func (d *Disk) checkRows(ctx context.Context, report *encoding.CheckReport, bad map[pipeline.Digest]bool) (badRows, error) {
	var rows badRows
	if err := d.checkRecords(ctx, report, &rows); err != nil {
		return rows, err
	}
	if err := d.checkResults(ctx, report, &rows, bad); err != nil {
		return rows, err
	}
	return rows, d.checkBuilds(ctx, report, &rows, bad)
}

func (d *Disk) checkRecords(ctx context.Context, report *encoding.CheckReport, rows *badRows) error {
	return eachPage(ctx, d.query.recordPage, func(id int64, body []byte) error {
		report.Records++
		if mayStandAt(sha256.Sum256(body), id) {
			return nil
		}
		report.Damaged++
		rows.records = append(rows.records, id)
		return nil
	}, func() error { return nil })
}

func (d *Disk) checkResults(ctx context.Context, report *encoding.CheckReport, rows *badRows, bad map[pipeline.Digest]bool) error {
	look, err := d.newLookup(ctx)
	if err != nil {
		return err
	}
	lost := look.lossy
	look.lossy = true
	for digest := range bad {
		look.blobs[digest] = false
	}
	var page []encoding.Row
	return eachPage(ctx, d.query.resultPage, func(id int64, body []byte) error {
		report.Results++
		key, r, err := encoding.DecodeRow(body, look.names)
		if err != nil || key.ID() != id {
			report.Damaged++
			rows.results = append(rows.results, id)
			return nil
		}
		r.ID = id
		page = append(page, r)
		return nil
	}, func() error {
		for _, r := range page {
			ok, err := look.whole(r)
			if err != nil {
				return err
			}
			// Which runs gave the lost records is unknown.
			if !ok || lost && encoding.IsMemory(r) {
				report.Broken = append(report.Broken, r.Result.Key)
				rows.results = append(rows.results, r.ID)
			}
		}
		page = page[:0]
		return nil
	})
}

func (d *Disk) checkBuilds(ctx context.Context, report *encoding.CheckReport, rows *badRows, bad map[pipeline.Digest]bool) error {
	builds, damaged, err := d.builds(ctx, 0)
	if err != nil {
		return err
	}
	report.Builds = len(builds) + len(damaged)
	report.BrokenBuilds = append(report.BrokenBuilds, damaged...)
	rows.builds = append(rows.builds, damaged...)
	for _, b := range builds {
		ok, err := d.hasUnits(b, bad)
		if err != nil {
			return err
		}
		if !ok {
			report.BrokenBuilds = append(report.BrokenBuilds, b.Seq)
			rows.builds = append(rows.builds, b.Seq)
		}
	}
	return nil
}

func (d *Disk) hasUnits(b pipeline.Build, bad map[pipeline.Digest]bool) (bool, error) {
	for _, n := range b.Steps {
		if n.UnitList == "" {
			continue
		}
		if bad[n.UnitList] {
			return false, nil
		}
		if ok, err := d.hasBlob(n.UnitList); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// forgetNumbers forgets which builds there were when nothing of any is left.
const forgetNumbers = `DELETE FROM sqlite_sequence
	WHERE NOT EXISTS (SELECT 1 FROM builds) AND NOT EXISTS (SELECT 1 FROM results)`

// dropRows forgets rows and, as no result is left without its records, losses.
func (w *writer) dropRows(ctx context.Context, rows badRows) error {
	return w.tx(ctx, func() error {
		for _, part := range []struct {
			text string
			ids  []int64
		}{
			{`DELETE FROM results WHERE id = ?`, rows.results},
			{`DELETE FROM records WHERE id = ?`, rows.records},
			{`DELETE FROM builds WHERE seq = ?`, rows.builds},
		} {
			for _, id := range part.ids {
				if err := w.exec(part.text, id); err != nil {
					return err
				}
			}
		}
		if err := w.exec(forgetNumbers); err != nil {
			return err
		}
		return w.exec(`UPDATE losses SET records = 0`)
	})
}

// healLosses forgets the results whose records were lost, once, so that
// lookups need not look for records.
func (d *Disk) healLosses(ctx context.Context) error {
	look, err := d.newLookup(ctx)
	if err != nil || !look.lossy {
		return err
	}
	var report encoding.CheckReport
	var rows badRows
	if err := d.checkRecords(ctx, &report, &rows); err != nil {
		return err
	}
	if err := d.checkResults(ctx, &report, &rows, nil); err != nil {
		return err
	}
	return d.write.dropRows(ctx, rows)
}

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
