// Package diff compares two releases row by row, says for each change what it changes
// for those who use the release, and which version number the changes ask for. Both
// sides are read in the order of their keys, so that memory does not grow with rows.
package diff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/memforge/memforge/pipeline/internal/extsort"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// Release is one side of a comparison.
type Release struct {
	// Manifest needs no files but those that are neither tables nor media.
	Manifest manifest.Manifest
	Tables   []Table
}

// Table is a table of a release.
type Table struct {
	Name    string
	Columns []rowschema.Column
	// Keys is how many of the columns, the first, rows are sorted by.
	Keys int
	// Unreadable says that its file has other columns than these, so that it has no rows.
	Unreadable bool
	// Rows are sorted by key. An error comes last.
	Rows iter.Seq2[[]any, error]
}

// Kind says what became of a row.
type Kind string

// The kinds.
const (
	Added   Kind = "added"
	Gone    Kind = "gone"
	Changed Kind = "changed"
)

// Change is what became of one row, of the columns of a table, or of a part of the
// manifest.
type Change struct {
	Table string `json:"table"`
	// ID is the first cell of the row's key, Key all of them if there are several.
	ID   string `json:"id,omitempty"`
	Key  []any  `json:"key,omitempty"`
	Kind Kind   `json:"kind"`
	// Classes say what changed, in the order of AllClasses.
	Classes []Class `json:"classes"`
	Asks    Grade   `json:"asks"`
	// About is a text of the row by which a reader knows it.
	About  string  `json:"about,omitempty"`
	Fields []Field `json:"fields,omitempty"`
}

// Field is a part of a row that differs: a column, a part of one ("evidence[2].ref"), or
// a label ("labels.scenario"). Nil is no value.
type Field struct {
	Path   string `json:"path"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// Tables compares the tables of two releases and hands each change to visit, which may
// be nil: by table in the order of the manifest, in a table by key.
func Tables(ctx context.Context, before, after Release, visit func(Change) error) (Summary, error) {
	c := comparison{ctx: ctx, visit: visit}
	c.sum.Before, c.sum.After = edition(before.Manifest), edition(after.Manifest)
	if before.Manifest.Format != after.Manifest.Format {
		f := Field{"format", before.Manifest.Format, after.Manifest.Format}
		c.see(Change{Table: manifestName, ID: "format", Kind: Changed, Classes: []Class{Format}, Fields: []Field{f}})
	}
	for _, name := range tableNames(before, after) {
		a, had := find(before.Tables, name)
		b, has := find(after.Tables, name)
		if err := c.table(name, a, b, had, has); err != nil {
			return c.sum, fmt.Errorf("compare table %s: %w", name, err)
		}
	}
	return c.sum, nil
}

// Releases compares tables, manifests and texts.
func Releases(ctx context.Context, before, after Release, visit func(Change) error) (Summary, error) {
	sum, err := Tables(ctx, before, after, visit)
	if err != nil {
		return sum, err
	}
	c := comparison{ctx: ctx, visit: visit, sum: sum}
	if err := c.manifests(before.Manifest, after.Manifest); err != nil {
		return c.sum, fmt.Errorf("compare manifests: %w", err)
	}
	c.files(before.Manifest.Files, after.Manifest.Files)
	return c.sum, c.err
}

func tableNames(before, after Release) (names []string) {
	for _, t := range slices.Concat(after.Tables, before.Tables) {
		if !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

func find(all []Table, name string) (Table, bool) {
	i := slices.IndexFunc(all, func(t Table) bool { return t.Name == name })
	if i < 0 {
		return Table{Rows: func(func([]any, error) bool) {}}, false
	}
	return all[i], true
}

// comparison is a comparison at work.
type comparison struct {
	ctx   context.Context
	visit func(Change) error
	sum   Summary
	err   error // of visit
}

// see grades and counts a change and hands it on.
func (c *comparison) see(ch Change) {
	for _, class := range ch.Classes {
		ch.Asks = max(ch.Asks, class.asks(ch.Kind))
	}
	c.sum.count(ch)
	if c.visit != nil && c.err == nil {
		c.err = c.visit(ch)
	}
}

// table compares the columns of a table, and its rows where these have the same key.
func (c *comparison) table(name string, a, b Table, had, has bool) error {
	c.sum.Tables = append(c.sum.Tables, TableSummary{Table: name})
	c.columns(name, a, b, had, has)
	if a.Unreadable || b.Unreadable {
		return c.err
	}
	if had && has && !slices.EqualFunc(a.Columns[:a.Keys], b.Columns[:b.Keys], sameColumn) {
		return errors.Join(c.countRows(a, Gone), c.countRows(b, Added))
	}
	return c.rows(name, newCursor(a), newCursor(b), cellComparer(a.Columns, b.Columns))
}

// columns notes a table that is new or gone, or has other columns.
func (c *comparison) columns(name string, a, b Table, had, has bool) {
	class := Columns
	if isJudgement(name) {
		class = Checks
	}
	ch := Change{Table: name, Kind: Changed, Classes: []Class{class}}
	switch {
	case !had:
		ch.Kind = Added
	case !has:
		ch.Kind = Gone
	case a.Unreadable || b.Unreadable:
		ch.Fields = []Field{{Path: "columns that another version of memforge wrote"}}
	default:
		if ch.Fields = columnChanges(a.Columns, b.Columns); len(ch.Fields) == 0 {
			return
		}
	}
	c.see(ch)
}

// countRows counts the rows of a table that has no counterpart, without looking at each.
func (c *comparison) countRows(t Table, kind Kind) error {
	for r, err := range t.Rows {
		if err != nil {
			return err
		}
		c.row(t.Name, kind, r, t, nil)
	}
	return c.err
}

// rows merges the rows of both sides.
func (c *comparison) rows(name string, a, b *cursor, differ func(a, b []any) []Field) error {
	defer a.stop()
	defer b.stop()
	err := errors.Join(a.advance(), b.advance())
	for n := 0; err == nil && c.err == nil && (a.row != nil || b.row != nil); n++ {
		if n%1024 == 0 && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		order := 0
		switch {
		case a.row == nil:
			order = 1
		case b.row == nil:
			order = -1
		default:
			order = bytes.Compare(a.key, b.key)
		}
		switch {
		case order < 0:
			c.row(name, Gone, a.row, a.table, nil)
		case order > 0:
			c.row(name, Added, b.row, b.table, nil)
		default:
			c.both(name, a, b, differ)
		}
		if order <= 0 {
			err = a.advance()
		}
		if order >= 0 {
			err = errors.Join(err, b.advance())
		}
	}
	return errors.Join(err, c.err)
}

func (c *comparison) both(name string, a, b *cursor, differ func(a, b []any) []Field) {
	t := c.sum.last()
	t.Before, t.After = t.Before+1, t.After+1
	fields := differ(a.row, b.row)
	if len(fields) == 0 {
		t.Same++
		return
	}
	t.Changed++
	c.see(describeRow(name, Changed, b.row, b.table, fields))
}

// row notes a row that one side alone has.
func (c *comparison) row(name string, kind Kind, r []any, t Table, fields []Field) {
	sum := c.sum.last()
	if kind == Gone {
		sum.Before, sum.Gone = sum.Before+1, sum.Gone+1
	} else {
		sum.After, sum.Added = sum.After+1, sum.Added+1
	}
	c.see(describeRow(name, kind, r, t, fields))
}

func describeRow(name string, kind Kind, r []any, t Table, fields []Field) Change {
	ch := Change{Table: name, Kind: kind, Fields: fields, About: about(r, t.Columns)}
	if t.Keys > 0 && len(r) > 0 {
		ch.ID = fmt.Sprint(r[0])
	}
	if t.Keys > 1 {
		ch.Key = r[:t.Keys]
	}
	if kind == Changed {
		ch.Fields, ch.Classes = classify(name, fields)
	} else {
		ch.Classes = []Class{classOfRow(name)}
	}
	return ch
}

// about returns the text by which people know a row.
func about(r []any, columns []rowschema.Column) string {
	for _, name := range []string{"question", "content", "text", "title", "outcome"} {
		i := slices.IndexFunc(columns, func(c rowschema.Column) bool { return c.Name == name && c.Kind == rowschema.String })
		if i >= 0 && i < len(r) {
			if text, _ := r[i].(string); text != "" {
				return shorten(text)
			}
		}
	}
	return ""
}

// mostText is how many bytes of a text are kept of a row beside its fields.
const mostText = 400

func shorten(s string) string {
	if len(s) <= mostText {
		return s
	}
	return string(bytes.ToValidUTF8([]byte(s[:mostText]), nil)) + "…"
}

// cursor reads the rows of one side and holds that they are in order.
type cursor struct {
	table Table
	row   []any // nil behind the last
	key   []byte
	next  func() ([]any, error, bool)
	stop  func()
}

func newCursor(t Table) *cursor {
	next, stop := iter.Pull2(t.Rows)
	return &cursor{table: t, next: next, stop: stop}
}

func (c *cursor) advance() error {
	r, err, ok := c.next()
	if !ok || err != nil {
		c.row = nil
		return err
	}
	if len(r) != len(c.table.Columns) {
		return fmt.Errorf("a row has %d values for %d columns", len(r), len(c.table.Columns))
	}
	key := extsort.AppendKey(nil, r[:c.table.Keys]...)
	if c.row != nil && bytes.Compare(key, c.key) < 0 {
		return fmt.Errorf("rows are not in the order of their keys: %v comes too late; memforge verify names all that is wrong", r[:c.table.Keys])
	}
	c.row, c.key = r, key
	return nil
}
