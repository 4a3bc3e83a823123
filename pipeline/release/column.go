package release

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// kind is the type of a column or of a part of one.
type kind int

const (
	kindString kind = iota
	kindBool
	kindInt32
	kindInt64
	kindFloat64
	kindBytes
	kindList
	kindStruct
	// kindImage is a struct of bytes and path, which viewers show as a picture.
	kindImage
)

// column is one column of a table, or one field of a struct, or the element of
// a list. Every column is nullable.
type column struct {
	name   string
	kind   kind
	elem   *column  // of a list
	fields []column // of a struct or image
}

// A value is a cell: nil, string, bool, int32, int64, float64, []byte, or
// []any for the elements of a list and for the fields of a struct.
type row = []any

func str(name string) column  { return column{name: name, kind: kindString} }
func flag(name string) column { return column{name: name, kind: kindBool} }
func i32(name string) column  { return column{name: name, kind: kindInt32} }
func i64(name string) column  { return column{name: name, kind: kindInt64} }
func f64(name string) column  { return column{name: name, kind: kindFloat64} }
func blob(name string) column { return column{name: name, kind: kindBytes} }

func list(name string, elem column) column {
	elem.name = "element"
	return column{name: name, kind: kindList, elem: &elem}
}

func structs(name string, fields ...column) column {
	return list(name, column{kind: kindStruct, fields: fields})
}

func structure(name string, fields ...column) column {
	return column{name: name, kind: kindStruct, fields: fields}
}

func image(name string) column {
	return column{name: name, kind: kindImage, fields: []column{blob("bytes"), str("path")}}
}

// check reports a value that does not fit its column: a wrong type, text that
// is not UTF-8, a number that is not finite.
func (c column) check(v any) error {
	if v == nil {
		return nil
	}
	ok := true
	switch c.kind {
	case kindString:
		s, is := v.(string)
		if is && !utf8.ValidString(s) {
			return fmt.Errorf("column %s: text %.40q is not valid UTF-8", c.name, s)
		}
		ok = is
	case kindBool:
		_, ok = v.(bool)
	case kindInt32:
		_, ok = v.(int32)
	case kindInt64:
		_, ok = v.(int64)
	case kindBytes:
		_, ok = v.([]byte)
	case kindFloat64:
		f, is := v.(float64)
		if is && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return fmt.Errorf("column %s: %v is not a finite number", c.name, f)
		}
		ok = is
	default:
		return c.checkNested(v)
	}
	if !ok {
		return fmt.Errorf("column %s: a value of type %T does not fit", c.name, v)
	}
	return nil
}

func (c column) checkNested(v any) error {
	parts, ok := v.([]any)
	if !ok {
		return fmt.Errorf("column %s: a value of type %T does not fit", c.name, v)
	}
	if c.kind != kindList && len(parts) != len(c.fields) {
		return fmt.Errorf("column %s: %d fields, want %d", c.name, len(parts), len(c.fields))
	}
	for i, p := range parts {
		part := c.elem
		if c.kind != kindList {
			part = &c.fields[i]
		}
		if err := part.check(p); err != nil {
			return fmt.Errorf("column %s: %w", c.name, err)
		}
	}
	return nil
}

// sizeOf estimates the uncompressed bytes of a value in a Parquet page.
func sizeOf(v any) int64 {
	switch v := v.(type) {
	case string:
		return int64(len(v)) + 8
	case []byte:
		return int64(len(v)) + 8
	case []any:
		total := int64(8)
		for _, p := range v {
			total += sizeOf(p)
		}
		return total
	}
	return 12
}
