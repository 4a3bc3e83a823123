// Package ledger records what models answer, durably and before it is used, so
// that nothing is paid for twice and a build can be replayed without a network.
// FORMAT.md beside the code describes the file.
package ledger

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline"
)

// Interface is an open ledger of any kind, as a build needs it. Its methods are those of
// Ledger.
type Interface interface {
	Find(ctx context.Context, key pipeline.Key) (pipeline.Reply, bool, error)
	Record(ctx context.Context, entries ...Entry) ([]pipeline.Reply, error)
	AddPending(ctx context.Context, ps ...Pending) error
	DropPending(ctx context.Context) error
	Nearest(ctx context.Context, r pipeline.Request, item string) (NearestRequest, error)
	Corrections(ctx context.Context) ([]Correction, error)

	// Claim and Release keep two who share a ledger from asking the same.
	Claim(ctx context.Context, keys ...pipeline.Key) ([]Standing, error)
	Release(ctx context.Context, keys ...pipeline.Key) error

	Batches(ctx context.Context) ([]Batch, error)

	Close() error
}

// Ledger is an open ledger. It is safe for concurrent use, also by several
// processes.
type Ledger struct {
	db    *sql.DB // reads
	write *sql.DB // one connection
	mu    sync.Mutex
	// Statements that read: a call by its key, and those recorded after it for the
	// same item.
	selectCall, selectNext *sql.Stmt
	ahead                  readAheadCache
	claims                 Claimer
	wait                   func(ctx context.Context, try func() error) error
	shrink                 func(ctx context.Context, db *sql.DB) error
	// Statements of the one connection that writes.
	selectReply, insertCall, insertRequest, deletePending *sql.Stmt
}

func (l *Ledger) prepare(ctx context.Context) error {
	for _, s := range []struct {
		to   **sql.Stmt
		db   *sql.DB
		text string
	}{
		{&l.selectCall, l.db, `SELECT id, task, item, reply, sum FROM calls WHERE key = $1`},
		{&l.selectNext, l.db, `SELECT key, reply, sum FROM calls
			WHERE task = $1 AND item = $2 AND id > $3 ORDER BY id LIMIT $4`},
		{&l.selectReply, l.write, `SELECT reply, sum FROM calls WHERE key = $1`},
		{&l.insertCall, l.write, insertCallSQL},
		{&l.insertRequest, l.write, `INSERT INTO requests (call, request) VALUES ($1, $2)`},
		{&l.deletePending, l.write, `DELETE FROM pending WHERE key = $1`},
	} {
		var err error
		if *s.to, err = s.db.PrepareContext(ctx, s.text); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the ledger.
func (l *Ledger) Close() error {
	var errs []error
	if l.claims != nil {
		errs = append(errs, l.claims.Close())
	}
	for _, s := range []*sql.Stmt{l.selectCall, l.selectNext, l.selectReply, l.insertCall, l.insertRequest, l.deletePending} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	if l.db != nil {
		errs = append(errs, l.db.Close())
	}
	if l.write != nil {
		errs = append(errs, l.write.Close())
	}
	return errors.Join(errs...)
}

// tx runs fn in a transaction, one at a time. Once begun it is not cut short by ctx.
func (l *Ledger) tx(ctx context.Context, fn func(*sql.Tx) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	tx, err := l.write.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// repeatableTx is tx for what may be done twice: it is tried again where a server restarts.
func (l *Ledger) repeatableTx(ctx context.Context, fn func(*sql.Tx) error) error {
	return l.wait(ctx, func() error { return l.tx(ctx, fn) })
}

// querier reads rows: a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// eachRow calls visit on every row of a query.
func eachRow(ctx context.Context, db querier, visit func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := visit(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// exec runs a statement in a transaction.
func (l *Ledger) exec(ctx context.Context, query string, args ...any) error {
	return wrapError("write ledger", l.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	}))
}

// Record records calls durably, all or none, and returns the replies that the ledger then
// has: the first record of a key stays, unless it is damaged. A recorded call is no longer
// pending.
func (l *Ledger) Record(ctx context.Context, entries ...Entry) ([]pipeline.Reply, error) {
	replies, err := l.recordAll(ctx, entries)
	if err != nil {
		return nil, fmt.Errorf("write ledger: %w", err)
	}
	return replies, nil
}

func (l *Ledger) recordAll(ctx context.Context, entries []Entry) ([]pipeline.Reply, error) {
	rows, replies := make([]row, len(entries)), make([]pipeline.Reply, len(entries))
	for i, e := range entries {
		var err error
		if rows[i], err = packEntry(e); err != nil {
			return nil, err
		}
	}
	return replies, l.repeatableTx(context.WithoutCancel(ctx), func(tx *sql.Tx) error {
		for i, r := range rows {
			var err error
			if replies[i], err = l.recordRow(ctx, tx, r); err != nil {
				return err
			}
		}
		return nil
	})
}

type row struct {
	Entry
	key                 []byte
	request, reply, sum []byte
}

func packEntry(e Entry) (row, error) {
	key := Key(e.Request)
	if key != e.Key {
		return row{}, fmt.Errorf("call %s: its request has the key %s", e.Key, key)
	}
	r := row{Entry: e}
	var err error
	if r.key, err = encodeKey(key); err != nil {
		return row{}, err
	}
	if r.request, err = encode(e.Request); err != nil {
		return row{}, err
	}
	if r.reply, err = encode(e.Reply); err != nil {
		return row{}, err
	}
	r.sum = checksum(r.key, r.reply)
	return r, nil
}

const insertCallSQL = `INSERT INTO calls
	(key, at, host, model, task, node, item, outcome, input, cached, output, reply, sum)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
	ON CONFLICT (key) DO NOTHING RETURNING id`

// recordRow records a call and returns the reply that stands.
func (l *Ledger) recordRow(ctx context.Context, tx *sql.Tx, r row) (pipeline.Reply, error) {
	first, found, err := l.firstReply(ctx, tx, r.key)
	if err != nil {
		return pipeline.Reply{}, err
	}
	if _, err := tx.StmtContext(ctx, l.deletePending).ExecContext(ctx, r.key); err != nil || found {
		return first, err
	}
	q, u := r.Request, r.Reply.Usage
	var call int64
	err = tx.StmtContext(ctx, l.insertCall).QueryRowContext(ctx, r.key, time.Now().Unix(), q.Host, q.Model, q.Task, r.Step, r.Item,
		string(r.Reply.Outcome), u.Input, u.Cached, u.Output, r.reply, r.sum).Scan(&call)
	if errors.Is(err, sql.ErrNoRows) { // another process recorded it since
		first, _, err = l.firstReply(ctx, tx, r.key)
		return first, err
	}
	if err != nil {
		return pipeline.Reply{}, err
	}
	_, err = tx.StmtContext(ctx, l.insertRequest).ExecContext(ctx, call, r.request)
	return r.Reply, err
}

// firstReply returns the recorded reply of a key, and removes a row that cannot be read.
func (l *Ledger) firstReply(ctx context.Context, tx *sql.Tx, key []byte) (r pipeline.Reply, found bool, err error) {
	var reply, sum []byte
	err = tx.StmtContext(ctx, l.selectReply).QueryRowContext(ctx, key).Scan(&reply, &sum)
	if errors.Is(err, sql.ErrNoRows) {
		return r, false, nil
	}
	if err != nil {
		return r, false, err
	}
	if string(checksum(key, reply)) != string(sum) {
		_, err = tx.ExecContext(ctx, `DELETE FROM calls WHERE key = $1`, key)
		return r, false, err
	}
	return r, true, decode(reply, &r)
}

func decodeKey(b []byte) pipeline.Key { return pipeline.Key(hex.EncodeToString(b)) }

func encodeKey(k pipeline.Key) ([]byte, error) {
	b, err := hex.DecodeString(string(k))
	if err != nil || len(b) != 32 {
		return nil, fmt.Errorf("ledger key %q: want 64 hex digits", k)
	}
	return b, nil
}
