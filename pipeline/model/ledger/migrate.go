package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// format1SQL is for ledgers whose calls hold their requests, and digests of
// these that follow from them.
const format1SQL = `
ALTER TABLE calls RENAME TO calls_of_1;
DROP INDEX calls_by_task;
` + layoutOfCalls + `
INSERT INTO calls
	SELECT id, key, at, host, model, task, node, item, outcome, input, cached, output, reply, sum FROM calls_of_1;
INSERT INTO requests SELECT id, request FROM calls_of_1;
DROP TABLE calls_of_1;
`

// layoutOfFormat4 says of a request that waits in which batch it is, and which
// answers were taken back.
const layoutOfFormat4 = `
ALTER TABLE pending ADD COLUMN batch TEXT NOT NULL DEFAULT '';
CREATE INDEX pending_by_batch ON pending (batch);
CREATE TABLE corrected (
	key BLOB PRIMARY KEY, host TEXT NOT NULL, model TEXT NOT NULL, task TEXT NOT NULL, times INTEGER NOT NULL);
`

// migrate makes this format out of an earlier one.
func migrate(ctx context.Context, tx *sql.Tx, version int) error {
	if version == 1 {
		if _, err := tx.ExecContext(ctx, format1SQL); err != nil {
			return err
		}
	}
	if version <= 2 {
		if err := migrateKeys(ctx, tx); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, layoutOfFormat4+fmt.Sprintf(`PRAGMA user_version = %d`, formatVersion))
	return err
}

// migrateKeys gives every call the key of its request as it is put now.
func migrateKeys(ctx context.Context, tx *sql.Tx) error {
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

type oldCall struct {
	id                       int64
	key, request, reply, sum []byte
}

func callsAfter(ctx context.Context, tx *sql.Tx, id int64) (calls []oldCall, err error) {
	err = eachRow(ctx, tx, func(scan func(...any) error) error {
		var c oldCall
		err := scan(&c.id, &c.key, &c.request, &c.reply, &c.sum)
		calls = append(calls, c)
		return err
	}, `SELECT id, key, request, reply, sum FROM calls JOIN requests ON call = id WHERE id > ? ORDER BY id LIMIT 500`, id)
	return calls, err
}

// rekey gives a call its upgraded request and the key of that. Keys of format 1 were taken of
// schemas with line breaks, which no record keeps. A call that was answered anew stays.
func (c oldCall) rekey(ctx context.Context, tx *sql.Tx) error {
	var r pipeline.Request
	if string(checksum(c.key, c.reply)) != string(c.sum) || decode(c.request, &r) != nil {
		return nil
	}
	r = upgrade(r)
	key, err := encodeKey(Key(r))
	if err != nil || string(key) == string(c.key) {
		return err
	}
	request, err := encode(r)
	if err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, `UPDATE OR IGNORE calls SET key = ?, sum = ? WHERE id = ?`, key, checksum(key, c.reply), c.id)
	if err != nil {
		return err
	}
	if changed, err := res.RowsAffected(); err != nil || changed == 0 {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE requests SET request = ? WHERE call = ?`, request, c.id)
	return err
}

// upgrade returns a request in today's form: formats up to 2 said in Form how many images the
// model takes, which changes no answer.
func upgrade(r pipeline.Request) pipeline.Request {
	var form map[string]json.RawMessage
	var media map[string]json.RawMessage
	if json.Unmarshal(r.Form, &form) != nil || json.Unmarshal(form["media"], &media) != nil {
		return r
	}
	if _, ok := media["max_images"]; !ok {
		return r
	}
	delete(media, "max_images")
	raw, err := pipeline.Canonical(media)
	if err != nil {
		return r
	}
	form["media"] = json.RawMessage(raw)
	if raw, err = pipeline.Canonical(form); err == nil {
		r.Form = json.RawMessage(raw)
	}
	return r
}
