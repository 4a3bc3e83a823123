package parquetread_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/memforge/memforge/pipeline/kit/parquetread"
	"github.com/memforge/memforge/pipeline/testkit/parquetfile"
)

// TestFilesOfDuckDB reads what an independent writer made: 700 rows, texts as
// dictionaries, lists with null elements, columns of other types beside them.
func TestFilesOfDuckDB(t *testing.T) {
	for _, name := range []string{"duckdb-snappy.parquet", "duckdb-zstd.parquet"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		table, err := parquetread.Read(data, []string{"name", "maybe"}, []string{"tags"})
		if err != nil || table.Rows != 700 {
			t.Fatalf("%s: %d rows, error %v", name, table.Rows, err)
		}
		for i := range table.Rows {
			maybe, tags := "", "[]"
			if i%2 == 0 {
				maybe = "x"
			}
			if i%3 != 0 {
				tags = fmt.Sprintf("[é%d  ]", i%5)
			}
			if table.Text("name", i) != fmt.Sprintf("row %d", i/7) || table.Text("maybe", i) != maybe || fmt.Sprint(table.List("tags", i)) != tags {
				t.Fatalf("%s: row %d: %q %q %q", name, i, table.Text("name", i), table.Text("maybe", i), table.List("tags", i))
			}
		}
	}
}

// written makes a file as the Arrow libraries do by default, which is how the
// hub's datasets are stored.
func written(t testing.TB, rows int, opts ...parquet.WriterProperty) []byte {
	t.Helper()
	var all []map[string]any
	for i := range rows {
		row := map[string]any{"video_id": fmt.Sprint(i / 3), "videoID": "same", "n": i}
		if i%10 == 9 {
			row["video_id"] = nil
		}
		var options []string
		for j := range i % 4 {
			options = append(options, fmt.Sprintf("%c. %d", 'A'+j, i))
		}
		row["options"] = options
		all = append(all, row)
	}
	return parquetfile.Write(t, []parquetfile.Column{
		{Name: "video_id", Kind: parquetfile.Text}, {Name: "videoID", Kind: parquetfile.Text, Required: true},
		parquetfile.ListOf("options", parquetfile.Text), {Name: "n", Kind: parquetfile.Int64, Required: true},
	}, 100, all, opts...)
}

func TestFilesOfArrow(t *testing.T) {
	for name, opts := range map[string][]parquet.WriterProperty{
		"dictionary and snappy": nil,
		"plain":                 {parquet.WithDictionaryDefault(false)},
		"zstd":                  {parquet.WithCompression(compress.Codecs.Zstd)},
		"none":                  {parquet.WithCompression(compress.Codecs.Uncompressed)},
		"small pages":           {parquet.WithDataPageSize(64), parquet.WithBatchSize(4)},
		"dictionary too large":  {parquet.WithDictionaryPageSizeLimit(64)},
	} {
		table, err := parquetread.Read(written(t, 250, opts...), []string{"video_id", "videoID"}, []string{"options"})
		if err != nil || table.Rows != 250 {
			t.Errorf("%s: %d rows, error %v", name, table.Rows, err)
			continue
		}
		for i := range 250 {
			id := fmt.Sprint(i / 3)
			if i%10 == 9 {
				id = ""
			}
			if table.Text("video_id", i) != id || table.Text("videoID", i) != "same" || len(table.List("options", i)) != i%4 {
				t.Fatalf("%s: row %d: %q %q %v", name, i, table.Text("video_id", i), table.Text("videoID", i), table.List("options", i))
			}
		}
	}
	table, err := parquetread.Read(written(t, 0), []string{"video_id"}, nil)
	if err != nil || table.Rows != 0 {
		t.Errorf("no rows: %d, %v", table.Rows, err)
	}
}

func TestReadRefuses(t *testing.T) {
	good := written(t, 20)
	tests := []struct {
		want         string
		data         []byte
		texts, lists []string
	}{
		{"not a Parquet file", nil, nil, nil},
		{"not a Parquet file", []byte("<html>PAR1 and more"), nil, nil},
		{`no column is called "VideoID"`, good, []string{"VideoID"}, nil},
		{`"n" holds no text`, good, []string{"n"}, nil},
		{"want a text in each row", good, []string{"options"}, nil},
		{"want a list of texts", good, nil, []string{"videoID"}},
		{"compression GZIP", written(t, 20, parquet.WithCompression(compress.Codecs.Gzip)), []string{"videoID"}, nil},
		{"DATA_PAGE_V2", written(t, 20, parquet.WithDataPageVersion(parquet.DataPageV2)), []string{"videoID"}, nil},
	}
	for _, tt := range tests {
		if _, err := parquetread.Read(tt.data, tt.texts, tt.lists); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}

// TestDamage flips a bit of every byte, or of every fifth, and cuts the file: no panic leaves Read,
// and what it returns has the rows it says.
func TestDamage(t *testing.T) {
	for name, data := range map[string][]byte{
		"snappy": written(t, 40), "zstd": written(t, 40, parquet.WithCompression(compress.Codecs.Zstd)), "none": written(t, 40, parquet.WithCompression(compress.Codecs.Uncompressed)),
	} {
		failed := 0
		for i := range data {
			if name != "snappy" && i%5 > 0 {
				continue
			}
			bad := bytes.Clone(data)
			bad[i] ^= 1 << (i % 8)
			if !tryRead(t, bad) {
				failed++
			}
			if i%7 == 0 && tryRead(t, data[:i]) {
				t.Fatalf("%s: cut at byte %d: no error", name, i)
			}
		}
		if failed == 0 {
			t.Errorf("%s: no flip of %d is an error", name, len(data))
		}
		t.Logf("%s: %d flips are errors", name, failed)
	}
}

func tryRead(t *testing.T, data []byte) bool {
	t.Helper()
	table, err := parquetread.Read(data, []string{"video_id", "videoID"}, []string{"options"})
	if err != nil {
		return false
	}
	for i := range table.Rows {
		_, _, _ = table.Text("video_id", i), table.Text("videoID", i), table.List("options", i)
	}
	return true
}

func FuzzRead(f *testing.F) {
	f.Add(written(f, 12))
	f.Add(written(f, 12, parquet.WithDictionaryDefault(false), parquet.WithCompression(compress.Codecs.Uncompressed)))
	f.Fuzz(func(t *testing.T, data []byte) { tryRead(t, data) })
}

// TestATextInEveryRowIsCounted reads a dictionary of one long text that every
// row names: the file is small, what comes of it is not.
func TestATextInEveryRowIsCounted(t *testing.T) {
	root := schema.FieldList{schema.NewByteArrayNode("text", parquet.Repetitions.Required, -1)}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, root, -1)))
	column, err := w.AppendRowGroup().NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	texts := slices.Repeat([]parquet.ByteArray{bytes.Repeat([]byte("x"), 64<<10)}, 20_000)
	if _, err := column.(*file.ByteArrayColumnChunkWriter).WriteBatch(texts, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 1<<20 {
		t.Fatalf("%d bytes: the text is not in a dictionary", out.Len())
	}
	var over *parquetread.BudgetError
	if _, err := parquetread.Read(out.Bytes(), []string{"text"}, nil); !errors.As(err, &over) {
		t.Errorf("error %v; want one of the budget", err)
	}
}
