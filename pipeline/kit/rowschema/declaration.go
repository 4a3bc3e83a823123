package rowschema

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// kinds and nulls are the names that manifests have for them.
func kinds() []string {
	return []string{"string", "bool", "int32", "int64", "float64", "bytes", "list", "struct", "image"}
}
func nulls() []string { return []string{"never", "zero", "absent"} }

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) { return name(kinds(), int(k)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Kind) UnmarshalText(b []byte) error {
	n, err := number(kinds(), b)
	*k = Kind(n)
	return err
}

// MarshalText implements encoding.TextMarshaler.
func (n Null) MarshalText() ([]byte, error) { return name(nulls(), int(n)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *Null) UnmarshalText(b []byte) error {
	i, err := number(nulls(), b)
	*n = Null(i)
	return err
}

func name(all []string, i int) ([]byte, error) {
	if i < 0 || i >= len(all) {
		return nil, fmt.Errorf("%d is none of %v", i, all)
	}
	return []byte(all[i]), nil
}

func number(all []string, text []byte) (int, error) {
	i := slices.Index(all, string(text))
	if i < 0 {
		return 0, fmt.Errorf("%q is none of %v", text, all)
	}
	return i, nil
}

// Bounds of what a stranger may declare.
const (
	maxColumns = 256
	maxDepth   = 8
)

var columnName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)

// Check reports columns that Of does not give: somebody else may have declared
// them. The first keys of them are to be keys.
func Check(columns []Column, keys int) error {
	for i, c := range columns {
		if i < keys && !c.keyed() {
			return fmt.Errorf("column %q cannot be a key: keys are texts and whole numbers", c.Name)
		}
	}
	left := maxColumns
	return checkFields(columns, maxDepth, &left)
}

func (c Column) keyed() bool { return c.Kind == String || c.Kind == Int32 || c.Kind == Int64 }

func checkFields(columns []Column, depth int, left *int) error {
	if *left -= len(columns); *left < 0 || depth == 0 {
		return fmt.Errorf("more than %d columns, or nested more than %d deep", maxColumns, maxDepth)
	}
	if len(columns) == 0 {
		return errors.New("no columns")
	}
	seen := map[string]bool{}
	for _, c := range columns {
		if !columnName.MatchString(c.Name) || seen[c.Name] {
			return fmt.Errorf("%q is no name of a column, or of two", c.Name)
		}
		seen[c.Name] = true
		if err := c.checkParts(depth, left); err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return nil
}

// checkParts checks what a column is made of.
func (c Column) checkParts(depth int, left *int) error {
	if err := c.Rule.check(c.Kind); err != nil {
		return err
	}
	if (c.Kind == List) != (c.Elem != nil) || (c.Kind >= Struct) != (len(c.Fields) > 0) {
		return errors.New("a list has an element, a struct or image fields, and nothing else has either")
	}
	if c.Null == Zero && c.Kind >= List || c.Null == Absent && (c.Kind == List || c.Kind == Struct) {
		return errors.New("a list or struct is never null")
	}
	if c.Pairs && (c.Kind != List || c.Elem.Kind != Struct || !sameFields(c.Elem.Fields, pairFields())) ||
		c.Kind == Image && !sameFields(c.Fields, pictureFields()) {
		return errors.New("pairs have a key and a value, images bytes and a path")
	}
	if c.Kind == List {
		if c.Elem.Name != "element" || c.Elem.Null != Never || c.Elem.Kind == List || c.Elem.Kind == Image {
			return errors.New("the elements of a list are plain values or structs, named \"element\"")
		}
		return checkFields([]Column{*c.Elem}, depth-1, left)
	}
	if c.Kind >= Struct {
		return checkFields(c.Fields, depth-1, left)
	}
	return nil
}

func pairFields() []Column { return []Column{{Name: "key"}, {Name: "value"}} }
func pictureFields() []Column {
	return []Column{{Name: "bytes", Kind: Bytes, Null: Zero}, {Name: "path"}}
}

func sameFields(a, b []Column) bool {
	return slices.EqualFunc(a, b, func(x, y Column) bool { return x.Name == y.Name && x.Kind == y.Kind && x.Null == y.Null })
}

// IsTextPath reports whether path leads to text: to a column, or through lists and
// structs to a field, as in "evidence.ref".
func IsTextPath(columns []Column, path string) bool {
	first, rest, nested := strings.Cut(path, ".")
	i := slices.IndexFunc(columns, func(c Column) bool { return c.Name == first })
	if i < 0 {
		return false
	}
	c := columns[i]
	if c.Kind == List {
		c = *c.Elem
	}
	if nested {
		return c.Kind == Struct && IsTextPath(c.Fields, rest)
	}
	return c.Kind == String
}

// PathText is one that a path leads to, and what stands beside it: see TextsAt.
type PathText struct{ Value, Sibling string }

// TextsAt are the texts of a row that path leads to, without those that are empty,
// each with the text of the field beside: of the struct that holds it, or else of the
// row around it.
func TextsAt(columns []Column, row []any, path, beside string) []PathText {
	return textsOf(columns, row, path, beside, "")
}

func textsOf(columns []Column, row []any, path, beside, around string) (out []PathText) {
	if at := slices.IndexFunc(columns, func(c Column) bool { return c.Name == beside }); at >= 0 && at < len(row) {
		around, _ = row[at].(string)
	}
	first, rest, _ := strings.Cut(path, ".")
	i := slices.IndexFunc(columns, func(c Column) bool { return c.Name == first })
	if i < 0 || i >= len(row) {
		return nil
	}
	cells, c := []any{row[i]}, columns[i]
	if c.Kind == List {
		cells, _ = row[i].([]any)
		c = *c.Elem
	}
	for _, cell := range cells {
		switch cell := cell.(type) {
		case string:
			if cell != "" {
				out = append(out, PathText{cell, around})
			}
		case []any:
			out = append(out, textsOf(c.Fields, cell, rest, beside, around)...)
		}
	}
	return out
}
