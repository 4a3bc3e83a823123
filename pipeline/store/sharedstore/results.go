package sharedstore

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// asked is how many keys or digests one query looks up.
const asked = 2048

// Results returns those of the results that can be used, as of a store in a folder.
func (s *Store) Results(ctx context.Context, keys []pipeline.Key) (map[pipeline.Key]pipeline.Result, error) {
	found := make(map[pipeline.Key]pipeline.Result, len(keys))
	sums, err := encoding.ParseSums(keys)
	if err != nil {
		return nil, fmt.Errorf("look up result: %w", err)
	}
	names := map[string]string{}
	for part := range slices.Chunk(sums, asked) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		rows, err := s.rows(ctx, part, names)
		if err == nil {
			rows, err = s.whole(ctx, rows)
		}
		if err != nil {
			return nil, fmt.Errorf("look up results: %w", err)
		}
		for _, r := range rows {
			found[r.Result.Key] = r.Result
		}
	}
	return found, nil
}

// rows reads the sound rows of keys, which are in use from now on. The memory of a run
// of an earlier era is none: what it lists nobody has brought into this one, and may be
// gone.
func (s *Store) rows(ctx context.Context, keys []encoding.Sum, names map[string]string) (rows []encoding.Row, err error) {
	err = postgres.Retry(ctx, func() error {
		var old [][]byte
		if rows, old, err = s.readRows(ctx, keys, names); err != nil || len(old) == 0 {
			return err
		}
		if err := s.touch(ctx, "results", "key", old); err != nil {
			return err
		}
		later, _, err := s.readRows(ctx, sumsOf(old), names)
		rows = append(rows, later...)
		return err
	})
	return rows, err
}

// readRows reads the rows of this era, and the keys of those of earlier ones.
func (s *Store) readRows(ctx context.Context, keys []encoding.Sum, names map[string]string) (rows []encoding.Row, old [][]byte, err error) {
	found, err := s.db.Query(ctx, `SELECT key, body, era < $2 FROM results WHERE key = ANY($1)`, raw(keys), s.era())
	if err != nil {
		return nil, nil, err
	}
	var key, body []byte
	var earlier bool
	_, err = pgx.ForEachRow(found, []any{&key, (*pgtype.DriverBytes)(&body), &earlier}, func() error {
		is, r, err := encoding.DecodeRow(body, names)
		switch {
		case err != nil || !bytes.Equal(is[:], key) || earlier && encoding.IsMemory(r):
		case earlier:
			old = append(old, bytes.Clone(key))
		default:
			rows = append(rows, r)
		}
		return nil
	})
	return rows, old, err
}

func sumsOf(ids [][]byte) []encoding.Sum {
	sums := make([]encoding.Sum, len(ids))
	for i, id := range ids {
		sums[i] = encoding.Sum(id)
	}
	return sums
}

// whole drops the rows that miss a record or a blob.
func (s *Store) whole(ctx context.Context, rows []encoding.Row) ([]encoding.Row, error) {
	var blobs, records []pipeline.Digest
	for _, r := range rows {
		blobs = append(append(blobs, r.Result.Blobs...), r.OutBlobs...)
		for _, o := range r.Result.Outputs {
			records = append(records, o.Digest)
		}
	}
	slices.Sort(blobs)
	has, err := s.hasBlobs(ctx, slices.Compact(blobs))
	if err != nil {
		return nil, err
	}
	slices.Sort(records)
	absent, err := s.absent(ctx, "records", slices.Compact(records))
	if err != nil {
		return nil, err
	}
	gone := make(map[pipeline.Digest]bool, len(absent))
	for _, d := range absent {
		gone[d] = true
	}
	lacks := func(o pipeline.Ref) bool { return gone[o.Digest] }
	return slices.DeleteFunc(rows, func(r encoding.Row) bool {
		ok, _ := has(r) // asked of a set: it has no error
		return !ok || slices.ContainsFunc(r.Result.Outputs, lacks)
	}), nil
}
