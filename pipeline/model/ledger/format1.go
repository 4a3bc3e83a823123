package ledger

import (
	"context"
	"database/sql"
)

// fromFormat1 is for ledgers whose calls hold their requests, and digests of
// these that follow from them.
const fromFormat1 = `
ALTER TABLE calls RENAME TO calls_of_1;
DROP INDEX calls_by_task;
` + layoutOfCalls + `
INSERT INTO calls
	SELECT id, key, at, host, model, task, node, item, outcome, input, cached, output, reply, sum FROM calls_of_1;
INSERT INTO requests SELECT id, request FROM calls_of_1;
DROP TABLE calls_of_1;
PRAGMA user_version = 2;`

func changeFormat1(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, fromFormat1); err != nil {
		return err
	}
	for last := int64(0); ; {
		calls, err := callsAfter(ctx, tx, last)
		if err != nil || len(calls) == 0 {
			return err
		}
		for _, c := range calls {
			if err := c.rekey(ctx, tx); err != nil {
				return err
			}
		}
		last = calls[len(calls)-1].id
	}
}

// oldCall is a call as format 1 recorded it.
type oldCall struct {
	id                       int64
	key, request, reply, sum []byte
}

func callsAfter(ctx context.Context, tx *sql.Tx, id int64) (calls []oldCall, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT id, key, request, reply, sum FROM calls JOIN requests ON call = id
		WHERE id > ? ORDER BY id LIMIT 500`, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var c oldCall
		if err := rows.Scan(&c.id, &c.key, &c.request, &c.reply, &c.sum); err != nil {
			return nil, err
		}
		calls = append(calls, c)
	}
	return calls, rows.Err()
}

// rekey gives a sound call the key of its request as it is recorded. Keys of
// format 1 were taken of schemas with line breaks, which no record keeps; those
// requests are put without them now, and the answers were paid for. A call that
// has been answered anew stays as it is.
func (c oldCall) rekey(ctx context.Context, tx *sql.Tx) error {
	var r Request
	if string(checksum(c.key, c.reply)) != string(c.sum) || decode(c.request, &r) != nil {
		return nil
	}
	key, err := keyBytes(r.Key())
	if err != nil || string(key) == string(c.key) {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE OR IGNORE calls SET key = ?, sum = ? WHERE id = ?`, key, checksum(key, c.reply), c.id)
	return err
}
