package sharedstore

import (
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
	builds, err := encoding.KeptBuilds(ctx, s, keepBuilds)
	if err != nil || len(builds) == 0 {
		return err
	}
	era, err := s.beginEra(ctx)
	if err != nil {
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
// is a *BusyError while somebody writes who began before.
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

// removeRows deletes dead rows, some at a time. Rows that somebody holds are just being
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
