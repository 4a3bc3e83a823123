package parquetread

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/xitongsys/parquet-go/parquet"
)

func int32s(all ...int32) (out []byte) {
	for _, n := range all {
		out = binary.LittleEndian.AppendUint32(out, uint32(n))
	}
	return out
}

func doubles(all ...float64) (out []byte) {
	for _, n := range all {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(n))
	}
	return out
}

func floats(all ...float32) (out []byte) {
	for _, n := range all {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(n))
	}
	return out
}

func int64s(all ...int64) (out []byte) {
	for _, n := range all {
		out = binary.LittleEndian.AppendUint64(out, uint64(n))
	}
	return out
}

func texts(all ...string) (out []byte) {
	for _, s := range all {
		out = append(binary.LittleEndian.AppendUint32(out, uint32(len(s))), s...)
	}
	return out
}

// TestPlainValuesAreCounted and have the least and the greatest of them.
func TestPlainValuesAreCounted(t *testing.T) {
	for name, tc := range map[string]struct {
		kind        parquet.Type
		body        []byte
		n           int64
		least, most []byte // nil where the number differs
	}{
		"numbers":             {parquet.Type_INT32, int32s(3, -7, 5), 3, int32s(-7), int32s(5)},
		"one number less":     {parquet.Type_INT32, int32s(3, -7), 3, nil, nil},
		"one number more":     {parquet.Type_INT32, int32s(3, -7, 5), 2, nil, nil},
		"half a number":       {parquet.Type_INT32, int32s(3, 5)[:7], 1, nil, nil},
		"long numbers":        {parquet.Type_INT64, int64s(1<<40, -1), 2, int64s(-1), int64s(1 << 40)},
		"shares":              {parquet.Type_DOUBLE, doubles(0.5, -2, 1), 3, doubles(-2), doubles(1)},
		"short shares":        {parquet.Type_FLOAT, floats(0.5, -2, 1), 3, floats(-2), floats(1)},
		"texts":               {parquet.Type_BYTE_ARRAY, texts("b", "", "c"), 3, []byte{}, []byte("c")},
		"a text cut off":      {parquet.Type_BYTE_ARRAY, texts("b", "cd")[:10], 1, nil, nil},
		"a length cut off":    {parquet.Type_BYTE_ARRAY, append(texts("b"), 0, 0), 1, nil, nil},
		"a text less":         {parquet.Type_BYTE_ARRAY, texts("b"), 2, nil, nil},
		"flags":               {parquet.Type_BOOLEAN, []byte{0b0000_0010}, 3, []byte{0}, []byte{1}},
		"flags of two bytes":  {parquet.Type_BOOLEAN, []byte{0xff, 1}, 9, []byte{1}, []byte{1}},
		"flags of a byte":     {parquet.Type_BOOLEAN, []byte{0xff}, 8, []byte{1}, []byte{1}},
		"a byte of flags":     {parquet.Type_BOOLEAN, []byte{0xff, 0}, 8, nil, nil},
		"flags cut off":       {parquet.Type_BOOLEAN, []byte{0xff}, 9, nil, nil},
		"values of no number": {parquet.Type_INT96, int32s(1, 2, 3), 1, nil, nil},
	} {
		s := valueStats{kind: tc.kind, values: tc.n, present: tc.n}
		if ok := s.includePlain(tc.body); ok != (tc.least != nil) || ok && (!slices.Equal(s.least, tc.least) || !slices.Equal(s.most, tc.most)) {
			t.Errorf("%s: %t, from %v to %v, want %v to %v", name, ok, s.least, s.most, tc.least, tc.most)
		}
	}
	a := valueStats{kind: parquet.Type_INT32, values: 5, present: 3, least: int32s(2), most: int32s(4)}
	a.merge(&valueStats{values: 2, present: 1, least: int32s(-1), most: int32s(9)})
	a.merge(&valueStats{values: 4})
	if a.values != 11 || a.present != 4 || !slices.Equal(a.least, int32s(-1)) || !slices.Equal(a.most, int32s(9)) {
		t.Errorf("merged: %+v", a)
	}
}

// TestStatisticsAreTrue: what a chunk states of its values is what they are, or is not stated.
func TestStatisticsAreTrue(t *testing.T) {
	count := func(n int64) *int64 { return &n }
	texts := valueStats{kind: parquet.Type_BYTE_ARRAY, values: 5, present: 3, least: []byte("b"), most: []byte("d")}
	none := valueStats{kind: parquet.Type_INT32, values: 2}
	zeros := valueStats{kind: parquet.Type_DOUBLE, values: 1, present: 1, least: doubles(0), most: doubles(0)}
	for name, tc := range map[string]struct {
		of     valueStats
		stated *parquet.Statistics
		want   string
	}{
		"nothing":                 {texts, nil, ""},
		"empty":                   {texts, &parquet.Statistics{}, ""},
		"all of it":               {texts, &parquet.Statistics{NullCount: count(2), DistinctCount: count(3), MinValue: []byte("b"), MaxValue: []byte("d"), Min: []byte("b"), Max: []byte("d")}, ""},
		"other nulls":             {texts, &parquet.Statistics{NullCount: count(3)}, "3 nulls, there are 2"},
		"fewer distinct":          {texts, &parquet.Statistics{DistinctCount: count(0)}, ""},
		"more distinct":           {texts, &parquet.Statistics{DistinctCount: count(4)}, "4 distinct values, there are 3 at all"},
		"less than no value":      {texts, &parquet.Statistics{DistinctCount: count(-1)}, "-1 distinct values, there are 3 at all"},
		"a lower bound":           {texts, &parquet.Statistics{MinValue: []byte("a")}, `the least is "a", there is "b"`},
		"a higher least":          {texts, &parquet.Statistics{MinValue: []byte("c")}, `the least is "c", there is "b"`},
		"an upper bound":          {texts, &parquet.Statistics{MaxValue: []byte("e")}, `the greatest is "e", there is "d"`},
		"an old upper bound":      {texts, &parquet.Statistics{Max: []byte("e")}, `the greatest is "e", there is "d"`},
		"values where none is":    {none, &parquet.Statistics{MinValue: int32s(1), MaxValue: int32s(2)}, `values from "\x01\x00\x00\x00" to "\x02\x00\x00\x00", there are none`},
		"one value where none":    {none, &parquet.Statistics{MinValue: int32s(1), MaxValue: int32s(1)}, `values from "\x01\x00\x00\x00" to "\x01\x00\x00\x00", there are none`},
		"bounds of no value":      {none, &parquet.Statistics{MinValue: int32s(math.MaxInt32), MaxValue: int32s(math.MinInt32)}, ""},
		"bounds of no number":     {none, &parquet.Statistics{MinValue: []byte{2}, MaxValue: []byte{1}}, `values from "\x02" to "\x01", there are none`},
		"one bound of none":       {none, &parquet.Statistics{MinValue: int32s(1)}, `values from "\x01\x00\x00\x00" to "", there are none`},
		"a zero of other sign":    {zeros, &parquet.Statistics{MinValue: doubles(math.Copysign(0, -1)), MaxValue: doubles(0)}, ""},
		"a short zero":            {zeros, &parquet.Statistics{MinValue: []byte{0}}, `the least is "\x00", there is "\x00\x00\x00\x00\x00\x00\x00\x00"`},
		"values that are unknown": {valueStats{kind: parquet.Type_BYTE_ARRAY, values: 1, present: 1}, &parquet.Statistics{MinValue: []byte{}}, `the least is "", there is ""`},
	} {
		if got := tc.of.contradicts(tc.stated); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	for kind, want := range map[parquet.Type]int{parquet.Type_INT32: 4, parquet.Type_FLOAT: 4, parquet.Type_INT64: 8, parquet.Type_DOUBLE: 8, parquet.Type_BYTE_ARRAY: 0, parquet.Type_BOOLEAN: 0, parquet.Type_INT96: 0} {
		if got := widthOf(kind); got != want {
			t.Errorf("%s takes %d bytes, want %d", kind, got, want)
		}
	}
}

// TestEveryByteBelongsToAColumn, from behind the head of the file to the footer.
func TestEveryByteBelongsToAColumn(t *testing.T) {
	for name, tc := range map[string]struct {
		spans []span
		end   int64
		want  string
	}{
		"one behind the other": {[]span{{10, 20}, {4, 10}}, 20, ""},
		"no columns":           {nil, 4, ""},
		"before the first":     {[]span{{5, 20}}, 20, "1 bytes at 4 belong to no column"},
		"between two":          {[]span{{4, 10}, {12, 20}}, 20, "2 bytes at 10 belong to no column"},
		"behind the last":      {[]span{{4, 10}}, 13, "3 bytes at 10 belong to no column"},
		"twice":                {[]span{{4, 10}, {8, 20}}, 20, "-2 bytes at 10 belong to no column"},
	} {
		x := &exactness{spans: tc.spans}
		x.checkGaps(tc.end)
		got := ""
		if err := x.err(); err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestWhatAFooterHoldsBeside is found: what no reader of rows looks at, and what belongs to nothing.
func TestWhatAFooterHoldsBeside(t *testing.T) {
	text := func(s string) *string { return &s }
	pair := func(key string) *parquet.KeyValue { return &parquet.KeyValue{Key: key, Value: text("v")} }
	for name, tc := range map[string]struct {
		change func(f *parquet.FileMetaData)
		extra  []byte
		want   string
	}{
		"as it is":            {func(*parquet.FileMetaData) {}, nil, ""},
		"the known key":       {func(f *parquet.FileMetaData) { f.KeyValueMetadata = []*parquet.KeyValue{pair("known")} }, nil, ""},
		"a long creator":      {func(f *parquet.FileMetaData) { f.CreatedBy = text(strings.Repeat("x", maxCreator)) }, nil, ""},
		"a longer creator":    {func(f *parquet.FileMetaData) { f.CreatedBy = text(strings.Repeat("x", maxCreator+1)) }, nil, "names the program that wrote it with 257 bytes"},
		"another key":         {func(f *parquet.FileMetaData) { f.KeyValueMetadata = []*parquet.KeyValue{pair("other")} }, nil, `a text under "other", which belongs to nothing`},
		"the known key twice": {func(f *parquet.FileMetaData) { f.KeyValueMetadata = []*parquet.KeyValue{pair("known"), pair("known")} }, nil, `a text under "known", which belongs to nothing`},
		"an order": {func(f *parquet.FileMetaData) {
			f.RowGroups[0].SortingColumns = []*parquet.SortingColumn{{}}
		}, nil, "states an order of its rows"},
		"bytes behind it": {func(*parquet.FileMetaData) {}, []byte{1}, "holds more than is read of it"},
	} {
		f := &parquet.FileMetaData{Version: 1, RowGroups: []*parquet.RowGroup{parquet.NewRowGroup()}, Schema: []*parquet.SchemaElement{}}
		f.RowGroups[0].Columns = []*parquet.ColumnChunk{}
		tc.change(f)
		buffer := thrift.NewTMemoryBuffer()
		if err := f.Write(t.Context(), thrift.NewTCompactProtocolConf(buffer, &thrift.TConfiguration{})); err != nil {
			t.Fatal(err)
		}
		raw := append(buffer.Bytes(), tc.extra...)
		x := &exactness{spans: []span{{4, 30}}}
		x.footer(&File{Footer: f, raw: raw, size: 30 + 8 + int64(len(raw))}, []string{"known"})
		got := ""
		if err := x.err(); err != nil {
			got = err.Error()
		}
		if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	if err := (*exactness)(nil).err(); err != nil {
		t.Error(err)
	}
}

// TestWhatAColumnHoldsBeside is found, the first of it alone.
func TestWhatAColumnHoldsBeside(t *testing.T) {
	at := int64(1)
	for name, tc := range map[string]struct {
		change func(c *parquet.ColumnChunk, l *Leaf, s *valueStats)
		want   string
	}{
		"as it is":          {func(*parquet.ColumnChunk, *Leaf, *valueStats) {}, ""},
		"a value less":      {func(_ *parquet.ColumnChunk, _ *Leaf, s *valueStats) { s.values = 2 }, "column a.b has 2 values in 3 rows"},
		"a list":            {func(_ *parquet.ColumnChunk, l *Leaf, s *valueStats) { s.values, l.Rep = 5, 1 }, ""},
		"an index":          {func(c *parquet.ColumnChunk, _ *Leaf, _ *valueStats) { c.ColumnIndexOffset = &at }, "column a.b has an index of its pages, which is not checked"},
		"an index of pages": {func(c *parquet.ColumnChunk, _ *Leaf, _ *valueStats) { c.OffsetIndexOffset = &at }, "column a.b has an index of its pages, which is not checked"},
		"a filter":          {func(c *parquet.ColumnChunk, _ *Leaf, _ *valueStats) { c.MetaData.BloomFilterOffset = &at }, "column a.b has a filter of its values, which is not checked"},
		"texts": {func(c *parquet.ColumnChunk, _ *Leaf, _ *valueStats) {
			c.MetaData.KeyValueMetadata = []*parquet.KeyValue{{Key: "k"}}
		}, "column a.b has texts beside its values, which belong to nothing"},
		"nulls": {func(c *parquet.ColumnChunk, _ *Leaf, _ *valueStats) {
			c.MetaData.Statistics = &parquet.Statistics{NullCount: &at}
		}, "the statistics of column a.b are not true: 1 nulls, there are 0"},
	} {
		c, l, s := &parquet.ColumnChunk{MetaData: parquet.NewColumnMetaData()}, Leaf{Path: []string{"a", "b"}}, valueStats{values: 3, present: 3}
		tc.change(c, &l, &s)
		x := &exactness{}
		x.column(c, l, 3, span{4, 9}, &s)
		x.note("a second finding")
		got := x.err().Error()
		if got != tc.want && !(tc.want == "" && got == "a second finding") || len(x.spans) != 1 || x.spans[0] != (span{4, 9}) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
		(*exactness)(nil).column(c, l, 3, span{4, 9}, &s)
	}
}
