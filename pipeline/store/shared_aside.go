package store

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/postgres"
)

// SetAsideCorrupt reads every blob of the index, and takes those that are damaged or
// gone out of it. It returns them.
func (s *Shared) SetAsideCorrupt(ctx context.Context) (bad []pipeline.Digest, err error) {
	if err := s.writable(); err != nil {
		return nil, fmt.Errorf("set damaged blobs aside: %w", err)
	}
	for after := []byte{}; ; {
		page, err := s.page(ctx, after)
		if err != nil || len(page) == 0 {
			return bad, err
		}
		for _, at := range page {
			err := s.sound(ctx, at, io.Discard, func() error { return nil })
			var corrupt *pipeline.CorruptError
			if errors.As(err, &corrupt) || errors.Is(err, pipeline.ErrNoBlob) {
				bad = append(bad, at.digest)
			} else if err != nil {
				return bad, fmt.Errorf("look for damaged blobs: %w", err)
			}
		}
		last, err := parseSum(page[len(page)-1].digest)
		if err != nil {
			return bad, err
		}
		after = last[:]
	}
}

// page reads a part of the index, in the order of digests.
func (s *Shared) page(ctx context.Context, after []byte) (page []place, err error) {
	err = postgres.Patiently(ctx, func() error {
		page = nil
		rows, err := s.db.Query(ctx, `SELECT digest, size, put FROM blobs WHERE digest > $1 ORDER BY digest LIMIT $2`, after, asked)
		if err != nil {
			return err
		}
		var id []byte
		var at place
		_, err = pgx.ForEachRow(rows, []any{&id, &at.size, &at.put}, func() error {
			at.digest = pipeline.Digest(sum(id).hex())
			page = append(page, at)
			return nil
		})
		return err
	})
	return page, err
}
