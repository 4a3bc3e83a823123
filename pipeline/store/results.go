package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

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
