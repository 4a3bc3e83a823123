package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// Pending is a request that waits for a batch.
type Pending struct {
	Key pipeline.Key
	// Name of the model in pipeline.yaml.
	Name       string
	Step, Item string
	Request    pipeline.Request
	// Body is the request as the server takes it.
	Body json.RawMessage
}

// AddPending records requests that a batch is to answer. One that is in a batch
// already stays as it was sent.
func (l *Ledger) AddPending(ctx context.Context, ps ...Pending) error {
	return wrapError("write ledger", l.repeatableTx(ctx, func(tx *sql.Tx) error {
		for _, p := range ps {
			if err := p.insert(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (p Pending) insert(ctx context.Context, tx *sql.Tx) error {
	key, err := encodeKey(p.Key)
	if err != nil {
		return err
	}
	request, err := encode(p.Request)
	if err != nil {
		return err
	}
	body, err := encode(p.Body)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO pending (key, name, node, item, request, body) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (key) DO UPDATE SET name = excluded.name, body = excluded.body WHERE pending.batch = ''`,
		key, p.Name, p.Step, p.Item, request, body)
	return err
}

// RecordBatchAnswer records what a batch answered to a request that waits. The request may
// have been put by an earlier format, under another key.
func (l *Ledger) RecordBatchAnswer(ctx context.Context, p Pending, reply pipeline.Reply) error {
	e := Entry{Step: p.Step, Item: p.Item, Request: upgrade(p.Request), Reply: reply}
	e.Key = Key(e.Request)
	if _, err := l.Record(ctx, e); err != nil || e.Key == p.Key {
		return err
	}
	key, err := encodeKey(p.Key)
	if err != nil {
		return err
	}
	return l.exec(ctx, `DELETE FROM pending WHERE key = $1`, key)
}

// DropPending drops what waits and is in no batch, before it is collected anew.
func (l *Ledger) DropPending(ctx context.Context) error {
	return l.exec(ctx, `DELETE FROM pending WHERE batch = ''`)
}

// EachPending visits what waits and is in no batch, in the order of keys.
func (l *Ledger) EachPending(ctx context.Context, visit func(Pending) error) error {
	return eachRow(ctx, l.db, func(scan func(...any) error) error {
		var p Pending
		var key, request, body []byte
		if err := scan(&key, &p.Name, &p.Step, &p.Item, &request, &body); err != nil {
			return fmt.Errorf("read ledger: %w", err)
		}
		p.Key = decodeKey(key)
		if err := errors.Join(decode(request, &p.Request), decode(body, &p.Body)); err != nil {
			return fmt.Errorf("read ledger: pending request %s: %w", p.Key, err)
		}
		return visit(p)
	}, `SELECT key, name, node, item, request, body FROM pending WHERE batch = '' ORDER BY key`)
}

// FindPending returns the request that waits under a key.
func (l *Ledger) FindPending(ctx context.Context, key pipeline.Key) (Pending, bool, error) {
	raw, err := encodeKey(key)
	if err != nil {
		return Pending{}, false, err
	}
	p := Pending{Key: key}
	var request []byte
	err = l.wait(ctx, func() error {
		return l.db.QueryRowContext(ctx, `SELECT name, node, item, request FROM pending WHERE key = $1`, raw).Scan(&p.Name, &p.Step, &p.Item, &request)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return Pending{}, false, nil
	}
	if err == nil {
		err = decode(request, &p.Request)
	}
	if err != nil {
		return Pending{}, false, fmt.Errorf("read ledger: pending request %s: %w", key, err)
	}
	return p, true, nil
}

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
// is started: later builds find them taken, also when the server's word
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
	err = eachRow(ctx, l.db, func(scan func(...any) error) error {
		var b Batch
		err := scan(&b.ID, &b.Name, &b.State, &b.Requests, &b.Waiting)
		all = append(all, b)
		return err
	}, `SELECT id, name, state, requests, (SELECT count(*) FROM pending WHERE batch = id) FROM batches ORDER BY id`)
	return all, wrapError("read ledger", err)
}

// FindBatch reports whether a request waits, and returns the batch that it is in,
// empty when it is in none.
func (l *Ledger) FindBatch(ctx context.Context, key pipeline.Key) (id string, waits bool, err error) {
	raw, err := encodeKey(key)
	if err != nil {
		return "", false, err
	}
	err = l.wait(ctx, func() error {
		return l.db.QueryRowContext(ctx, `SELECT batch FROM pending WHERE key = $1`, raw).Scan(&id)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read ledger: pending request %s: %w", key, err)
	}
	return id, true, nil
}
