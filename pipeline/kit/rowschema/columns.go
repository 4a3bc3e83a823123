// Package rowschema says what columns a Go type has as a row of a table, and turns
// values of the type into cells and back. Who declares a table declares a struct
// and nothing else.
//
// A field is a column under its json name, in the order of the fields; those of an
// embedded struct stand where it stands. Text, bool, int32, int64 and float64 are
// plain cells, a slice is a list, a struct a struct, a map from text to text a list
// of pairs sorted by key, a *Picture an image. A column is null
//
//   - where it is text, number or bool with omitempty, or tagged `table:"null"`, and
//     the value is the zero value;
//   - where it is a pointer, and that is nil.
//
// Lists and structs are never null. `table:"-"` leaves a field out, and so does
// `table:"derived"`, whose value follows from other rows. The elements of a list
// tagged `table:"rows=NAME,key=COLUMN"` are no cells but rows of a table of their
// own, see List.
package rowschema

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Kind is the type of a column or of a part of one.
type Kind int

// The kinds. An Image is a struct of bytes and path, which viewers show as a
// picture.
const (
	String Kind = iota
	Bool
	Int32
	Int64
	Float64
	Bytes
	List
	Struct
	Image
)

// Null says which cells of a column are null.
type Null int

// A column is never null, or where the value is the zero value, or where there is
// none.
const (
	Never Null = iota
	Zero
	Absent
)

// Column is one column of a table, or one field of a struct, or the element of a
// list.
type Column struct {
	Name   string   `json:"name"`
	Kind   Kind     `json:"kind"`
	Elem   *Column  `json:"element,omitempty"` // of a list
	Fields []Column `json:"fields,omitempty"`  // of a struct or image
	Null   Null     `json:"null,omitempty"`
	// Pairs is a list of structs of key and value, sorted by key: a map in Go.
	Pairs bool `json:"pairs,omitempty"`
	// Rule is what holds of its values besides.
	Rule *Rule `json:"holds,omitempty"`

	index []int // of the field in its struct
}

// Picture is a cell of kind Image.
type Picture struct {
	Bytes []byte `json:"bytes" table:"null"`
	Path  string `json:"path"`
}

// Of returns the columns of a struct type, those named by keys first.
func Of(t reflect.Type, keys ...string) ([]Column, error) {
	all, err := fieldsOf(t, nil)
	if err != nil {
		return nil, fmt.Errorf("columns of %v: %w", t, err)
	}
	var out []Column
	for _, k := range keys {
		i := slices.IndexFunc(all, func(c Column) bool { return c.Name == k })
		if i < 0 {
			return nil, fmt.Errorf("columns of %v: there is no %q to be a key", t, k)
		}
		if !all[i].keyed() {
			return nil, fmt.Errorf("columns of %v: %q cannot be a key: keys are texts and whole numbers", t, k)
		}
		out, all = append(out, all[i]), slices.Delete(all, i, i+1)
	}
	return append(out, all...), nil
}

// fieldsOf returns the columns of the fields of t. within holds the types around it.
func fieldsOf(t reflect.Type, within []reflect.Type) ([]Column, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%v is no struct", t)
	}
	if slices.Contains(within, t) {
		return nil, fmt.Errorf("%v holds itself; a table has a fixed depth", t)
	}
	within = append(within[:len(within):len(within)], t)
	var out []Column
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() && !f.Anonymous || isOutsideRow(f.Tag.Get("table")) {
			continue
		}
		columns, err := columnsOf(f, within)
		if err != nil {
			return nil, err
		}
		for _, c := range columns {
			if slices.ContainsFunc(out, func(o Column) bool { return o.Name == c.Name }) {
				return nil, fmt.Errorf("two fields are named %q", c.Name)
			}
			c.index = append([]int{i}, c.index...)
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%v has no fields that a table could hold", t)
	}
	return out, nil
}

// columnsOf returns the column of a field, or those of an embedded struct.
func columnsOf(f reflect.StructField, within []reflect.Type) ([]Column, error) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
		return fieldsOf(f.Type, within)
	}
	if name == "" || name == "-" || !f.IsExported() {
		return nil, fmt.Errorf("field %s has no json name, by which its column is called", f.Name)
	}
	c, err := columnOf(name, f.Type, within)
	if err != nil {
		return nil, fmt.Errorf("field %s: %w", f.Name, err)
	}
	empty := slices.Contains(strings.Split(options, ","), "omitempty") || f.Tag.Get("table") == "null"
	if empty && c.Null == Never && c.Kind < List {
		c.Null = Zero
	}
	ruled := &c
	if c.Kind == List {
		ruled = c.Elem
	}
	if ruled.Rule, err = ruleOf(f, ruled.Kind); err != nil {
		return nil, err
	}
	return []Column{c}, nil
}

func columnOf(name string, t reflect.Type, within []reflect.Type) (Column, error) {
	c := Column{Name: name}
	var err error
	switch t.Kind() {
	case reflect.String:
		c.Kind = String
	case reflect.Bool:
		c.Kind = Bool
	case reflect.Int32:
		c.Kind = Int32
	case reflect.Int64:
		c.Kind = Int64
	case reflect.Float64:
		c.Kind = Float64
	case reflect.Slice:
		return sliceOf(name, t, within)
	case reflect.Map:
		return pairsOf(name, t)
	case reflect.Struct:
		c.Kind = Struct
		c.Fields, err = fieldsOf(t, within)
	case reflect.Pointer:
		return pointerTo(name, t.Elem(), within)
	default:
		err = fmt.Errorf("a table holds no %v; it holds text, bool, int32, int64, float64, and slices and structs of them", t)
	}
	return c, err
}

func sliceOf(name string, t reflect.Type, within []reflect.Type) (Column, error) {
	if t.Elem().Kind() == reflect.Uint8 {
		return Column{Name: name, Kind: Bytes}, nil
	}
	elem, err := columnOf("element", t.Elem(), within)
	if err == nil && (elem.Kind == List || elem.Null == Absent) {
		err = fmt.Errorf("%v: the elements of a list are plain values or structs", t)
	}
	return Column{Name: name, Kind: List, Elem: &elem}, err
}

func pairsOf(name string, t reflect.Type) (Column, error) {
	if t.Key().Kind() != reflect.String || t.Elem().Kind() != reflect.String {
		return Column{}, fmt.Errorf("%v: a map goes from text to text", t)
	}
	pair := Column{Name: "element", Kind: Struct, Fields: []Column{{Name: "key"}, {Name: "value"}}}
	return Column{Name: name, Kind: List, Elem: &pair, Pairs: true}, nil
}

func pointerTo(name string, t reflect.Type, within []reflect.Type) (Column, error) {
	c := Column{Name: name, Null: Absent}
	if t == reflect.TypeFor[Picture]() {
		fields, err := fieldsOf(t, within)
		c.Kind, c.Fields = Image, fields
		return c, err
	}
	plain, err := columnOf(name, t, within)
	if err == nil && plain.Kind >= Bytes {
		err = errors.New("only plain values and pictures may be absent")
	}
	plain.Null = Absent
	return plain, err
}

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

// TextsAt returns the texts of a row that path leads to, without those that are empty,
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
