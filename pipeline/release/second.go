package release

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/xitongsys/parquet-go/common"
	"github.com/xitongsys/parquet-go/parquet"
	"github.com/xitongsys/parquet-go/reader"
	"github.com/xitongsys/parquet-go/source"
)

// readTable decodes a Parquet file with an implementation that shares no code
// with the writer. It decodes column by column in this goroutine, because the
// library's row reader drops decoding errors and panics where they cannot be
// recovered. Callers check the file's digest first.
func readTable(data []byte, t table) (rows []row, keyValues map[string]string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("decode table %s: damaged file: %v", t.name, p)
		}
	}()
	if len(data) < 12 || string(data[:4]) != "PAR1" || string(data[len(data)-4:]) != "PAR1" {
		return nil, nil, fmt.Errorf("decode table %s: not a Parquet file", t.name)
	}
	pr, err := reader.NewParquetColumnReader(&memoryFile{Reader: bytes.NewReader(data), data: data}, 1)
	if err != nil {
		return nil, nil, fmt.Errorf("decode table %s: footer: %w", t.name, err)
	}
	if err := checkFooter(pr, t, int64(len(data))); err != nil {
		return nil, nil, fmt.Errorf("decode table %s: %w", t.name, err)
	}
	streams := make([]*stream, 0, len(t.columns))
	for _, c := range t.columns {
		part, err := readStreams(pr, c, []string{pr.SchemaHandler.GetRootExName()}, 0, 0)
		if err != nil {
			return nil, nil, fmt.Errorf("decode table %s: column %s: %w", t.name, c.name, err)
		}
		streams = append(streams, part)
	}
	rows, err = assembleRows(t, streams, pr.GetNumRows())
	if err != nil {
		return nil, nil, fmt.Errorf("decode table %s: %w", t.name, err)
	}
	keyValues = map[string]string{}
	for _, kv := range pr.Footer.GetKeyValueMetadata() {
		keyValues[kv.GetKey()] = kv.GetValue()
	}
	return rows, keyValues, nil
}

// checkFooter compares the file's schema with the table's and refuses sizes
// that the file cannot have.
func checkFooter(pr *reader.ParquetReader, t table, size int64) error {
	got := make([]string, 0, len(pr.SchemaHandler.SchemaElements))
	for i, e := range pr.SchemaHandler.SchemaElements {
		got = append(got, elementLine(pr.SchemaHandler.Infos[i].ExName, e))
	}
	want := schemaLines(t)
	if len(got) == 0 || strings.Join(got[1:], "\n") != strings.Join(want, "\n") {
		return fmt.Errorf("%w: they are\n%s\nwant\n%s", errColumns, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n := pr.GetNumRows(); n < 0 || n > maxTableRows {
		return fmt.Errorf("%d rows; at most %d are read", n, maxTableRows)
	}
	var rows int64
	for i, g := range pr.Footer.GetRowGroups() {
		rows += g.GetNumRows()
		for _, c := range g.GetColumns() {
			m := c.GetMetaData()
			if c.FilePath != nil || m == nil || m.GetTotalCompressedSize() < 0 || m.GetTotalCompressedSize() > size {
				return fmt.Errorf("row group %d: a column chunk does not lie in the file", i)
			}
			if m.GetTotalUncompressedSize() > maxGroupBytes {
				return fmt.Errorf("row group %d: a column chunk of %d bytes; at most %d are read", i, m.GetTotalUncompressedSize(), int64(maxGroupBytes))
			}
		}
	}
	if rows != pr.GetNumRows() {
		return fmt.Errorf("row groups hold %d rows, the footer says %d", rows, pr.GetNumRows())
	}
	return nil
}

// errColumns says that a table has other columns than this program writes.
var errColumns = errors.New("the columns are not the table's")

// Limits of what is decoded: a footer may claim anything.
const (
	maxTableRows  = 1 << 28
	maxGroupBytes = 64 << 20
)

func elementLine(name string, e *parquet.SchemaElement) string {
	line := e.GetRepetitionType().String() + " " + name
	if e.IsSetType() {
		line += " " + e.GetType().String()
	}
	if e.IsSetConvertedType() {
		line += " " + e.GetConvertedType().String()
	}
	return line
}

// schemaLines is the Parquet schema a table must have, written from the
// format's rules for nested types and not taken from the writer.
func schemaLines(t table) []string {
	var lines []string
	for _, c := range t.columns {
		lines = appendSchema(lines, c)
	}
	return lines
}

func appendSchema(lines []string, c column) []string {
	head := "OPTIONAL " + c.name
	switch c.kind {
	case kindString:
		return append(lines, head+" BYTE_ARRAY UTF8")
	case kindBytes:
		return append(lines, head+" BYTE_ARRAY")
	case kindBool:
		return append(lines, head+" BOOLEAN")
	case kindInt32:
		return append(lines, head+" INT32 INT_32")
	case kindInt64:
		return append(lines, head+" INT64 INT_64")
	case kindFloat64:
		return append(lines, head+" DOUBLE")
	case kindList:
		return appendSchema(append(lines, head+" LIST", "REPEATED list"), *c.elem)
	}
	lines = append(lines, head)
	for _, f := range c.fields {
		lines = appendSchema(lines, f)
	}
	return lines
}

// stream holds the decoded leaves of one column: values with their repetition
// and definition levels.
type stream struct {
	column      column
	values      []any
	reps, defs  []int32
	next        int
	parts       []*stream // of structs and lists
	presentFrom int32     // definition level from which the column is not null
	level       int32     // repetition level of a list's further elements
}

// readStreams decodes the leaves below c, which lies under def optional or
// repeated and rep repeated elements.
func readStreams(pr *reader.ParquetReader, c column, path []string, def, rep int32) (*stream, error) {
	path = append(path[:len(path):len(path)], c.name)
	s := &stream{column: c, presentFrom: def + 1, level: rep + 1}
	switch c.kind {
	case kindList:
		inner := append(path[:len(path):len(path)], "list")
		part, err := readStreams(pr, *c.elem, inner, def+2, rep+1)
		if err != nil {
			return nil, err
		}
		s.parts = []*stream{part}
		return s, nil
	case kindStruct, kindImage:
		for _, f := range c.fields {
			part, err := readStreams(pr, f, path, def+1, rep)
			if err != nil {
				return nil, err
			}
			s.parts = append(s.parts, part)
		}
		return s, nil
	}
	if pr.GetNumRows() == 0 {
		return s, nil
	}
	var err error
	s.values, s.reps, s.defs, err = pr.ReadColumnByPath(common.PathToStr(path), pr.GetNumRows())
	return s, err
}

// memoryFile is a Parquet file in memory, as the library wants it.
type memoryFile struct {
	*bytes.Reader
	data []byte
}

var errReadOnly = errors.New("a table that is verified is never written")

func (f *memoryFile) Write([]byte) (int, error) { return 0, errReadOnly }
func (f *memoryFile) Close() error              { return nil }

func (f *memoryFile) Create(string) (source.ParquetFile, error) { return nil, errReadOnly }

// Open returns another cursor on the same file. A name would lead out of it.
func (f *memoryFile) Open(name string) (source.ParquetFile, error) {
	if name != "" {
		return nil, fmt.Errorf("the table refers to another file %q", name)
	}
	return &memoryFile{Reader: bytes.NewReader(f.data), data: f.data}, nil
}

var _ io.Seeker = (*memoryFile)(nil)
