package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

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
