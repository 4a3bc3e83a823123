package encoding

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// StoredRecord is a record as it goes into the database.
type StoredRecord struct {
	ID   Sum
	Body []byte
}

// StoredResult is a result as it goes into the database.
type StoredResult struct {
	Key  Sum
	Body []byte
}

// AllInstant reports whether all of it comes again at once.
func AllInstant(outcomes []pipeline.Committed) bool {
	return !slices.ContainsFunc(outcomes, func(o pipeline.Committed) bool { return !o.Instant })
}

// EncodeRecords encodes the distinct records and lists the blobs of each.
func EncodeRecords(outcomes []pipeline.Committed) ([]StoredRecord, map[Sum][]pipeline.Digest, error) {
	blobsOf := make(map[Sum][]pipeline.Digest, len(outcomes))
	var records []StoredRecord
	for _, o := range outcomes {
		for i, r := range o.Records {
			body, err := encoded(o, i)
			if err != nil {
				return nil, nil, fmt.Errorf("record %s %q: %w", r.Schema, r.ID, err)
			}
			id := Sum(sha256.Sum256(body))
			if _, known := blobsOf[id]; known {
				continue
			}
			blobsOf[id] = r.Blobs
			records = append(records, StoredRecord{ID: id, Body: body})
		}
	}
	return records, blobsOf, nil
}

func encoded(o pipeline.Committed, i int) ([]byte, error) {
	if len(o.Encoded) == len(o.Records) {
		return o.Encoded[i], nil
	}
	return o.Records[i].Encode()
}

// AddStored adds the blobs of output records that come from earlier commits. Those
// that an outcome says are stored are looked for only if records were lost.
func AddStored(ctx context.Context, read func(context.Context, []pipeline.Digest) ([]pipeline.Record, error), outcomes []pipeline.Committed, blobsOf map[Sum][]pipeline.Digest, lossy bool) error {
	var earlier []pipeline.Digest
	var ids []Sum
	for _, o := range outcomes {
		if o.Stored && !lossy {
			continue
		}
		for _, out := range o.Result.Outputs {
			id, err := ParseSum(out.Digest)
			if err != nil {
				return fmt.Errorf("result %s: output %q: %w", o.Result.Key, out.ID, err)
			}
			if _, known := blobsOf[id]; known {
				continue
			}
			blobsOf[id] = nil
			ids = append(ids, id)
			earlier = append(earlier, out.Digest)
		}
	}
	records, err := read(ctx, earlier)
	if err != nil {
		return fmt.Errorf("outputs must be in the same or an earlier commit: %w", err)
	}
	for i, r := range records {
		blobsOf[ids[i]] = r.Blobs
	}
	return nil
}

// EncodeResults encodes results. It refuses those that has says lack a blob.
func EncodeResults(has func(Row) (bool, error), outcomes []pipeline.Committed, blobsOf map[Sum][]pipeline.Digest) ([]StoredResult, error) {
	results := make([]StoredResult, 0, len(outcomes))
	for _, o := range outcomes {
		key, err := ParseSum(o.Result.Key)
		if err != nil {
			return nil, fmt.Errorf("result: %w", err)
		}
		others, err := outputBlobs(o.Result, blobsOf)
		if err != nil {
			return nil, fmt.Errorf("result %s: %w", o.Result.Key, err)
		}
		r := Row{Result: o.Result, OutBlobs: others}
		body, err := EncodeRow(key, r)
		if err != nil {
			return nil, fmt.Errorf("result %s: %w", o.Result.Key, err)
		}
		ok, err := has(r)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("result %s names a blob that was not put before: %w", o.Result.Key, pipeline.ErrNoBlob)
		}
		results = append(results, StoredResult{Key: key, Body: body})
	}
	return results, nil
}

// outputBlobs lists the distinct blobs of the outputs that the result does not
// name itself.
func outputBlobs(r pipeline.Result, blobsOf map[Sum][]pipeline.Digest) ([]pipeline.Digest, error) {
	var all []pipeline.Digest
	var seen map[pipeline.Digest]bool
	for _, o := range r.Outputs {
		id, err := ParseSum(o.Digest)
		if err != nil {
			return nil, fmt.Errorf("output %q: %w", o.ID, err)
		}
		for _, digest := range blobsOf[id] {
			if seen == nil {
				seen = make(map[pipeline.Digest]bool, len(r.Blobs)+1)
				for _, own := range r.Blobs {
					seen[own] = true
				}
			}
			if !seen[digest] {
				seen[digest] = true
				all = append(all, digest)
			}
		}
	}
	return all, nil
}
