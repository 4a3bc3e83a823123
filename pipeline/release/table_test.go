package release

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/manifest"

	"golang.org/x/sync/errgroup"
)

// wideRow has every kind of column, nested as deep as any real table.
type wideRow struct {
	ID    string   `json:"id"`
	Flag  bool     `json:"flag"`
	Small int32    `json:"small"`
	Large int64    `json:"large"`
	Real  float64  `json:"real"`
	Words []string `json:"words"`
	Parts []struct {
		A    string   `json:"a"`
		N    int32    `json:"n"`
		Tags []string `json:"tags"`
	} `json:"parts"`
	One struct {
		Layout string  `json:"layout"`
		Frames []int64 `json:"frames"`
		Inner  []struct {
			X string `json:"x"`
			Y int64  `json:"y"`
		} `json:"inner"`
	} `json:"one"`
	Picture *rowschema.Picture `json:"picture"`
}

func wideTable() table { return newTable[wideRow]("wide", "id") }

func adversarialRows() []row {
	big := strings.Repeat("long text, ", 100_000)
	return []row{
		{"a", nil, nil, nil, nil, nil, nil, nil, nil},
		{"b", true, int32(math.MinInt32), int64(math.MaxInt64), math.SmallestNonzeroFloat64, []any{}, []any{},
			[]any{nil, []any{}, []any{}}, []any{nil, nil}},
		{"c", false, int32(0), int64(0), math.Copysign(0, -1), []any{nil, "", nil},
			[]any{nil, []any{"x", nil, []any{}}, []any{nil, int32(7), []any{nil, "t", ""}}, []any{nil, nil, nil}},
			[]any{"", nil, []any{nil, []any{"", int64(-1)}, []any{nil, nil}}}, []any{[]byte{0, 255, 0}, "p"}},
		{"d", true, int32(1), int64(-1), math.MaxFloat64, []any{"\u0000", "Ω≈ç√ 漢字 👩‍👩‍👧", "\u202eabc", "\"\\\n\t'<script>"},
			[]any{}, nil, []any{[]byte{}, ""}},
		{"e", nil, nil, nil, nil, []any{big, big}, nil, []any{big, []any{int64(1), nil, int64(3)}, nil}, nil},
	}
}

func encode(t *testing.T, tab table, rows []row) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encodeTable(&b, tab, slices.Values(rows)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTripThroughTheSecondReader(t *testing.T) {
	t.Parallel()
	tab, rows := wideTable(), adversarialRows()
	more := 3000
	if testing.Short() {
		more = 300
	}
	for i := range more {
		rows = append(rows, row{fmt.Sprintf("f%06d", i), i%3 == 0, int32(i), int64(i) << 33, float64(i) / 7,
			[]any{strings.Repeat("w", i%50)}, []any{[]any{"a", int32(i), []any{}}}, nil, []any{bytes.Repeat([]byte{byte(i)}, 20_000), "p"}})
	}
	data := encode(t, tab, rows)
	got, meta, err := readTable(data, tab)
	if err != nil {
		t.Fatal(err)
	}
	if err := compareRows(tab, rows, got); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(meta, `{"info":{"features":{"id":{"dtype":"string","_type":"Value"},"flag"`) {
		t.Errorf("footer features: %s", meta)
	}
	if again := encode(t, tab, rows); !bytes.Equal(data, again) {
		t.Error("writing the same rows twice gave different bytes")
	}
}

func TestEveryReleaseTableRoundTripsEmpty(t *testing.T) {
	t.Parallel()
	for _, tab := range append(tables(), tableOf(tableFiles)) {
		got, _, err := readTable(encode(t, tab, nil), tab)
		if err != nil || len(got) != 0 {
			t.Errorf("%s: %d rows, error %v", tab.name, len(got), err)
		}
	}
}

func TestSecondReaderFindsEveryAlteredCell(t *testing.T) {
	t.Parallel()
	tab, rows := wideTable(), adversarialRows()
	got, _, err := readTable(encode(t, tab, rows), tab)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		for j := range tab.columns {
			kept := got[i][j]
			got[i][j] = "altered"
			if err := compareRows(tab, rows, got); err == nil {
				t.Errorf("row %d, column %s: the alteration went unnoticed", i, tab.columns[j].Name)
			}
			got[i][j] = kept
		}
	}
	if err := compareRows(tab, rows, got[:len(got)-1]); err == nil {
		t.Error("a missing row went unnoticed")
	}
	nullForEmpty := []row{{"x", nil, nil, nil, nil, []any{}, nil, nil, nil}}
	emptyForNull := []row{{"x", nil, nil, nil, nil, nil, nil, nil, nil}}
	if compareRows(tab, nullForEmpty, emptyForNull) == nil {
		t.Error("null and empty list compare equal")
	}
}

func TestValuesThatAreRefused(t *testing.T) {
	t.Parallel()
	tab := wideTable()
	base := func() row { return append(row(nil), adversarialRows()[0]...) }
	cases := map[string]func(row){
		"not a finite number":  func(r row) { r[4] = math.NaN() },
		"+Inf":                 func(r row) { r[4] = math.Inf(1) },
		"not valid UTF-8":      func(r row) { r[0] = "a\xff" },
		"does not fit":         func(r row) { r[2] = int64(1) },
		"1 fields, want 3":     func(r row) { r[6] = []any{[]any{"a"}} },
		"column words: column": func(r row) { r[5] = []any{1.5} },
	}
	for want, spoil := range cases {
		r := base()
		spoil(r)
		err := encodeTable(&bytes.Buffer{}, tab, slices.Values([]row{r}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, have %v", want, err)
		}
	}
}

var errDisk = errors.New("no space left on device")

// fullDisk accepts n bytes.
type fullDisk struct{ n int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.n {
		n := d.n
		d.n = 0
		return n, errDisk
	}
	d.n -= len(p)
	return len(p), nil
}

func TestFullDiskIsAnErrorAtEveryByte(t *testing.T) {
	t.Parallel()
	tab, rows := wideTable(), adversarialRows()[:4]
	size := len(encode(t, tab, rows))
	for n := 0; n < size; n += 1 + size/60 {
		if err := encodeTable(&fullDisk{n: n}, tab, slices.Values(rows)); !errors.Is(err, errDisk) {
			t.Fatalf("disk full after %d of %d bytes: error %v", n, size, err)
		}
	}
	if err := encodeTable(&fullDisk{n: size - 1}, tab, slices.Values(rows)); !errors.Is(err, errDisk) {
		t.Fatalf("last byte missing: error %v", err)
	}
}

// TestTablesWrittenAtOnceDoNotMix also fails under the race detector when the
// Parquet writer shares pages between files.
func TestTablesWrittenAtOnceDoNotMix(t *testing.T) {
	t.Parallel()
	tab, rows := wideTable(), adversarialRows()[:4]
	want := encode(t, tab, rows)
	var group errgroup.Group
	for range 4 {
		group.Go(func() error {
			for range 20 {
				var b bytes.Buffer
				if err := encodeTable(&b, tab, slices.Values(rows)); err != nil {
					return err
				}
				if !bytes.Equal(b.Bytes(), want) {
					return errors.New("other bytes than alone")
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

// TestLongStatisticsLeaveNothingBetweenColumns: the library's writer lets 4,096 bytes
// of a column's metadata slip in behind its pages where the metadata is longer than
// that, which two long texts as bounds make it.
func TestLongStatisticsLeaveNothingBetweenColumns(t *testing.T) {
	t.Parallel()
	flat := table{name: "flat", columns: []rowschema.Column{{Name: "text"}, {Name: "n", Kind: rowschema.Int64}}}
	deep := table{name: "deep", columns: []rowschema.Column{deepest(8)}}
	for _, tab := range []table{flat, deep} {
		most := int(statsBytes(tab))
		for _, size := range [][2]int{{most, most}, {most, most + 1}, {most + 1, most}, {most + 1, most + 1}, {2100, 2100}, {4096, 4096}, {1, 4096}, {5000, 5000}} {
			texts := []string{strings.Repeat("a", size[0]), "b", strings.Repeat("c", size[1])}
			var rows []row
			for i := range 9 {
				rows = append(rows, row{deepValue(tab.columns[0], texts[i%3]), int64(i)}[:len(tab.columns)])
			}
			data := encode(t, tab, rows)
			got, _, err := readTable(data, tab)
			if err != nil {
				t.Errorf("%s, texts of %d and %d bytes: %v", tab.name, size[0], size[1], err)
				continue
			}
			if err := compareRows(tab, rows, got); err != nil {
				t.Error(err)
			}
			s := takeApart(t, data).footer.RowGroups[0].Columns[0].MetaData.Statistics
			if least, greatest := s.MinValue != nil, s.MaxValue != nil; least != (size[0] <= most) || greatest != (size[1] <= most) {
				t.Errorf("%s, texts of %d and %d bytes: least value stated %v, greatest %v; up to %d are", tab.name, size[0], size[1], least, greatest, most)
			}
		}
	}
}

// deepest is a text as deep in a table, and under names as long, as a plugin may
// declare one.
func deepest(depth int) rowschema.Column {
	name := strings.Repeat("n", 63)
	if depth == 1 {
		return rowschema.Column{Name: name}
	}
	return rowschema.Column{Name: name, Kind: rowschema.Struct, Fields: []rowschema.Column{deepest(depth - 1)}}
}

func deepValue(c rowschema.Column, text string) any {
	if c.Kind == rowschema.String {
		return text
	}
	return []any{deepValue(c.Fields[0], text)}
}

// TestTablesAreReadBack writes a table that the second Parquet implementation
// cannot tell rows of, since two columns have one name, and asks for other values
// than were written.
func TestTablesAreReadBack(t *testing.T) {
	n := rowschema.Column{Name: "n", Kind: rowschema.Int64}
	once, twice := table{name: "once", columns: []rowschema.Column{n}}, table{name: "twice", columns: []rowschema.Column{n, n}}
	w := &writer{temp: t.TempDir()}
	put := func(tab table, wrote, expected []row) error {
		file, _, err := w.writeTable(tab, tab.name+".parquet", slices.Values(wrote))
		if err != nil {
			t.Fatal(err)
		}
		return w.readBack(t.Context(), tab, []manifest.FileInfo{file}, slices.Values(expected))
	}
	if err := put(once, []row{{int64(1)}}, []row{{int64(1)}}); err != nil {
		t.Fatal(err)
	}
	if err := put(twice, []row{{int64(1), int64(2)}}, []row{{int64(1), int64(2)}}); err == nil || !strings.Contains(err.Error(), "read back") {
		t.Errorf("a table that does not read back: %v", err)
	}
	for want, expected := range map[string][]row{
		"wrote 2, the second reader finds 1": {{int64(2)}}, "finds no more": {{int64(1)}, {int64(1)}}, "finds more": {},
	} {
		w.temp = t.TempDir()
		if err := put(once, []row{{int64(1)}}, expected); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a table with other values: %v, want %q", err, want)
		}
	}
}
