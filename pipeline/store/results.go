package store

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// Results returns those of the results that can be used: the row is sound and
// all its records and blobs are there. What is not is simply not in the map,
// so that it is built again.
func (d *Disk) Results(ctx context.Context, keys []pipeline.Key) (map[pipeline.Key]pipeline.Result, error) {
	found := make(map[pipeline.Key]pipeline.Result, len(keys))
	sums := make([]sum, len(keys))
	for i, k := range keys {
		s, err := parseSum(k)
		if err != nil {
			return nil, fmt.Errorf("look up result: %w", err)
		}
		sums[i] = s
	}
	look := d.newLookup()
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
			found[r.result.Key] = r.result
		}
	}
	return found, nil
}

// lookup reads results and remembers which blobs it has seen.
type lookup struct {
	d     *Disk
	names map[string]string
	blobs map[pipeline.Digest]bool
}

func (d *Disk) newLookup() *lookup {
	return &lookup{d: d, names: map[string]string{}, blobs: map[pipeline.Digest]bool{}}
}

// usable returns the usable results among at most chunk keys.
func (l *lookup) usable(keys []sum) ([]row, error) {
	rows := make([]row, 0, len(keys))
	err := eachRow(l.d.query.results, keys, 2, func(key sum, body []byte) error {
		if r, err := decodeRow(key, body, l.names); err == nil {
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
func (l *lookup) complete(rows []row) ([]row, error) {
	missing, err := l.d.missingRecords(outputSums(rows))
	if err != nil {
		return nil, err
	}
	whole := rows[:0]
	for _, r := range rows {
		ok, err := l.hasBlobs(r)
		if err != nil {
			return nil, err
		}
		if ok && !misses(r, missing) {
			whole = append(whole, r)
		}
	}
	return whole, nil
}

// outputSums lists the distinct records of the rows.
func outputSums(rows []row) []sum {
	seen := make(map[sum]bool, len(rows))
	var sums []sum
	for _, r := range rows {
		for _, o := range r.result.Outputs {
			s, err := parseSum(o.Digest)
			if err == nil && !seen[s] {
				seen[s] = true
				sums = append(sums, s)
			}
		}
	}
	return sums
}

func misses(r row, missing map[sum]bool) bool {
	if len(missing) == 0 {
		return false
	}
	for _, o := range r.result.Outputs {
		if s, err := parseSum(o.Digest); err != nil || missing[s] {
			return true
		}
	}
	return false
}

func (l *lookup) hasBlobs(r row) (bool, error) {
	for _, digests := range [][]pipeline.Digest{r.result.Blobs, r.outBlobs} {
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
