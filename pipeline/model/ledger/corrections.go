package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// Correction says how many times the answer to a request was taken back. Results
// that were built from an answer do not name it: the corrections of what a step
// may ask are part of its identity instead, so that everything it gave is worked
// out again, from what is recorded now.
type Correction struct {
	Key               pipeline.Key
	Host, Model, Task string
	Times             int
}

// Corrections lists what was taken back, in the order of keys.
func (l *Ledger) Corrections(ctx context.Context) (all []Correction, err error) {
	err = eachRow(ctx, l.db, func(scan func(...any) error) error {
		var c Correction
		var key []byte
		err := scan(&key, &c.Host, &c.Model, &c.Task, &c.Times)
		c.Key = decodeKey(key)
		all = append(all, c)
		return err
	}, `SELECT key, host, model, task, times FROM corrected ORDER BY key`)
	return all, wrapError("read ledger", err)
}

// Forget takes the answers to requests back: the next build that needs one asks
// again. All are recorded or none is forgotten; unknown lists those that are not.
func (l *Ledger) Forget(ctx context.Context, keys ...pipeline.Key) (unknown []pipeline.Key, err error) {
	defer l.ahead.clear()
	err = l.tx(ctx, func(tx *sql.Tx) error {
		for _, k := range keys {
			key, err := encodeKey(k)
			if err != nil {
				return err
			}
			found, err := withdraw(ctx, tx, key)
			if err != nil {
				return err
			}
			if !found {
				unknown = append(unknown, k)
			}
		}
		if len(unknown) > 0 {
			return errUnknown
		}
		return nil
	})
	if errors.Is(err, errUnknown) {
		err = nil
	}
	return unknown, wrapError("write ledger", err)
}

var errUnknown = errors.New("not all are recorded")

// Replace puts an answer in the place of the one that is recorded.
func (l *Ledger) Replace(ctx context.Context, e Entry) error {
	return l.replaceCall(ctx, e, func(*sql.Tx, row) error { return nil })
}

// adoptCorrection takes a call in that was corrected elsewhere more often than here.
func (l *Ledger) adoptCorrection(ctx context.Context, e Entry) error {
	return l.replaceCall(ctx, e, func(tx *sql.Tx, r row) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO corrected VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (key) DO UPDATE SET times = excluded.times`, r.key, e.Request.Host, e.Request.Model, e.Request.Task, e.Corrected)
		return err
	})
}

// replaceCall withdraws the recorded call and records this one.
func (l *Ledger) replaceCall(ctx context.Context, e Entry, count func(*sql.Tx, row) error) error {
	r, err := packEntry(e)
	if err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	defer l.ahead.clear()
	return wrapError("write ledger", l.tx(ctx, func(tx *sql.Tx) error {
		if _, err := withdraw(ctx, tx, r.key); err != nil {
			return err
		}
		if err := count(tx, r); err != nil {
			return err
		}
		_, err := l.recordRow(ctx, tx, r)
		return err
	}))
}

func withdraw(ctx context.Context, tx *sql.Tx, key []byte) (found bool, err error) {
	res, err := tx.ExecContext(ctx, `INSERT INTO corrected SELECT key, host, model, task, 1 FROM calls WHERE key = $1
		ON CONFLICT (key) DO UPDATE SET times = corrected.times + 1`, key)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	if err != nil || n == 0 {
		return false, err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM calls WHERE key = $1`, key)
	return true, err
}
