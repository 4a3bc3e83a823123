package release

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/kit/parquetread"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/describe"

	"github.com/xitongsys/parquet-go/parquet"
)

// Limits of one file of a table. A footer may claim anything, so that nothing it
// says is believed without them. What is written stays far below them, see shards.
const (
	maxTableRows   = 1 << 24
	maxTableValues = 1 << 26
)

const rootName = "schema"

var errColumns = errors.New("the columns are not those that this memforge writes (a release is verified by the version of memforge that wrote it)")

// readRules allows tables as the common writers make them by default: data pages of
// version 1, zstd, snappy or no compression, plain values or numbers of a dictionary.
// encodeTable writes plain values, so a dictionary is inexact. A stranger's release may
// hold anything.
func readRules() parquetread.Rules {
	return parquetread.Rules{
		Codecs:       []parquet.CompressionCodec{parquet.CompressionCodec_ZSTD, parquet.CompressionCodec_SNAPPY, parquet.CompressionCodec_UNCOMPRESSED},
		Dictionaries: true, Rows: maxTableRows, Values: maxTableValues,
		Exact: true, Keys: []string{describe.FeaturesKey},
	}
}

// tableFile is a file of a table whose footer was checked.
type tableFile struct {
	*parquetread.File
	table        table
	dictionaries map[string]bool
	taken        int64 // of the budget by the footer
}

// openTable opens a file and refuses what would make the second reader take memory or
// time out of proportion, and other columns than the table's.
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

// declared returns the features that the file declares, if it does.
func (f tableFile) declared() (features string, ok bool) {
	for _, kv := range f.Footer.GetKeyValueMetadata() {
		if kv.GetKey() == describe.FeaturesKey {
			features, ok = kv.GetValue(), true
		}
	}
	return features, ok
}

// wrapDecode turns a panic of the decoder into an error, and names the table of any
// error.
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
		if i == 0 { // the name of the root says nothing of the rows
			root := *e
			root.Name, e = rootName, &root
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

// converted returns the meaning of a stored type. A whole number may leave it out: it is
// then signed and as wide as it is stored.
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

// sameMeaning reports whether the newer name of a type means the same as the older one:
// readers follow either.
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

// schemaLines returns the Parquet schema that a table must have, derived from the
// format's rules for nested types and not from the writer.
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

// DefaultInflated is how much the tables of a release may take once they are
// decoded: bytes uncompressed, and parquetread.ValueBytes for each value. Holding
// them takes up to four times that of memory.
const DefaultInflated = 768 << 20

// maxRatio bounds how many bytes a byte of a table may become where rows are not held:
// probes that answer much alike become a hundred.
const maxRatio = 512

// Unlimited is for releases that this program writes itself.
const Unlimited = math.MaxInt64

// MaxMedia is how many media a release holds: the lists that name every file are then as
// long as they are read.
const MaxMedia = 1_000_000

// TooManyMedia says what a release of so many media cannot hold; empty where it can.
func TooManyMedia(media float64) string {
	if media <= MaxMedia {
		return ""
	}
	return fmt.Sprintf("the release would hold %.0f media; at most %d are possible: make several releases", media, MaxMedia)
}

// Limits bound what reading a release may take. A file of some kilobytes may hold
// gigabytes of zeros, or millions of nulls, so that its size says nothing.
type Limits struct {
	// Inflated is for all tables together, DefaultInflated if it is 0; one file may
	// take half of it. Where the rows are not held, as by Verify, 0 allows more to
	// tables of many bytes, and no more to a row group: the time grows with them, and
	// not the memory.
	Inflated int64
}

// LimitError says that a release takes more to read than it may.
type LimitError struct {
	Path   string // inside the release
	Budget int64  // of the whole release
	Err    error
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: %v; a release may take %d bytes and one file half of them: if you trust who made it and have four times as much memory, allow more with --max-inflated", e.Path, e.Err, e.Budget)
}

func (e *LimitError) Unwrap() error { return e.Err }

// budget is what is left of the limits while a release is read; group is for one row
// group.
type budget struct{ all, left, group int64 }

func (l Limits) budget() *budget {
	n := l.Inflated
	if n <= 0 {
		n = DefaultInflated
	}
	return &budget{n, n, max(n/2, 1)}
}

// streaming returns the budget for tables of so many bytes of which no more than a row
// group is held.
func (l Limits) streaming(tables int64) *budget {
	b := l.budget()
	if l.Inflated <= 0 && tables < Unlimited/maxRatio {
		b.all = max(b.all, tables*maxRatio)
		b.left = b.all
	}
	return b
}

// groups gives the rows of a file, a row group at a time. Nothing is taken of memory
// before it was counted: neither bytes of the file nor a page of it. The error comes
// last: a file that is not just its rows gives them all with a
// *parquetread.InexactError behind them, and *LimitError says that there is no more
// budget. Callers check the file's digest first.
func (b *budget) groups(at io.ReaderAt, size int64, t table, path string) iter.Seq2[group, error] {
	return func(yield func(group, error) bool) {
		file := min(b.left, max(b.all/2, 1)) // what is left for the file
		f, err := openTable(at, size, t, min(file, b.group))
		file, b.left = file-f.taken, b.left-f.taken
		for i := 0; err == nil && i < f.Groups(); i++ {
			var rows []row
			var taken int64
			if rows, taken, err = f.group(i, min(file, b.group)); err != nil {
				break
			}
			file, b.left = file-taken, b.left-taken
			if !yield(group{f, rows}, nil) {
				return
			}
		}
		if err == nil && f.Groups() == 0 && !yield(group{file: f}, nil) {
			return
		}
		if err == nil {
			err = f.Exact()
		}
		var over *parquetread.BudgetError
		if errors.As(err, &over) {
			err = &LimitError{path, b.all, err}
		}
		if err != nil {
			yield(group{}, err)
		}
	}
}

// group are the rows of one row group, or none of a file without any.
type group struct {
	file tableFile
	rows []row
}

func openPart(dir, path string) (*os.File, int64, error) {
	f, err := atomicfile.Open(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

const maxText = 128 << 20

// readText reads a text of a release.
func readText(info Info, path string) ([]byte, error) {
	i, listed := info.Manifest.File(path)
	if !listed {
		return nil, info.checkDigest(path, "")
	}
	size := info.Manifest.Files[i].Size
	if size > maxText {
		return nil, damagedError(info.Dir, path, "has %d bytes; a text of a release has at most %d", size, maxText)
	}
	data, err := atomicfile.Read(filepath.Join(info.Dir, filepath.FromSlash(path)), size)
	if err != nil {
		return nil, fmt.Errorf("release %s: %w", info.Dir, err)
	}
	return data, info.checkDigest(path, pipeline.DigestOf(data))
}
