// Package parquetfile writes Parquet files as the hub's datasets are written, for tests. It
// is apart from pipelinetest so that not every test links the library.
package parquetfile

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
)

// PictureType is how the hub stores a picture in a column.
func PictureType() arrow.DataType {
	return arrow.StructOf(
		arrow.Field{Name: "bytes", Type: arrow.BinaryTypes.Binary, Nullable: true},
		arrow.Field{Name: "path", Type: arrow.BinaryTypes.String, Nullable: true},
	)
}

// Write writes rows as the hub's datasets are written, group rows to a row group. A
// row has a value for each column by name; bytes are []byte.
func Write(t testing.TB, columns []arrow.Field, group int64, rows []map[string]any) []byte {
	t.Helper()
	text, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	schema := arrow.NewSchema(columns, nil)
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer record.Release()
	var out bytes.Buffer
	opts := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDictionaryDefault(true), parquet.WithMaxRowGroupLength(group))
	w, err := pqarrow.NewFileWriter(schema, &out, opts, pqarrow.DefaultWriterProps())
	if err == nil {
		err = w.WriteBuffered(record)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
