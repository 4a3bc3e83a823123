package release

import (
	"bytes"
	"hash/maphash"
	"iter"

	"github.com/memforge/memforge/pipeline/internal/extsort"
)

// rowSource yields the rows of a table in its order, as often as it is asked. After an
// error, which it keeps, it yields none.
type rowSource func(table) iter.Seq[row]

// key returns what rows are ordered by: the keys of a table, and all other columns where
// these do not identify a row.
func (t table) key(r row) []byte {
	if t.unique {
		r = r[:t.keys]
	}
	return extsort.AppendKey(nil, r...)
}

// mergeRows merges the rows of the splits of a table, each in order.
func mergeRows(t table, splits []iter.Seq[row]) iter.Seq[row] {
	if len(splits) == 1 {
		return splits[0]
	}
	return func(yield func(row) bool) {
		var heads []*cursor
		for _, s := range splits {
			next, stop := iter.Pull(s)
			defer stop()
			h := &cursor{next: next}
			if h.advance(t) {
				heads = append(heads, h)
			}
		}
		for len(heads) > 0 {
			least := 0
			for i, h := range heads {
				if bytes.Compare(h.key, heads[least].key) < 0 {
					least = i
				}
			}
			if !yield(heads[least].row) {
				return
			}
			if !heads[least].advance(t) {
				heads = append(heads[:least], heads[least+1:]...)
			}
		}
	}
}

type cursor struct {
	row  row
	key  []byte
	next func() (row, bool)
}

// advance moves on to the next row and returns false behind the last.
func (c *cursor) advance(t table) bool {
	r, ok := c.next()
	if c.row = r; ok {
		c.key = t.key(r)
	}
	return ok
}

// idSet holds keys by a hash with a random seed: some 20 bytes a key, and of ten million
// about one in a million million is taken for another.
type idSet struct {
	seed   maphash.Seed
	hashes map[uint64]struct{}
}

func newIDSet() *idSet { return &idSet{maphash.MakeSeed(), map[uint64]struct{}{}} }

// add reports whether the key was not there yet.
func (s *idSet) add(cells ...any) bool {
	n := len(s.hashes)
	s.hashes[s.hash(cells)] = struct{}{}
	return len(s.hashes) > n
}

func (s *idSet) has(cells ...any) bool {
	if s == nil {
		return false
	}
	_, ok := s.hashes[s.hash(cells)]
	return ok
}

func (s *idSet) hash(cells []any) uint64 {
	return maphash.Bytes(s.seed, extsort.AppendKey(nil, cells...))
}
