package release

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/manifest"

	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/thrift/lib/go/thrift"
	"github.com/xitongsys/parquet-go/parquet"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/parquetread"
)

// parts are a Parquet file in two: pages, and the footer.
type parts struct {
	pages  []byte
	footer *parquet.FileMetaData
	behind []byte // within the footer's length
}

func takeApart(t *testing.T, data []byte) *parts {
	t.Helper()
	f, err := parquetread.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	size := int(binary.LittleEndian.Uint32(data[len(data)-8:]))
	return &parts{pages: bytes.Clone(data[:len(data)-8-size]), footer: f.Footer}
}

func (p *parts) put(t *testing.T) []byte {
	t.Helper()
	footer := append(encodeThrift(t, p.footer), p.behind...)
	out := append(bytes.Clone(p.pages), footer...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(footer))), "PAR1"...)
}

func encodeThrift(t *testing.T, v interface {
	Write(context.Context, thrift.TProtocol) error
}) []byte {
	t.Helper()
	b := thrift.NewTMemoryBuffer()
	if err := v.Write(t.Context(), thrift.NewTCompactProtocolConf(b, &thrift.TConfiguration{})); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// column is a column chunk of the first row group.
func (p *parts) column(t *testing.T, name string) *parquet.ColumnChunk {
	t.Helper()
	for _, c := range p.footer.RowGroups[0].Columns {
		if strings.Join(c.MetaData.PathInSchema, ".") == name {
			return c
		}
	}
	t.Fatalf("no column %s", name)
	return nil
}

// page changes the header of a column's first page and its bytes; what grows must
// be of the last column.
func (p *parts) page(t *testing.T, name string, change func(*parquet.PageHeader, []byte) []byte) {
	t.Helper()
	m := p.column(t, name).MetaData
	head := parquet.NewPageHeader()
	buffer := &thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(p.pages[m.DataPageOffset:])}
	if err := head.Read(t.Context(), thrift.NewTCompactProtocolConf(buffer, &thrift.TConfiguration{})); err != nil {
		t.Fatal(err)
	}
	from := int64(len(p.pages) - buffer.Len())
	to := from + int64(head.CompressedPageSize)
	now := change(head, bytes.Clone(p.pages[from:to]))
	all := slices.Concat(p.pages[:m.DataPageOffset], encodeThrift(t, head), now, p.pages[to:])
	if m.TotalCompressedSize += int64(len(all) - len(p.pages)); len(all) != len(p.pages) && to != int64(len(p.pages)) {
		t.Fatalf("the page of %s grew and is not the last", name)
	}
	p.pages = all
}

// TestVerifyFindsWhatIsNotTheRows: statistics that are not true, and bytes that
// belong to nothing, in a file of which every row is right. It is one finding.
func TestVerifyFindsWhatIsNotTheRows(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 24)
	whole := write(t, store, t.TempDir(), in).Dir
	place := tablePath(tableQuestions, "test")
	data := files(t, whole)[place]
	const last = "revisions.list.element.model"
	offset, no := int64(4), int64(0)
	for name, tc := range map[string]struct {
		change func(t *testing.T, p *parts)
		want   string
	}{
		"a greatest value": {func(t *testing.T, p *parts) { p.column(t, "answer_key").MetaData.Statistics.MaxValue = []byte("A") }, "statistics of column answer_key"},
		"a least value":    {func(t *testing.T, p *parts) { p.column(t, "answer_key").MetaData.Statistics.MinValue = []byte("C") }, "statistics of column answer_key"},
		"a number": {func(t *testing.T, p *parts) {
			p.column(t, "evidence.list.element.order").MetaData.Statistics = &parquet.Statistics{Max: []byte{9, 0, 0, 0}}
		}, "statistics of column evidence.list.element.order"},
		"a value of nothing": {func(t *testing.T, p *parts) { p.column(t, "checkpoint_id").MetaData.Statistics.NullCount = &no }, "statistics of column checkpoint_id"},
		"distinct values": {func(t *testing.T, p *parts) {
			many := int64(99)
			p.column(t, "answer_key").MetaData.Statistics.DistinctCount = &many
		}, "statistics of column answer_key"},
		"an index of pages": {func(t *testing.T, p *parts) { p.column(t, "answer_key").ColumnIndexOffset = &offset }, "an index of its pages"},
		"a filter":          {func(t *testing.T, p *parts) { p.column(t, "answer_key").MetaData.BloomFilterOffset = &offset }, "a filter of its values"},
		"an order": {func(t *testing.T, p *parts) {
			p.footer.RowGroups[0].SortingColumns = []*parquet.SortingColumn{{ColumnIdx: 7}}
		}, "an order of its rows"},
		"bytes behind pages":  {func(t *testing.T, p *parts) { p.pages = append(p.pages, make([]byte, 100_000)...) }, "100000 bytes at"},
		"bytes in the footer": {func(t *testing.T, p *parts) { p.behind = []byte("hidden") }, "holds more than is read"},
		"a text in the footer": {func(t *testing.T, p *parts) {
			p.footer.KeyValueMetadata = append(p.footer.KeyValueMetadata, &parquet.KeyValue{Key: "notes"})
		}, `a text under "notes"`},
		"the features twice": {func(t *testing.T, p *parts) {
			p.footer.KeyValueMetadata = append(p.footer.KeyValueMetadata, p.footer.KeyValueMetadata...)
		}, "which belongs to nothing"},
		"a text of a column": {func(t *testing.T, p *parts) {
			p.column(t, "answer_key").MetaData.KeyValueMetadata = []*parquet.KeyValue{{Key: "notes"}}
		}, "texts beside its values"},
		"a creator": {func(t *testing.T, p *parts) { long := strings.Repeat("x", 300); p.footer.CreatedBy = &long }, "with 300 bytes"},
		"a page's statistics": {func(t *testing.T, p *parts) {
			p.page(t, "answer_key", func(h *parquet.PageHeader, page []byte) []byte {
				h.DataPageHeader.Statistics.MaxValue = []byte("A")
				return page
			})
		}, "statistics of a page of column answer_key"},
		"a frame behind a page": {func(t *testing.T, p *parts) {
			p.page(t, last, func(h *parquet.PageHeader, page []byte) []byte {
				hidden := append([]byte{0x50, 0x2a, 0x4d, 0x18, 6, 0, 0, 0}, "hidden"...)
				h.CompressedPageSize += int32(len(hidden))
				return append(page, hidden...)
			})
		}, "compressed with something behind it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "r")
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			p := takeApart(t, data)
			tc.change(t, p)
			overwrite(t, dir, place, p.put(t))
			reseal(t, dir, nil)
			_, err := Verify(t.Context(), dir)
			var damaged *DamagedError
			if !errors.As(err, &damaged) || len(damaged.Problems) != 1 || damaged.Problems[0].Path != place ||
				!strings.Contains(damaged.Problems[0].Detail, "its rows can be read") || !strings.Contains(damaged.Problems[0].Detail, tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

// TestVerifyTakesAnotherLayout: small pages without compression or statistics hold
// the same rows.
func TestVerifyTakesAnotherLayout(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 24)
	dir := write(t, store, t.TempDir(), in).Dir
	place, tab := tablePath(tableQuestions, "test"), tableOf(tableQuestions)
	rows, _, err := readTable(files(t, dir)[place], tab)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := layOut(&b, tab, rows, arrowparquet.WithDataPageSize(64), arrowparquet.WithStats(false), arrowparquet.WithCreatedBy("another")); err != nil {
		t.Fatal(err)
	}
	overwrite(t, dir, place, b.Bytes())
	reseal(t, dir, nil)
	mustVerify(t, dir)
}

func layOut(w io.Writer, t table, rows []row, props ...arrowparquet.WriterProperty) error {
	root, err := parquetNodes("schema", arrowparquet.Repetitions.Required, t.columns)
	if err != nil {
		return err
	}
	props = append([]arrowparquet.WriterProperty{arrowparquet.WithDictionaryDefault(false)}, props...)
	group := newRowGroup(t.columns)
	for _, r := range rows {
		group.add(r)
	}
	fw := file.NewParquetWriter(w, root, file.WithWriterProps(arrowparquet.NewWriterProperties(props...)))
	return errors.Join(group.flush(fw), fw.Close())
}

// TestNullsStandWhereTheWriterPutsThem exchanges every empty value of a release for
// a null, and every null for an empty value: records say the same, queries do not.
func TestNullsStandWhereTheWriterPutsThem(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 24)
	v, err := Limits{}.verify(t.Context(), write(t, store, t.TempDir(), in).Dir)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, tab := range tables() {
		for i, r := range slices.Collect(v.each(tab)) {
			for j, c := range tab.columns {
				for _, now := range exchanged(c, r[j]) {
					forged := slices.Clone(r)
					forged[j] = now
					tried++
					if tab.nonCanonical(forged) == "" {
						t.Errorf("%s, row %d, column %s: %#v passes for %#v", tab.name, i, c.Name, now, r[j])
					}
				}
			}
		}
	}
	if tried < 300 {
		t.Errorf("only %d values were exchanged", tried)
	}
}

// exchanged are the forms of a value in which one part is null for empty, or empty
// for null.
func exchanged(c rowschema.Column, v any) (out []any) {
	empty := map[rowschema.Kind]any{rowschema.String: "", rowschema.Bool: false, rowschema.Int32: int32(0), rowschema.Int64: int64(0), rowschema.Float64: 0.0, rowschema.Bytes: []byte{}, rowschema.List: []any{}}[c.Kind]
	if v == nil {
		if empty != nil {
			out = append(out, empty)
		}
		return out
	}
	if rowschema.EqualCells(v, empty) {
		return append(out, nil)
	}
	nested, _ := v.([]any)
	for i, part := range nested {
		of := c.Elem
		if c.Kind != rowschema.List {
			of = &c.Fields[i]
		}
		for _, now := range exchanged(*of, part) {
			all := slices.Clone(nested)
			all[i] = now
			out = append(out, all)
		}
	}
	return out
}

// TestManifestIsInItsOneForm: keys twice or in other letters say nothing to this
// program, and something to another one.
func TestManifestIsInItsOneForm(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 12)
	dir := write(t, store, t.TempDir(), in).Dir
	data := files(t, dir)[manifest.FileName]
	for name, change := range map[string][2]string{
		"a key twice":           {`  "name": "demo",`, `  "name": "other", "name": "demo",`},
		"a key in capitals":     {`  "name": "demo",`, `  "NAME": "other", "name": "demo",`},
		"a key in its place":    {`  "name": "demo",`, `  "Name": "demo",`},
		"a key of the format":   {`"format": 3,`, `"format": 2.0e0,`},
		"an empty value stated": {`  "name": "demo",`, `  "name": "demo", "title": null,`},
	} {
		now := bytes.Replace(data, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(now, data) {
			t.Fatalf("%s: %q is not in it", name, change[0])
		}
		overwrite(t, dir, manifest.FileName, now)
		sums := files(t, dir)[manifest.SumsName]
		overwrite(t, dir, manifest.SumsName, bytes.Replace(sums, sums[bytes.Index(sums, []byte("  "+manifest.FileName))-64:][:64], []byte(pipeline.DigestOf(now)), 1))
		finds(t, dir, manifest.FileName, "")
		overwrite(t, dir, manifest.SumsName, sums)
	}
}

// TestTypesHaveOneMeaning: the newer name of a type is what other readers show.
func TestTypesHaveOneMeaning(t *testing.T) {
	t.Parallel()
	data := encode(t, tableOf(tableVerdicts), nil)
	if _, err := openTable(bytes.NewReader(data), int64(len(data)), tableOf(tableVerdicts), Unlimited); err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]*parquet.LogicalType{
		"item": {JSON: &parquet.JsonType{}}, "calls_made": {DATE: &parquet.DateType{}}, "calls_full": {INTEGER: &parquet.IntType{BitWidth: 32}},
	} {
		p := takeApart(t, data)
		for _, e := range p.footer.Schema {
			if e.Name == name {
				e.LogicalType = other
			}
		}
		data := p.put(t)
		if _, err := openTable(bytes.NewReader(data), int64(len(data)), tableOf(tableVerdicts), Unlimited); !errors.Is(err, errColumns) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
