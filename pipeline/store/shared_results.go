package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/postgres"
)

// asked is how many keys or digests one query looks up.
const asked = 2048

// Results returns those of the results that can be used, as of a store in a folder.
func (s *Shared) Results(ctx context.Context, keys []pipeline.Key) (map[pipeline.Key]pipeline.Result, error) {
	found := make(map[pipeline.Key]pipeline.Result, len(keys))
	sums, err := parseSums(keys)
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
			found[r.result.Key] = r.result
		}
	}
	return found, nil
}

// rows reads the sound rows of keys.
func (s *Shared) rows(ctx context.Context, keys []sum, names map[string]string) (rows []row, err error) {
	err = postgres.Patiently(ctx, func() error {
		rows = nil
		return s.each(ctx, `SELECT key, body FROM results WHERE key = ANY($1)`, raw(keys), func(key sum, body []byte) {
			if is, r, err := decodeRow(body, names); err == nil && is == key {
				rows = append(rows, r)
			}
		})
	})
	return rows, err
}

// each visits the rows of a query for sums. The body is valid only during the call.
func (s *Shared) each(ctx context.Context, query string, asked [][]byte, visit func(id sum, body []byte)) error {
	rows, err := s.db.Query(ctx, query, asked)
	if err != nil {
		return err
	}
	var id, body []byte
	_, err = pgx.ForEachRow(rows, []any{&id, (*pgtype.DriverBytes)(&body)}, func() error {
		if len(id) == len(sum{}) {
			visit(sum(id), body)
		}
		return nil
	})
	return err
}

// whole drops the rows that miss a record or a blob.
func (s *Shared) whole(ctx context.Context, rows []row) ([]row, error) {
	var blobs, records []pipeline.Digest
	for _, r := range rows {
		blobs = append(append(blobs, r.result.Blobs...), r.outBlobs...)
		for _, o := range r.result.Outputs {
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
	return slices.DeleteFunc(rows, func(r row) bool {
		ok, _ := has(r) // asked of a set: it has no error
		return !ok || slices.ContainsFunc(r.result.Outputs, lacks)
	}), nil
}
