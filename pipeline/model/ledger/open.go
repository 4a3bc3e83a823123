package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// Open opens the ledger in a folder, named by its path or a file:// URL, and makes it
// when it is new. Any other URL is a *durable.PlaceError; package ledgers knows more.
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

// Claimer holds claims of one owner: which requests somebody is asking at this moment.
type Claimer interface {
	// Claim claims all of keys, or none if somebody else asks one of them.
	Claim(ctx context.Context, keys []pipeline.Key) (bool, error)
	// CountClaimedByOthers counts the requests that somebody else asks.
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
