package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// chunk is how many keys one query looks up.
const chunk = 256

// queries are the prepared statements of the reading connections.
type queries struct {
	results, records, countRecords, haveRecords, file *sql.Stmt
}

// openReader opens the reading side; one writer does not block it.
func (d *Disk) openReader(ctx context.Context) error {
	db, err := sql.Open("sqlite", dsn(d.path(dbFile), "cache_size(-16384)", "mmap_size(268435456)", "query_only(1)"))
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	db.SetMaxOpenConns(4)
	db.SetMaxIdleConns(4)
	d.read = db
	if err := d.checkVersion(ctx); err != nil {
		return err
	}
	in := "(?" + strings.Repeat(",?", chunk-1) + ")"
	for _, s := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&d.query.results, `SELECT key, body FROM results WHERE key IN ` + in},
		{&d.query.records, `SELECT digest, body FROM records WHERE digest IN ` + in},
		{&d.query.countRecords, `SELECT count(*) FROM records WHERE digest IN ` + in},
		{&d.query.haveRecords, `SELECT digest FROM records WHERE digest IN ` + in},
		{&d.query.file, `SELECT size, mtime, inode, digest FROM files WHERE path = ?`},
	} {
		if *s.to, err = db.PrepareContext(ctx, s.text); err != nil {
			return dbErr("prepare database", err)
		}
	}
	return nil
}

func (d *Disk) checkVersion(ctx context.Context) error {
	conn, err := d.read.Conn(ctx)
	if err != nil {
		return dbErr("open database", err)
	}
	version, err := userVersion(ctx, conn)
	if err == nil && version == 0 {
		err = errors.New("the store is not made yet; try again when the first build is under way")
	}
	return errors.Join(err, conn.Close())
}

func (q queries) close() error {
	var errs []error
	for _, s := range []*sql.Stmt{q.results, q.records, q.countRecords, q.haveRecords, q.file} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// eachRow runs a statement that gives a digest and perhaps a body a row. sums
// has at most chunk entries; the rest of the statement's parameters repeat the
// last. The body is valid only during the call of fn.
func eachRow(s *sql.Stmt, sums []sum, cols int, fn func(id sum, body []byte) error) error {
	rows, err := s.QueryContext(context.Background(), chunkArgs(sums)...)
	if err != nil {
		return dbErr("read database", err)
	}
	defer rows.Close()
	var id, body sql.RawBytes
	dest := []any{&id, &body}[:cols]
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return dbErr("read database", err)
		}
		if len(id) != len(sum{}) {
			continue // cannot be what was asked for
		}
		if err := fn(sum(id), body); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return dbErr("read database", err)
	}
	return nil
}

func chunkArgs(sums []sum) []any {
	args := make([]any, chunk)
	for i := range args {
		args[i] = sums[min(i, len(sums)-1)][:]
	}
	return args
}

// missingRecords returns those of the digests that have no record, as a set.
// The common case, all are there, costs one row a chunk.
func (d *Disk) missingRecords(sums []sum) (map[sum]bool, error) {
	missing := map[sum]bool{}
	for len(sums) > 0 {
		part := sums[:min(chunk, len(sums))]
		sums = sums[len(part):]
		var n int
		err := d.query.countRecords.QueryRowContext(context.Background(), chunkArgs(part)...).Scan(&n)
		if err != nil {
			return nil, dbErr("read database", err)
		}
		if n == len(part) {
			continue
		}
		for _, s := range part {
			missing[s] = true
		}
		err = eachRow(d.query.haveRecords, part, 1, func(s sum, _ []byte) error {
			delete(missing, s)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return missing, nil
}
