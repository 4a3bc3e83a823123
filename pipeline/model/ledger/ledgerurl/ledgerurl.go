// Package ledgerurl opens ledgers of any kind. Who imports it carries the drivers of all
// kinds: a program does, plugins and their tests use the kind in a folder.
package ledgerurl

import (
	"context"

	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/ledger/sharedledger"
)

// Open opens the ledger that a URL names and makes it when it is new: a folder, see
// ledger.Open, or a database that machines share, named by a postgres:// URL, see
// shared.Open. A URL of no kind is an error.
func Open(ctx context.Context, url string) (*ledger.Ledger, error) {
	if postgres.IsURL(url) {
		return sharedledger.Open(ctx, url)
	}
	return ledger.Open(ctx, url)
}

// OpenInterface is Open for those who need a Book.
func OpenInterface(ctx context.Context, url string) (ledger.Interface, error) {
	l, err := Open(ctx, url)
	if err != nil {
		return nil, err // no typed nil
	}
	return l, nil
}

// Exists reports whether there is a ledger. Of a database that machines share it does
// not ask: opening makes one.
func Exists(url string) bool {
	return postgres.IsURL(url) || ledger.Exists(url)
}
