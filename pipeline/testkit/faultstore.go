// Package testkit holds what tests of plugins and of the engine share:
// conformance suites and parts that fail on demand.
package testkit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/memforge/memforge/pipeline"
)

// ErrFault is the default error of a FaultStore.
var ErrFault = errors.New("injected fault")

// FaultStore passes everything to Store but fails one write. A write is a call
// of PutBlob, PutFile or Commit; a failed one does not reach Store. Use it by
// pointer and set the fields before the first call.
type FaultStore struct {
	pipeline.Store
	// FailAt is the number of the write that fails, counted from 1; 0 fails none.
	FailAt int64
	// Stay makes all writes after FailAt fail too, as a full disk does.
	Stay bool
	// Err is wrapped by the failure; ErrFault when nil.
	Err error

	writes atomic.Int64
}

// Writes counts the writes tried so far, failed ones included.
func (s *FaultStore) Writes() int64 { return s.writes.Load() }

// PutBlob is a write.
func (s *FaultStore) PutBlob(ctx context.Context, r io.Reader) (pipeline.Blob, error) {
	if err := s.fault("put blob"); err != nil {
		return pipeline.Blob{}, err
	}
	return s.Store.PutBlob(ctx, r)
}

// PutFile is a write.
func (s *FaultStore) PutFile(ctx context.Context, path string, move bool) (pipeline.Blob, error) {
	if err := s.fault("put file " + path); err != nil {
		return pipeline.Blob{}, err
	}
	return s.Store.PutFile(ctx, path, move)
}

// Commit is a write.
func (s *FaultStore) Commit(ctx context.Context, outcomes []pipeline.Committed) error {
	if err := s.fault("commit"); err != nil {
		return err
	}
	return s.Store.Commit(ctx, outcomes)
}

func (s *FaultStore) fault(op string) error {
	n := s.writes.Add(1)
	if s.FailAt == 0 || n < s.FailAt || (n > s.FailAt && !s.Stay) {
		return nil
	}
	err := s.Err
	if err == nil {
		err = ErrFault
	}
	return fmt.Errorf("%s (write %d): %w", op, n, err)
}
