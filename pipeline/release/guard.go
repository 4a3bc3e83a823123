package release

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/xitongsys/parquet-go/parquet"

	"github.com/memforge/memforge/pipeline/parquetrows"
)

// Limits of what is decoded. A footer may claim anything, so that nothing it
// says is believed without them.
const (
	maxTableRows   = 1 << 24
	maxTableValues = 1 << 26
)

// errColumns says that a table has other columns than this program writes.
var errColumns = errors.New("the columns are not the table's")

// rules are those of the files that encodeTable writes: data pages of version
// 1, zstd or no compression, plain values. A stranger's release may hold
// anything.
func rules() parquetrows.Rules {
	return parquetrows.Rules{
		Codecs: []parquet.CompressionCodec{parquet.CompressionCodec_ZSTD, parquet.CompressionCodec_UNCOMPRESSED},
		Rows:   maxTableRows, Values: maxTableValues,
	}
}

// guard refuses whatever would make the second reader take memory or time out
// of proportion, and other columns than the table's.
func guard(data []byte, t table) error {
	footer, err := parquetrows.Footer(data)
	if err != nil {
		return err
	}
	if err := checkColumns(footer.GetSchema(), t); err != nil {
		return err
	}
	return rules().Guard(data, footer, appendLeaves(nil, t.columns, nil, 0, 0), nil)
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

func appendLeaves(leaves []parquetrows.Leaf, columns []column, path []string, def, rep int) []parquetrows.Leaf {
	for _, c := range columns {
		here := append(path[:len(path):len(path)], c.name)
		switch c.kind {
		case kindList:
			leaves = appendLeaves(leaves, []column{*c.elem}, append(here, "list"), def+2, rep+1)
		case kindStruct, kindImage:
			leaves = appendLeaves(leaves, c.fields, here, def+1, rep)
		default:
			leaves = append(leaves, parquetrows.Leaf{Path: here, Type: c.kind.physical(), Def: def + 1, Rep: rep})
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
