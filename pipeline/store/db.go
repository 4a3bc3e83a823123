package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the database/sql driver "sqlite"
)

// formatVersion is the database's user_version; see FORMAT.md.
const formatVersion = 2

// schema is run when the database is new. Ids are the first eight bytes of a
// key or digest: integer keys need no second tree. The trigger notices records
// that vanish without the results that output them.
const schema = `
CREATE TABLE results (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE records (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE builds (seq INTEGER PRIMARY KEY AUTOINCREMENT, body BLOB NOT NULL);
CREATE TABLE files (
	path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime INTEGER NOT NULL,
	inode INTEGER NOT NULL, digest BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE losses (records INTEGER NOT NULL);
INSERT INTO losses (records) VALUES (0);
CREATE TRIGGER record_lost AFTER DELETE ON records BEGIN
	UPDATE losses SET records = records + 1;
END;
` + since2

// since2 is what format 2 adds.
const since2 = `
CREATE TABLE recent (seq INTEGER PRIMARY KEY, body BLOB NOT NULL);
PRAGMA user_version = 2;`

// writer is the one connection that writes.
type writer struct {
	db   *sql.DB
	conn *sql.Conn
	mu   sync.Mutex // held for the length of a transaction
	sync string     // PRAGMA synchronous as it stands

	queue  sync.Mutex     // held for a moment
	shares []*commitShare // commits that wait for mu
	recent *recent
	// leastRecent is how many rows a transaction has that writes a row of recent.
	leastRecent int

	putRecord, putRecords, nearRecords, putResult, putResults, putRecentRow, putBuild, putFile, dropRecord *sql.Stmt
}

// openWriteDB makes the database when there is none, unless there ought to be one.
func openWriteDB(ctx context.Context, path string, expected bool) (*writer, error) {
	db, err := sql.Open("sqlite", dsn(path, "journal_mode(WAL)", "synchronous("+syncFull+")",
		"wal_autocheckpoint(32768)", "cache_size(-24576)", "temp_store(FILE)"))
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	w := &writer{db: db, sync: syncFull, recent: newRecent(), leastRecent: leastRecent}
	if w.conn, err = db.Conn(ctx); err != nil {
		return nil, errors.Join(dbErr("open database", err), db.Close())
	}
	if err := w.setUp(ctx, expected); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *writer) setUp(ctx context.Context, expected bool) error {
	version, err := userVersion(ctx, w.conn)
	if err != nil {
		return err
	}
	if version == 0 && expected {
		return &DatabaseError{errEmptied}
	}
	if add := map[int]string{0: schema, 1: since2}[version]; add != "" {
		if err := w.tx(ctx, func() error { return w.exec(add) }); err != nil {
			return fmt.Errorf("make database: %w", err)
		}
	}
	rows := "(?, ?)" + strings.Repeat(", (?, ?)", together-1)
	for _, s := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&w.putRecord, `INSERT INTO records (id, body) VALUES (?, ?) ON CONFLICT (id) DO NOTHING`},
		{&w.putRecords, `INSERT INTO records (id, body) VALUES ` + rows + ` ON CONFLICT (id) DO NOTHING`},
		{&w.putResults, `INSERT INTO results (id, body) VALUES ` + rows + ` ON CONFLICT (id) DO UPDATE SET body = excluded.body`},
		{&w.nearRecords, `SELECT id, body FROM records WHERE id BETWEEN ? AND ?`},
		{&w.putResult, `INSERT INTO results (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body`},
		{&w.putRecentRow, `INSERT INTO recent (body) VALUES (?)`},
		{&w.putBuild, `INSERT INTO builds (body) VALUES (?)`},
		{&w.putFile, `INSERT OR REPLACE INTO files (path, size, mtime, inode, digest) VALUES (?, ?, ?, ?, ?)`},
		{&w.dropRecord, `DELETE FROM records WHERE id = ?`},
	} {
		if *s.to, err = w.conn.PrepareContext(ctx, s.text); err != nil {
			return dbErr("prepare database", err)
		}
	}
	return w.loadRecent(ctx)
}

// userVersion refuses a database of a later format.
func userVersion(ctx context.Context, conn *sql.Conn) (int, error) {
	var version int
	if err := conn.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return 0, dbErr("read database", err)
	}
	if version > formatVersion {
		return 0, fmt.Errorf("the store has format %d and this memforge knows up to %d; use the memforge that made it or another store", version, formatVersion)
	}
	return version, nil
}

// tx runs fn in a transaction: all or nothing, with all rows in their places. Once
// begun it is not cut short by ctx, which keeps the driver from watching it at every
// statement.
func (w *writer) tx(ctx context.Context, fn func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.moveRecent(ctx); err != nil {
		return err
	}
	return w.transact(ctx, syncFull, fn)
}

// Values of PRAGMA synchronous: the log is synced at each commit, or at
// checkpoints only.
const (
	syncFull   = "FULL"
	syncNormal = "NORMAL"
)

// transact is tx for who holds mu.
func (w *writer) transact(ctx context.Context, sync string, fn func() error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if w.sync != sync {
		if err := w.exec(`PRAGMA synchronous = ` + sync); err != nil {
			return err
		}
		w.sync = sync
	}
	if err := w.exec(`BEGIN IMMEDIATE`); err != nil {
		return err
	}
	err := fn()
	if err == nil {
		err = w.exec(`COMMIT`)
	}
	if err == nil {
		return nil
	}
	// SQLite may have rolled back by itself, then there is nothing to undo and
	// this statement's own complaint says no more.
	_, _ = w.conn.ExecContext(context.Background(), `ROLLBACK`)
	return err
}

func (w *writer) exec(text string, args ...any) error {
	if _, err := w.conn.ExecContext(context.Background(), text, args...); err != nil {
		return dbErr("write database", err)
	}
	return nil
}

func (w *writer) run(s *sql.Stmt, args ...any) error {
	if _, err := s.ExecContext(context.Background(), args...); err != nil {
		return dbErr("write database", err)
	}
	return nil
}

func (w *writer) close() error {
	var errs []error
	for _, s := range []*sql.Stmt{w.putRecord, w.putRecords, w.nearRecords, w.putResult, w.putResults, w.putRecentRow, w.putBuild, w.putFile, w.dropRecord} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(append(errs, w.conn.Close(), w.db.Close())...)
}

// dsn names a database with pragmas. The path is escaped, for SQLite reads it
// as a URI.
func dsn(path string, pragmas ...string) string {
	q := url.Values{"_pragma": append([]string{"busy_timeout(10000)"}, pragmas...)}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// DatabaseError says that the database of a store cannot be relied on: it is
// damaged or cut, or gone while what it knew of is there.
type DatabaseError struct{ Err error }

func (e *DatabaseError) Error() string {
	return fmt.Sprintf("the store's database cannot be used: %v; put back a copy of store.db, or run `memforge store check --repair`, which keeps all files and starts without results", e.Err)
}

// Unwrap returns what SQLite said.
func (e *DatabaseError) Unwrap() error { return e.Err }

// errEmptied is the Err of a database that was there and is not.
var errEmptied = errors.New("it is empty or gone, and the store holds blobs")

// dbErr says what to do when the database itself is at fault.
func dbErr(op string, err error) error {
	if isDamage(err) {
		return fmt.Errorf("%s: %w", op, &DatabaseError{err})
	}
	return fmt.Errorf("%s: %w (if it persists, run `memforge store check --repair`)", op, err)
}

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
