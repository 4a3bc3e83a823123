package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
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
	w                    *writer
	result, record, blob *sql.Stmt
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
	seen := map[pipeline.Digest]bool{}
	for _, b := range builds {
		for _, n := range b.Nodes {
			if n.Units == "" || seen[n.Units] {
				continue
			}
			seen[n.Units] = true
			if err := d.markUnits(ctx, m, n.Units); err != nil {
				return fmt.Errorf("build %d, node %s: %w; run `memforge store check --repair`", b.Seq, n.Name, err)
			}
		}
	}
	return m.follow(ctx)
}

func (m *marker) prepare(ctx context.Context) error {
	for _, s := range []struct {
		to    **sql.Stmt
		table string
	}{{&m.result, "live_results"}, {&m.record, "live_records"}, {&m.blob, "live_blobs"}} {
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
	for _, s := range []*sql.Stmt{m.result, m.record, m.blob} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

func (d *Disk) markUnits(ctx context.Context, m marker, units pipeline.Digest) (err error) {
	if err := m.blobs(units); err != nil {
		return err
	}
	r, err := d.OpenBlob(ctx, units)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for u, err := range engine.ReadUnits(r) {
		if err != nil {
			return err
		}
		key, err := parseSum(u.Key)
		if err != nil {
			return err
		}
		if err := m.w.run(m.result, key.id()); err != nil {
			return err
		}
		if u.In.Digest != "" {
			u.Out = append(u.Out, u.In)
		}
		if err := m.refs(u.Out); err != nil {
			return err
		}
	}
	return nil
}

// follow marks what the live results and records need.
func (m marker) follow(ctx context.Context) error {
	names := map[string]string{}
	err := m.eachLive(ctx, "results", func(id int64, body []byte) error {
		key, r, err := decodeRow(body, names)
		if err != nil || key.id() != id {
			// A damaged row counts as absent: it needs nothing, and goes.
			return m.w.exec(`DELETE FROM live_results WHERE id = ?`, id)
		}
		return errors.Join(m.refs(r.result.Outputs), m.blobs(r.result.Blobs...), m.blobs(r.outBlobs...))
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
	return m.eachLive(ctx, "records", func(_ int64, body []byte) error {
		r, err := pipeline.DecodeRecord(body)
		if err != nil {
			return nil // damaged: nobody can read it, so it needs no blobs
		}
		return m.blobs(r.Blobs...)
	})
}

func (m marker) refs(refs []pipeline.Ref) error {
	for _, ref := range refs {
		s, err := parseSum(ref.Digest)
		if err != nil {
			return err
		}
		if err := m.w.run(m.record, s.id()); err != nil {
			return err
		}
	}
	return nil
}

func (m marker) blobs(digests ...pipeline.Digest) error {
	for _, digest := range digests {
		s, err := parseSum(digest)
		if err != nil {
			return err
		}
		if err := m.w.run(m.blob, s[:]); err != nil {
			return err
		}
	}
	return nil
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
