package sharedstore

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// Commit makes results and the records they output durable, all or none. It refuses
// what a store in a folder refuses.
func (s *Store) Commit(ctx context.Context, outcomes []pipeline.Committed) error {
	if len(outcomes) == 0 {
		return nil
	}
	if err := s.commit(ctx, outcomes); err != nil {
		return fmt.Errorf("commit %d results: %w", len(outcomes), err)
	}
	return nil
}

func (s *Store) commit(ctx context.Context, outcomes []pipeline.Committed) error {
	if err := s.writable(); err != nil {
		return err
	}
	records, blobsOf, err := encoding.EncodeRecords(outcomes)
	if err != nil {
		return err
	}
	// Whether records were lost nobody counts here, so all are looked for.
	if err := encoding.AddStored(ctx, s.usedRecords, outcomes, blobsOf, true); err != nil {
		return err
	}
	has, err := s.blobsOf(ctx, outcomes, blobsOf)
	if err != nil {
		return err
	}
	results, err := encoding.EncodeResults(has, outcomes, blobsOf)
	if err != nil {
		return err
	}
	// In one order for all who commit, so that none waits for one who waits for it.
	slices.SortFunc(records, func(a, b encoding.StoredRecord) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	results = lastOfEach(results)
	return postgres.Retry(ctx, func() error {
		return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
			if err := s.writer.holds(ctx, tx); err != nil {
				return err
			}
			return s.putRows(ctx, tx, records, results, encoding.AllInstant(outcomes))
		})
	})
}

// lastOfEach sorts results by key and keeps the last of equal ones.
func lastOfEach(results []encoding.StoredResult) []encoding.StoredResult {
	slices.SortStableFunc(results, func(a, b encoding.StoredResult) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	kept := results[:0]
	for i, r := range results {
		if i+1 == len(results) || results[i+1].Key != r.Key {
			kept = append(kept, r)
		}
	}
	return kept
}

// blobsOf looks for all blobs that outcomes name, in one query.
func (s *Store) blobsOf(ctx context.Context, outcomes []pipeline.Committed, blobsOf map[encoding.Sum][]pipeline.Digest) (has func(encoding.Row) (bool, error), err error) {
	var all []pipeline.Digest
	for _, o := range outcomes {
		all = append(all, o.Result.Blobs...)
	}
	for _, blobs := range blobsOf {
		all = append(all, blobs...)
	}
	slices.Sort(all)
	return s.hasBlobs(ctx, slices.Compact(all))
}

// hasBlobs tells which results have their blobs, of those that name some of all.
func (s *Store) hasBlobs(ctx context.Context, all []pipeline.Digest) (func(encoding.Row) (bool, error), error) {
	missing, err := s.MissingBlobs(ctx, all)
	if err != nil {
		return nil, err
	}
	lacks := make(map[pipeline.Digest]bool, len(missing))
	for _, d := range missing {
		lacks[d] = true
	}
	is := func(d pipeline.Digest) bool { return lacks[d] }
	return func(r encoding.Row) (bool, error) {
		return !slices.ContainsFunc(r.Result.Blobs, is) && !slices.ContainsFunc(r.OutBlobs, is), nil
	}, nil
}

// atOnce is how many bytes of rows one statement takes.
const atOnce = 8 << 20

// putRows writes a commit in a transaction. One that comes again at once need not
// outlive a power cut of the database's machine.
func (s *Store) putRows(ctx context.Context, tx pgx.Tx, records []encoding.StoredRecord, results []encoding.StoredResult, instant bool) error {
	if instant {
		if _, err := tx.Exec(ctx, `SET LOCAL synchronous_commit = off`); err != nil {
			return err
		}
	}
	ids, bodies := make([][]byte, len(records)), make([][]byte, len(records))
	for i := range records {
		ids[i], bodies[i] = records[i].ID[:], records[i].Body
	}
	if err := s.putArrays(ctx, tx, `INSERT INTO records SELECT id, $3, body FROM unnest($1::bytea[], $2::bytea[]) AS row(id, body)
		ON CONFLICT (digest) DO UPDATE SET era = excluded.era WHERE records.era < excluded.era`, ids, bodies); err != nil {
		return err
	}
	ids, bodies = make([][]byte, len(results)), make([][]byte, len(results))
	for i := range results {
		ids[i], bodies[i] = results[i].Key[:], results[i].Body
	}
	return s.putArrays(ctx, tx, `INSERT INTO results SELECT id, $3, body FROM unnest($1::bytea[], $2::bytea[]) AS row(id, body)
		ON CONFLICT (key) DO UPDATE SET body = excluded.body, era = greatest(results.era, excluded.era)
		WHERE results.body <> excluded.body OR results.era < excluded.era`, ids, bodies)
}

// putArrays runs a statement with rows as two arrays, in parts of bounded size.
func (s *Store) putArrays(ctx context.Context, tx pgx.Tx, statement string, ids, bodies [][]byte) error {
	for len(ids) > 0 {
		n, size := 0, 0
		for n < len(ids) && (n == 0 || size < atOnce) {
			size += len(ids[n]) + len(bodies[n])
			n++
		}
		if _, err := tx.Exec(ctx, statement, ids[:n], bodies[:n], s.era()); err != nil {
			return err
		}
		ids, bodies = ids[n:], bodies[n:]
	}
	return nil
}
