package sharedstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// BusyError says that a garbage collection has begun and removed nothing yet, because
// processes that began before it are still at work.
type BusyError struct{ Writers int }

func (e *BusyError) Error() string {
	return fmt.Sprintf("nothing was removed yet: %d processes that may use what would be removed were at work before; once they have ended, run `memforge store gc` again, whatever began meanwhile", e.Writers)
}

// errCollecting is returned to the second who collects at once.
var errCollecting = errors.New("another garbage collection is under way; wait for it to end")

// GC removes what the newest keepBuilds builds do not reach, as of a store in a folder,
// while others may write. It begins an era. What others use from then on, however they
// found it, is of that era and stays. What they used before they may still need: while
// one of them is at work the error is a *BusyError, and the next GC goes on from there.
func (s *Store) GC(ctx context.Context, keepBuilds int) (report encoding.GCReport, err error) {
	if err := s.gc(ctx, keepBuilds, &report); err != nil {
		return report, fmt.Errorf("collect garbage: %w", err)
	}
	return report, nil
}

func (s *Store) gc(ctx context.Context, keepBuilds int, report *encoding.GCReport) (err error) {
	if err := s.writable(); err != nil {
		return err
	}
	if err := encoding.AtLeastOne(keepBuilds); err != nil {
		return err
	}
	conn, err := s.db.Acquire(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, endSession(context.WithoutCancel(ctx), conn)) }()
	alone := false
	if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(hashtextextended('memforge gc ' || current_schema(), 0))`).Scan(&alone); err != nil {
		return err
	}
	if !alone {
		return errCollecting
	}
	era, err := s.beginEra(ctx)
	if err != nil {
		return err
	}
	// All builds of earlier eras are saved now; one read before could lack the newest.
	builds, err := encoding.KeptBuilds(ctx, s, keepBuilds)
	if err != nil || len(builds) == 0 {
		return err
	}
	c := &collection{store: s, conn: conn, era: era, report: report}
	if err := c.run(ctx, builds); err != nil {
		return err
	}
	return s.writer.enter(ctx, era)
}

// endSession gives the lock of a session back, before the server notices that it ended,
// and ends it with its tables.
func endSession(ctx context.Context, conn *pgxpool.Conn) error {
	_, err := conn.Exec(ctx, `SELECT pg_advisory_unlock_all()`)
	if postgres.IsTransient(err) {
		err = nil // it has ended
	}
	return errors.Join(err, conn.Hijack().Close(ctx))
}

// beginEra begins an era unless the last one is pending: its garbage not removed yet. It
// is a *BusyError while a writer that began before is at work.
func (s *Store) beginEra(ctx context.Context) (era int64, err error) {
	var busy int
	err = pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		var pending bool
		if err := tx.QueryRow(ctx, `SELECT era, pending FROM eras FOR UPDATE`).Scan(&era, &pending); err != nil {
			return err
		}
		if !pending {
			era++
		}
		if _, err := tx.Exec(ctx, `UPDATE eras SET era = $1, pending = true`, era); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM writers WHERE until <= clock_timestamp()`); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `SELECT count(*) FROM writers WHERE era < $1 AND owner <> $2`, era, s.writer.owner).Scan(&busy)
	})
	if err == nil && busy > 0 {
		err = &BusyError{busy}
	}
	return era, err
}

// collection is a garbage collection that removes what is of an era before its own and
// not live.
type collection struct {
	store  *Store
	conn   *pgxpool.Conn
	era    int64
	report *encoding.GCReport
}

func (c *collection) run(ctx context.Context, builds []pipeline.Build) error {
	if err := c.mark(ctx, builds); err != nil {
		return err
	}
	tag, err := c.conn.Exec(ctx, `DELETE FROM builds WHERE seq < $1`, builds[len(builds)-1].Seq)
	if err != nil {
		return err
	}
	c.report.Builds = tag.RowsAffected()
	if err := c.removeRows(ctx); err != nil {
		return err
	}
	if err := c.removeObjects(ctx); err != nil {
		return err
	}
	_, err = c.conn.Exec(ctx, `UPDATE eras SET pending = false WHERE era = $1`, c.era)
	return err
}

// removeRows deletes dead rows, some at a time. Rows that a session holds are just being
// used. Results go before what they need.
func (c *collection) removeRows(ctx context.Context) error {
	const some = 5000
	dead := func(table, column string) string {
		return `SELECT ` + column + ` FROM ` + table + ` AS t WHERE era < $1 AND NOT EXISTS
			(SELECT 1 FROM live_` + table + ` AS l WHERE l.id = t.` + column + `) LIMIT $2 FOR UPDATE SKIP LOCKED`
	}
	for _, step := range []struct {
		count     *int64
		statement string
	}{
		{&c.report.Results, `DELETE FROM results WHERE key IN (` + dead("results", "key") + `)`},
		{&c.report.Records, `DELETE FROM records WHERE digest IN (` + dead("records", "digest") + `)`},
		{&c.report.Blobs, `WITH gone AS (DELETE FROM blobs WHERE digest IN (` + dead("blobs", "digest") + `) RETURNING digest, size)
			INSERT INTO dying SELECT digest, size FROM gone ON CONFLICT (digest) DO UPDATE SET size = excluded.size`},
	} {
		for {
			tag, err := c.conn.Exec(ctx, step.statement, c.era, some)
			if err != nil {
				return err
			}
			*step.count += tag.RowsAffected()
			if tag.RowsAffected() == 0 {
				break
			}
		}
	}
	_, err := c.conn.Exec(ctx, `DELETE FROM files WHERE NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.digest = files.digest)`)
	return err
}

// removeObjects deletes the objects of blobs that are dying. Each row is held meanwhile:
// who puts the blob again takes it away first, or waits.
func (c *collection) removeObjects(ctx context.Context) error {
	for {
		gone := false
		err := pgx.BeginFunc(ctx, c.conn, func(tx pgx.Tx) error {
			var id []byte
			var size int64
			err := tx.QueryRow(ctx, `SELECT digest, size FROM dying ORDER BY digest LIMIT 1 FOR UPDATE SKIP LOCKED`).Scan(&id, &size)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := c.store.bucket.Remove(ctx, pipeline.Digest(encoding.Sum(id).Hex())); err != nil {
				return err
			}
			gone = true
			c.report.BlobBytes += size
			_, err = tx.Exec(ctx, `DELETE FROM dying WHERE digest = $1`, id)
			return err
		})
		if err != nil || !gone {
			return err
		}
	}
}

// liveMarks collects what is live for the tables of a session, so that memory stays
// bounded.
type liveMarks struct {
	put     func(table string, ids [][]byte) error
	waiting map[string][][]byte
}

func (m liveMarks) Result(key encoding.Sum) error    { return m.add("results", key) }
func (m liveMarks) Record(digest encoding.Sum) error { return m.add("records", digest) }
func (m liveMarks) Blob(digest encoding.Sum) error   { return m.add("blobs", digest) }

func (m liveMarks) add(table string, id encoding.Sum) error {
	m.waiting[table] = append(m.waiting[table], id[:])
	if len(m.waiting[table]) < asked {
		return nil
	}
	return m.flush(table)
}

func (m liveMarks) flush(table string) error {
	ids := m.waiting[table]
	m.waiting[table] = nil
	if len(ids) == 0 {
		return nil
	}
	return m.put(table, ids)
}

// mark fills the tables of what is live. Any doubt about that is an error: nothing is
// removed on a guess.
func (c *collection) mark(ctx context.Context, builds []pipeline.Build) error {
	for _, table := range []string{"results", "records", "blobs"} {
		if _, err := c.conn.Exec(ctx, `CREATE TEMP TABLE live_`+table+` (id bytea PRIMARY KEY)`); err != nil {
			return err
		}
	}
	m := liveMarks{waiting: map[string][][]byte{}, put: func(table string, ids [][]byte) error {
		_, err := c.conn.Exec(ctx, `INSERT INTO live_`+table+` SELECT unnest($1::bytea[]) ON CONFLICT DO NOTHING`, ids)
		return err
	}}
	if err := encoding.MarkBuilds(ctx, c.store.OpenBlob, m, builds); err != nil {
		return err
	}
	return c.follow(ctx, m)
}

// follow marks what the live results, and then the live records, need.
func (c *collection) follow(ctx context.Context, m liveMarks) error {
	names := map[string]string{}
	for _, step := range []struct {
		table, column string
		visit         func(id, body []byte) error
	}{
		{"results", "key", func(id, body []byte) error {
			// A damaged row counts as absent: it needs nothing.
			if key, r, err := encoding.DecodeRow(body, names); err == nil && bytes.Equal(key[:], id) {
				return encoding.MarkResult(m, r)
			}
			return nil
		}},
		{"records", "digest", func(_, body []byte) error { return encoding.MarkRecord(m, body) }},
		{"blobs", "", nil},
	} {
		if err := m.flush(step.table); err != nil {
			return err
		}
		if _, err := c.conn.Exec(ctx, `ANALYZE live_`+step.table); err != nil {
			return err
		}
		if step.visit == nil {
			continue
		}
		if err := c.eachLive(ctx, step.table, step.column, step.visit); err != nil {
			return err
		}
	}
	return nil
}

// eachLive visits the live rows of a table, page by page, for visits ask the session.
func (c *collection) eachLive(ctx context.Context, table, column string, visit func(id, body []byte) error) error {
	for after := []byte{}; ; {
		rows, err := c.conn.Query(ctx, `SELECT id, body FROM live_`+table+` JOIN `+table+` ON `+column+` = id
			WHERE id > $1 ORDER BY id LIMIT $2`, after, asked)
		if err != nil {
			return err
		}
		var ids, bodies [][]byte
		var id, body []byte
		_, err = pgx.ForEachRow(rows, []any{&id, &body}, func() error {
			ids, bodies = append(ids, id), append(bodies, body)
			return nil
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		for i := range ids {
			if err := visit(ids[i], bodies[i]); err != nil {
				return err
			}
		}
		after = ids[len(ids)-1]
	}
}
