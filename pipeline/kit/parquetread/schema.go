package parquetread

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/memforge/memforge/pipeline/kit/rowschema"

	"github.com/xitongsys/parquet-go/parquet"
)

// Limits of a stranger's schema.
const (
	maxElements = 4096
	maxDepth    = 12
)

// unsupported is the kind of a leaf whose values fit no cell, such as decimals and times.
const unsupported rowschema.Kind = -1

// readSchema checks a stranger's schema and returns its columns, and its leaves in order.
// The decoder tells columns apart by names whose first letter it makes a capital, so names
// that differ by case only are refused.
func readSchema(elements []*parquet.SchemaElement) ([]columnNode, []Leaf, error) {
	if len(elements) < 2 || len(elements) > maxElements {
		return nil, nil, fmt.Errorf("a schema of %d elements", len(elements))
	}
	r := schemaReader{rest: elements[1:]}
	columns, err := r.children(elements[0], nil, 0, 0)
	if err == nil && len(r.rest) > 0 {
		err = errors.New("elements of the schema belong to no column")
	}
	return columns, r.leaves, err
}

// schemaReader turns the flat list of elements into columns and leaves.
type schemaReader struct {
	rest   []*parquet.SchemaElement
	leaves []Leaf
	depth  int
}

// children reads the elements below another one, which is present from def on.
func (r *schemaReader) children(of *parquet.SchemaElement, path []string, def, rep int32) ([]columnNode, error) {
	n := of.GetNumChildren()
	if n <= 0 || int(n) > len(r.rest) || r.depth > maxDepth {
		return nil, errors.New("the schema is no tree")
	}
	r.depth++
	defer func() { r.depth-- }()
	out, seen := make([]columnNode, 0, n), map[string]bool{}
	for range n {
		e, err := r.next()
		if err != nil {
			return nil, err
		}
		if seen[strings.ToLower(e.GetName())] {
			return nil, nameError(e)
		}
		seen[strings.ToLower(e.GetName())] = true
		node, err := r.node(e, path, def, rep)
		if err != nil {
			return nil, err
		}
		out = append(out, node)
	}
	return out, nil
}

func (r *schemaReader) next() (*parquet.SchemaElement, error) {
	if len(r.rest) == 0 {
		return nil, errors.New("the schema is cut off")
	}
	e := r.rest[0]
	r.rest = r.rest[1:]
	if e.GetName() == "" || strings.ContainsFunc(e.GetName(), unicode.IsControl) {
		return nil, nameError(e)
	}
	return e, nil
}

func nameError(e *parquet.SchemaElement) error {
	return fmt.Errorf("a column called %q stands beside others of that name, or cannot be printed", e.GetName())
}

// node reads what is below an element and its place. A repeated element outside a list is
// a list itself, as older writers have it.
func (r *schemaReader) node(e *parquet.SchemaElement, path []string, def, rep int32) (columnNode, error) {
	path = append(path[:len(path):len(path)], e.GetName())
	switch e.GetRepetitionType() {
	case parquet.FieldRepetitionType_REPEATED:
		element, err := r.inner(e, path, def+1, rep+1)
		return listOf(e.GetName(), def, rep, element), err
	case parquet.FieldRepetitionType_OPTIONAL:
		def++
	}
	return r.inner(e, path, def, rep)
}

func listOf(name string, def, rep int32, element columnNode) columnNode {
	return columnNode{column: rowschema.Column{Name: name, Kind: rowschema.List, Elem: &element.column}, presentFrom: def, level: rep + 1, parts: []columnNode{element}}
}

// inner reads what is below an element that is present from def on.
func (r *schemaReader) inner(e *parquet.SchemaElement, path []string, def, rep int32) (columnNode, error) {
	n := columnNode{column: rowschema.Column{Name: e.GetName(), Kind: kindOf(e)}, path: path, presentFrom: def, level: rep + 1}
	if e.GetNumChildren() <= 0 {
		if !e.IsSetType() {
			return n, fmt.Errorf("column %s has no type", strings.Join(path, "."))
		}
		r.leaves = append(r.leaves, Leaf{Path: path, Type: e.GetType(), Def: int(def), Rep: int(rep)})
		return n, nil
	}
	list := e.IsSetConvertedType() && e.GetConvertedType() == parquet.ConvertedType_LIST || logicalOf(e).IsSetLIST()
	if !list || e.GetNumChildren() != 1 || len(r.rest) == 0 || r.rest[0].GetRepetitionType() != parquet.FieldRepetitionType_REPEATED {
		var err error
		n.column.Kind, n.path = rowschema.Struct, nil
		n.parts, err = r.children(e, path, def, rep)
		for _, p := range n.parts {
			n.column.Fields = append(n.column.Fields, p.column)
		}
		return n, err
	}
	if r.depth > maxDepth {
		return n, errors.New("the schema is no tree")
	}
	r.depth++
	defer func() { r.depth-- }()
	c, err := r.next()
	if err != nil {
		return n, err
	}
	below := append(path[:len(path):len(path)], c.GetName())
	if c.GetNumChildren() != 1 || c.GetName() == "array" || strings.HasSuffix(c.GetName(), "_tuple") {
		element, err := r.inner(c, below, def+1, rep+1) // an element that is repeated itself
		return listOf(e.GetName(), def, rep, element), err
	}
	parts, err := r.children(c, below, def+1, rep+1)
	if err != nil {
		return n, err
	}
	return listOf(e.GetName(), def, rep, parts[0]), nil
}

func logicalOf(e *parquet.SchemaElement) *parquet.LogicalType {
	if e.IsSetLogicalType() {
		return e.GetLogicalType()
	}
	return parquet.NewLogicalType()
}

// kindOf returns the kind of a leaf. Whole numbers of any width are taken as stored.
func kindOf(e *parquet.SchemaElement) rowschema.Kind {
	plain := !e.IsSetConvertedType() && (!e.IsSetLogicalType() || e.GetLogicalType().IsSetINTEGER())
	text := logicalOf(e).IsSetSTRING() || e.IsSetConvertedType() && slices.Contains(
		[]parquet.ConvertedType{parquet.ConvertedType_UTF8, parquet.ConvertedType_ENUM, parquet.ConvertedType_JSON}, e.GetConvertedType())
	whole := e.IsSetConvertedType() && slices.Contains([]parquet.ConvertedType{
		parquet.ConvertedType_INT_8, parquet.ConvertedType_INT_16, parquet.ConvertedType_INT_32, parquet.ConvertedType_INT_64,
		parquet.ConvertedType_UINT_8, parquet.ConvertedType_UINT_16, parquet.ConvertedType_UINT_32,
	}, e.GetConvertedType())
	switch t := e.GetType(); {
	case t == parquet.Type_BYTE_ARRAY && text:
		return rowschema.String
	case t == parquet.Type_BYTE_ARRAY && plain:
		return rowschema.Bytes
	case t == parquet.Type_BOOLEAN && plain:
		return rowschema.Bool
	case t == parquet.Type_INT32 && (plain || whole):
		return rowschema.Int32
	case t == parquet.Type_INT64 && (plain || whole):
		return rowschema.Int64
	case (t == parquet.Type_FLOAT || t == parquet.Type_DOUBLE) && plain:
		return rowschema.Float64
	}
	return unsupported
}

// checkReadable names a part of a column whose values are not read.
func (n columnNode) checkReadable() error {
	if len(n.parts) == 0 && n.column.Kind == unsupported {
		return fmt.Errorf("column %s has values of a kind that is not read here", strings.Join(n.path, "."))
	}
	for _, p := range n.parts {
		if err := p.checkReadable(); err != nil {
			return err
		}
	}
	return nil
}
