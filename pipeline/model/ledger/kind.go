package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/pipeline/durable"
	"github.com/memforge/memforge/pipeline/postgres"
)

// kind is what ledgers of one kind do in their own way. Statements are the same for
// both databases.
type kind struct {
	// wait calls try again where the database may be away for a while.
	wait func(ctx context.Context, try func() error) error
	// shrink gives space back after much was removed.
	shrink func(ctx context.Context, db *sql.DB) error
}

// Open opens the ledger that a URL names and makes it when it is new: a folder, by its
// path or a file:// URL, or a database that machines share, by a postgres:// URL. A URL
// of no kind is a *durable.PlaceError.
func Open(ctx context.Context, url string) (*Ledger, error) {
	if postgres.Is(url) {
		return openShared(ctx, url)
	}
	dir, err := durable.FolderOf(url)
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	return openFile(ctx, dir)
}

// Exists reports whether there is a ledger. Of a database that machines share it does
// not ask: whoever opens it makes one.
func Exists(url string) bool {
	if postgres.Is(url) {
		return true
	}
	_, err := os.Stat(filepath.Join(url, file))
	return err == nil
}
