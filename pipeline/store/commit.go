package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// Commit makes results and the records they output durable, all or none. It
// refuses a result whose blobs are not in the store or whose records are
// neither in outcomes nor in the store.
func (d *Disk) Commit(ctx context.Context, outcomes []pipeline.Committed) (err error) {
	if len(outcomes) == 0 {
		return nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("commit %d results: %w", len(outcomes), err)
		}
	}()
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

// putShares writes shares in one transaction, into one row of recent where that is worth
// it. It is synced unless all of them come again at once; the next that is synced syncs
// it too.
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
	err := w.transact(group[0].ctx, mode, func() error {
		for _, s := range group {
			if s.ctx.Err() != nil {
				return context.Cause(s.ctx)
			}
		}
		if !apart {
			return w.run(w.putRecentRow, encodeRecent(group))
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
	})
	for _, s := range group {
		if err == nil && !apart {
			w.recent.add(s.records, s.results)
		}
	}
	return err
}

// together is how many rows one statement writes.
const together = 32

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

// A row of results or records lies where its digest puts it, so a transaction of a
// thousand rows writes a thousand pages. Transactions of a size between these
// therefore write one row, of the table recent, that holds all of theirs; when
// there are mostRecent of them they go to their places together, each page once.
const (
	leastRecent, mostAtOnce = 256, 32 << 10 // rows of a transaction
	mostRecent              = 64 << 10      // rows
	mostRecentBytes         = 16 << 20
	mostBytesAtOnce         = 4 << 20 // of a transaction: a row is held several times
)

// recent are the rows that are committed and not in their places yet.
type recent struct {
	mu      sync.RWMutex
	results map[encoding.Sum][]byte // by key
	records map[encoding.Sum][]byte // by digest
	bytes   int
}

func newRecent() *recent {
	return &recent{results: map[encoding.Sum][]byte{}, records: map[encoding.Sum][]byte{}}
}

func (r *recent) result(key encoding.Sum) ([]byte, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	body, ok := r.results[key]
	return body, ok
}

func (r *recent) record(digest encoding.Sum) ([]byte, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	body, ok := r.records[digest]
	return body, ok
}

func (r *recent) rows() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.results) + len(r.records)
}

func (r *recent) full() bool { return r.rows() >= mostRecent || r.bytes >= mostRecentBytes }

// add takes the rows of a transaction that was committed.
func (r *recent) add(records []encoding.StoredRecord, results []encoding.StoredResult) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range records {
		r.records[s.ID] = s.Body
		r.bytes += len(s.Body)
	}
	for _, s := range results {
		r.results[s.Key] = s.Body
		r.bytes += len(s.Body)
	}
}

// sorted returns all rows in the order of their places.
func (r *recent) sorted() (records []encoding.StoredRecord, results []encoding.StoredResult) {
	for id, body := range r.records {
		records = append(records, encoding.StoredRecord{ID: id, Body: body})
	}
	for key, body := range r.results {
		results = append(results, encoding.StoredResult{Key: key, Body: body})
	}
	slices.SortFunc(records, func(a, b encoding.StoredRecord) int { return cmp.Compare(a.ID.ID(), b.ID.ID()) })
	slices.SortFunc(results, func(a, b encoding.StoredResult) int { return cmp.Compare(a.Key.ID(), b.Key.ID()) })
	return records, results
}

func (r *recent) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.results)
	clear(r.records)
	r.bytes = 0
}

// Kinds of parts of a row of recent.
const (
	recordPart = 1
	resultPart = 2
)

// encodeRecent returns the body of a row of recent: its parts, each a byte of kind, the
// length as a uvarint and the body that the row in its place will have, and the
// SHA-256 of all before it.
func encodeRecent(group []*commitShare) []byte {
	var b []byte
	part := func(kind byte, body []byte) {
		b = append(binary.AppendUvarint(append(b, kind), uint64(len(body))), body...)
	}
	for _, s := range group {
		for _, r := range s.records {
			part(recordPart, r.Body)
		}
		for _, r := range s.results {
			part(resultPart, r.Body)
		}
	}
	check := sha256.Sum256(b)
	return append(b, check[:]...)
}

var errRecent = errors.New("a row of recent commits is damaged")

// decodeRecent is the inverse of encodeRecent.
func decodeRecent(b []byte) (records []encoding.StoredRecord, results []encoding.StoredResult, err error) {
	check := len(b) - sha256.Size
	if check < 0 || sha256.Sum256(b[:check]) != encoding.Sum(b[check:]) {
		return nil, nil, errRecent
	}
	names := map[string]string{}
	for b = b[:check]; len(b) > 0; {
		kind := b[0]
		n, used := binary.Uvarint(b[1:])
		if used <= 0 || n > uint64(len(b)-1-used) {
			return nil, nil, errRecent
		}
		body := b[1+used:][:n:n]
		b = b[1+used+int(n):]
		switch kind {
		case recordPart:
			records = append(records, encoding.StoredRecord{ID: sha256.Sum256(body), Body: body})
		case resultPart:
			key, _, err := encoding.DecodeRow(body, names)
			if err != nil {
				return nil, nil, err
			}
			results = append(results, encoding.StoredResult{Key: key, Body: body})
		default:
			return nil, nil, errRecent
		}
	}
	return records, results, nil
}

// load reads the rows of recent that a process before left. It says how many are
// damaged: what they held is lost.
func (r *recent) load(ctx context.Context, db interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}) (damaged int, err error) {
	rows, err := db.QueryContext(ctx, `SELECT seq, body FROM recent ORDER BY seq`)
	if err != nil {
		return 0, dbErr("read database", err)
	}
	err = scanRows(rows, func(_ int64, body []byte) error {
		records, results, err := decodeRecent(slices.Clone(body))
		if err != nil {
			damaged++
			return nil
		}
		r.add(records, results)
		return nil
	})
	return damaged, err
}

// moveRecent brings the recent rows to their places. The caller holds mu.
func (w *writer) moveRecent(ctx context.Context) error {
	if w.recent.rows() == 0 {
		return nil
	}
	records, results := w.recent.sorted()
	err := w.transact(ctx, syncFull, func() error {
		if err := w.addRecords(records); err != nil {
			return err
		}
		if err := w.addResults(results); err != nil {
			return err
		}
		return w.exec(`DELETE FROM recent`)
	})
	if err != nil {
		return fmt.Errorf("bring recent rows to their places: %w", err)
	}
	w.recent.clear()
	return nil
}

func (w *writer) moveAllRecent(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.moveRecent(ctx)
}

// loadRecent settles what a process before left. What is damaged counts as records that
// are lost: the results that need them are forgotten, see healLosses.
func (w *writer) loadRecent(ctx context.Context) error {
	damaged, err := w.recent.load(ctx, w.conn)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if damaged > 0 {
		err := w.transact(ctx, syncFull, func() error {
			return w.exec(`UPDATE losses SET records = records + ?`, damaged)
		})
		if err != nil {
			return err
		}
	}
	if err := w.moveRecent(ctx); err != nil || damaged == 0 {
		return err
	}
	return w.transact(ctx, syncFull, func() error { return w.exec(`DELETE FROM recent`) })
}

// isRepeat reports whether shares have results under keys of recent ones.
func (w *writer) isRepeat(group []*commitShare) bool {
	return slices.ContainsFunc(group, func(s *commitShare) bool {
		return slices.ContainsFunc(s.results, func(r encoding.StoredResult) bool { _, ok := w.recent.result(r.Key); return ok })
	})
}

// openRecent is for the reading side: the writer's recent rows, or for who only reads
// those that there are now.
func (d *Disk) openRecent(ctx context.Context) error {
	if d.write != nil {
		d.recent = d.write.recent
		return nil
	}
	d.recent = newRecent()
	var version int
	if err := d.read.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil || version < formatVersion {
		return err
	}
	_, err := d.recent.load(ctx, d.read)
	return err
}
