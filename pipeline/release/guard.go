package release

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/describe"

	"github.com/xitongsys/parquet-go/parquet"

	"github.com/memforge/memforge/pipeline/kit/parquetread"
)

// Limits of one file of a table. A footer may claim anything, so that nothing it
// says is believed without them. What is written stays far below them, see shards.
const (
	maxTableRows   = 1 << 24
	maxTableValues = 1 << 26
)

// rootName is what the writer calls the root of a schema.
const rootName = "schema"

// errColumns says that a table has other columns than this program writes.
var errColumns = errors.New("the columns are not those that this memforge writes (a release is verified by the version of memforge that wrote it)")

// readRules are those of tables as the common writers make them by default: data
// pages of version 1, zstd, snappy or no compression, values that are plain or
// numbers of a dictionary. encodeTable writes plain ones, so that a dictionary is
// inexact. A stranger's release may hold anything.
func readRules() parquetread.Rules {
	return parquetread.Rules{
		Codecs:       []parquet.CompressionCodec{parquet.CompressionCodec_ZSTD, parquet.CompressionCodec_SNAPPY, parquet.CompressionCodec_UNCOMPRESSED},
		Dictionaries: true, Rows: maxTableRows, Values: maxTableValues,
		Exact: true, Keys: []string{describe.FeaturesKey},
	}
}

// tableFile is a file of a table, of which guard has passed the footer.
type tableFile struct {
	*parquetread.File
	table        table
	dictionaries map[string]bool
	taken        int64 // of the budget by the footer
}

// openTable opens a file and refuses whatever would make the second reader take memory
// or time out of proportion, and other columns than the table's.
func openTable(at io.ReaderAt, size int64, t table, budget int64) (f tableFile, err error) {
	defer t.wrapDecode(&err)
	file, err := parquetread.Open(at, size)
	if err != nil {
		return f, err
	}
	if err := checkColumns(file.Footer.GetSchema(), t); err != nil {
		return f, err
	}
	taken, err := file.CheckFooter(readRules(), parquetread.LeavesOf(t.columns), nil, budget)
	return tableFile{file, t, file.Dictionaries(), taken}, err
}

// group decodes a row group within a budget and returns how much of it that takes.
func (f tableFile) group(i int, budget int64) (rows []row, taken int64, err error) {
	defer f.table.wrapDecode(&err)
	g, err := f.LoadGroup(i, budget)
	if err != nil {
		return nil, 0, err
	}
	return g.Nested(f.table.columns, f.dictionaries, budget)
}

// declared is the features that the file declares, if it does.
func (f tableFile) declared() (features string, ok bool) {
	for _, kv := range f.Footer.GetKeyValueMetadata() {
		if kv.GetKey() == describe.FeaturesKey {
			features, ok = kv.GetValue(), true
		}
	}
	return features, ok
}

// wrapDecode turns a panic of the decoder into an error, and names the table of any.
func (t table) wrapDecode(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged file: %v", p)
	}
	if *err != nil {
		*err = fmt.Errorf("decode table %s: %w", t.name, *err)
	}
}

func checkColumns(elements []*parquet.SchemaElement, t table) error {
	var got []string
	for i, e := range elements {
		if i == 0 {
			e = rootOf(e)
		}
		line := e.GetRepetitionType().String() + " " + e.GetName()
		if e.IsSetType() {
			line += " " + e.GetType().String()
		}
		if meaning := converted(e); meaning != "" {
			line += " " + meaning
		}
		if e.IsSetLogicalType() && !sameMeaning(e.GetLogicalType(), e) {
			line += " shown as " + e.GetLogicalType().String()
		}
		if n := e.GetNumChildren(); n != 0 {
			line += fmt.Sprintf(" of %d", n)
		}
		got = append(got, line)
	}
	want := schemaLines(t)
	if !slices.Equal(got, want) {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		return fmt.Errorf("%w: of %d parts number %d is %q, want %d with %q", errColumns, len(got), i+1, strings.Join(got[i:min(i+1, len(got))], ""), len(want), strings.Join(want[i:min(i+1, len(want))], ""))
	}
	return nil
}

// rootOf is the root of a schema without its name, which says nothing of the rows.
func rootOf(e *parquet.SchemaElement) *parquet.SchemaElement {
	root := *e
	root.Name = rootName
	return &root
}

// converted is what a stored type means. Of a whole number the name may be left
// out: without it, it is signed and as wide as it is stored.
func converted(e *parquet.SchemaElement) string {
	switch {
	case e.IsSetConvertedType():
		return e.GetConvertedType().String()
	case e.IsSetType() && e.GetType() == parquet.Type_INT32 && !e.IsSetLogicalType():
		return parquet.ConvertedType_INT_32.String()
	case e.IsSetType() && e.GetType() == parquet.Type_INT64 && !e.IsSetLogicalType():
		return parquet.ConvertedType_INT_64.String()
	}
	return ""
}

// sameMeaning reports whether the newer name of a type says what the older one
// does: readers follow either.
func sameMeaning(l *parquet.LogicalType, e *parquet.SchemaElement) bool {
	if !e.IsSetConvertedType() {
		return false
	}
	i := l.INTEGER
	switch e.GetConvertedType() {
	case parquet.ConvertedType_UTF8:
		return l.STRING != nil
	case parquet.ConvertedType_LIST:
		return l.LIST != nil
	case parquet.ConvertedType_INT_32:
		return i != nil && i.IsSigned && i.BitWidth == 32
	case parquet.ConvertedType_INT_64:
		return i != nil && i.IsSigned && i.BitWidth == 64
	}
	return false
}

// schemaLines is the Parquet schema a table must have, written from the
// format's rules for nested types and not taken from the writer.
func schemaLines(t table) []string {
	lines := []string{fmt.Sprintf("REQUIRED %s of %d", rootName, len(t.columns))}
	for _, c := range t.columns {
		lines = appendSchema(lines, c)
	}
	return lines
}

func appendSchema(lines []string, c rowschema.Column) []string {
	head := "OPTIONAL " + c.Name
	switch c.Kind {
	case rowschema.List:
		return appendSchema(append(lines, head+" LIST of 1", "REPEATED list of 1"), *c.Elem)
	case rowschema.Struct, rowschema.Image:
		lines = append(lines, fmt.Sprintf("%s of %d", head, len(c.Fields)))
		for _, f := range c.Fields {
			lines = appendSchema(lines, f)
		}
		return lines
	}
	return append(lines, head+" "+parquetread.TypeOf(c.Kind).String()+convertedName(c.Kind))
}

// convertedName returns what a stored type means, behind a blank, if it is not plain.
func convertedName(k rowschema.Kind) string {
	switch k {
	case rowschema.String:
		return " UTF8"
	case rowschema.Int32:
		return " INT_32"
	case rowschema.Int64:
		return " INT_64"
	}
	return ""
}
