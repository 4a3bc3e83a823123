package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
)

// chunk is how many keys one query looks up.
const chunk = 256

// readers is how many connections read at once.
const readers = 2

// queries are the prepared statements of the reading connections.
type queries struct {
	results, records, nearRecords, resultPage, recordPage, losses, file *sql.Stmt
}

// openReader opens the reading side; one writer does not block it.
func (d *Disk) openReader(ctx context.Context) error {
	db, err := sql.Open("sqlite", dsn(d.path(dbFile), "cache_size(-4096)", "query_only(1)"))
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	d.read = db
	if err := d.checkVersion(ctx); err != nil {
		return err
	}
	if err := d.checkDeleted(ctx); err != nil {
		return err
	}
	if err := d.openRecent(ctx); err != nil {
		return err
	}
	in := "(?" + strings.Repeat(",?", chunk-1) + ")"
	for _, s := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&d.query.results, `SELECT id, body FROM results WHERE id IN ` + in},
		{&d.query.records, `SELECT id, body FROM records WHERE id IN ` + in},
		{&d.query.nearRecords, `SELECT id, body FROM records WHERE id BETWEEN ? AND ?`},
		{&d.query.resultPage, `SELECT id, body FROM results WHERE id >= ? ORDER BY id LIMIT ?`},
		{&d.query.recordPage, `SELECT id, body FROM records WHERE id >= ? ORDER BY id LIMIT ?`},
		{&d.query.losses, `SELECT records FROM losses`},
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
		if held, _ := d.holdsBlobs(); held {
			err = &DatabaseError{errEmptied}
		}
	}
	return errors.Join(err, conn.Close())
}

func (q queries) close() error {
	var errs []error
	for _, s := range []*sql.Stmt{q.results, q.records, q.nearRecords, q.resultPage, q.recordPage, q.losses, q.file} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// eachRow runs a statement that gives an id and a body a row. ids has at most
// chunk entries; the rest of the statement's parameters repeat the last. The
// body is valid only during the call of fn.
func eachRow(s *sql.Stmt, ids []int64, fn func(id int64, body []byte) error) error {
	if len(ids) == 0 {
		return nil
	}
	args := make([]any, chunk)
	for i := range args {
		args[i] = ids[min(i, len(ids)-1)]
	}
	rows, err := s.QueryContext(context.Background(), args...)
	if err != nil {
		return dbErr("read database", err)
	}
	return scanRows(rows, fn)
}

func scanRows(rows *sql.Rows, fn func(id int64, body []byte) error) error {
	defer rows.Close()
	var id int64
	var body sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&id, &body); err != nil {
			return dbErr("read database", err)
		}
		if err := fn(id, body); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return dbErr("read database", err)
	}
	return nil
}

// eachPage reads a whole table: row for every row, then done after each page,
// when no row is open any more and other queries may be made.
func eachPage(ctx context.Context, page *sql.Stmt, row func(id int64, body []byte) error, done func() error) error {
	for next := int64(math.MinInt64); ; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rows, err := page.QueryContext(context.Background(), next, chunk)
		if err != nil {
			return dbErr("read database", err)
		}
		n, last := 0, int64(0)
		err = scanRows(rows, func(id int64, body []byte) error {
			n, last = n+1, id
			return row(id, body)
		})
		if err != nil {
			return err
		}
		if err := done(); err != nil {
			return err
		}
		if n < chunk || last == math.MaxInt64 {
			return nil
		}
		next = last + 1
	}
}
