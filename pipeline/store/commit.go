package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// Commit makes results and the records they output durable, all or none. It
// refuses a result whose blobs are not in the store or whose records are
// neither in outcomes nor in the store.
func (d *Disk) Commit(ctx context.Context, outcomes []pipeline.Committed) error {
	if len(outcomes) == 0 {
		return nil
	}
	if err := d.commit(ctx, outcomes); err != nil {
		return fmt.Errorf("commit %d results: %w", len(outcomes), err)
	}
	return nil
}

// storedRecord is a record as it goes into the database.
type storedRecord struct {
	id   sum
	body []byte
}

type storedResult struct {
	key  sum
	body []byte
}

func (d *Disk) commit(ctx context.Context, outcomes []pipeline.Committed) error {
	if err := d.writable(); err != nil {
		return err
	}
	records, blobsOf, err := encodeRecords(outcomes)
	if err != nil {
		return err
	}
	if err := d.addStored(ctx, outcomes, blobsOf); err != nil {
		return err
	}
	results, err := d.encodeResults(ctx, outcomes, blobsOf)
	if err != nil {
		return err
	}
	// In the order of the tree, neighbours share pages.
	slices.SortFunc(records, func(a, b storedRecord) int { return cmp.Compare(a.id.id(), b.id.id()) })
	slices.SortStableFunc(results, func(a, b storedResult) int { return cmp.Compare(a.key.id(), b.key.id()) })
	instant := !slices.ContainsFunc(outcomes, func(o pipeline.Committed) bool { return !o.Instant })
	return d.write.commit(&share{ctx: ctx, records: records, results: results, instant: instant})
}

// share is what one Commit adds to a transaction.
type share struct {
	ctx     context.Context
	records []storedRecord
	results []storedResult
	instant bool // all of it comes again at once
	settled bool
	err     error
}

// commit makes a share durable. Commits that come while another is on its way to
// the disk share the next transaction, its pages and its sync; when that fails
// each is tried alone, so that none suffers for another.
func (w *writer) commit(s *share) error {
	w.queue.Lock()
	w.shares = append(w.shares, s)
	w.queue.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.settled {
		return s.err
	}
	w.queue.Lock()
	group := w.shares
	w.shares = nil
	w.queue.Unlock()
	if err := w.putShares(group); err != nil {
		for _, each := range group {
			each.err = w.putShares([]*share{each})
		}
	}
	for _, each := range group {
		each.settled = true
	}
	return s.err
}

// putShares writes shares in one transaction. It is synced unless all of them
// come again at once; the next that is synced syncs it too.
func (w *writer) putShares(group []*share) error {
	mode := syncNormal
	if slices.ContainsFunc(group, func(s *share) bool { return !s.instant }) {
		mode = syncFull
	}
	return w.transact(group[0].ctx, mode, func() error { return w.putAll(group) })
}

func (w *writer) putAll(group []*share) error {
	for _, s := range group {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		for _, r := range s.records {
			if err := w.addRecord(r); err != nil {
				return err
			}
		}
		for _, r := range s.results {
			if err := w.run(w.putResult, r.key.id(), r.body); err != nil {
				return err
			}
		}
	}
	return nil
}

// encodeRecords encodes the distinct records and lists the blobs of each.
func encodeRecords(outcomes []pipeline.Committed) ([]storedRecord, map[pipeline.Digest][]pipeline.Digest, error) {
	blobsOf := make(map[pipeline.Digest][]pipeline.Digest, len(outcomes))
	var records []storedRecord
	for _, o := range outcomes {
		for i, r := range o.Records {
			body, err := encoded(o, i)
			if err != nil {
				return nil, nil, fmt.Errorf("record %s %q: %w", r.Schema, r.ID, err)
			}
			digest := pipeline.DigestOf(body)
			if _, known := blobsOf[digest]; known {
				continue
			}
			id, err := parseSum(digest)
			if err != nil {
				return nil, nil, err
			}
			blobsOf[digest] = r.Blobs
			records = append(records, storedRecord{id: id, body: body})
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

// addStored adds the blobs of output records that come from earlier commits.
func (d *Disk) addStored(ctx context.Context, outcomes []pipeline.Committed, blobsOf map[pipeline.Digest][]pipeline.Digest) error {
	var earlier []pipeline.Digest
	for _, o := range outcomes {
		for _, out := range o.Result.Outputs {
			if _, known := blobsOf[out.Digest]; known {
				continue
			}
			blobsOf[out.Digest] = nil
			earlier = append(earlier, out.Digest)
		}
	}
	records, err := d.Records(ctx, earlier)
	if err != nil {
		return fmt.Errorf("outputs must be in the same or an earlier commit: %w", err)
	}
	for i, r := range records {
		blobsOf[earlier[i]] = r.Blobs
	}
	return nil
}

func (d *Disk) encodeResults(ctx context.Context, outcomes []pipeline.Committed, blobsOf map[pipeline.Digest][]pipeline.Digest) ([]storedResult, error) {
	look, err := d.newLookup(ctx)
	if err != nil {
		return nil, err
	}
	results := make([]storedResult, 0, len(outcomes))
	for _, o := range outcomes {
		key, err := parseSum(o.Result.Key)
		if err != nil {
			return nil, fmt.Errorf("result: %w", err)
		}
		r := row{result: o.Result, outBlobs: outputBlobs(o.Result, blobsOf)}
		body, err := encodeRow(key, r)
		if err != nil {
			return nil, fmt.Errorf("result %s: %w", o.Result.Key, err)
		}
		ok, err := look.hasBlobs(r)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("result %s names a blob that was not put before: %w", o.Result.Key, pipeline.ErrNoBlob)
		}
		results = append(results, storedResult{key: key, body: body})
	}
	return results, nil
}

// outputBlobs lists the distinct blobs of the outputs that the result does not
// name itself.
func outputBlobs(r pipeline.Result, blobsOf map[pipeline.Digest][]pipeline.Digest) []pipeline.Digest {
	var all []pipeline.Digest
	var seen map[pipeline.Digest]bool
	for _, o := range r.Outputs {
		for _, digest := range blobsOf[o.Digest] {
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
	return all
}
