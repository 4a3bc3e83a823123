package pipeline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
)

// Row is a row of a table.
type Row struct {
	Table string
	Cells []any
}

// GroupDerived is a record type with fields, tagged `table:"derived"`, that follow from
// the other records of its group. They stand in no table.
type GroupDerived[T any] interface {
	Group() string
	// DeriveFields gives the record with these fields as they follow. The group, in no
	// order, may hold the record itself.
	DeriveFields(group []T) T
}

// rowCodec is how records of a Go type become rows and are made of them again.
type rowCodec struct {
	parts   []Table
	lists   []rowschema.Elements // of the parts
	follows bool
	group   func(Record) (string, error)
	rows    func(Record) ([]Row, error)
	records func(rows map[string][][]any) ([]Record, error)
}

// Rows gives the rows that a record is: its own comes first.
func (t Table) Rows(rec Record) ([]Row, error) { return t.codec.rows(rec) }

// Records gives the records that rows, by table, were made of, in the order of its
// own. Without blobs and named by their keys, they have the ItemDigests of those that
// were written.
func (t Table) Records(rows map[string][][]any) ([]Record, error) { return t.codec.records(rows) }

// Group names the records that a record follows from: its own id where it follows
// from none.
func (t Table) Group(rec Record) (string, error) {
	if !t.codec.follows {
		return rec.ID, nil
	}
	return t.codec.group(rec)
}

func groupOf[T any](rec Record) (string, error) {
	v, err := Decode[T](rec)
	if f, ok := any(v).(GroupDerived[T]); ok {
		return f.Group(), err
	}
	return rec.ID, err
}

// WithoutReferences is the record whose weak references do not name what is gone.
func (t Table) WithoutReferences(rec Record, gone map[string]bool) (Record, error) {
	rows, err := t.Rows(rec)
	if err != nil {
		return rec, err
	}
	cells := rows[0].Cells
	for i, c := range t.Columns {
		if slices.ContainsFunc(t.References, func(ref Reference) bool { return ref.Weak && ref.Column == c.Name }) {
			left, _ := cells[i].([]any)
			cells[i] = slices.DeleteFunc(left, func(id any) bool { return gone[fmt.Sprint(id)] })
		}
	}
	again, err := t.Records(map[string][][]any{t.Name: {cells}})
	if err != nil {
		return rec, err
	}
	again[0].ID, again[0].Blobs = rec.ID, rec.Blobs
	return again[0], nil
}

// IsComposed reports whether a record is more than its row.
func (t Table) IsComposed() bool { return len(t.codec.parts) > 0 || t.codec.follows }

func rowsOf[T any](t Table) func(Record) ([]Row, error) {
	return func(rec Record) ([]Row, error) {
		v, err := Decode[T](rec)
		if err != nil {
			return nil, err
		}
		out := []Row{{t.Name, rowschema.Cells(t.Columns, v)}}
		for i, l := range t.codec.lists {
			for _, cells := range l.Rows(v) {
				out = append(out, Row{t.codec.parts[i].Name, cells})
			}
		}
		return out, nil
	}
}

func recordsOf[T any](t Table) func(map[string][][]any) ([]Record, error) {
	_, t.codec.follows = any(*new(T)).(GroupDerived[T])
	return func(rows map[string][][]any) ([]Record, error) {
		values := make([]T, len(rows[t.Name]))
		owned := make([]map[string][][]any, len(t.codec.parts))
		for i, part := range t.codec.parts {
			owned[i] = groupByOwner(part, rows[part.Name])
		}
		for i, cells := range rows[t.Name] {
			rowschema.Fill(t.Columns, cells, &values[i])
			for j, l := range t.codec.lists {
				l.Fill(owned[j][fmt.Sprint(cells[0])], &values[i])
			}
		}
		deriveGroupFields(values)
		out := make([]Record, len(values))
		for i, v := range values {
			var err error
			if out[i], err = NewRecord(t.Schema, fmt.Sprint(rows[t.Name][i][0]), v); err != nil {
				return nil, fmt.Errorf("table %s: %w", t.Name, err)
			}
		}
		return out, nil
	}
}

// groupByOwner groups the rows of a part by the record that they are of.
func groupByOwner(part Table, rows [][]any) map[string][][]any {
	at, out := part.ownerColumn(), map[string][][]any{}
	for _, r := range rows {
		id := fmt.Sprint(r[at])
		out[id] = append(out[id], r)
	}
	for _, rows := range out {
		slices.SortStableFunc(rows, func(a, b []any) int { return cmp.Compare(fmt.Sprint(a[0]), fmt.Sprint(b[0])) })
	}
	return out
}

// ownerColumn is the column that names the record of an element.
func (t Table) ownerColumn() int {
	for i, c := range t.Columns {
		if c.Name == t.Part.Column {
			return i
		}
	}
	return 0
}

// deriveGroupFields fills in what follows from other values of a group.
func deriveGroupFields[T any](values []T) {
	groups := map[string][]T{}
	for _, v := range values {
		if f, ok := any(v).(GroupDerived[T]); ok {
			groups[f.Group()] = append(groups[f.Group()], v)
		}
	}
	for i, v := range values {
		if f, ok := any(v).(GroupDerived[T]); ok {
			values[i] = f.DeriveFields(groups[f.Group()])
		}
	}
}
