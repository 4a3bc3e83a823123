package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// ErrNoRecord is returned for a record the store does not hold.
var ErrNoRecord = errors.New("no such record in the store")

// Records returns the records with these digests, in order. Each is checked
// against its digest; a corrupt one is forgotten, so that the results that
// output it are built again, and reported as a *pipeline.CorruptError.
func (d *Disk) Records(ctx context.Context, ds []pipeline.Digest) ([]pipeline.Record, error) {
	records := make([]pipeline.Record, 0, len(ds))
	for len(ds) > 0 {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		part := ds[:min(chunk, len(ds))]
		ds = ds[len(part):]
		var err error
		if records, err = d.appendRecords(ctx, records, part); err != nil {
			return nil, fmt.Errorf("read records: %w", err)
		}
	}
	return records, nil
}

func (d *Disk) appendRecords(ctx context.Context, records []pipeline.Record, ds []pipeline.Digest) ([]pipeline.Record, error) {
	sums := make([]sum, len(ds))
	for i, digest := range ds {
		s, err := parseSum(digest)
		if err != nil {
			return nil, err
		}
		sums[i] = s
	}
	found := make(map[sum]pipeline.Record, len(sums))
	err := eachRow(d.query.records, sums, 2, func(id sum, body []byte) error {
		r, err := decodeRecord(id, body)
		found[id] = r
		return err
	})
	if bad := (*pipeline.CorruptError)(nil); errors.As(err, &bad) {
		return nil, joinIf(err, d.forgetRecord(ctx, bad.Digest))
	}
	if err != nil {
		return nil, err
	}
	for i, s := range sums {
		r, ok := found[s]
		if !ok {
			return nil, fmt.Errorf("record %s: %w; build again to make it", ds[i], ErrNoRecord)
		}
		records = append(records, r)
	}
	return records, nil
}

func decodeRecord(id sum, body []byte) (pipeline.Record, error) {
	if got := sum(sha256.Sum256(body)); got != id {
		return pipeline.Record{}, fmt.Errorf("record: %w", &pipeline.CorruptError{Digest: pipeline.Digest(id.hex()), Got: pipeline.Digest(got.hex())})
	}
	return pipeline.DecodeRecord(body)
}

func (d *Disk) forgetRecord(ctx context.Context, digest pipeline.Digest) error {
	if d.write == nil {
		return nil
	}
	id, err := parseSum(digest)
	if err != nil {
		return err
	}
	return d.write.tx(ctx, func() error { return d.write.run(d.write.dropRecord, id[:]) })
}
