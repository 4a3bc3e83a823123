package pipeline

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"github.com/memforge/memforge/pipeline/shape"
	"github.com/memforge/memforge/schemas"
)

// Table is a table of releases that a plugin declares: a row for every record of
// its schema.
type Table struct {
	Name   string `json:"name"`
	Schema string `json:"schema"`
	// The first Keys columns identify a row, the first of them is what others
	// refer to.
	Keys       int            `json:"keys"`
	Columns    []shape.Column `json:"columns"`
	References []Reference    `json:"references,omitempty"`

	row func(Record) ([]any, error)
}

// Reference says that what is in a column is the id of a row of one of the tables;
// an empty one refers to nothing. Column may lead into a list or a struct, as in
// "evidence.ref". What follows a # is not part of the id.
type Reference struct {
	Column string   `json:"column"`
	Tables []string `json:"tables"`
}

var tableName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// AddTable declares a table of releases whose rows are the records of a schema, of
// type T: see package shape for the columns that it gets. The keys are those by
// which a row is found and sorted. A row that refers to what a gate dropped is left
// out with it.
func AddTable[T any](r *Registry, name, schema string, keys []string, references ...Reference) {
	columns, err := shape.Of(reflect.TypeFor[T](), keys...)
	t := Table{Name: name, Schema: schema, Keys: len(keys), Columns: columns, References: references}
	t.row = func(rec Record) ([]any, error) {
		v, err := Decode[T](rec)
		if err != nil {
			return nil, err
		}
		return shape.Cells(columns, v), nil
	}
	switch {
	case err != nil:
	case schemas.Released(schema):
		err = fmt.Errorf("records of schema %q have a table already", schema)
	case r.tables[schema].Name != "":
		err = fmt.Errorf("table %q holds the records of schema %q", r.tables[schema].Name, schema)
	case slices.ContainsFunc(r.Tables(), func(o Table) bool { return o.Name == name }):
		err = fmt.Errorf("the name is taken")
	default:
		err = t.Check()
	}
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("register table %q: %w", name, err))
		return
	}
	r.tables[schema] = t
}

// Check reports a declaration that no release can hold. What references lead to is
// for a release to know.
func (t Table) Check() error {
	if !tableName.MatchString(t.Name) {
		return fmt.Errorf("a table is named by lower-case letters, digits and underscores, not %q", t.Name)
	}
	if t.Schema == "" || t.Keys < 1 || t.Keys > len(t.Columns) {
		return fmt.Errorf("a table needs a schema and keys that are columns; it has schema %q and %d keys", t.Schema, t.Keys)
	}
	if err := shape.Check(t.Columns, t.Keys); err != nil {
		return err
	}
	for _, ref := range t.References {
		if !shape.Texts(t.Columns, ref.Column) || len(ref.Tables) == 0 {
			return fmt.Errorf("%q refers to %v: it must be a column of text that refers to at least one table", ref.Column, ref.Tables)
		}
	}
	return nil
}

// Row gives the row that a record is.
func (t Table) Row(rec Record) ([]any, error) { return t.row(rec) }

// Refers lists the tables and ids that a row refers to.
func (t Table) Refers(row []any) (out []Referred) {
	for _, ref := range t.References {
		for _, id := range shape.TextsOf(t.Columns, row, ref.Column) {
			out = append(out, Referred{ref, id})
		}
	}
	return out
}

// Referred is one id that a row refers to.
type Referred struct {
	Reference
	ID string
}

// Table finds the table that holds the records of a schema.
func (r *Registry) Table(schema string) (Table, bool) {
	t, ok := r.tables[schema]
	return t, ok
}

// Tables lists the declared tables by name.
func (r *Registry) Tables() []Table {
	return slices.SortedFunc(maps.Values(r.tables), func(a, b Table) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
}

// Releases reports whether records of a schema are rows of a release.
func (r *Registry) Releases(schema string) bool {
	_, ok := r.tables[schema]
	return ok || schemas.Released(schema)
}
