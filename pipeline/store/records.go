package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// probes is how many rows after its own a record may stand in. Another record
// with the same first eight bytes of digest, or a damaged one, may be in its
// place already.
const probes = 8

// lastProbe is the last id where the record may stand.
func lastProbe(s encoding.Sum) int64 { return max(s.ID(), s.ID()+probes) } // no wrap around

// mayStandAt reports whether a row's id is in order for a record.
func mayStandAt(s encoding.Sum, id int64) bool { return id >= s.ID() && id <= lastProbe(s) }

// Records returns the records with these digests, in order. Each is checked
// against its digest. A corrupt one is forgotten, so that the results that
// output it are built again, and reported as a *pipeline.CorruptError.
func (d *Disk) Records(ctx context.Context, ds []pipeline.Digest) ([]pipeline.Record, error) {
	sums, err := encoding.ParseSums(ds)
	if err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	// Neighbours in the tree are read one after the other.
	order := make([]int, len(sums))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(sums[a].ID(), sums[b].ID()) })
	records := make([]pipeline.Record, len(sums))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(readers)
	for part := range slices.Chunk(order, chunk) {
		work.Go(func() error { return d.readRecords(ctx, sums, part, records) })
	}
	if err := work.Wait(); err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	return records, nil
}

// readRecords fills those places of to that part lists, at most chunk and in the
// order of their ids, with the records of their sums.
func (d *Disk) readRecords(ctx context.Context, sums []encoding.Sum, part []int, to []pipeline.Record) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	wanted := make([]encoding.Sum, len(part))
	for i, at := range part {
		wanted[i] = sums[at]
	}
	found := make([]bool, len(part))
	err := d.findRecords(wanted, func(s encoding.Sum, body []byte) error {
		r, err := pipeline.DecodeRecord(body)
		i, _ := slices.BinarySearchFunc(wanted, s.ID(), func(w encoding.Sum, id int64) int { return cmp.Compare(w.ID(), id) })
		for ; i < len(wanted) && wanted[i].ID() == s.ID(); i++ {
			if wanted[i] == s {
				to[part[i]], found[i] = r, true
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	if lost := slices.Index(found, false); lost >= 0 {
		return d.noRecord(ctx, wanted[lost])
	}
	return nil
}

// findRecords calls fn once for each distinct record that is there and sound.
// The body is valid only during the call.
func (d *Disk) findRecords(sums []encoding.Sum, fn func(s encoding.Sum, body []byte) error) error {
	for len(sums) > 0 {
		part := sums[:min(chunk, len(sums))]
		sums = sums[len(part):]
		if err := d.findChunk(part, fn); err != nil {
			return err
		}
	}
	return nil
}

func (d *Disk) findChunk(sums []encoding.Sum, fn func(s encoding.Sum, body []byte) error) error {
	wanted := distinct(sums)
	ids := make([]int64, 0, len(sums))
	for s := range wanted {
		body, ok := d.recent.record(s)
		if !ok {
			ids = append(ids, s.ID())
			continue
		}
		delete(wanted, s)
		if err := fn(s, body); err != nil {
			return err
		}
	}
	slices.Sort(ids)
	take := func(_ int64, body []byte) error {
		s := encoding.Sum(sha256.Sum256(body))
		if !wanted[s] {
			return nil
		}
		delete(wanted, s)
		return fn(s, body)
	}
	if err := eachRow(d.query.records, ids, take); err != nil {
		return err
	}
	for s := range wanted {
		rows, err := d.query.nearRecords.QueryContext(context.Background(), s.ID(), lastProbe(s))
		if err != nil {
			return dbErr("read database", err)
		}
		if err := scanRows(rows, take); err != nil {
			return err
		}
	}
	return nil
}

// addRecord inserts a record unless it is there.
func (w *writer) addRecord(r encoding.StoredRecord) error {
	res, err := w.putRecord.ExecContext(context.Background(), r.ID.ID(), r.Body)
	if err != nil {
		return dbErr("write database", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	rows, err := w.nearRecords.QueryContext(context.Background(), r.ID.ID(), lastProbe(r.ID))
	if err != nil {
		return dbErr("write database", err)
	}
	there, free := false, r.ID.ID()
	err = scanRows(rows, func(id int64, body []byte) error {
		there = there || encoding.Sum(sha256.Sum256(body)) == r.ID
		if id == free {
			free++
		}
		return nil
	})
	if err != nil || there {
		return err
	}
	if free > lastProbe(r.ID) {
		return fmt.Errorf("record %s: no free row near its digest; run `memforge store check --repair`", r.ID.Hex())
	}
	return w.run(w.putRecord, free, r.Body)
}

// noRecord says why a record cannot be had. A damaged row in its place is
// forgotten; another record that has its place by right stays.
func (d *Disk) noRecord(ctx context.Context, s encoding.Sum) error {
	digest := pipeline.Digest(s.Hex())
	rows, err := d.query.nearRecords.QueryContext(ctx, s.ID(), s.ID())
	if err != nil {
		return dbErr("read database", err)
	}
	var damaged *pipeline.CorruptError
	err = scanRows(rows, func(id int64, body []byte) error {
		if got := encoding.Sum(sha256.Sum256(body)); !mayStandAt(got, id) {
			damaged = &pipeline.CorruptError{Digest: digest, Got: pipeline.Digest(got.Hex())}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if damaged == nil {
		return fmt.Errorf("record %s: %w; build again to make it", digest, encoding.ErrNoRecord)
	}
	if d.write == nil {
		return fmt.Errorf("record: %w", damaged)
	}
	return encoding.JoinIf(fmt.Errorf("record: %w", damaged), d.write.tx(ctx, func() error {
		return d.write.run(d.write.dropRecord, s.ID())
	}))
}
