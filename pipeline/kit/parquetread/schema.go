package parquetread

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/xitongsys/parquet-go/parquet"
)

// Limits of a stranger's schema.
const (
	maxElements = 4096
	maxDepth    = 12
)

// storedLeaf is a leaf together with the levels that tell null, empty and present
// apart.
type storedLeaf struct {
	Leaf
	// column is the top-level name.
	column string
	// element is the definition level from which a list has an element; 0 for
	// what is no list.
	element int
	// text says that the values are UTF-8 or have no meaning stated.
	text bool
}

// schemaReader turns the flat list of elements into leaves.
type schemaReader struct {
	elements []*parquet.SchemaElement
	leaves   []storedLeaf
}

// leavesOf checks a schema and returns its leaves in order. The decoder tells
// columns apart by names whose first letter it makes a capital, so names that
// differ by case only are refused.
func leavesOf(elements []*parquet.SchemaElement) ([]storedLeaf, error) {
	if len(elements) < 2 || len(elements) > maxElements {
		return nil, fmt.Errorf("a schema of %d elements", len(elements))
	}
	w := schemaReader{elements: elements[1:]}
	if err := w.children(elements[0].GetNumChildren(), storedLeaf{}, 0); err != nil {
		return nil, err
	}
	if len(w.elements) > 0 {
		return nil, errors.New("elements of the schema belong to no column")
	}
	return w.leaves, nil
}

// children takes n elements below a place.
func (w *schemaReader) children(n int32, at storedLeaf, depth int) error {
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

// below is the place of an element under another.
func (s storedLeaf) below(e *parquet.SchemaElement) storedLeaf {
	s.Path = append(s.Path[:len(s.Path):len(s.Path)], e.GetName())
	s.column = s.Path[0]
	switch e.GetRepetitionType() {
	case parquet.FieldRepetitionType_OPTIONAL:
		s.Def++
	case parquet.FieldRepetitionType_REPEATED:
		s.Def++
		s.Rep++
		s.element = s.Def
	}
	return s
}

func (w *schemaReader) element(e *parquet.SchemaElement, at storedLeaf, depth int) error {
	if e.GetNumChildren() > 0 {
		return w.children(e.GetNumChildren(), at, depth+1)
	}
	if !e.IsSetType() {
		return fmt.Errorf("column %s has no type", strings.Join(at.Path, "."))
	}
	at.Type = e.GetType()
	at.text = at.Type == parquet.Type_BYTE_ARRAY && (!e.IsSetConvertedType() || e.GetConvertedType() == parquet.ConvertedType_UTF8)
	w.leaves = append(w.leaves, at)
	return nil
}
