package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// Batch is a batch that was submitted to the server of a model.
type Batch struct {
	ID, Name, State string
	Requests        int
	// Waiting are the requests that are not answered yet. Batches sets it.
	Waiting int
}

// TakenError says that requests are not free to go into a batch.
type TakenError struct {
	// Requests so many requests, Taken are in the batch In, or Asked by a build that
	// runs, or do not wait for an answer: Gone.
	Requests, Taken, Asked, Gone int
	Batch                        string
}

func (e *TakenError) Error() string {
	switch {
	case e.Taken > 0:
		return fmt.Sprintf("%d of its %d requests are in batch %s already; `memforge batch poll` takes its answers in, `memforge batch drop %s` gives it up", e.Taken, e.Requests, e.Batch, e.Batch)
	case e.Asked > 0:
		return fmt.Sprintf("%d of its %d requests are being asked by a build; let it end and export again", e.Asked, e.Requests)
	}
	return fmt.Sprintf("%d of its %d requests do not wait for an answer (any more); export again", e.Gone, e.Requests)
}

// BeginBatch marks the requests that a batch is to hold, all or none, before it
// is started: whoever comes later finds them taken, also when the server's word
// that it runs is never heard. It is a *TakenError when one of them is not free.
func (l *Ledger) BeginBatch(ctx context.Context, b Batch, keys []pipeline.Key) error {
	taken := &TakenError{Requests: len(keys)}
	err := l.tx(ctx, func(tx *sql.Tx) error {
		for _, k := range keys {
			if err := assignToBatch(ctx, tx, b.ID, k, taken); err != nil {
				return err
			}
		}
		if taken.Taken+taken.Gone > 0 {
			return taken
		}
		return saveBatch(ctx, tx, b)
	})
	if err != nil {
		return wrapError("begin batch", err)
	}
	// A build claims before it looks for marks, so one of the two sees the other.
	if taken.Asked, err = l.claims.CountClaimedByOthers(ctx, keys); err == nil && taken.Asked > 0 {
		err = taken
	}
	if err != nil {
		return wrapError("begin batch", errors.Join(err, l.DropBatch(context.WithoutCancel(ctx), b.ID)))
	}
	return nil
}

// assignToBatch marks one request, or counts why not.
func assignToBatch(ctx context.Context, tx *sql.Tx, id string, k pipeline.Key, taken *TakenError) error {
	key, err := encodeKey(k)
	if err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, `UPDATE pending SET batch = $1 WHERE key = $2 AND batch = ''`, id, key)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	var in string
	err = tx.QueryRowContext(ctx, `SELECT batch FROM pending WHERE key = $1`, key).Scan(&in)
	if errors.Is(err, sql.ErrNoRows) {
		taken.Gone++
		return nil
	}
	taken.Taken, taken.Batch = taken.Taken+1, in
	return err
}

// ConfirmBatch gives a batch that was begun the id and state that its server
// gave it.
func (l *Ledger) ConfirmBatch(ctx context.Context, begun string, b Batch) error {
	return wrapError("write ledger", l.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE pending SET batch = $1 WHERE batch = $2`, b.ID, begun); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM batches WHERE id = $1`, begun); err != nil {
			return err
		}
		return saveBatch(ctx, tx, b)
	}))
}

// SaveBatch remembers a batch, or its new state.
func (l *Ledger) SaveBatch(ctx context.Context, b Batch) error {
	return wrapError("write ledger", l.tx(ctx, func(tx *sql.Tx) error { return saveBatch(ctx, tx, b) }))
}

func saveBatch(ctx context.Context, tx *sql.Tx, b Batch) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO batches (id, name, state, requests) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET state = excluded.state`, b.ID, b.Name, b.State, b.Requests)
	return err
}

// DropBatch forgets a batch whose results were taken in, or that is given up.
// What it did not answer is free again.
func (l *Ledger) DropBatch(ctx context.Context, id string) error {
	return wrapError("write ledger", l.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE pending SET batch = '' WHERE batch = $1`, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM batches WHERE id = $1`, id)
		return err
	}))
}

// Batches lists the batches that are under way, sorted by id.
func (l *Ledger) Batches(ctx context.Context) (all []Batch, err error) {
	rows, err := l.db.QueryContext(ctx, `SELECT id, name, state, requests,
		(SELECT count(*) FROM pending WHERE batch = id) FROM batches ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("read ledger: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var b Batch
		if err := rows.Scan(&b.ID, &b.Name, &b.State, &b.Requests, &b.Waiting); err != nil {
			return nil, fmt.Errorf("read ledger: %w", err)
		}
		all = append(all, b)
	}
	return all, rows.Err()
}

// FindBatch reports whether a request waits, and returns the batch that it is in,
// empty when it is in none.
func (l *Ledger) FindBatch(ctx context.Context, key pipeline.Key) (id string, waits bool, err error) {
	raw, err := encodeKey(key)
	if err != nil {
		return "", false, err
	}
	err = l.db.QueryRowContext(ctx, `SELECT batch FROM pending WHERE key = $1`, raw).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read ledger: pending request %s: %w", key, err)
	}
	return id, true, nil
}
