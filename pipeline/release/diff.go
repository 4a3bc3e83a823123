package release

import (
	"bytes"
	"iter"
	"slices"

	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// diffTables compares a release with the one before table by table. Only tables
// whose rows are identified by a key take part.
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

// unionTables are the tables of a and those that only b has.
func unionTables(a, b []table) []table {
	out := slices.Clone(a)
	for _, t := range b {
		if _, has := findTable(a, t.name); !has {
			out = append(out, t)
		}
	}
	return out
}

// declarationChanged reports whether the release had a plugin's table in another
// shape, or has it no more.
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
