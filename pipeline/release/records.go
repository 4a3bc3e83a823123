package release

import (
	"fmt"
	"iter"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/sorted"
)

// Records gives the records of a plugin's table as they were written, but for their
// blobs, those that follow from each other together; none where the release has the
// table not, or not like that. They are read from the disk as they are asked for. An
// error is the last thing that comes.
func (c Contents) Records(t pipeline.Table) iter.Seq2[pipeline.Record, error] {
	return func(yield func(pipeline.Record, error) bool) {
		if !c.Has(t) {
			return
		}
		for rows, err := range c.groups(t) {
			var recs []pipeline.Record
			if err == nil {
				recs, err = t.Records(rows)
			}
			if err != nil {
				yield(pipeline.Record{}, fmt.Errorf("records of table %s: %w", t.Name, err))
				return
			}
			for _, r := range recs {
				if !yield(r, nil) {
					return
				}
			}
		}
		if err := c.ended(); err != nil {
			yield(pipeline.Record{}, err)
		}
	}
}

// Has reports whether the release has a plugin's table like that.
func (c Contents) Has(t pipeline.Table) bool {
	return !slices.ContainsFunc(t.Tables(), func(of pipeline.Table) bool {
		info, _ := c.Manifest.table(of.Name)
		return info.Declared == nil || !slices.Equal(schemaLines(pluggedTable(*info.Declared)), schemaLines(pluggedTable(of)))
	})
}

// groups gives the rows, by table, of records that follow from each other. Of lists,
// which are long, all other rows lie packed meanwhile.
func (c Contents) groups(t pipeline.Table) iter.Seq2[map[string][][]any, error] {
	return func(yield func(map[string][][]any, error) bool) {
		if !t.Composed() {
			for r := range c.rows(pluggedTable(t)) {
				if !yield(map[string][][]any{t.Name: {r}}, nil) {
					return
				}
			}
			return
		}
		parts := map[string]map[string][][]byte{}
		for _, of := range t.Tables()[1:] {
			parts[of.Name] = c.packed(pluggedTable(of))
		}
		names, groups, err := c.grouped(t)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, name := range names {
			rows := map[string][][]any{t.Name: groups[name]}
			for of, byOwner := range parts {
				for _, own := range groups[name] {
					for _, b := range byOwner[fmt.Sprint(own[0])] {
						rows[of] = append(rows[of], sorted.Row(b))
					}
				}
			}
			if !yield(rows, nil) {
				return
			}
		}
	}
}

// packed are the rows of a list by the record that they are of.
func (c Contents) packed(t table) map[string][][]byte {
	owner, _ := t.column(t.declared.Part.Column)
	out := map[string][][]byte{}
	var b []byte
	for r := range c.rows(t) {
		id := fmt.Sprint(r[owner])
		b = sorted.AppendRow(b[:0], r)
		out[id] = append(out[id], slices.Clone(b))
	}
	return out
}

// grouped are the rows of records without their lists, by group, and the names of
// groups in the order of the table.
func (c Contents) grouped(t pipeline.Table) (names []string, groups map[string][][]any, err error) {
	groups = map[string][][]any{}
	for r := range c.rows(pluggedTable(t)) {
		alone, err := t.Records(map[string][][]any{t.Name: {r}})
		if err != nil {
			return nil, nil, err
		}
		name, err := t.Group(alone[0])
		if err != nil {
			return nil, nil, err
		}
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], r)
	}
	return names, groups, nil
}

// RowsOf gives the records of a plugin's table by the type that it was declared with.
// A release that has the table not, or with other columns, is an error.
func RowsOf[T any](c Contents, name string) ([]T, error) {
	info, found := c.Manifest.table(name)
	if !found || info.Declared == nil {
		return nil, fmt.Errorf("release %s has no table %s of a plugin", c.Manifest.ID, name)
	}
	var keys []string
	for _, k := range info.Declared.Columns[:info.Declared.Keys] {
		keys = append(keys, k.Name)
	}
	t, err := pipeline.NewTable[T](name, info.Declared.Schema, keys, info.Declared.References...)
	if err != nil {
		return nil, fmt.Errorf("table %s of release %s: %w", name, c.Manifest.ID, err)
	}
	if !c.Has(t) {
		return nil, fmt.Errorf("table %s of release %s has other columns than %T", name, c.Manifest.ID, *new(T))
	}
	out := []T{}
	for r, err := range c.Records(t) {
		if err != nil {
			return nil, err
		}
		v, err := pipeline.Decode[T](r)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
