package parquetread

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/xitongsys/parquet-go/parquet"
)

// InexactError says that the rows of a file can be read, and that it is not just
// these rows: another program may skip rows because of a statistic that is not
// true, and bytes that belong to nothing may be anything.
type InexactError struct{ Detail string }

func (e *InexactError) Error() string { return e.Detail }

type span struct{ from, to int64 }

// exactness collects what Rules.Exact asks; it is nil without.
type exactness struct {
	spans []span
	found *InexactError
}

// note keeps the first finding: those behind it often follow from it.
func (x *exactness) note(format string, args ...any) {
	if x.found == nil {
		x.found = &InexactError{fmt.Sprintf(format, args...)}
	}
}

func (x *exactness) err() error {
	if x == nil || x.found == nil {
		return nil
	}
	return x.found
}

// maxCreator bounds the name of the program that a footer states.
const maxCreator = 256

// footer checks the parts of a footer that no reader of rows looks at.
func (x *exactness) footer(file *File, keys []string) {
	f := file.Footer
	if !encodesTo(f, file.raw) {
		x.note("its footer holds more than is read of it")
	}
	if n := len(f.GetCreatedBy()); n > maxCreator {
		x.note("its footer names the program that wrote it with %d bytes", n)
	}
	seen := map[string]bool{}
	for _, kv := range f.GetKeyValueMetadata() {
		if !slices.Contains(keys, kv.GetKey()) || seen[kv.GetKey()] {
			x.note("its footer holds a text under %.40q, which belongs to nothing", kv.GetKey())
		}
		seen[kv.GetKey()] = true
	}
	for _, g := range f.GetRowGroups() {
		if len(g.GetSortingColumns()) > 0 {
			x.note("it states an order of its rows, which is not checked")
		}
	}
	x.checkGaps(file.size - 8 - int64(len(file.raw)))
}

// checkGaps finds bytes between columns, before the first and behind the last.
func (x *exactness) checkGaps(end int64) {
	slices.SortFunc(x.spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	at := int64(len("PAR1"))
	for _, s := range append(x.spans, span{end, end}) {
		if s.from != at {
			x.note("%d bytes at %d belong to no column", s.from-at, at)
			return
		}
		at = s.to
	}
}

// column checks what the footer states of a column chunk.
func (x *exactness) column(c *parquet.ColumnChunk, l Leaf, rows int64, s span, t *valueStats) {
	if x == nil {
		return
	}
	x.spans = append(x.spans, s)
	m := c.GetMetaData()
	name := strings.Join(l.Path, ".")
	switch {
	case l.Rep == 0 && t.values != rows:
		x.note("column %s has %d values in %d rows", name, t.values, rows)
	case c.ColumnIndexOffset != nil || c.OffsetIndexOffset != nil:
		x.note("column %s has an index of its pages, which is not checked", name)
	case m.BloomFilterOffset != nil:
		x.note("column %s has a filter of its values, which is not checked", name)
	case len(m.GetKeyValueMetadata()) > 0:
		x.note("column %s has texts beside its values, which belong to nothing", name)
	}
	if why := t.contradicts(m.GetStatistics()); why != "" {
		x.note("the statistics of column %s are not true: %s", name, why)
	}
}

// encodesTo reports whether data is the encoding of a value and nothing more.
func encodesTo(v interface {
	Write(context.Context, thrift.TProtocol) error
}, data []byte) bool {
	buffer := thrift.NewTMemoryBuffer()
	err := v.Write(context.Background(), thrift.NewTCompactProtocolConf(buffer, &thrift.TConfiguration{}))
	return err == nil && bytes.Equal(buffer.Bytes(), data)
}

// valueStats are the facts that statistics state about the values of a page or column
// chunk.
type valueStats struct {
	kind            parquet.Type
	values, present int64
	least, most     []byte // plain; nil without a value
}

func (t *valueStats) merge(o *valueStats) {
	t.values += o.values
	if o.least != nil {
		t.include(o.least)
		t.include(o.most)
	}
	t.present += o.present
}

func (t *valueStats) include(v []byte) {
	if t.least == nil || less(t.kind, v, t.least) {
		t.least = v
	}
	if t.most == nil || less(t.kind, t.most, v) {
		t.most = v
	}
}

// includePlain adds plain values; false says that their number differs from the count.
func (t *valueStats) includePlain(body []byte) bool {
	width := widthOf(t.kind)
	var n int64
	switch {
	case t.kind == parquet.Type_BOOLEAN:
		for ; n < t.present && n/8 < int64(len(body)); n++ {
			t.include([]byte{body[n/8] >> (n % 8) & 1})
		}
		return n == t.present && int64(len(body)) == (n+7)/8
	case t.kind == parquet.Type_BYTE_ARRAY:
		for ; len(body) >= 4 && uint32At(body) <= len(body)-4; n++ {
			size := 4 + uint32At(body)
			t.include(body[4:size:size])
			body = body[size:]
		}
	case width > 0:
		for ; len(body) >= width; n++ {
			t.include(body[:width])
			body = body[width:]
		}
	default:
		return false
	}
	return n == t.present && len(body) == 0
}

// widthOf returns how many bytes a number takes, 0 for other types.
func widthOf(kind parquet.Type) int {
	switch kind {
	case parquet.Type_INT32, parquet.Type_FLOAT:
		return 4
	case parquet.Type_INT64, parquet.Type_DOUBLE:
		return 8
	}
	return 0
}

// less orders plain values as statistics do: texts by their bytes.
func less(kind parquet.Type, a, b []byte) bool {
	switch kind {
	case parquet.Type_INT32:
		return int32(binary.LittleEndian.Uint32(a)) < int32(binary.LittleEndian.Uint32(b))
	case parquet.Type_INT64:
		return int64(binary.LittleEndian.Uint64(a)) < int64(binary.LittleEndian.Uint64(b))
	case parquet.Type_FLOAT:
		return math.Float32frombits(binary.LittleEndian.Uint32(a)) < math.Float32frombits(binary.LittleEndian.Uint32(b))
	case parquet.Type_DOUBLE:
		return math.Float64frombits(binary.LittleEndian.Uint64(a)) < math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return bytes.Compare(a, b) < 0
}

// contradicts says where statistics differ from the values; missing statistics are true.
func (t *valueStats) contradicts(s *parquet.Statistics) string {
	if s == nil {
		return ""
	}
	if s.NullCount != nil && *s.NullCount != t.values-t.present {
		return fmt.Sprintf("%d nulls, there are %d", *s.NullCount, t.values-t.present)
	}
	if n := s.DistinctCount; n != nil && (*n < 0 || *n > t.present) {
		return fmt.Sprintf("%d distinct values, there are %d at all", *n, t.present)
	}
	for _, r := range [][2][]byte{{s.MinValue, s.MaxValue}, {s.Min, s.Max}} {
		switch least, most := r[0], r[1]; {
		case t.present == 0 && !t.empty(least, most):
			return fmt.Sprintf("values from %.40q to %.40q, there are none", least, most)
		case t.present > 0 && least != nil && !t.same(least, t.least):
			return fmt.Sprintf("the least is %.40q, there is %.40q", least, t.least)
		case t.present > 0 && most != nil && !t.same(most, t.most):
			return fmt.Sprintf("the greatest is %.40q, there is %.40q", most, t.most)
		}
	}
	return ""
}

// empty reports whether bounds state no value: they are missing, or the wrong way round,
// as the writer leaves them.
func (t *valueStats) empty(least, most []byte) bool {
	if len(least) == 0 && len(most) == 0 {
		return true
	}
	return len(least) == len(most) && (t.kind == parquet.Type_BYTE_ARRAY || len(least) == max(widthOf(t.kind), 1)) && less(t.kind, most, least)
}

func (t *valueStats) same(a, b []byte) bool {
	if b == nil || t.kind != parquet.Type_BYTE_ARRAY && len(a) != len(b) {
		return false
	}
	// Two zeros of unlike sign are the same number.
	return !less(t.kind, a, b) && !less(t.kind, b, a)
}
