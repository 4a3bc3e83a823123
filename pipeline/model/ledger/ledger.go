// Package ledger records what models answer, durably and before it is used, so
// that nothing is paid for twice and a build can be replayed without a network.
// FORMAT.md beside the code describes the file.
package ledger

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite" // also the database/sql driver "sqlite"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/durable"
)

// formatVersion is the database's user_version.
const formatVersion = 4

// layoutOfCalls keeps requests apart from replies: a replay reads replies alone,
// and a dozen of them share a page.
const layoutOfCalls = `
CREATE TABLE calls (
	id INTEGER PRIMARY KEY,
	key BLOB NOT NULL UNIQUE,
	at INTEGER NOT NULL,
	host TEXT NOT NULL, model TEXT NOT NULL, task TEXT NOT NULL,
	node TEXT NOT NULL, item TEXT NOT NULL,
	outcome TEXT NOT NULL,
	input INTEGER NOT NULL, cached INTEGER NOT NULL, output INTEGER NOT NULL,
	reply BLOB NOT NULL, sum BLOB NOT NULL);
CREATE INDEX calls_by_task ON calls (task, item);
CREATE TABLE requests (call INTEGER PRIMARY KEY, request BLOB NOT NULL);
CREATE TRIGGER request_goes AFTER DELETE ON calls BEGIN
	DELETE FROM requests WHERE call = old.id;
END;
`

const layout = layoutOfCalls + `
CREATE TABLE pending (
	key BLOB PRIMARY KEY, name TEXT NOT NULL, node TEXT NOT NULL, item TEXT NOT NULL,
	request BLOB NOT NULL, body BLOB NOT NULL);
CREATE TABLE batches (
	id TEXT PRIMARY KEY, name TEXT NOT NULL, state TEXT NOT NULL, requests INTEGER NOT NULL);
` + layoutSince4 + `
PRAGMA user_version = 4;`

// file is the name of the database in the ledger's folder.
const file = "ledger.db"

// Ledger is an open ledger. It is safe for concurrent use, also by several
// processes.
type Ledger struct {
	db    *sql.DB // reads
	write *sql.DB // one connection
	mu    sync.Mutex
	// Statements that read: a call by its key, and those recorded after it for the
	// same item.
	find, after *sql.Stmt
	ahead       ahead
	claims      claims
	// Statements of the one connection that writes.
	known, insert, asked, met *sql.Stmt
}

// Exists reports whether a folder holds a ledger.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, file))
	return err == nil
}

// Open opens the ledger in a folder and makes it when it is new.
func Open(ctx context.Context, dir string) (*Ledger, error) {
	l, err := open(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("open ledger in %s: %w", dir, err)
	}
	return l, nil
}

func open(ctx context.Context, dir string) (*Ledger, error) {
	if err := durable.MakeFolder(dir, 0o755); err != nil {
		return nil, err
	}
	// A relative path would be read as a host.
	path, err := filepath.Abs(filepath.Join(dir, file))
	if err != nil {
		return nil, err
	}
	write, err := sql.Open("sqlite", dsn(path, "journal_mode(WAL)", "synchronous(FULL)"))
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	l := &Ledger{write: write, claims: claims{dir: dir, lease: lease}}
	if err := patiently(ctx, func() error { return l.setUp(ctx) }); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if l.db, err = sql.Open("sqlite", dsn(path, "query_only(1)")); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.db.SetMaxIdleConns(8)
	if err := l.prepare(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	// The name of a new file must survive a power cut too.
	return l, durable.Sync(dir)
}

func (l *Ledger) prepare(ctx context.Context) error {
	for _, s := range []struct {
		to   **sql.Stmt
		db   *sql.DB
		text string
	}{
		{&l.find, l.db, `SELECT id, task, item, reply, sum FROM calls WHERE key = ?`},
		{&l.after, l.db, `SELECT key, reply, sum FROM calls
			WHERE task = ? AND item = ? AND id > ? ORDER BY id LIMIT ?`},
		{&l.known, l.write, `SELECT reply, sum FROM calls WHERE key = ?`},
		{&l.insert, l.write, insertCall},
		{&l.asked, l.write, `INSERT INTO requests (call, request) VALUES (?, ?)`},
		{&l.met, l.write, `DELETE FROM pending WHERE key = ?`},
	} {
		var err error
		if *s.to, err = s.db.PrepareContext(ctx, s.text); err != nil {
			return err
		}
	}
	return nil
}

// patiently tries again while the database is locked: of several that switch a new
// one to WAL at once, one is told so without waiting.
func patiently(ctx context.Context, try func() error) error {
	const busy, most, pause = 5, 500, 20 * time.Millisecond
	for n := 1; ; n++ {
		err := try()
		var locked *sqlite.Error
		if !errors.As(err, &locked) || locked.Code()&0xff != busy || n == most || ctx.Err() != nil {
			return err
		}
		time.Sleep(pause)
	}
}

// setUp makes the tables, or those of this format out of earlier ones, in one
// transaction; of two processes that start at once, one does.
func (l *Ledger) setUp(ctx context.Context) error {
	return l.tx(ctx, func(tx *sql.Tx) error {
		var version int
		if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
			return err
		}
		if version > formatVersion {
			return fmt.Errorf("it has format %d and this memforge knows up to %d; use the memforge that made it", version, formatVersion)
		}
		switch version {
		case formatVersion:
			return nil
		case 0:
			_, err := tx.ExecContext(ctx, layout)
			return err
		}
		return changeFormat(ctx, tx, version)
	})
}

func dsn(path string, pragmas ...string) string {
	q := url.Values{"_pragma": append([]string{"busy_timeout(20000)"}, pragmas...), "_txlock": {"immediate"}}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// Close closes the ledger.
func (l *Ledger) Close() error {
	errs := []error{l.claims.close()}
	for _, s := range []*sql.Stmt{l.find, l.after, l.known, l.insert, l.asked, l.met} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	if l.db != nil {
		errs = append(errs, l.db.Close())
	}
	return errors.Join(append(errs, l.write.Close())...)
}

// tx runs fn in a transaction, all or nothing, one at a time. Once begun it is
// not cut short by ctx, which the driver would watch at every statement.
func (l *Ledger) tx(ctx context.Context, fn func(*sql.Tx) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	tx, err := l.write.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Put records calls durably, all or none. The first record of a key stays,
// unless it is damaged. A recorded call is no longer pending.
func (l *Ledger) Put(ctx context.Context, entries ...Entry) error {
	if err := l.put(ctx, entries); err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	return nil
}

func (l *Ledger) put(ctx context.Context, entries []Entry) error {
	rows := make([]row, len(entries))
	for i, e := range entries {
		var err error
		if rows[i], err = pack(e); err != nil {
			return err
		}
	}
	ctx = context.WithoutCancel(ctx)
	return l.tx(ctx, func(tx *sql.Tx) error {
		for _, r := range rows {
			if err := l.record(ctx, tx, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// row is an entry as stored.
type row struct {
	Entry
	key                 []byte
	request, reply, sum []byte
}

func pack(e Entry) (row, error) {
	key := e.Request.Key()
	if key != e.Key {
		return row{}, fmt.Errorf("call %s: its request has the key %s", e.Key, key)
	}
	r := row{Entry: e}
	var err error
	if r.key, err = keyBytes(key); err != nil {
		return row{}, err
	}
	if r.request, err = encode(e.Request); err != nil {
		return row{}, err
	}
	if r.reply, err = encode(e.Reply); err != nil {
		return row{}, err
	}
	r.sum = checksum(r.key, r.reply)
	return r, nil
}

const insertCall = `INSERT INTO calls
	(key, at, host, model, task, node, item, outcome, input, cached, output, reply, sum)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (key) DO NOTHING`

func (l *Ledger) record(ctx context.Context, tx *sql.Tx, r row) error {
	if err := l.dropDamaged(ctx, tx, r.key); err != nil {
		return err
	}
	if _, err := tx.StmtContext(ctx, l.met).ExecContext(ctx, r.key); err != nil {
		return err
	}
	q, u := r.Request, r.Reply.Usage
	res, err := tx.StmtContext(ctx, l.insert).ExecContext(ctx, r.key, time.Now().Unix(), q.Host, q.Model, q.Task, r.Node, r.Item,
		string(r.Reply.Outcome), u.Input, u.Cached, u.Output, r.reply, r.sum)
	if err != nil {
		return err
	}
	added, err := res.RowsAffected()
	if err != nil || added == 0 {
		return err
	}
	call, err := res.LastInsertId()
	if err != nil {
		return err
	}
	_, err = tx.StmtContext(ctx, l.asked).ExecContext(ctx, call, r.request)
	return err
}

// dropDamaged removes a row that cannot be read, so that it can be written anew.
func (l *Ledger) dropDamaged(ctx context.Context, tx *sql.Tx, key []byte) error {
	var reply, sum []byte
	err := tx.StmtContext(ctx, l.known).QueryRowContext(ctx, key).Scan(&reply, &sum)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if string(checksum(key, reply)) == string(sum) {
		return nil
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM calls WHERE key = ?`, key)
	return err
}

func keyBytes(k pipeline.Key) ([]byte, error) {
	b, err := hex.DecodeString(string(k))
	if err != nil || len(b) != 32 {
		return nil, fmt.Errorf("ledger key %q: want 64 hex digits", k)
	}
	return b, nil
}
