package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// FindEntry returns a whole call. A damaged one counts as absent.
func (l *Ledger) FindEntry(ctx context.Context, key pipeline.Key) (Entry, bool, error) {
	raw, err := encodeKey(key)
	if err != nil {
		return Entry{}, false, err
	}
	e := Entry{Key: key}
	var request, reply, sum []byte
	err = l.wait(ctx, func() error {
		return l.db.QueryRowContext(ctx, `SELECT node, item, request, reply, sum FROM calls LEFT JOIN requests ON call = id WHERE key = $1`, raw).
			Scan(&e.Step, &e.Item, &request, &reply, &sum)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return Entry{}, false, nil
	}
	if err != nil {
		return Entry{}, false, fmt.Errorf("read ledger: call %s: %w", key, err)
	}
	return e, e.unpack(request, reply, sum), nil
}
