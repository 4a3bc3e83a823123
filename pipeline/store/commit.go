package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
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

func (d *Disk) commit(ctx context.Context, outcomes []pipeline.Committed) error {
	if err := d.writable(); err != nil {
		return err
	}
	records, blobsOf, err := encoding.EncodeRecords(outcomes)
	if err != nil {
		return err
	}
	look, err := d.newLookup(ctx)
	if err != nil {
		return err
	}
	if err := encoding.AddStored(ctx, d.Records, outcomes, blobsOf, look.lossy); err != nil {
		return err
	}
	results, err := encoding.EncodeResults(look.hasBlobs, outcomes, blobsOf)
	if err != nil {
		return err
	}
	// In the order of the tree, neighbours share pages.
	slices.SortFunc(records, func(a, b encoding.StoredRecord) int { return cmp.Compare(a.ID.ID(), b.ID.ID()) })
	slices.SortStableFunc(results, func(a, b encoding.StoredResult) int { return cmp.Compare(a.Key.ID(), b.Key.ID()) })
	return d.write.commit(&commitShare{ctx: ctx, records: records, results: results, instant: encoding.AllInstant(outcomes)})
}

// commitShare is what one Commit adds to a transaction.
type commitShare struct {
	ctx     context.Context
	records []encoding.StoredRecord
	results []encoding.StoredResult
	instant bool // all of it comes again at once
	settled bool
	err     error
}

func (s *commitShare) bytes() (n int) {
	for _, r := range s.records {
		n += len(r.Body)
	}
	for _, r := range s.results {
		n += len(r.Body)
	}
	return n
}

// commit makes a share durable. Commits that come while another is on its way to
// the disk share the next transaction, its pages and its sync; when that fails
// each is tried alone, so that none suffers for another.
func (w *writer) commit(s *commitShare) error {
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
			each.err = w.putShares([]*commitShare{each})
		}
	}
	for _, each := range group {
		each.settled = true
	}
	return s.err
}

// putShares writes shares in one transaction. It is synced unless all of them
// come again at once; the next that is synced syncs it too.
func (w *writer) putShares(group []*commitShare) error {
	mode := syncNormal
	if slices.ContainsFunc(group, func(s *commitShare) bool { return !s.instant }) {
		mode = syncFull
	}
	rows, bytes := 0, 0
	for _, s := range group {
		rows += len(s.records) + len(s.results)
		bytes += s.bytes()
	}
	apart := rows < w.leastRecent || rows >= mostAtOnce || bytes > mostBytesAtOnce
	if w.recent.full() || apart && w.isRepeat(group) {
		if err := w.moveRecent(group[0].ctx); err != nil {
			return err
		}
	}
	if !apart {
		return w.putRecent(mode, group)
	}
	return w.transact(group[0].ctx, mode, func() error { return w.putAll(group) })
}

func notCancelled(group []*commitShare) error {
	for _, s := range group {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
	}
	return nil
}

func (w *writer) putAll(group []*commitShare) error {
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
func (w *writer) addRecords(records []encoding.StoredRecord) error {
	args := make([]any, 0, 2*together)
	for part := range slices.Chunk(records, together) {
		if len(part) == together {
			args = args[:0]
			for _, r := range part {
				args = append(args, r.ID.ID(), r.Body)
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

func (w *writer) addResults(results []encoding.StoredResult) error {
	args := make([]any, 0, 2*together)
	for part := range slices.Chunk(results, together) {
		if len(part) == together {
			args = args[:0]
			for _, r := range part {
				args = append(args, r.Key.ID(), r.Body)
			}
			if err := w.run(w.putResults, args...); err != nil {
				return err
			}
			continue
		}
		for _, r := range part {
			if err := w.run(w.putResult, r.Key.ID(), r.Body); err != nil {
				return err
			}
		}
	}
	return nil
}
