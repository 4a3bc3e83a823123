package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// recordIndex are records by id. Nearly all come in the order of their ids, or in a few
// such orders by turns: a verdict, its item, the next verdict. These stand in runs,
// which take less memory and time than a table.
type recordIndex struct {
	runs   [][]indexedRecord // each sorted by id
	others map[string]pipeline.Digest
	expect int // how many come in an order, as far as known
}

type indexedRecord struct {
	id     string
	digest pipeline.Digest
}

const usualRuns, mostRuns = 2, 4

// add adds a record unless there is one of its id, whose digest it then gives.
func (s *recordIndex) add(id string, d pipeline.Digest) (before pipeline.Digest, known bool) {
	best := -1
	for i, r := range s.runs {
		last := r[len(r)-1].id
		switch {
		case id > last:
			if best < 0 || last > s.runs[best][len(s.runs[best])-1].id {
				best = i
			}
		case id >= r[0].id:
			if at, ok := slices.BinarySearchFunc(r, id, func(a indexedRecord, id string) int { return strings.Compare(a.id, id) }); ok {
				return r[at].digest, true
			}
		}
	}
	if before, known = s.others[id]; known {
		return before, true
	}
	switch {
	case best >= 0:
		s.runs[best] = append(s.runs[best], indexedRecord{id, d})
	case len(s.runs) < mostRuns:
		run := make([]indexedRecord, 0, 1)
		if len(s.runs) < usualRuns {
			run = slices.Grow(run, s.expect)
		}
		s.runs = append(s.runs, append(run, indexedRecord{id, d}))
	default:
		if s.others == nil {
			s.others = map[string]pipeline.Digest{}
		}
		s.others[id] = d
	}
	return "", false
}

func (s *recordIndex) len() int {
	n := len(s.others)
	for _, r := range s.runs {
		n += len(r)
	}
	return n
}

// all gives the records run by run.
func (s *recordIndex) all() iter.Seq2[string, pipeline.Digest] {
	return func(yield func(string, pipeline.Digest) bool) {
		for _, run := range s.runs {
			for _, r := range run {
				if !yield(r.id, r.digest) {
					return
				}
			}
		}
		for _, id := range slices.Sorted(maps.Keys(s.others)) {
			if !yield(id, s.others[id]) {
				return
			}
		}
	}
}

// digest hashes all records in the order of their ids, whatever order they came in.
func (s *recordIndex) digest() pipeline.Digest {
	runs := slices.Clone(s.runs)
	if len(s.others) > 0 {
		rest := make([]indexedRecord, 0, len(s.others))
		for _, id := range slices.Sorted(maps.Keys(s.others)) {
			rest = append(rest, indexedRecord{id, s.others[id]})
		}
		runs = append(runs, rest)
	}
	var h recordsHash
	for len(runs) > 0 {
		first := 0
		for i := range runs {
			if runs[i][0].id < runs[first][0].id {
				first = i
			}
		}
		r := runs[first][0]
		h.add(r.id, r.digest)
		if runs[first] = runs[first][1:]; len(runs[first]) == 0 {
			runs = slices.Delete(runs, first, first+1)
		}
	}
	return h.digest()
}

// recordsHash is the digest of records that come in the order of their ids.
type recordsHash struct {
	of    hash.Hash
	lines []byte
}

func (h *recordsHash) add(id string, d pipeline.Digest) {
	h.lines = append(append(append(append(h.lines, id...), 0), d...), '\n')
	if len(h.lines) >= 1<<14 {
		h.flush()
	}
}

func (h *recordsHash) flush() {
	if h.of == nil {
		h.of = sha256.New()
	}
	h.of.Write(h.lines)
	h.lines = h.lines[:0]
}

func (h *recordsHash) digest() pipeline.Digest {
	h.flush()
	return pipeline.Digest(hex.EncodeToString(h.of.Sum(nil)))
}
