package testkit

import (
	"context"
	"io"

	"github.com/memforge/memforge/pipeline"
)

// stopStore cancels a context at its at-th call, counted from 1, and passes
// everything on. It serves one goroutine.
type stopStore struct {
	pipeline.Store
	at      int64
	stop    func()
	calls   int64
	stopped bool
}

func (s *stopStore) call() {
	s.calls++
	if s.calls == s.at {
		s.stop()
		s.stopped = true
	}
}

func (s *stopStore) Records(ctx context.Context, ds []pipeline.Digest) ([]pipeline.Record, error) {
	s.call()
	return s.Store.Records(ctx, ds)
}

func (s *stopStore) BlobPath(ctx context.Context, d pipeline.Digest) (string, error) {
	s.call()
	return s.Store.BlobPath(ctx, d)
}

func (s *stopStore) OpenBlob(ctx context.Context, d pipeline.Digest) (io.ReadCloser, error) {
	s.call()
	return s.Store.OpenBlob(ctx, d)
}

func (s *stopStore) PutBlob(ctx context.Context, r io.Reader) (pipeline.Blob, error) {
	s.call()
	return s.Store.PutBlob(ctx, r)
}

func (s *stopStore) PutFile(ctx context.Context, path string, move bool) (pipeline.Blob, error) {
	s.call()
	return s.Store.PutFile(ctx, path, move)
}
