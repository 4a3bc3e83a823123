package sharedstore

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/memforge/memforge/pipeline/internal/postgres"
)

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

// enter brings the lease into a later era, while nobody uses it.
func (w *writerLease) enter(ctx context.Context, era int64) error {
	w.era = era
	_, err := w.db.Exec(ctx, `UPDATE writers SET era = $2 WHERE owner = $1`, w.owner, era)
	return err
}

// end gives the lease back.
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

// era is that of what this store uses; 0, which all rows have reached, for a reader.
func (s *Store) era() int64 {
	if s.writer == nil {
		return 0
	}
	return s.writer.era
}
