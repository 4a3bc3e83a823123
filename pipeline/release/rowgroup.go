package release

import (
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline/kit/parquetread"
	"github.com/memforge/memforge/pipeline/kit/rowschema"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// rowGroup holds the open row group of a table as values and levels of its leaves. The
// library's writer for Arrow records would do this too, and brings all of Arrow's
// arithmetic into the program.
type rowGroup struct {
	columns []rowschema.Column
	leaves  []*leaf
}

// leaf holds the values of a stored column in the slice of its kind, and for each place a
// definition level and, below lists, a repetition level.
type leaf struct {
	repeated bool
	def, rep []int16
	bools    []bool
	int32s   []int32
	int64s   []int64
	float64s []float64
	bytes    []parquet.ByteArray
}

func newRowGroup(columns []rowschema.Column) *rowGroup {
	g := &rowGroup{columns: columns}
	for _, l := range parquetread.LeavesOf(columns) {
		g.leaves = append(g.leaves, &leaf{repeated: l.Rep > 0})
	}
	return g
}

// add appends a row that the table's check accepted.
func (g *rowGroup) add(r row) {
	rest := g.leaves
	for i, c := range g.columns {
		rest = addValue(rest, c, r[i], 0, 0, 0)
	}
}

// addValue appends a value to the first leaves, those of its column, and returns the rest.
// The parent is defined to level def; lists is the number of lists around the value, and
// rep the innermost of them that goes on with it, 0 for a new row.
func addValue(leaves []*leaf, c rowschema.Column, v any, def, rep, lists int16) []*leaf {
	if v == nil {
		return addNull(leaves, c, def, rep)
	}
	def++ // every column may be null
	switch c.Kind {
	case rowschema.List:
		elements := v.([]any)
		if len(elements) == 0 {
			return addNull(leaves, *c.Elem, def, rep)
		}
		rest := leaves
		for i, e := range elements {
			if i > 0 {
				rep = lists + 1
			}
			rest = addValue(leaves, *c.Elem, e, def+1, rep, lists+1)
		}
		return rest
	case rowschema.Struct, rowschema.Image:
		for i, f := range v.([]any) {
			leaves = addValue(leaves, c.Fields[i], f, def, rep, lists)
		}
		return leaves
	}
	l := leaves[0]
	l.addLevels(def, rep)
	switch v := v.(type) {
	case bool:
		l.bools = append(l.bools, v)
	case int32:
		l.int32s = append(l.int32s, v)
	case int64:
		l.int64s = append(l.int64s, v)
	case float64:
		l.float64s = append(l.float64s, v)
	case string:
		l.bytes = append(l.bytes, parquet.ByteArray(v))
	case []byte:
		l.bytes = append(l.bytes, v)
	}
	return leaves[1:]
}

// addNull appends to each leaf of a column a place without a value.
func addNull(leaves []*leaf, c rowschema.Column, def, rep int16) []*leaf {
	switch c.Kind {
	case rowschema.List:
		return addNull(leaves, *c.Elem, def, rep)
	case rowschema.Struct, rowschema.Image:
		for _, f := range c.Fields {
			leaves = addNull(leaves, f, def, rep)
		}
		return leaves
	}
	leaves[0].addLevels(def, rep)
	return leaves[1:]
}

func (l *leaf) addLevels(def, rep int16) {
	l.def = append(l.def, def)
	if l.repeated {
		l.rep = append(l.rep, rep)
	}
}

// flush writes the rows as one row group and empties it.
func (g *rowGroup) flush(w *file.Writer) error {
	group := w.AppendRowGroup()
	for _, l := range g.leaves {
		column, err := group.NextColumn()
		if err != nil {
			return err
		}
		if err := l.write(column); err != nil {
			return errors.Join(fmt.Errorf("column %s: %w", column.Descr().Path(), err), group.Close())
		}
		*l = leaf{repeated: l.repeated}
	}
	return group.Close()
}

func (l *leaf) write(column file.ColumnChunkWriter) (err error) {
	switch w := column.(type) {
	case *file.BooleanColumnChunkWriter:
		_, err = w.WriteBatch(l.bools, l.def, l.rep)
	case *file.Int32ColumnChunkWriter:
		_, err = w.WriteBatch(l.int32s, l.def, l.rep)
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(l.int64s, l.def, l.rep)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(l.float64s, l.def, l.rep)
	case *file.ByteArrayColumnChunkWriter:
		if !slices.ContainsFunc(l.bytes, func(b parquet.ByteArray) bool { return len(b) > 0 }) {
			clear(l.bytes) // of nil the library states no bounds, as releases had it before
		}
		_, err = w.WriteBatch(l.bytes, l.def, l.rep)
	default:
		err = fmt.Errorf("memforge writes no columns of type %s", column.Type())
	}
	return err
}

// parquetNodes returns the group of a table, a struct or a picture as Parquet declares it.
func parquetNodes(name string, repetition parquet.Repetition, columns []rowschema.Column) (*schema.GroupNode, error) {
	fields := make(schema.FieldList, len(columns))
	for i, c := range columns {
		field, err := parquetNode(c)
		if err != nil {
			return nil, err
		}
		fields[i] = field
	}
	return schema.NewGroupNode(name, repetition, fields, -1)
}

func parquetNode(c rowschema.Column) (schema.Node, error) {
	optional := parquet.Repetitions.Optional
	primitive := func(logical schema.LogicalType, stored parquet.Type) (schema.Node, error) {
		return schema.NewPrimitiveNodeLogical(c.Name, optional, logical, stored, -1, -1)
	}
	switch c.Kind {
	case rowschema.String:
		return primitive(schema.StringLogicalType{}, parquet.Types.ByteArray)
	case rowschema.Bool:
		return primitive(schema.NoLogicalType{}, parquet.Types.Boolean)
	case rowschema.Int32:
		return primitive(schema.NewIntLogicalType(32, true), parquet.Types.Int32)
	case rowschema.Int64:
		return primitive(schema.NewIntLogicalType(64, true), parquet.Types.Int64)
	case rowschema.Float64:
		return primitive(schema.NoLogicalType{}, parquet.Types.Double)
	case rowschema.Bytes:
		return primitive(schema.NoLogicalType{}, parquet.Types.ByteArray)
	case rowschema.List:
		element := *c.Elem
		element.Name = c.Name // the library renames it to element
		child, err := parquetNode(element)
		if err != nil {
			return nil, err
		}
		return schema.ListOf(child, optional, -1)
	}
	return parquetNodes(c.Name, optional, c.Fields)
}
