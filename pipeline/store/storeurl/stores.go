// Package storeurl opens stores of any kind. Who imports it carries the drivers of all
// kinds: a program does, plugins and their tests use the kind in a folder.
package storeurl

import (
	"context"

	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/store/sharedstore"
)

// Open opens the store that a URL names for reading and writing, and makes it where
// there is none: a folder, see store.Open, or what several machines share, named by a
// postgres:// URL, see sharedstore.Open. A URL of no kind is a *atomicfile.URLError.
func Open(ctx context.Context, url string) (store.Store, error) {
	return opened(ctx, url, store.Open, sharedstore.Open)
}

// OpenReadOnly opens a store that is there for reading, also while others build in it.
func OpenReadOnly(ctx context.Context, url string) (store.Store, error) {
	return opened(ctx, url, store.OpenReadOnly, sharedstore.OpenReadOnly)
}

func opened(ctx context.Context, url string, folder func(context.Context, string) (store.Store, error), database func(context.Context, string) (*sharedstore.Store, error)) (store.Store, error) {
	if !postgres.IsURL(url) {
		return folder(ctx, url)
	}
	s, err := database(ctx, url)
	if err != nil {
		return nil, err // no typed nil
	}
	return s, nil
}
