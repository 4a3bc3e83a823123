package release

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/extsort"
)

// Records gives the records of a plugin's table as they were written, but for their
// blobs, those that follow from each other together; none where the release has the
// table not, or not like that. They are read from the disk as they are asked for. An
// error is the last thing that comes.
func (c Contents) Records(t pipeline.Table) iter.Seq2[pipeline.Record, error] {
	return func(yield func(pipeline.Record, error) bool) {
		if !c.HasTable(t) {
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

// HasTable reports whether the release has a plugin's table like that.
func (c Contents) HasTable(t pipeline.Table) bool {
	return !slices.ContainsFunc(t.Tables(), func(of pipeline.Table) bool {
		info, _ := c.Manifest.Table(of.Name)
		return info.Declared == nil || !slices.Equal(schemaLines(declaredTable(*info.Declared)), schemaLines(declaredTable(of)))
	})
}

// groupMemory is how many bytes of rows are in memory while they wait for the others of
// their group.
const groupMemory = 8 << 20

// groups gives the rows, by table, of records that follow from each other: groups in the
// order in which their first records stand in the table.
func (c Contents) groups(t pipeline.Table) iter.Seq2[map[string][][]any, error] {
	return func(yield func(map[string][][]any, error) bool) {
		if !t.IsComposed() {
			for r := range c.rows(declaredTable(t)) {
				if !yield(map[string][][]any{t.Name: {r}}, nil) {
					return
				}
			}
			return
		}
		g := grouping{table: t, set: extsort.New(os.TempDir(), groupMemory)}
		err := g.fill(c)
		if err == nil {
			err = g.each(func(rows map[string][][]any) bool { return yield(rows, nil) })
		}
		if err = errors.Join(err, g.set.Close()); err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// errEnough says that nobody asks for more groups.
var errEnough = errors.New("no more groups are asked for")

// grouping puts the rows of records, and those of their lists, in the order of groups.
type grouping struct {
	table  pipeline.Table
	set    *extsort.Tables
	groups int64
}

// fill takes the rows of all tables. A row of a list whose record is not there is left
// out.
func (g *grouping) fill(c Contents) error {
	group, place := map[string]int64{}, map[string]int64{} // by name, and by record
	for r := range c.rows(declaredTable(g.table)) {
		alone, err := g.table.Records(map[string][][]any{g.table.Name: {r}})
		if err != nil {
			return err
		}
		name, err := g.table.Group(alone[0])
		if err != nil {
			return err
		}
		if _, known := group[name]; !known {
			group[name] = int64(len(group))
		}
		place[fmt.Sprint(r[0])] = group[name]
		if err := g.add(g.table.Name, group[name], r); err != nil {
			return err
		}
	}
	g.groups = int64(len(group))
	for _, of := range g.table.Tables()[1:] {
		t := declaredTable(of)
		owner, _ := t.column(of.Part.Column)
		for r := range c.rows(t) {
			if at, known := place[fmt.Sprint(r[owner])]; known {
				if err := g.add(of.Name, at, r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// add takes a row of a group. Within a group rows keep their order.
func (g *grouping) add(table string, group int64, r row) error {
	return g.set.Add(table, extsort.AppendKey(nil, group), append([]any{group}, r...))
}

// each hands on one group after another.
func (g *grouping) each(yield func(map[string][][]any) bool) error {
	var tables []*groupRows
	defer func() {
		for _, t := range tables {
			t.stop()
		}
	}()
	for _, of := range g.table.Tables() {
		next, stop := iter.Pull2(g.set.Rows(of.Name))
		tables = append(tables, &groupRows{name: of.Name, next: next, stop: stop})
	}
	for group := range g.groups {
		rows := map[string][][]any{}
		for _, t := range tables {
			of, err := t.of(group)
			if err != nil {
				return err
			}
			rows[t.name] = of
		}
		if !yield(rows) {
			return errEnough
		}
	}
	return nil
}

// groupRows reads the rows of a table, which are in the order of groups.
type groupRows struct {
	name string
	next func() ([]byte, error, bool)
	stop func()
	head row // the first of a later group
}

// of are the rows of a group.
func (t *groupRows) of(group int64) (rows [][]any, err error) {
	for {
		if t.head == nil {
			b, err, more := t.next()
			if err != nil || !more {
				return rows, err
			}
			t.head = extsort.DecodeRow(b)
		}
		if t.head[0] != group {
			return rows, nil
		}
		rows, t.head = append(rows, t.head[1:]), nil
	}
}

// DecodeTable gives the records of a plugin's table by the type that it was declared with.
// A release that has the table not, or with other columns, is an error.
func DecodeTable[T any](c Contents, name string) ([]T, error) {
	info, found := c.Manifest.Table(name)
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
	if !c.HasTable(t) {
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
