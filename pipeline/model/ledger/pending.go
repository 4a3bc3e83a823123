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
	Node, Item string
	Request    Request
	// Body is the request as the server takes it.
	Body json.RawMessage
}

// Expect records requests that a batch is to answer.
func (l *Ledger) Expect(ctx context.Context, ps ...Pending) error {
	err := l.tx(ctx, func(tx *sql.Tx) error {
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
	key, err := keyBytes(p.Key)
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
	_, err = tx.ExecContext(ctx, `INSERT INTO pending (key, name, node, item, request, body) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET name = excluded.name, body = excluded.body`,
		key, p.Name, p.Node, p.Item, request, body)
	return err
}

// ForgetPending drops what waits, before it is collected anew.
func (l *Ledger) ForgetPending(ctx context.Context) error {
	err := l.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM pending`)
		return err
	})
	if err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	return nil
}

// EachPending visits what waits, in the order of keys.
func (l *Ledger) EachPending(ctx context.Context, visit func(Pending) error) error {
	rows, err := l.db.QueryContext(ctx, `SELECT lower(hex(key)), name, node, item, request, body FROM pending ORDER BY key`)
	if err != nil {
		return fmt.Errorf("read ledger: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var p Pending
		var request, body []byte
		if err := rows.Scan(&p.Key, &p.Name, &p.Node, &p.Item, &request, &body); err != nil {
			return fmt.Errorf("read ledger: %w", err)
		}
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

// PendingOf returns the request that waits under a key.
func (l *Ledger) PendingOf(ctx context.Context, key pipeline.Key) (Pending, bool, error) {
	raw, err := keyBytes(key)
	if err != nil {
		return Pending{}, false, err
	}
	p := Pending{Key: key}
	var request []byte
	err = l.db.QueryRowContext(ctx, `SELECT name, node, item, request FROM pending WHERE key = ?`, raw).Scan(&p.Name, &p.Node, &p.Item, &request)
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
}

// SaveBatch remembers a batch, or its new state.
func (l *Ledger) SaveBatch(ctx context.Context, b Batch) error {
	err := l.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO batches (id, name, state, requests) VALUES (?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET state = excluded.state`, b.ID, b.Name, b.State, b.Requests)
		return err
	})
	return wrap("write ledger", err)
}

// DropBatch forgets a batch whose results were taken in.
func (l *Ledger) DropBatch(ctx context.Context, id string) error {
	return wrap("write ledger", l.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM batches WHERE id = ?`, id)
		return err
	}))
}

// Batches lists the batches that are under way, sorted by id.
func (l *Ledger) Batches(ctx context.Context) (all []Batch, err error) {
	rows, err := l.db.QueryContext(ctx, `SELECT id, name, state, requests FROM batches ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("read ledger: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var b Batch
		if err := rows.Scan(&b.ID, &b.Name, &b.State, &b.Requests); err != nil {
			return nil, fmt.Errorf("read ledger: %w", err)
		}
		all = append(all, b)
	}
	return all, rows.Err()
}
