package sharedstore

import (
	"bytes"
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// liveMarks collects what is live for the tables of a session, so that memory stays
// bounded.
type liveMarks struct {
	put     func(table string, ids [][]byte) error
	waiting map[string][][]byte
}

func (m liveMarks) Result(key encoding.Sum) error    { return m.add("results", key) }
func (m liveMarks) Record(digest encoding.Sum) error { return m.add("records", digest) }
func (m liveMarks) Blob(digest encoding.Sum) error   { return m.add("blobs", digest) }

func (m liveMarks) add(table string, id encoding.Sum) error {
	m.waiting[table] = append(m.waiting[table], id[:])
	if len(m.waiting[table]) < asked {
		return nil
	}
	return m.flush(table)
}

func (m liveMarks) flush(table string) error {
	ids := m.waiting[table]
	m.waiting[table] = nil
	if len(ids) == 0 {
		return nil
	}
	return m.put(table, ids)
}

// mark fills the tables of what is live. Any doubt about that is an error: nothing is
// removed on a guess.
func (c *collection) mark(ctx context.Context, builds []pipeline.Build) error {
	for _, table := range []string{"results", "records", "blobs"} {
		if _, err := c.conn.Exec(ctx, `CREATE TEMP TABLE live_`+table+` (id bytea PRIMARY KEY)`); err != nil {
			return err
		}
	}
	m := liveMarks{waiting: map[string][][]byte{}, put: func(table string, ids [][]byte) error {
		_, err := c.conn.Exec(ctx, `INSERT INTO live_`+table+` SELECT unnest($1::bytea[]) ON CONFLICT DO NOTHING`, ids)
		return err
	}}
	if err := encoding.MarkBuilds(ctx, c.store.OpenBlob, m, builds); err != nil {
		return err
	}
	return c.follow(ctx, m)
}

// follow marks what the live results, and then the live records, need.
func (c *collection) follow(ctx context.Context, m liveMarks) error {
	names := map[string]string{}
	for _, step := range []struct {
		table, column string
		visit         func(id, body []byte) error
	}{
		{"results", "key", func(id, body []byte) error {
			// A damaged row counts as absent: it needs nothing.
			if key, r, err := encoding.DecodeRow(body, names); err == nil && bytes.Equal(key[:], id) {
				return encoding.MarkResult(m, r)
			}
			return nil
		}},
		{"records", "digest", func(_, body []byte) error { return encoding.MarkRecord(m, body) }},
		{"blobs", "", nil},
	} {
		if err := m.flush(step.table); err != nil {
			return err
		}
		if _, err := c.conn.Exec(ctx, `ANALYZE live_`+step.table); err != nil {
			return err
		}
		if step.visit == nil {
			continue
		}
		if err := c.eachLive(ctx, step.table, step.column, step.visit); err != nil {
			return err
		}
	}
	return nil
}

// eachLive visits the live rows of a table, page by page, for visits ask the session.
func (c *collection) eachLive(ctx context.Context, table, column string, visit func(id, body []byte) error) error {
	for after := []byte{}; ; {
		rows, err := c.conn.Query(ctx, `SELECT id, body FROM live_`+table+` JOIN `+table+` ON `+column+` = id
			WHERE id > $1 ORDER BY id LIMIT $2`, after, asked)
		if err != nil {
			return err
		}
		var ids, bodies [][]byte
		var id, body []byte
		_, err = pgx.ForEachRow(rows, []any{&id, &body}, func() error {
			ids, bodies = append(ids, id), append(bodies, body)
			return nil
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		for i := range ids {
			if err := visit(ids[i], bodies[i]); err != nil {
				return err
			}
		}
		after = ids[len(ids)-1]
	}
}
