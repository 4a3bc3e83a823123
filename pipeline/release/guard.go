package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/xitongsys/parquet-go/parquet"
)

// Limits of what is decoded. A footer may claim anything, so that nothing it
// says is believed without them.
const (
	maxTableRows   = 1 << 24
	maxTableValues = 1 << 26
	maxPageBytes   = 64 << 20
)

// errColumns says that a table has other columns than this program writes.
var errColumns = errors.New("the columns are not the table's")

// guard walks a Parquet file and refuses whatever would make a decoder take
// memory or time out of proportion: the second reader trusts every length and
// count in a file, and a stranger's release may hold any. It accepts only what
// encodeTable writes: the table's columns, data pages of version 1, zstd or no
// compression, plain values.
func guard(data []byte, t table) error {
	footer, err := readFooter(data)
	if err != nil {
		return err
	}
	if err := checkColumns(footer.GetSchema(), t); err != nil {
		return err
	}
	if n := footer.GetNumRows(); n < 0 || n > maxTableRows {
		return fmt.Errorf("%d rows; at most %d are read", n, maxTableRows)
	}
	leaves := appendLeaves(nil, t.columns, nil, 0, 0)
	var rows, values int64
	for i, g := range footer.GetRowGroups() {
		if len(g.GetColumns()) != len(leaves) || g.GetNumRows() <= 0 {
			return fmt.Errorf("row group %d: %d columns and %d rows", i, len(g.GetColumns()), g.GetNumRows())
		}
		rows += g.GetNumRows()
		for j, c := range g.GetColumns() {
			n, err := guardChunk(data, c, leaves[j], g.GetNumRows())
			if err != nil {
				return fmt.Errorf("row group %d, column %s: %w", i, strings.Join(leaves[j].path, "."), err)
			}
			if values += n; values > maxTableValues {
				return fmt.Errorf("more than %d values", maxTableValues)
			}
		}
	}
	if rows != footer.GetNumRows() {
		return fmt.Errorf("row groups hold %d rows, the footer says %d", rows, footer.GetNumRows())
	}
	return nil
}

// readFooter decodes the footer under the limit that no list or string in it is
// longer than the footer.
func readFooter(data []byte) (*parquet.FileMetaData, error) {
	n := len(data)
	if n < 12 || string(data[:4]) != "PAR1" || string(data[n-4:]) != "PAR1" {
		return nil, errors.New("not a Parquet file")
	}
	size := uint32At(data[n-8:])
	if size == 0 || size > n-12 {
		return nil, fmt.Errorf("a footer of %d bytes does not fit", size)
	}
	footer := parquet.NewFileMetaData()
	if _, err := readThrift(footer, data[n-8-size:n-8]); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	return footer, nil
}

// readThrift decodes one value and returns how many bytes it took.
func readThrift(v interface {
	Read(context.Context, thrift.TProtocol) error
}, data []byte) (int, error) {
	buffer := &thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(data)}
	limit := &thrift.TConfiguration{MaxMessageSize: int32(min(len(data), maxPageBytes)), MaxFrameSize: int32(min(len(data), maxPageBytes))}
	err := v.Read(context.Background(), thrift.NewTCompactProtocolConf(buffer, limit))
	return len(data) - buffer.Len(), err
}

func checkColumns(elements []*parquet.SchemaElement, t table) error {
	var got []string
	for _, e := range elements {
		line := e.GetRepetitionType().String() + " " + e.GetName()
		if e.IsSetType() {
			line += " " + e.GetType().String()
		}
		if e.IsSetConvertedType() {
			line += " " + e.GetConvertedType().String()
		}
		if n := e.GetNumChildren(); n != 0 {
			line += fmt.Sprintf(" of %d", n)
		}
		got = append(got, line)
	}
	want := schemaLines(t)
	if !slices.Equal(got, want) {
		return fmt.Errorf("%w: they are\n%s\nwant\n%s", errColumns, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return nil
}

// schemaLines is the Parquet schema a table must have, written from the
// format's rules for nested types and not taken from the writer.
func schemaLines(t table) []string {
	lines := []string{fmt.Sprintf("REQUIRED schema of %d", len(t.columns))}
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
		return appendSchema(append(lines, head+" LIST of 1", "REPEATED list of 1"), *c.elem)
	}
	lines = append(lines, fmt.Sprintf("%s of %d", head, len(c.fields)))
	for _, f := range c.fields {
		lines = appendSchema(lines, f)
	}
	return lines
}

// leaf is one stored column: its place and its highest levels.
type leaf struct {
	path     []string
	kind     kind
	def, rep int
}

func appendLeaves(leaves []leaf, columns []column, path []string, def, rep int) []leaf {
	for _, c := range columns {
		here := append(path[:len(path):len(path)], c.name)
		switch c.kind {
		case kindList:
			leaves = appendLeaves(leaves, []column{*c.elem}, append(here, "list"), def+2, rep+1)
		case kindStruct, kindImage:
			leaves = appendLeaves(leaves, c.fields, here, def+1, rep)
		default:
			leaves = append(leaves, leaf{path: here, kind: c.kind, def: def + 1, rep: rep})
		}
	}
	return leaves
}

// physical is the stored type of a leaf.
func (k kind) physical() parquet.Type {
	switch k {
	case kindBool:
		return parquet.Type_BOOLEAN
	case kindInt32:
		return parquet.Type_INT32
	case kindInt64:
		return parquet.Type_INT64
	case kindFloat64:
		return parquet.Type_DOUBLE
	}
	return parquet.Type_BYTE_ARRAY
}
