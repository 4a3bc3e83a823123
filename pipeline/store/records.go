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

// lastProbe returns the last id where the record may stand.
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

// Results returns those of the results that can be used: the row is sound and
// all its records and blobs are there. What is not is simply not in the map,
// so that it is built again.
func (d *Disk) Results(ctx context.Context, keys []pipeline.Key) (map[pipeline.Key]pipeline.Result, error) {
	found := make(map[pipeline.Key]pipeline.Result, len(keys))
	sums, err := encoding.ParseSums(keys)
	if err != nil {
		return nil, fmt.Errorf("look up result: %w", err)
	}
	// Neighbours in the tree are read one after the other.
	slices.SortFunc(sums, func(a, b encoding.Sum) int { return cmp.Compare(a.ID(), b.ID()) })
	look, err := d.newLookup(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up results: %w", err)
	}
	for len(sums) > 0 {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		part := sums[:min(chunk, len(sums))]
		sums = sums[len(part):]
		rows, err := look.usable(part)
		if err != nil {
			return nil, fmt.Errorf("look up results: %w", err)
		}
		for _, r := range rows {
			found[r.Result.Key] = r.Result
		}
	}
	return found, nil
}

// lookup reads results and remembers which blobs it has seen.
type lookup struct {
	d     *Disk
	names map[string]string
	blobs map[pipeline.Digest]bool
	// lossy says that records went without their results, so that the records
	// of each result must be looked for.
	lossy bool
}

func (d *Disk) newLookup(ctx context.Context) (*lookup, error) {
	var lost int64
	if err := d.query.losses.QueryRowContext(ctx).Scan(&lost); err != nil {
		return nil, dbErr("read database", err)
	}
	return &lookup{d: d, names: map[string]string{}, blobs: map[pipeline.Digest]bool{}, lossy: lost != 0}, nil
}

// usable returns the usable results among at most chunk keys.
func (l *lookup) usable(keys []encoding.Sum) ([]encoding.Row, error) {
	byID := make(map[int64]encoding.Sum, len(keys))
	ids := make([]int64, 0, len(keys))
	rows := make([]encoding.Row, 0, len(keys))
	for _, k := range keys {
		if body, ok := l.d.recent.result(k); ok {
			if _, r, err := encoding.DecodeRow(body, l.names); err == nil {
				rows = append(rows, r)
				continue
			}
		}
		ids = append(ids, k.ID())
		byID[k.ID()] = k
	}
	err := eachRow(l.d.query.results, ids, func(id int64, body []byte) error {
		if key, r, err := encoding.DecodeRow(body, l.names); err == nil && key == byID[id] {
			rows = append(rows, r)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l.complete(rows)
}

// complete drops the rows that miss a record or a blob.
func (l *lookup) complete(rows []encoding.Row) ([]encoding.Row, error) {
	whole := rows[:0]
	for _, r := range rows {
		ok, err := l.whole(r)
		if err != nil {
			return nil, err
		}
		if ok {
			whole = append(whole, r)
		}
	}
	return whole, nil
}

// whole reports whether a result has all it needs.
func (l *lookup) whole(r encoding.Row) (bool, error) {
	ok, err := l.hasBlobs(r)
	if !ok || err != nil || !l.lossy {
		return ok, err
	}
	return l.hasRecords(r)
}

func (l *lookup) hasRecords(r encoding.Row) (bool, error) {
	sums := make([]encoding.Sum, len(r.Result.Outputs))
	for i, o := range r.Result.Outputs {
		s, err := encoding.ParseSum(o.Digest)
		if err != nil {
			return false, err
		}
		sums[i] = s
	}
	have := 0
	err := l.d.findRecords(sums, func(encoding.Sum, []byte) error { have++; return nil })
	return have == len(distinct(sums)), err
}

func distinct(sums []encoding.Sum) map[encoding.Sum]bool {
	set := make(map[encoding.Sum]bool, len(sums))
	for _, s := range sums {
		set[s] = true
	}
	return set
}

func (l *lookup) hasBlobs(r encoding.Row) (bool, error) {
	for _, digests := range [][]pipeline.Digest{r.Result.Blobs, r.OutBlobs} {
		for _, digest := range digests {
			ok, known := l.blobs[digest]
			if !known {
				var err error
				if ok, err = l.d.hasBlob(digest); err != nil {
					return false, err
				}
				l.blobs[digest] = ok
			}
			if !ok {
				return false, nil
			}
		}
	}
	return true, nil
}

// SaveBuild appends to the build history; b.Seq is ignored. The units blobs of
// its steps must have been put before.
func (d *Disk) SaveBuild(ctx context.Context, b pipeline.Build) error {
	if err := d.saveBuild(ctx, b); err != nil {
		return fmt.Errorf("save build: %w", err)
	}
	return nil
}

func (d *Disk) saveBuild(ctx context.Context, b pipeline.Build) error {
	if err := d.writable(); err != nil {
		return err
	}
	body, err := encoding.EncodeBuild(ctx, d.MissingBlobs, b)
	if err != nil {
		return err
	}
	return d.write.tx(ctx, func() error { return d.write.run(d.write.putBuild, body) })
}

// Builds returns at most limit builds, the newest first; all when limit is 0
// or less.
func (d *Disk) Builds(ctx context.Context, limit int) ([]pipeline.Build, error) {
	builds, damaged, err := d.builds(ctx, limit)
	return encoding.WholeHistory(builds, damaged, err)
}

// builds also lists the builds whose rows are damaged.
func (d *Disk) builds(ctx context.Context, limit int) (builds []pipeline.Build, damaged []int64, err error) {
	if limit <= 0 {
		limit = -1
	}
	rows, err := d.read.QueryContext(ctx, `SELECT seq, body FROM builds ORDER BY seq DESC LIMIT ?`, limit)
	if err != nil {
		return nil, nil, dbErr("read database", err)
	}
	err = scanRows(rows, func(seq int64, body []byte) error {
		builds, damaged = encoding.AddBuild(builds, damaged, seq, body)
		return nil
	})
	return builds, damaged, err
}
