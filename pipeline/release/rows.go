package release

import (
	"bytes"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/memforge/memforge/pipeline/internal/extsort"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/manifest"
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

func equalCells(a, b any) bool {
	switch a := a.(type) {
	case []byte:
		b, ok := b.([]byte)
		return ok && bytes.Equal(a, b)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equalCells(a[i], b[i]) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case []byte, []any:
		return false
	}
	return a == b
}

// diffTables compares a release with the one before, table by table, where a key
// identifies rows.
func diffTables(all []table, before *previous, after rowSource) []describe.TableDiff {
	var diffs []describe.TableDiff
	for _, t := range unionTables(all, before.shapes) {
		if t.unique {
			d := diffTable(t, before.each(t), after(t))
			d.Broken = before.broken[t.name] || before.declarationChanged(t, all)
			diffs = append(diffs, d)
		}
	}
	return diffs
}

func unionTables(a, b []table) []table {
	out := slices.Clone(a)
	for _, t := range b {
		if _, has := findTable(a, t.name); !has {
			out = append(out, t)
		}
	}
	return out
}

// declarationChanged reports whether the release before had a plugin's table in another
// shape, or this one lacks it.
func (p *previous) declarationChanged(t table, now []table) bool {
	was, had := findTable(p.shapes, t.name)
	is, has := findTable(now, t.name)
	if t.declared == nil || !had {
		return false
	}
	return !has || !slices.Equal(schemaLines(was), schemaLines(is)) || was.keys != is.keys
}

// diffTable merges the rows before and after, which are in order.
func diffTable(t table, before, after iter.Seq[row]) describe.TableDiff {
	d := describe.TableDiff{Table: t.name}
	next, stop := iter.Pull(before)
	defer stop()
	old := cursor{next: next}
	more := old.advance(t)
	for r := range after {
		key := t.key(r)
		for ; more && bytes.Compare(old.key, key) < 0; more = old.advance(t) {
			d.Removed++
		}
		if !more || !bytes.Equal(old.key, key) {
			d.Added++
			continue
		}
		hard, soft := t.differs(old.row, r)
		switch {
		case hard:
			d.Changed++
		case soft:
			d.NoteChanges++
		}
		more = old.advance(t)
	}
	for ; more; more = old.advance(t) {
		d.Removed++
	}
	return d
}

func (t table) differs(a, b row) (hard, soft bool) {
	for i, c := range t.columns {
		if i < len(a) && i < len(b) && equalCells(a[i], b[i]) {
			continue
		}
		soft = true
		hard = hard || !slices.Contains(t.noteColumns, c.Name)
	}
	return hard, soft
}

// grade says which part of the version the differences raise. Verdicts, probes
// and what was flagged are metadata: they say how items were judged, not what
// the items are. Events and labels are why gold is right: gold that changes with
// them is in questions.
func grade(diffs []describe.TableDiff) manifest.Change {
	g := manifest.PatchChange
	for _, d := range diffs {
		switch {
		case d.Broken:
			return manifest.MajorChange
		case d.Table == tableVerdicts || d.Table == tableProbes || d.Table == tableFlagged || d.Table == tableEvents || d.Table == tableLabels:
		case d.Removed > 0 || d.Changed > 0:
			return manifest.MajorChange
		case d.Added > 0:
			g = manifest.MinorChange
		}
	}
	return g
}
