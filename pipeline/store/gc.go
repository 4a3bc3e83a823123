package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// GC removes what the newest keepBuilds builds do not reach: older builds,
// their results, records and blobs, and what was set aside as corrupt. Results
// of a build that has not finished are not reached either, so no build may run
// in this process meanwhile. Without any finished build nothing is removed.
func (d *Disk) GC(ctx context.Context, keepBuilds int) (encoding.GCReport, error) {
	var report encoding.GCReport
	if err := d.gc(ctx, keepBuilds, &report); err != nil {
		return report, fmt.Errorf("collect garbage: %w", err)
	}
	return report, nil
}

func (d *Disk) gc(ctx context.Context, keepBuilds int, report *encoding.GCReport) (err error) {
	if err := d.writable(); err != nil {
		return err
	}
	if err := encoding.AtLeastOne(keepBuilds); err != nil {
		return err
	}
	builds, err := encoding.KeptBuilds(ctx, d, keepBuilds)
	if err != nil || len(builds) == 0 {
		return err
	}
	defer func() {
		drop := func() error { return d.write.exec(dropLive) }
		err = errors.Join(err, d.write.tx(context.WithoutCancel(ctx), drop))
	}()
	err = d.write.tx(ctx, func() error {
		if err := d.markLive(ctx, builds); err != nil {
			return err
		}
		return d.write.dropDead(builds[len(builds)-1].Seq, report)
	})
	if err != nil {
		return err
	}
	if err := d.dropBlobs(ctx, report); err != nil {
		return err
	}
	if err := sweep(d.path(corruptDir)); err != nil {
		return err
	}
	return d.write.shrink(ctx)
}

// dropDead removes the rows that are not live and builds before oldest.
func (w *writer) dropDead(oldest int64, report *encoding.GCReport) error {
	var lost int64
	if err := w.conn.QueryRowContext(context.Background(), `SELECT records FROM losses`).Scan(&lost); err != nil {
		return dbErr("read database", err)
	}
	var files int64
	for _, s := range []struct {
		count *int64
		text  string
		args  []any
	}{
		{&report.Builds, `DELETE FROM builds WHERE seq < ?`, []any{oldest}},
		{&report.Results, `DELETE FROM results WHERE id NOT IN (SELECT id FROM live_results)`, nil},
		{&report.Records, `DELETE FROM records WHERE id NOT IN (SELECT id FROM live_records)`, nil},
		{&files, `DELETE FROM files WHERE digest NOT IN (SELECT digest FROM live_blobs)`, nil},
	} {
		res, err := w.conn.ExecContext(context.Background(), s.text, s.args...)
		if err != nil {
			return dbErr("write database", err)
		}
		if *s.count, err = res.RowsAffected(); err != nil {
			return dbErr("write database", err)
		}
	}
	// These records went together with their results.
	return w.exec(`UPDATE losses SET records = ?`, lost)
}

// dropBlobs removes the blobs that are not live, one folder at a time.
func (d *Disk) dropBlobs(ctx context.Context, report *encoding.GCReport) error {
	return d.eachBlobFolder(ctx, func(folder byte, entries []os.DirEntry) error {
		live, err := d.write.liveBlobs(folder)
		if err != nil {
			return err
		}
		for _, e := range entries {
			digest, err := encoding.ParseSum(e.Name())
			if err != nil || live[digest] {
				continue // a stranger's file is for Check to report
			}
			size, err := d.dropBlob(ctx, pipeline.Digest(e.Name()))
			if err != nil {
				return err
			}
			report.Blobs++
			report.BlobBytes += size
		}
		return nil
	})
}

func (d *Disk) dropBlob(ctx context.Context, digest pipeline.Digest) (int64, error) {
	unlock, err := d.blobs.Lock(ctx, digest)
	if err != nil {
		return 0, err
	}
	defer unlock()
	info, err := os.Lstat(d.blobFile(digest))
	if err != nil {
		return 0, err
	}
	return info.Size(), os.Remove(d.blobFile(digest))
}

func (w *writer) liveBlobs(folder byte) (map[encoding.Sum]bool, error) {
	rows, err := w.conn.QueryContext(context.Background(),
		`SELECT digest FROM live_blobs WHERE digest BETWEEN ? AND ?`,
		[]byte{folder}, append([]byte{folder}, bytes.Repeat([]byte{0xff}, len(encoding.Sum{}))...))
	if err != nil {
		return nil, dbErr("read database", err)
	}
	defer rows.Close()
	live := map[encoding.Sum]bool{}
	for rows.Next() {
		var raw []byte
		if err := rows.Scan(&raw); err != nil {
			return nil, dbErr("read database", err)
		}
		live[encoding.Sum(raw)] = true
	}
	if err := rows.Err(); err != nil {
		return nil, dbErr("read database", err)
	}
	return live, nil
}

// shrink gives space back to the file system when more than half is unused.
func (w *writer) shrink(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var free, all int64
	err := errors.Join(
		w.conn.QueryRowContext(ctx, `PRAGMA freelist_count`).Scan(&free),
		w.conn.QueryRowContext(ctx, `PRAGMA page_count`).Scan(&all))
	if err != nil {
		return dbErr("read database", err)
	}
	if free*2 < all {
		return nil
	}
	return w.exec(`VACUUM`)
}

// What is live is kept in temporary tables, so that memory stays bounded.
const liveTables = `
CREATE TEMP TABLE live_results (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE live_records (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE live_blobs (digest BLOB PRIMARY KEY) WITHOUT ROWID;`

const dropLive = `
DROP TABLE IF EXISTS temp.live_results;
DROP TABLE IF EXISTS temp.live_records;
DROP TABLE IF EXISTS temp.live_blobs;`

// marker adds to the live tables.
type marker struct {
	w                       *writer
	results, records, blobs *sql.Stmt
}

// markLive fills the live tables. Any doubt about what is reachable is an
// error: nothing is removed on a guess.
func (d *Disk) markLive(ctx context.Context, builds []pipeline.Build) (err error) {
	if err := d.write.exec(liveTables); err != nil {
		return err
	}
	m := marker{w: d.write}
	defer func() { err = errors.Join(err, m.close()) }()
	if err := m.prepare(ctx); err != nil {
		return err
	}
	if err := encoding.MarkBuilds(ctx, d.OpenBlob, m, builds); err != nil {
		return err
	}
	return m.follow(ctx)
}

func (m *marker) prepare(ctx context.Context) error {
	for _, s := range []struct {
		to    **sql.Stmt
		table string
	}{{&m.results, "live_results"}, {&m.records, "live_records"}, {&m.blobs, "live_blobs"}} {
		stmt, err := m.w.conn.PrepareContext(ctx, `INSERT OR IGNORE INTO `+s.table+` VALUES (?)`)
		if err != nil {
			return dbErr("prepare database", err)
		}
		*s.to = stmt
	}
	return nil
}

func (m *marker) close() error {
	var errs []error
	for _, s := range []*sql.Stmt{m.results, m.records, m.blobs} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

func (m marker) Result(key encoding.Sum) error    { return m.w.run(m.results, key.ID()) }
func (m marker) Record(digest encoding.Sum) error { return m.w.run(m.records, digest.ID()) }
func (m marker) Blob(digest encoding.Sum) error   { return m.w.run(m.blobs, digest[:]) }

// follow marks what the live results and records need.
func (m marker) follow(ctx context.Context) error {
	names := map[string]string{}
	err := m.eachLive(ctx, "results", func(id int64, body []byte) error {
		key, r, err := encoding.DecodeRow(body, names)
		if err != nil || key.ID() != id {
			// A damaged row counts as absent: it needs nothing, and goes.
			return m.w.exec(`DELETE FROM live_results WHERE id = ?`, id)
		}
		return encoding.MarkResult(m, r)
	})
	if err != nil {
		return err
	}
	// A record may stand some rows after its own, see probes.
	err = m.w.exec(`INSERT OR IGNORE INTO live_records SELECT r.id
		FROM live_records l JOIN records r ON r.id BETWEEN l.id + 1 AND l.id + ?`, probes)
	if err != nil {
		return err
	}
	return m.eachLive(ctx, "records", func(_ int64, body []byte) error { return encoding.MarkRecord(m, body) })
}

// eachLive calls fn for the live rows of a table.
func (m marker) eachLive(ctx context.Context, table string, fn func(id int64, body []byte) error) error {
	page, err := m.w.conn.PrepareContext(ctx, fmt.Sprintf(
		`SELECT t.id, t.body FROM live_%s l JOIN %s t ON t.id = l.id WHERE l.id >= ? ORDER BY l.id LIMIT ?`, table, table))
	if err != nil {
		return dbErr("read database", err)
	}
	return errors.Join(eachPage(ctx, page, fn, func() error { return nil }), page.Close())
}
