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
	err := l.repeatableTx(ctx, func(tx *sql.Tx) error {
		for _, p := range ps {
			if err := p.insert(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	return nil
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
	return wrapError("write ledger", l.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM pending WHERE key = $1`, key)
		return err
	}))
}

// DropPending drops what waits and is in no batch, before it is collected anew.
func (l *Ledger) DropPending(ctx context.Context) error {
	err := l.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM pending WHERE batch = ''`)
		return err
	})
	if err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	return nil
}

// EachPending visits what waits and is in no batch, in the order of keys.
func (l *Ledger) EachPending(ctx context.Context, visit func(Pending) error) error {
	rows, err := l.db.QueryContext(ctx, `SELECT key, name, node, item, request, body FROM pending
		WHERE batch = '' ORDER BY key`)
	if err != nil {
		return fmt.Errorf("read ledger: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var p Pending
		var key, request, body []byte
		if err := rows.Scan(&key, &p.Name, &p.Step, &p.Item, &request, &body); err != nil {
			return fmt.Errorf("read ledger: %w", err)
		}
		p.Key = decodeKey(key)
		if err := decode(request, &p.Request); err != nil {
			return fmt.Errorf("read ledger: pending request %s: %w", p.Key, err)
		}
		if err := decode(body, &p.Body); err != nil {
			return fmt.Errorf("read ledger: pending request %s: %w", p.Key, err)
		}
		if err := visit(p); err != nil {
			return err
		}
	}
	return rows.Err()
}

// FindPending returns the request that waits under a key.
func (l *Ledger) FindPending(ctx context.Context, key pipeline.Key) (Pending, bool, error) {
	raw, err := encodeKey(key)
	if err != nil {
		return Pending{}, false, err
	}
	p := Pending{Key: key}
	var request []byte
	err = l.db.QueryRowContext(ctx, `SELECT name, node, item, request FROM pending WHERE key = $1`, raw).Scan(&p.Name, &p.Step, &p.Item, &request)
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
