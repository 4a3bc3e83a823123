package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

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
