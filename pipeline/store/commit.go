package store

import (
	"cmp"
	"context"
	"crypto/sha256"
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
	look, err := d.newLookup(ctx)
	if err != nil {
		return err
	}
	if err := addStored(ctx, d.Records, outcomes, blobsOf, look.lossy); err != nil {
		return err
	}
	results, err := encodeResults(look.hasBlobs, outcomes, blobsOf)
	if err != nil {
		return err
	}
	// In the order of the tree, neighbours share pages.
	slices.SortFunc(records, func(a, b storedRecord) int { return cmp.Compare(a.id.id(), b.id.id()) })
	slices.SortStableFunc(results, func(a, b storedResult) int { return cmp.Compare(a.key.id(), b.key.id()) })
	return d.write.commit(&share{ctx: ctx, records: records, results: results, instant: allInstant(outcomes)})
}

// allInstant reports whether all of it comes again at once.
func allInstant(outcomes []pipeline.Committed) bool {
	return !slices.ContainsFunc(outcomes, func(o pipeline.Committed) bool { return !o.Instant })
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

func (s *share) bytes() (n int) {
	for _, r := range s.records {
		n += len(r.body)
	}
	for _, r := range s.results {
		n += len(r.body)
	}
	return n
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
	rows, bytes := 0, 0
	for _, s := range group {
		rows += len(s.records) + len(s.results)
		bytes += s.bytes()
	}
	apart := rows < w.leastRecent || rows >= mostAtOnce || bytes > mostBytesAtOnce
	if w.recent.full() || apart && w.repeats(group) {
		if err := w.settle(group[0].ctx); err != nil {
			return err
		}
	}
	if !apart {
		return w.putRecent(mode, group)
	}
	return w.transact(group[0].ctx, mode, func() error { return w.putAll(group) })
}

func notCancelled(group []*share) error {
	for _, s := range group {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
	}
	return nil
}

func (w *writer) putAll(group []*share) error {
	if err := notCancelled(group); err != nil {
		return err
	}
	for _, s := range group {
		if err := w.addRecords(s.records); err != nil {
			return err
		}
		if err := w.addResults(s.results); err != nil {
			return err
		}
	}
	return nil
}

// together is how many rows one statement writes.
const together = 32

// addRecords inserts records that are not there yet.
func (w *writer) addRecords(records []storedRecord) error {
	args := make([]any, 0, 2*together)
	for part := range slices.Chunk(records, together) {
		if len(part) == together {
			args = args[:0]
			for _, r := range part {
				args = append(args, r.id.id(), r.body)
			}
			res, err := w.putRecords.ExecContext(context.Background(), args...)
			if err != nil {
				return dbErr("write database", err)
			}
			if n, err := res.RowsAffected(); err != nil || n == together {
				if err != nil {
					return dbErr("write database", err)
				}
				continue
			}
		}
		for _, r := range part {
			if err := w.addRecord(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *writer) addResults(results []storedResult) error {
	args := make([]any, 0, 2*together)
	for part := range slices.Chunk(results, together) {
		if len(part) == together {
			args = args[:0]
			for _, r := range part {
				args = append(args, r.key.id(), r.body)
			}
			if err := w.run(w.putResults, args...); err != nil {
				return err
			}
			continue
		}
		for _, r := range part {
			if err := w.run(w.putResult, r.key.id(), r.body); err != nil {
				return err
			}
		}
	}
	return nil
}

// encodeRecords encodes the distinct records and lists the blobs of each.
func encodeRecords(outcomes []pipeline.Committed) ([]storedRecord, map[sum][]pipeline.Digest, error) {
	blobsOf := make(map[sum][]pipeline.Digest, len(outcomes))
	var records []storedRecord
	for _, o := range outcomes {
		for i, r := range o.Records {
			body, err := encoded(o, i)
			if err != nil {
				return nil, nil, fmt.Errorf("record %s %q: %w", r.Schema, r.ID, err)
			}
			id := sum(sha256.Sum256(body))
			if _, known := blobsOf[id]; known {
				continue
			}
			blobsOf[id] = r.Blobs
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

// addStored adds the blobs of output records that come from earlier commits. Those
// that an outcome says are stored are looked for only if records were lost.
func addStored(ctx context.Context, read func(context.Context, []pipeline.Digest) ([]pipeline.Record, error), outcomes []pipeline.Committed, blobsOf map[sum][]pipeline.Digest, lossy bool) error {
	var earlier []pipeline.Digest
	var ids []sum
	for _, o := range outcomes {
		if o.Stored && !lossy {
			continue
		}
		for _, out := range o.Result.Outputs {
			id, err := parseSum(out.Digest)
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

func encodeResults(has func(row) (bool, error), outcomes []pipeline.Committed, blobsOf map[sum][]pipeline.Digest) ([]storedResult, error) {
	results := make([]storedResult, 0, len(outcomes))
	for _, o := range outcomes {
		key, err := parseSum(o.Result.Key)
		if err != nil {
			return nil, fmt.Errorf("result: %w", err)
		}
		others, err := outputBlobs(o.Result, blobsOf)
		if err != nil {
			return nil, fmt.Errorf("result %s: %w", o.Result.Key, err)
		}
		r := row{result: o.Result, outBlobs: others}
		body, err := encodeRow(key, r)
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
		results = append(results, storedResult{key: key, body: body})
	}
	return results, nil
}

// outputBlobs lists the distinct blobs of the outputs that the result does not
// name itself.
func outputBlobs(r pipeline.Result, blobsOf map[sum][]pipeline.Digest) ([]pipeline.Digest, error) {
	var all []pipeline.Digest
	var seen map[pipeline.Digest]bool
	for _, o := range r.Outputs {
		id, err := parseSum(o.Digest)
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
