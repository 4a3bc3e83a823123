package assemble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/store"
)

// Preview says what a build would find in a store that is open for reading, and what it
// would make. Of local files those alone are read that the store does not know.
func Preview(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, st store.Store, opt Options) ([]engine.Step, []engine.StepPreview, error) {
	steps, err := cfg.Plan.Resolve(ctx, reg)
	if err != nil {
		return nil, nil, err
	}
	opt.Offline = true
	fetcher, err := newFetcher(cfg, hashingStore{st}, opt)
	if err != nil {
		return nil, nil, err
	}
	seen, err := engine.Preview(ctx, st, steps, fetcher)
	return steps, seen, err
}

// hashingStore gives the digests of local files without storing them.
type hashingStore struct{ store.Store }

// errNotStored says that a file would have to be stored.
var errNotStored = errors.New("the file is not in the store yet")

// CachedFile returns the digest of a local file, which is read only if it is not known.
func (s hashingStore) CachedFile(ctx context.Context, path string) (pipeline.Blob, error) {
	blob, known, err := s.KnownFile(ctx, path)
	if err != nil || known {
		return blob, err
	}
	f, err := os.Open(path)
	if err != nil {
		return pipeline.Blob{}, err
	}
	defer f.Close()
	sum, n, err := atomicfile.Copy(ctx, io.Discard, f)
	return pipeline.Blob{Digest: pipeline.Digest(sum), Size: n}, err
}

// PutFile refuses: nothing is stored.
func (hashingStore) PutFile(context.Context, string, bool) (pipeline.Blob, error) {
	return pipeline.Blob{}, fmt.Errorf("preview: %w", errNotStored)
}
