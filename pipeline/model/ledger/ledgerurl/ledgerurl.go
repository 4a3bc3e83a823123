// Package ledgerurl opens ledgers of any kind. It brings the drivers of all kinds into a
// program; plugins and their tests use the kind in a folder.
package ledgerurl

import (
	"context"

	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/ledger/sharedledger"
)

// Open opens the ledger that a URL names and makes it when it is new: a folder, see
// ledger.Open, or a database that machines share, named by a postgres:// URL, see
// sharedledger.Open. A URL of no kind is an error.
func Open(ctx context.Context, url string) (*ledger.Ledger, error) {
	if postgres.IsURL(url) {
		return sharedledger.Open(ctx, url)
	}
	return ledger.Open(ctx, url)
}

// Exists reports whether there is a ledger. Of a database that machines share it does
// not ask: opening makes one.
func Exists(url string) bool {
	return postgres.IsURL(url) || ledger.Exists(url)
}
