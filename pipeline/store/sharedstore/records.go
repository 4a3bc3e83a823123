package sharedstore

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// Records returns the records with these digests, in order. Each is checked against its
// digest. A corrupt one is forgotten and reported as a *pipeline.CorruptError.
func (s *Store) Records(ctx context.Context, ds []pipeline.Digest) ([]pipeline.Record, error) {
	records, err := s.records(ctx, ds)
	if err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	return records, nil
}

func (s *Store) records(ctx context.Context, ds []pipeline.Digest) ([]pipeline.Record, error) {
	sums, err := encoding.ParseSums(ds)
	if err != nil {
		return nil, err
	}
	records := make([]pipeline.Record, 0, len(sums))
	for part := range slices.Chunk(sums, asked) {
		found, err := s.recordsOf(ctx, part)
		if err != nil {
			return nil, err
		}
		for _, id := range part {
			r, ok := found[id]
			if !ok {
				return nil, fmt.Errorf("record %s: %w; build again to make it", id.Hex(), encoding.ErrNoRecord)
			}
			records = append(records, r)
		}
	}
	return records, nil
}

// usedRecords is Records of what is in use from now on.
func (s *Store) usedRecords(ctx context.Context, ds []pipeline.Digest) ([]pipeline.Record, error) {
	missing, err := s.absent(ctx, "records", ds)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("record %s: %w; build again to make it", missing[0], encoding.ErrNoRecord)
	}
	if err != nil {
		return nil, err
	}
	return s.Records(ctx, ds)
}

// each visits the rows of a query for sums. The body is valid only during the call.
func (s *Store) each(ctx context.Context, query string, asked [][]byte, visit func(id encoding.Sum, body []byte)) error {
	rows, err := s.db.Query(ctx, query, asked)
	if err != nil {
		return err
	}
	var id, body []byte
	_, err = pgx.ForEachRow(rows, []any{&id, (*pgtype.DriverBytes)(&body)}, func() error {
		if len(id) == len(encoding.Sum{}) {
			visit(encoding.Sum(id), body)
		}
		return nil
	})
	return err
}

// recordsOf reads at most asked records.
func (s *Store) recordsOf(ctx context.Context, ids []encoding.Sum) (found map[encoding.Sum]pipeline.Record, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var damaged *pipeline.CorruptError
	var wrong error
	err = postgres.Retry(ctx, func() error {
		found, damaged, wrong = make(map[encoding.Sum]pipeline.Record, len(ids)), nil, nil
		return s.each(ctx, `SELECT digest, body FROM records WHERE digest = ANY($1)`, raw(ids), func(id encoding.Sum, body []byte) {
			if got := encoding.Sum(sha256.Sum256(body)); got != id {
				damaged = &pipeline.CorruptError{Digest: pipeline.Digest(id.Hex()), Got: pipeline.Digest(got.Hex())}
				return
			}
			r, err := pipeline.DecodeRecord(body)
			if err != nil {
				wrong = err
			}
			found[id] = r
		})
	})
	if err == nil && damaged != nil {
		return nil, encoding.JoinIf(fmt.Errorf("record: %w", damaged), s.forgetRecord(ctx, damaged.Digest))
	}
	if err == nil {
		err = wrong
	}
	return found, err
}

// forgetRecord deletes a record whose bytes are not those of its digest.
func (s *Store) forgetRecord(ctx context.Context, digest pipeline.Digest) error {
	if s.readOnly {
		return nil
	}
	id, err := encoding.ParseSum(digest)
	if err != nil {
		return err
	}
	return postgres.Retry(ctx, func() error {
		_, err := s.db.Exec(ctx, `DELETE FROM records WHERE digest = $1 AND sha256(body) <> digest`, id[:])
		return err
	})
}
