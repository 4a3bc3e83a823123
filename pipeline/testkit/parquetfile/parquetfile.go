// Package parquetfile writes Parquet files as the hub's datasets are written, for tests. It
// goes without Arrow's own records: what turns them into columns takes half a minute to
// compile.
package parquetfile

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// Kind says what a column holds.
type Kind string

// The kinds of columns.
const (
	Text         Kind = "text"
	Bytes        Kind = "bytes"
	Bool         Kind = "bool"
	Int32        Kind = "int32"
	Int64        Kind = "int64"
	Float32      Kind = "float32"
	Milliseconds Kind = "milliseconds"
	List         Kind = "list"   // of what Of has
	Struct       Kind = "struct" // of the fields in Of
)

// Column is one of a file. A column that is not Required may hold nil.
type Column struct {
	Name     string
	Kind     Kind
	Required bool
	Of       []Column
}

// ListOf returns a column of lists whose elements may be nil.
func ListOf(name string, kind Kind, fields ...Column) Column {
	return Column{Name: name, Kind: List, Of: []Column{{Name: "element", Kind: kind, Of: fields}}}
}

// Picture returns the fields of a column of pictures, as the hub stores them.
func Picture() []Column { return []Column{{Name: "bytes", Kind: Bytes}, {Name: "path", Kind: Text}} }

// Write writes rows as the hub's datasets are written, group rows to a row group. A
// row has a value for each column by name; bytes are []byte.
func Write(t testing.TB, columns []Column, group int, rows []map[string]any, opts ...parquet.WriterProperty) []byte {
	t.Helper()
	text, err := json.Marshal(rows)
	var plain []any
	if err == nil {
		err = json.Unmarshal(text, &plain)
	}
	if err != nil {
		t.Fatal(err)
	}
	nodes := make(schema.FieldList, len(columns))
	for i, c := range columns {
		nodes[i] = c.node(t)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(properties(opts)))
	all := Column{Kind: Struct, Required: true, Of: columns}
	for some := range slices.Chunk(plain, group) {
		leaves := make([]leaf, w.Schema.NumColumns())
		for _, row := range some {
			if _, err := all.shred(leaves, row, 0, 0, 0); err != nil {
				t.Fatal(err)
			}
		}
		into := w.AppendRowGroup()
		for _, l := range leaves {
			column, err := into.NextColumn()
			if err == nil {
				err = l.write(column)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// properties are those by which most writers write: through dictionaries, in pages packed
// with snappy.
func properties(opts []parquet.WriterProperty) *parquet.WriterProperties {
	return parquet.NewWriterProperties(append([]parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDictionaryDefault(true)}, opts...)...)
}

func (c Column) node(t testing.TB) schema.Node {
	t.Helper()
	repetition := parquet.Repetitions.Optional
	if c.Required {
		repetition = parquet.Repetitions.Required
	}
	var node schema.Node
	var err error
	primitive := func(logical schema.LogicalType, stored parquet.Type) {
		node, err = schema.NewPrimitiveNodeLogical(c.Name, repetition, logical, stored, -1, -1)
	}
	switch c.Kind {
	case Text:
		primitive(schema.StringLogicalType{}, parquet.Types.ByteArray)
	case Bytes:
		primitive(schema.NoLogicalType{}, parquet.Types.ByteArray)
	case Bool:
		primitive(schema.NoLogicalType{}, parquet.Types.Boolean)
	case Int32:
		primitive(schema.NewIntLogicalType(32, true), parquet.Types.Int32)
	case Int64:
		primitive(schema.NewIntLogicalType(64, true), parquet.Types.Int64)
	case Float32:
		primitive(schema.NoLogicalType{}, parquet.Types.Float)
	case Milliseconds:
		primitive(schema.NewTimestampLogicalType(true, schema.TimeUnitMillis), parquet.Types.Int64)
	case List:
		node, err = schema.ListOfWithName(c.Name, c.Of[0].node(t), repetition, -1)
	case Struct:
		fields := make(schema.FieldList, len(c.Of))
		for i, f := range c.Of {
			fields[i] = f.node(t)
		}
		node, err = schema.NewGroupNode(c.Name, repetition, fields, -1)
	}
	if err != nil {
		t.Fatalf("column %s: %v", c.Name, err)
	}
	return node
}

// leaf holds what a stored column gets: values, and a level of definition and of
// repetition for each place.
type leaf struct {
	def, rep []int16
	values   []any
}

// shred appends a value to the first leaves, those of its column, and returns the rest.
func (c Column) shred(leaves []leaf, v any, def, rep, lists int16) (rest []leaf, err error) {
	here := def
	if v != nil && !c.Required {
		here++
	}
	switch c.Kind {
	case List:
		elements, _ := v.([]any)
		if len(elements) == 0 {
			return c.Of[0].shred(leaves, nil, here, rep, lists+1)
		}
		for _, e := range elements {
			if rest, err = c.Of[0].shred(leaves, e, here+1, rep, lists+1); err != nil {
				return nil, err
			}
			rep = lists + 1
		}
		return rest, nil
	case Struct:
		fields, _ := v.(map[string]any)
		for _, f := range c.Of {
			if leaves, err = f.shred(leaves, fields[f.Name], here, rep, lists); err != nil {
				return nil, err
			}
		}
		return leaves, nil
	}
	l := &leaves[0]
	l.def, l.rep = append(l.def, here), append(l.rep, rep)
	if v == nil {
		return leaves[1:], nil
	}
	stored, err := c.stored(v)
	l.values = append(l.values, stored)
	return leaves[1:], err
}

// stored is a value of JSON as a column stores it.
func (c Column) stored(v any) (any, error) {
	number, _ := v.(float64)
	text, _ := v.(string)
	switch c.Kind {
	case Text:
		return parquet.ByteArray(text), nil
	case Bytes:
		data, err := base64.StdEncoding.DecodeString(text)
		return parquet.ByteArray(data), err
	case Bool:
		return v.(bool), nil
	case Int32:
		return int32(number), nil
	case Float32:
		return float32(number), nil
	}
	return int64(number), nil
}

func (l leaf) write(column file.ColumnChunkWriter) (err error) {
	def, rep := l.def, l.rep
	if column.Descr().MaxDefinitionLevel() == 0 {
		def = nil
	}
	if column.Descr().MaxRepetitionLevel() == 0 {
		rep = nil
	}
	switch w := column.(type) {
	case *file.BooleanColumnChunkWriter:
		_, err = w.WriteBatch(typed[bool](l.values), def, rep)
	case *file.Int32ColumnChunkWriter:
		_, err = w.WriteBatch(typed[int32](l.values), def, rep)
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(typed[int64](l.values), def, rep)
	case *file.Float32ColumnChunkWriter:
		_, err = w.WriteBatch(typed[float32](l.values), def, rep)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(typed[float64](l.values), def, rep)
	case *file.ByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(typed[parquet.ByteArray](l.values), def, rep)
	default:
		err = fmt.Errorf("column %s has a type that tests do not write", column.Descr().Path())
	}
	return err
}

func typed[T any](values []any) []T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = v.(T)
	}
	return out
}

// Rewrite writes a file anew, with the same columns and rows, as other writers do.
func Rewrite(t testing.TB, data []byte) []byte {
	t.Helper()
	r, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, r.MetaData().Schema.Root(), file.WithWriterProps(properties(nil)))
	for g := range r.NumRowGroups() {
		from, into := r.RowGroup(g), w.AppendRowGroup()
		for c := range r.MetaData().Schema.NumColumns() {
			column, err := from.Column(c)
			if err != nil {
				t.Fatal(err)
			}
			l, err := read(column)
			if err != nil {
				t.Fatal(err)
			}
			next, err := into.NextColumn()
			if err == nil {
				err = l.write(next)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func read(column file.ColumnChunkReader) (leaf, error) {
	switch r := column.(type) {
	case *file.BooleanColumnChunkReader:
		return readAll(r.ReadBatch)
	case *file.Int32ColumnChunkReader:
		return readAll(r.ReadBatch)
	case *file.Int64ColumnChunkReader:
		return readAll(r.ReadBatch)
	case *file.Float64ColumnChunkReader:
		return readAll(r.ReadBatch)
	case *file.ByteArrayColumnChunkReader:
		return readAll(r.ReadBatch)
	}
	return leaf{}, fmt.Errorf("column %s has a type that tests do not read", column.Descriptor().Path())
}

func readAll[T any](batch func(int64, []T, []int16, []int16) (int64, int, error)) (l leaf, err error) {
	for {
		values, def, rep := make([]T, 1024), make([]int16, 1024), make([]int16, 1024)
		places, n, err := batch(1024, values, def, rep)
		if err != nil || places == 0 {
			return l, err
		}
		l.def, l.rep = append(l.def, def[:places]...), append(l.rep, rep[:places]...)
		for _, v := range values[:n] {
			l.values = append(l.values, v)
		}
	}
}
