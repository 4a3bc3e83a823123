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

type schemaReader struct {
	elements []*parquet.SchemaElement
	leaves   []Leaf
}

// leavesOf checks a schema and returns its leaves in order. The decoder tells
// columns apart by names whose first letter it makes a capital, so names that
// differ by case only are refused.
func leavesOf(elements []*parquet.SchemaElement) ([]Leaf, error) {
	if len(elements) < 2 || len(elements) > maxElements {
		return nil, fmt.Errorf("a schema of %d elements", len(elements))
	}
	w := schemaReader{elements: elements[1:]}
	if err := w.children(elements[0].GetNumChildren(), Leaf{}, 0); err != nil {
		return nil, err
	}
	if len(w.elements) > 0 {
		return nil, errors.New("elements of the schema belong to no column")
	}
	return w.leaves, nil
}

func (w *schemaReader) children(n int32, at Leaf, depth int) error {
	if n <= 0 || int(n) > len(w.elements) || depth > maxDepth {
		return errors.New("the schema is no tree")
	}
	seen := map[string]bool{}
	for range n {
		if len(w.elements) == 0 {
			return errors.New("the schema is cut off")
		}
		e := w.elements[0]
		w.elements = w.elements[1:]
		name := e.GetName()
		if name == "" || strings.ContainsFunc(name, unicode.IsControl) || seen[strings.ToLower(name)] {
			return fmt.Errorf("a column called %q stands beside others of that name, or cannot be printed", name)
		}
		seen[strings.ToLower(name)] = true
		if err := w.element(e, at.below(e), depth); err != nil {
			return err
		}
	}
	return nil
}

// below returns the place of an element under another.
func (l Leaf) below(e *parquet.SchemaElement) Leaf {
	l.Path = append(l.Path[:len(l.Path):len(l.Path)], e.GetName())
	switch e.GetRepetitionType() {
	case parquet.FieldRepetitionType_OPTIONAL:
		l.Def++
	case parquet.FieldRepetitionType_REPEATED:
		l.Def++
		l.Rep++
	}
	return l
}

func (w *schemaReader) element(e *parquet.SchemaElement, at Leaf, depth int) error {
	if e.GetNumChildren() > 0 {
		return w.children(e.GetNumChildren(), at, depth+1)
	}
	if !e.IsSetType() {
		return fmt.Errorf("column %s has no type", strings.Join(at.Path, "."))
	}
	at.Type = e.GetType()
	w.leaves = append(w.leaves, at)
	return nil
}

// unsupported is the kind of a leaf whose values fit no cell, such as decimals and
// times.
const unsupported rowschema.Kind = -1

// treeOf returns the columns of a stranger's schema, which leavesOf has checked.
func treeOf(elements []*parquet.SchemaElement) []columnNode {
	w := treeReader{elements[1:]}
	out := make([]columnNode, elements[0].GetNumChildren())
	for i := range out {
		out[i] = w.node(nil, 0, 0)
	}
	return out
}

type treeReader struct{ elements []*parquet.SchemaElement }

func (w *treeReader) next() *parquet.SchemaElement {
	e := w.elements[0]
	w.elements = w.elements[1:]
	return e
}

// node reads the next element. A repeated element outside a list is a list itself, as
// older writers have it.
func (w *treeReader) node(path []string, def, rep int32) columnNode {
	e := w.next()
	path = append(path[:len(path):len(path)], e.GetName())
	switch e.GetRepetitionType() {
	case parquet.FieldRepetitionType_REPEATED:
		return listOf(e.GetName(), def, rep, w.inner(e, path, def+1, rep+1))
	case parquet.FieldRepetitionType_OPTIONAL:
		def++
	}
	return w.inner(e, path, def, rep)
}

func listOf(name string, def, rep int32, element columnNode) columnNode {
	return columnNode{column: rowschema.Column{Name: name, Kind: rowschema.List, Elem: &element.column}, presentFrom: def, level: rep + 1, parts: []columnNode{element}}
}

// inner reads what is below an element that is present from def on.
func (w *treeReader) inner(e *parquet.SchemaElement, path []string, def, rep int32) columnNode {
	n := columnNode{column: rowschema.Column{Name: e.GetName(), Kind: kindOf(e)}, path: path, presentFrom: def, level: rep + 1}
	if e.GetNumChildren() == 0 {
		return n
	}
	if w.isList(e) {
		c := w.next()
		below := append(path[:len(path):len(path)], c.GetName())
		if c.GetNumChildren() == 1 && c.GetName() != "array" && !strings.HasSuffix(c.GetName(), "_tuple") {
			return listOf(e.GetName(), def, rep, w.node(below, def+1, rep+1))
		}
		return listOf(e.GetName(), def, rep, w.inner(c, below, def+1, rep+1))
	}
	n.column.Kind, n.path = rowschema.Struct, nil
	for range e.GetNumChildren() {
		part := w.node(path, def, rep)
		n.parts, n.column.Fields = append(n.parts, part), append(n.column.Fields, part.column)
	}
	return n
}

func (w *treeReader) isList(e *parquet.SchemaElement) bool {
	said := e.IsSetConvertedType() && e.GetConvertedType() == parquet.ConvertedType_LIST || logicalOf(e).IsSetLIST()
	return said && e.GetNumChildren() == 1 && w.elements[0].GetRepetitionType() == parquet.FieldRepetitionType_REPEATED
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
