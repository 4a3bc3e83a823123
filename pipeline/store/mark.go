package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"

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
	if err := markBuilds(ctx, d.OpenBlob, m, builds); err != nil {
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

// marks is where what is live is noted.
type marks interface {
	result(key sum) error
	record(digest sum) error
	blob(digest sum) error
}

// markUnits marks what a list of units names, and the list.
func markUnits(ctx context.Context, open func(context.Context, pipeline.Digest) (io.ReadCloser, error), m marks, units pipeline.Digest) (err error) {
	if err := markBlobs(m, units); err != nil {
		return err
	}
	r, err := open(ctx, units)
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
		if err := m.result(key); err != nil {
			return err
		}
		if u.In.Digest != "" {
			u.Out = append(u.Out, u.In)
		}
		if err := markRefs(m, u.Out); err != nil {
			return err
		}
	}
	return nil
}

// markBuilds marks what the nodes of builds name.
func markBuilds(ctx context.Context, open func(context.Context, pipeline.Digest) (io.ReadCloser, error), m marks, builds []pipeline.Build) error {
	seen := map[pipeline.Digest]bool{}
	for _, b := range builds {
		for _, n := range b.Nodes {
			if n.Units == "" || seen[n.Units] {
				continue
			}
			seen[n.Units] = true
			if err := markUnits(ctx, open, m, n.Units); err != nil {
				return fmt.Errorf("build %d, node %s: %w; run `memforge store check --repair`", b.Seq, n.Name, err)
			}
		}
	}
	return nil
}

func markRefs(m marks, refs []pipeline.Ref) error {
	for _, ref := range refs {
		s, err := parseSum(ref.Digest)
		if err != nil {
			return err
		}
		if err := m.record(s); err != nil {
			return err
		}
	}
	return nil
}

func markBlobs(m marks, digests ...pipeline.Digest) error {
	for _, digest := range digests {
		s, err := parseSum(digest)
		if err != nil {
			return err
		}
		if err := m.blob(s); err != nil {
			return err
		}
	}
	return nil
}

// markResult marks what a live result needs.
func markResult(m marks, r row) error {
	return errors.Join(markRefs(m, r.result.Outputs), markBlobs(m, r.result.Blobs...), markBlobs(m, r.outBlobs...))
}

// markRecord marks what a live record needs.
func markRecord(m marks, body []byte) error {
	r, err := pipeline.DecodeRecord(body)
	if err != nil {
		return nil // damaged: nobody can read it, so it needs no blobs
	}
	return markBlobs(m, r.Blobs...)
}

func (m marker) result(key sum) error    { return m.w.run(m.results, key.id()) }
func (m marker) record(digest sum) error { return m.w.run(m.records, digest.id()) }
func (m marker) blob(digest sum) error   { return m.w.run(m.blobs, digest[:]) }

// follow marks what the live results and records need.
func (m marker) follow(ctx context.Context) error {
	names := map[string]string{}
	err := m.eachLive(ctx, "results", func(id int64, body []byte) error {
		key, r, err := decodeRow(body, names)
		if err != nil || key.id() != id {
			// A damaged row counts as absent: it needs nothing, and goes.
			return m.w.exec(`DELETE FROM live_results WHERE id = ?`, id)
		}
		return markResult(m, r)
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
	return m.eachLive(ctx, "records", func(_ int64, body []byte) error { return markRecord(m, body) })
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
