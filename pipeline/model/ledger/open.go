package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite" // also the database/sql driver "sqlite"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// Open opens the ledger in a folder, named by its path or a file:// URL, and makes it
// when it is new. Package ledgerurl opens ledgers of the other URLs.
func Open(ctx context.Context, url string) (*Ledger, error) {
	dir, err := atomicfile.FolderFromURL(url)
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	return openFile(ctx, dir)
}

// Exists reports whether there is a ledger in a folder.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, fileName))
	return err == nil
}

// Database is what a ledger of one kind has and does in its own way. Statements are the
// same for all databases.
type Database struct {
	// Write has one connection, others read.
	Read, Write *sql.DB
	Claims      Claimer
	// Wait calls try again where the database may be away for a while.
	Wait func(ctx context.Context, try func() error) error
	// Shrink gives space back after much was removed.
	Shrink func(ctx context.Context, db *sql.DB) error
}

// Claimer holds the claims of one owner: the requests that it is asking at this moment.
type Claimer interface {
	// Claim claims all of keys, or none if another owner asks one of them.
	Claim(ctx context.Context, keys []pipeline.Key) (bool, error)
	// CountClaimedByOthers counts the requests that other owners ask.
	CountClaimedByOthers(ctx context.Context, keys []pipeline.Key) (int, error)
	// Release gives claims back.
	Release(ctx context.Context, keys []pipeline.Key) error
	// Close gives all of them back.
	Close() error
}

// NewOverDatabase is a ledger in a database whose tables are there. It closes what it was given,
// also when it fails.
func NewOverDatabase(ctx context.Context, d Database) (*Ledger, error) {
	l := &Ledger{db: d.Read, write: d.Write, claims: d.Claims, wait: d.Wait, shrink: d.Shrink}
	if err := l.prepare(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

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
` + layoutOfFormat4 + `
PRAGMA user_version = 4;`

// fileName is the name of the database in the ledger's folder.
const fileName = "ledger.db"

func openFile(ctx context.Context, dir string) (*Ledger, error) {
	l, err := open(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("open ledger in %s: %w", dir, err)
	}
	return l, nil
}

func open(ctx context.Context, dir string) (*Ledger, error) {
	if err := atomicfile.MakeFolder(dir, 0o755); err != nil {
		return nil, err
	}
	// A relative path would be read as a host.
	path, err := filepath.Abs(filepath.Join(dir, fileName))
	if err != nil {
		return nil, err
	}
	write, err := sql.Open("sqlite", dsn(path, "journal_mode(WAL)", "synchronous(FULL)"))
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	l := &Ledger{
		write: write, claims: &claims{dir: dir, lease: Lease},
		wait: func(_ context.Context, try func() error) error { return try() }, // the driver waits, see dsn
		shrink: func(ctx context.Context, db *sql.DB) error {
			_, err := db.ExecContext(ctx, `VACUUM`)
			return err
		},
	}
	if err := retryLocked(ctx, func() error { return l.setUpTables(ctx) }); err != nil {
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
	return l, atomicfile.Sync(dir)
}

// retryLocked tries again while the database is locked: SQLite does not wait where several
// processes switch a new database to WAL.
func retryLocked(ctx context.Context, try func() error) error {
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

// setUpTables creates the tables, or migrates those of an earlier format.
func (l *Ledger) setUpTables(ctx context.Context) error {
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
		return migrate(ctx, tx, version)
	})
}

func dsn(path string, pragmas ...string) string {
	q := url.Values{"_pragma": append([]string{"busy_timeout(20000)"}, pragmas...), "_txlock": {"immediate"}}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}
