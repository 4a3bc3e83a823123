package sharedstore

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// Commit makes results and the records they output durable, all or none. It refuses
// what a store in a folder refuses.
func (s *Store) Commit(ctx context.Context, outcomes []pipeline.Committed) error {
	if len(outcomes) == 0 {
		return nil
	}
	if err := s.commit(ctx, outcomes); err != nil {
		return fmt.Errorf("commit %d results: %w", len(outcomes), err)
	}
	return nil
}

func (s *Store) commit(ctx context.Context, outcomes []pipeline.Committed) error {
	if err := s.writable(); err != nil {
		return err
	}
	records, blobsOf, err := encoding.EncodeRecords(outcomes)
	if err != nil {
		return err
	}
	// Lost records are not counted here, so all are looked for.
	if err := encoding.AddStored(ctx, s.usedRecords, outcomes, blobsOf, true); err != nil {
		return err
	}
	has, err := s.blobsOf(ctx, outcomes, blobsOf)
	if err != nil {
		return err
	}
	results, err := encoding.EncodeResults(has, outcomes, blobsOf)
	if err != nil {
		return err
	}
	// In one order for all who commit, so that none waits for one who waits for it.
	slices.SortFunc(records, func(a, b encoding.StoredRecord) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	results = lastOfEach(results)
	return postgres.Retry(ctx, func() error {
		return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
			if err := s.writer.holds(ctx, tx); err != nil {
				return err
			}
			return s.putRows(ctx, tx, records, results, encoding.AllInstant(outcomes))
		})
	})
}

// lastOfEach sorts results by key and keeps the last of equal ones.
func lastOfEach(results []encoding.StoredResult) []encoding.StoredResult {
	slices.SortStableFunc(results, func(a, b encoding.StoredResult) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	kept := results[:0]
	for i, r := range results {
		if i+1 == len(results) || results[i+1].Key != r.Key {
			kept = append(kept, r)
		}
	}
	return kept
}

// blobsOf looks for all blobs that outcomes name, in one query.
func (s *Store) blobsOf(ctx context.Context, outcomes []pipeline.Committed, blobsOf map[encoding.Sum][]pipeline.Digest) (has func(encoding.Row) (bool, error), err error) {
	var all []pipeline.Digest
	for _, o := range outcomes {
		all = append(all, o.Result.Blobs...)
	}
	for _, blobs := range blobsOf {
		all = append(all, blobs...)
	}
	slices.Sort(all)
	return s.hasBlobs(ctx, slices.Compact(all))
}

// hasBlobs tells which results have their blobs, of those that name some of all.
func (s *Store) hasBlobs(ctx context.Context, all []pipeline.Digest) (func(encoding.Row) (bool, error), error) {
	missing, err := s.MissingBlobs(ctx, all)
	if err != nil {
		return nil, err
	}
	lacks := make(map[pipeline.Digest]bool, len(missing))
	for _, d := range missing {
		lacks[d] = true
	}
	is := func(d pipeline.Digest) bool { return lacks[d] }
	return func(r encoding.Row) (bool, error) {
		return !slices.ContainsFunc(r.Result.Blobs, is) && !slices.ContainsFunc(r.OutBlobs, is), nil
	}, nil
}

// atOnce is how many bytes of rows one statement takes.
const atOnce = 8 << 20

// putRows writes a commit in a transaction. One that comes again at once need not
// outlive a power cut of the database's machine.
func (s *Store) putRows(ctx context.Context, tx pgx.Tx, records []encoding.StoredRecord, results []encoding.StoredResult, instant bool) error {
	if instant {
		if _, err := tx.Exec(ctx, `SET LOCAL synchronous_commit = off`); err != nil {
			return err
		}
	}
	ids, bodies := make([][]byte, len(records)), make([][]byte, len(records))
	for i := range records {
		ids[i], bodies[i] = records[i].ID[:], records[i].Body
	}
	if err := s.putArrays(ctx, tx, `INSERT INTO records SELECT id, $3, body FROM unnest($1::bytea[], $2::bytea[]) AS row(id, body)
		ON CONFLICT (digest) DO UPDATE SET era = excluded.era WHERE records.era < excluded.era`, ids, bodies); err != nil {
		return err
	}
	ids, bodies = make([][]byte, len(results)), make([][]byte, len(results))
	for i := range results {
		ids[i], bodies[i] = results[i].Key[:], results[i].Body
	}
	return s.putArrays(ctx, tx, `INSERT INTO results SELECT id, $3, body FROM unnest($1::bytea[], $2::bytea[]) AS row(id, body)
		ON CONFLICT (key) DO UPDATE SET body = excluded.body, era = greatest(results.era, excluded.era)
		WHERE results.body <> excluded.body OR results.era < excluded.era`, ids, bodies)
}

// putArrays runs a statement with rows as two arrays, in parts of bounded size.
func (s *Store) putArrays(ctx context.Context, tx pgx.Tx, statement string, ids, bodies [][]byte) error {
	for len(ids) > 0 {
		n, size := 0, 0
		for n < len(ids) && (n == 0 || size < atOnce) {
			size += len(ids[n]) + len(bodies[n])
			n++
		}
		if _, err := tx.Exec(ctx, statement, ids[:n], bodies[:n], s.era()); err != nil {
			return err
		}
		ids, bodies = ids[n:], bodies[n:]
	}
	return nil
}

// writerLease says that a process writes to a shared store, and since which era. A
// garbage collection begins an era; what a writer uses gets its own, and what is of an
// earlier era goes only when all writers of earlier eras have gone.
type writerLease struct {
	db    *pgxpool.Pool
	owner string
	era   int64
	lasts time.Duration

	stop    context.CancelFunc
	stopped chan struct{}
}

// writerTime is how long a writer counts that says nothing, by the server's clock.
const writerTime = 2 * time.Minute

// ErrLeaseLost is returned to a process that stood still for so long that what it used
// may have been collected as garbage.
var ErrLeaseLost = errors.New("this process said nothing for more than two minutes, and what it used may have been removed by `memforge store gc` meanwhile; run it again")

// beginWriting takes a lease in the era that is. The row of the era is locked, so that a
// collection either sees the lease or the lease its era.
func beginWriting(ctx context.Context, db *pgxpool.Pool, lasts time.Duration) (*writerLease, error) {
	var name [16]byte
	if _, err := rand.Read(name[:]); err != nil {
		return nil, err
	}
	w := &writerLease{db: db, owner: hex.EncodeToString(name[:]), lasts: lasts, stopped: make(chan struct{})}
	err := postgres.Retry(ctx, func() error {
		return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
			if err := tx.QueryRow(ctx, `SELECT era FROM eras FOR SHARE`).Scan(&w.era); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, `INSERT INTO writers VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
				ON CONFLICT (owner) DO UPDATE SET era = excluded.era`, w.owner, w.era, lasts.Milliseconds())
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	ctx, w.stop = context.WithCancel(context.Background())
	go w.renew(ctx)
	return w, nil
}

// renew keeps the lease. It says nothing of a lease that is lost: the next commit does.
func (w *writerLease) renew(ctx context.Context) {
	defer close(w.stopped)
	tick := time.NewTicker(w.lasts / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = postgres.Retry(ctx, func() error {
				_, err := w.db.Exec(ctx, `UPDATE writers SET until = clock_timestamp() + $2 * interval '1 millisecond' WHERE owner = $1`,
					w.owner, w.lasts.Milliseconds())
				return err
			})
		case <-ctx.Done():
			return
		}
	}
}

// holds makes sure that the lease is there, and stays until the transaction ends.
func (w *writerLease) holds(ctx context.Context, tx pgx.Tx) error {
	tag, err := tx.Exec(ctx, `SELECT 1 FROM writers WHERE owner = $1 FOR KEY SHARE`, w.owner)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrLeaseLost
	}
	return err
}

// enter brings the lease into a later era, while it is not used.
func (w *writerLease) enter(ctx context.Context, era int64) error {
	w.era = era
	_, err := w.db.Exec(ctx, `UPDATE writers SET era = $2 WHERE owner = $1`, w.owner, era)
	return err
}

func (w *writerLease) end() error {
	w.stop()
	<-w.stopped
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, err := w.db.Exec(ctx, `DELETE FROM writers WHERE owner = $1`, w.owner)
	if postgres.IsTransient(err) || errors.Is(err, context.DeadlineExceeded) {
		return nil // the server is away, and the lease ends by itself
	}
	return err
}

// era returns that of what this store uses; 0, which all rows have reached, for a reader.
func (s *Store) era() int64 {
	if s.writer == nil {
		return 0
	}
	return s.writer.era
}
