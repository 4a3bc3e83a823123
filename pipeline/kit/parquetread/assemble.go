package parquetread

import (
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
)

// errStream says that the levels of a column do not describe whole rows.
var errStream = errors.New("the column's levels do not describe whole rows")

// assembleRows rebuilds nested values from the levels of their leaves (record
// assembly as described in the Dremel paper, section 4.2, by recursion).
func assembleRows(streams []*stream, n int64) ([][]any, error) {
	rows := make([][]any, 0, min(n, 1<<16))
	for i := range n {
		r := make([]any, len(streams))
		for j, s := range streams {
			v, err := s.readValue()
			if err != nil {
				return nil, fmt.Errorf("row %d, column %s: %w", i, s.column.Name, err)
			}
			r[j] = v
		}
		rows = append(rows, r)
	}
	for _, s := range streams {
		if !s.done() {
			return nil, fmt.Errorf("column %s: values remain after %d rows", s.column.Name, n)
		}
	}
	return rows, nil
}

// readValue reads the next value of the column.
func (s *stream) readValue() (any, error) {
	_, def, ok := s.peek()
	if !ok {
		return nil, errStream
	}
	if def < s.presentFrom {
		return nil, s.skip()
	}
	switch s.column.Kind {
	case rowschema.List:
		return s.readList(def)
	case rowschema.Struct, rowschema.Image:
		fields := make([]any, len(s.parts))
		for i, p := range s.parts {
			v, err := p.readValue()
			if err != nil {
				return nil, err
			}
			fields[i] = v
		}
		return fields, nil
	}
	v, err := decodeCell(s.column, s.values[s.next])
	s.next++
	return v, err
}

func (s *stream) readList(def int32) (any, error) {
	elements := []any{}
	if def == s.presentFrom {
		return elements, s.skip()
	}
	for {
		v, err := s.parts[0].readValue()
		if err != nil {
			return nil, err
		}
		elements = append(elements, v)
		rep, _, ok := s.peek()
		if !ok || rep < s.level {
			return elements, nil
		}
	}
}

// peek returns the levels at the cursor of the column's first leaf.
func (s *stream) peek() (rep, def int32, ok bool) {
	for len(s.parts) > 0 {
		s = s.parts[0]
	}
	if s.next >= len(s.values) || len(s.reps) != len(s.values) || len(s.defs) != len(s.values) {
		return 0, 0, false
	}
	return s.reps[s.next], s.defs[s.next], true
}

// skip passes the one entry that every leaf holds for a null or empty value.
func (s *stream) skip() error {
	for _, p := range s.parts {
		if err := p.skip(); err != nil {
			return err
		}
	}
	if len(s.parts) > 0 {
		return nil
	}
	if s.next >= len(s.values) {
		return errStream
	}
	s.next++
	return nil
}

func (s *stream) done() bool {
	for _, p := range s.parts {
		if !p.done() {
			return false
		}
	}
	return len(s.parts) > 0 || s.next == len(s.values)
}

// decodeCell turns a decoded leaf into a cell.
func decodeCell(c rowschema.Column, v any) (any, error) {
	switch c.Kind {
	case rowschema.Bytes:
		if s, ok := v.(string); ok {
			return []byte(s), nil
		}
	default:
		if v == nil {
			break
		}
		if f, ok := v.(float32); ok {
			v = float64(f)
		}
		if err := c.Check(v); err != nil {
			return nil, err
		}
		return v, nil
	}
	return nil, fmt.Errorf("a leaf of type %T", v)
}
