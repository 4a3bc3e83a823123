package parquetread

import (
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline/kit/rowschema"

	"github.com/xitongsys/parquet-go/common"
	"github.com/xitongsys/parquet-go/parquet"
)

// TypeOf is how a column without parts is stored.
func TypeOf(k rowschema.Kind) parquet.Type {
	switch k {
	case rowschema.Bool:
		return parquet.Type_BOOLEAN
	case rowschema.Int32:
		return parquet.Type_INT32
	case rowschema.Int64:
		return parquet.Type_INT64
	case rowschema.Float64:
		return parquet.Type_DOUBLE
	}
	return parquet.Type_BYTE_ARRAY
}

// LeavesOf are the stored columns of those of a shape, all of which may be null.
func LeavesOf(columns []rowschema.Column) []Leaf { return appendLeaves(nil, columns, nil, 0, 0) }

func appendLeaves(leaves []Leaf, columns []rowschema.Column, path []string, def, rep int) []Leaf {
	for _, c := range columns {
		here := append(path[:len(path):len(path)], c.Name)
		switch c.Kind {
		case rowschema.List:
			leaves = appendLeaves(leaves, []rowschema.Column{*c.Elem}, append(here, "list"), def+2, rep+1)
		case rowschema.Struct, rowschema.Image:
			leaves = appendLeaves(leaves, c.Fields, here, def+1, rep)
		default:
			leaves = append(leaves, Leaf{Path: here, Type: TypeOf(c.Kind), Def: def + 1, Rep: rep})
		}
	}
	return leaves
}

// Nested decodes the row group as rows of cells, see package shape, within a budget,
// and returns how much of it that takes: with the texts of dictionaries where they
// stand, as one of a few bytes in the file may stand in every row. It decodes column
// by column in this goroutine, where a panic can be recovered.
func (g *Group) Nested(columns []rowschema.Column, dictionaries map[string]bool, budget int64) (rows [][]any, taken int64, err error) {
	nodes := make([]columnNode, len(columns))
	for i, c := range columns {
		nodes[i] = newColumnNode(c, nil, 0, 0)
	}
	return g.rows(nodes, dictionaries, budget)
}

func (g *Group) rows(nodes []columnNode, dictionaries map[string]bool, budget int64) (rows [][]any, taken int64, err error) {
	taken = g.Inflated
	streams := make([]*stream, 0, len(nodes))
	for _, n := range nodes {
		part, err := readStreams(g, n)
		if err != nil {
			return nil, 0, fmt.Errorf("column %s: %w", n.column.Name, err)
		}
		streams = append(streams, part)
		if taken += part.shared(dictionaries, budget-taken); taken > budget {
			return nil, 0, fmt.Errorf("column %s: %w", n.column.Name, &BudgetError{Budget: budget})
		}
	}
	rows, err = assembleRows(streams, g.Rows)
	return rows, taken, err
}

// shared counts the bytes of texts that come from dictionaries, and stops behind most.
func (s *stream) shared(dictionaries map[string]bool, most int64) (n int64) {
	for _, p := range s.parts {
		n += p.shared(dictionaries, most-n)
	}
	if !dictionaries[s.place] {
		return n
	}
	for _, v := range s.values {
		text, _ := v.(string)
		if n += int64(len(text)); n > most {
			return n
		}
	}
	return n
}

// columnNode is a column, or a part of one, as it lies in a file.
type columnNode struct {
	column rowschema.Column
	// path of a leaf in the schema, without the root.
	path        []string
	presentFrom int32        // definition level from which it is not null
	level       int32        // repetition level of a list's further elements
	parts       []columnNode // of structs, and the element of a list
}

// newColumnNode returns the layout of a column in files of this program, where
// everything may be null.
func newColumnNode(c rowschema.Column, path []string, def, rep int32) columnNode {
	n := columnNode{column: c, path: append(path[:len(path):len(path)], c.Name), presentFrom: def + 1, level: rep + 1}
	switch c.Kind {
	case rowschema.List:
		inner := append(n.path[:len(n.path):len(n.path)], "list")
		n.parts = []columnNode{newColumnNode(*c.Elem, inner, def+2, rep+1)}
	case rowschema.Struct, rowschema.Image:
		for _, f := range c.Fields {
			n.parts = append(n.parts, newColumnNode(f, n.path, def+1, rep))
		}
	}
	return n
}

// stream holds the decoded leaves of one column: values with their repetition
// and definition levels.
type stream struct {
	columnNode
	place      string // its path as the library joins it
	values     []any
	reps, defs []int32
	next       int
	parts      []*stream // of structs and lists
}

func readStreams(g *Group, n columnNode) (*stream, error) {
	s := &stream{columnNode: n, place: common.PathToStr(n.path)}
	for _, p := range n.parts {
		part, err := readStreams(g, p)
		if err != nil {
			return nil, err
		}
		s.parts = append(s.parts, part)
	}
	if len(n.parts) > 0 {
		return s, nil
	}
	var err error
	s.values, s.reps, s.defs, err = g.Column(n.path)
	return s, err
}

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
