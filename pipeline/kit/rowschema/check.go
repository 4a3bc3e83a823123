package rowschema

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// Check reports a value that does not fit its column: a wrong type, text that
// is not UTF-8, a number that is not finite.
func (c Column) Check(v any) error {
	if v == nil {
		return nil
	}
	ok := true
	switch c.Kind {
	case String:
		s, is := v.(string)
		if is && !utf8.ValidString(s) {
			return fmt.Errorf("column %s: text %.40q is not valid UTF-8", c.Name, s)
		}
		ok = is
	case Bool:
		_, ok = v.(bool)
	case Int32:
		_, ok = v.(int32)
	case Int64:
		_, ok = v.(int64)
	case Bytes:
		_, ok = v.([]byte)
	case Float64:
		f, is := v.(float64)
		if is && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return fmt.Errorf("column %s: %v is not a finite number", c.Name, f)
		}
		ok = is
	default:
		return c.checkNested(v)
	}
	if !ok {
		return fmt.Errorf("column %s: a value of type %T does not fit", c.Name, v)
	}
	return nil
}

func (c Column) checkNested(v any) error {
	parts, ok := v.([]any)
	if !ok {
		return fmt.Errorf("column %s: a value of type %T does not fit", c.Name, v)
	}
	if c.Kind != List && len(parts) != len(c.Fields) {
		return fmt.Errorf("column %s: %d fields, want %d", c.Name, len(parts), len(c.Fields))
	}
	for i, p := range parts {
		part := c.Elem
		if c.Kind != List {
			part = &c.Fields[i]
		}
		if err := part.Check(p); err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return nil
}

// Canonical reports whether Cells writes the value so: no null for an empty text or
// 0 and none of these for a null, pairs in order. A value of the Go type says the
// same of both, a query does not. The value has passed Check.
func (c Column) Canonical(v any) bool {
	if v == nil {
		return c.Null != Never
	}
	if c.Null == Zero && isZero(v) {
		return false
	}
	parts, ok := v.([]any)
	if !ok {
		return true
	}
	last := ""
	for i, p := range parts {
		part := c.Elem
		if c.Kind != List {
			part = &c.Fields[i]
		}
		if !part.Canonical(p) {
			return false
		}
		if c.Pairs {
			key := p.([]any)[0].(string)
			if i > 0 && key <= last {
				return false
			}
			last = key
		}
	}
	return true
}

func isZero(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case bool:
		return !v
	case int32:
		return v == 0
	case int64:
		return v == 0
	case float64:
		return v == 0
	case []byte:
		return len(v) == 0
	}
	return false
}
