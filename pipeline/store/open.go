package store

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// Store is an open store of any kind.
type Store interface {
	pipeline.Store
	// ScratchRoot is a local folder for the scratch folders of tasks, from where
	// PutFile takes files at the least cost. Open empties it.
	ScratchRoot() string
	// QuarantineCorrupt looks at every blob and sets the damaged ones aside, so that
	// they are made again. It returns their digests.
	QuarantineCorrupt(ctx context.Context) ([]pipeline.Digest, error)
	// Close releases the store. Calls in flight must have returned.
	Close() error
}

// Open opens the store that a URL names for reading and writing, and makes it where
// there is none: a folder, named by its path or a file:// URL, see OpenDisk. Any other
// URL is a *durable.PlaceError; package stores knows more of them.
func Open(ctx context.Context, url string) (Store, error) {
	return opened(ctx, url, OpenDisk)
}

// OpenReadOnly opens a store that is there for reading, also while others build in
// it; see OpenDiskReadOnly.
func OpenReadOnly(ctx context.Context, url string) (Store, error) {
	return opened(ctx, url, OpenDiskReadOnly)
}

func opened(ctx context.Context, url string, open func(context.Context, string) (*Disk, error)) (Store, error) {
	dir, err := atomicfile.FolderFromURL(url)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	d, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	return d, nil
}
