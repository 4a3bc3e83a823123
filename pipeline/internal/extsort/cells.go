package extsort

import (
	"encoding/binary"
	"math"
)

// What a cell begins with. A cell is as package shape says.
const (
	tagNull = iota
	tagFalse
	tagTrue
	tagString
	tagInt32
	tagInt64
	tagFloat64
	tagBytes
	tagList
)

// AppendRow appends the cells of a row. Rows have the same bytes if all their cells
// are of the same types and equal.
func AppendRow(b []byte, cells []any) []byte {
	b = binary.AppendUvarint(b, uint64(len(cells)))
	for _, c := range cells {
		b = appendCell(b, c)
	}
	return b
}

func appendCell(b []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		if v {
			return append(b, tagTrue)
		}
		return append(b, tagFalse)
	case string:
		return append(binary.AppendUvarint(append(b, tagString), uint64(len(v))), v...)
	case []byte:
		return append(binary.AppendUvarint(append(b, tagBytes), uint64(len(v))), v...)
	case int32:
		return binary.AppendVarint(append(b, tagInt32), int64(v))
	case int64:
		return binary.AppendVarint(append(b, tagInt64), v)
	case float64:
		return binary.BigEndian.AppendUint64(append(b, tagFloat64), math.Float64bits(v))
	case []any:
		return AppendRow(append(b, tagList), v)
	}
	return append(b, tagNull)
}

// DecodeRow returns the cells of bytes that AppendRow wrote.
func DecodeRow(b []byte) []any {
	cells, _ := cellsOf(b)
	return cells
}

func cellsOf(b []byte) ([]any, []byte) {
	n, size := binary.Uvarint(b)
	b = b[size:]
	out := make([]any, n)
	for i := range out {
		out[i], b = cellOf(b)
	}
	return out, b
}

func cellOf(b []byte) (any, []byte) {
	tag := b[0]
	b = b[1:]
	switch tag {
	case tagFalse, tagTrue:
		return tag == tagTrue, b
	case tagString, tagBytes:
		n, size := binary.Uvarint(b)
		text, rest := b[size:size+int(n)], b[size+int(n):]
		if tag == tagString {
			return string(text), rest
		}
		return append([]byte{}, text...), rest
	case tagInt32:
		n, size := binary.Varint(b)
		return int32(n), b[size:]
	case tagInt64:
		n, size := binary.Varint(b)
		return n, b[size:]
	case tagFloat64:
		return math.Float64frombits(binary.BigEndian.Uint64(b)), b[8:]
	case tagList:
		return cellsOf(b)
	}
	return nil, b
}

// AppendKey appends the cells that rows are ordered by: null before all else, texts
// by their bytes, whole numbers by value. All else is alike.
func AppendKey(b []byte, cells ...any) []byte {
	for _, c := range cells {
		switch c := c.(type) {
		case nil:
			b = append(b, 0)
		case string:
			b = appendText(append(b, 1), c)
		case int32:
			b = binary.BigEndian.AppendUint64(append(b, 1), uint64(c)^1<<63)
		case int64:
			b = binary.BigEndian.AppendUint64(append(b, 1), uint64(c)^1<<63)
		default:
			b = append(b, 1)
		}
	}
	return b
}

// appendText ends a text with what is less than any byte of one, so that a text
// comes before those that it begins.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if b = append(b, s[i]); s[i] == 0 {
			b = append(b, 0xff)
		}
	}
	return append(b, 0, 1)
}
