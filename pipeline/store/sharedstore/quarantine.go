package sharedstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// QuarantineCorrupt reads every blob of the index, and takes those that are damaged or
// gone out of it. It returns them.
func (s *Store) QuarantineCorrupt(ctx context.Context) (bad []pipeline.Digest, err error) {
	if err := s.writable(); err != nil {
		return nil, fmt.Errorf("set damaged blobs aside: %w", err)
	}
	var report encoding.CheckReport
	if err := s.checkBlobs(ctx, &report); err != nil {
		return report.Corrupt, fmt.Errorf("look for damaged blobs: %w", err)
	}
	return report.Corrupt, nil
}

// eachBlob visits the index, page by page.
func (s *Store) eachBlob(ctx context.Context, visit func(place) error) error {
	for after := []byte{}; ; {
		page, err := s.page(ctx, after)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, at := range page {
			if err := visit(at); err != nil {
				return err
			}
		}
		last, err := encoding.ParseSum(page[len(page)-1].digest)
		if err != nil {
			return err
		}
		after = last[:]
	}
}

// page reads a part of the index, in the order of digests.
func (s *Store) page(ctx context.Context, after []byte) (page []place, err error) {
	err = postgres.Retry(ctx, func() error {
		page = nil
		rows, err := s.db.Query(ctx, `SELECT digest, size, put FROM blobs WHERE digest > $1 ORDER BY digest LIMIT $2`, after, asked)
		if err != nil {
			return err
		}
		var id []byte
		var at place
		_, err = pgx.ForEachRow(rows, []any{&id, &at.size, &at.put}, func() error {
			at.digest = pipeline.Digest(encoding.Sum(id).Hex())
			page = append(page, at)
			return nil
		})
		return err
	})
	return page, err
}
