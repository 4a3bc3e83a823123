package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// key is one field of a configuration struct.
type key struct {
	name  string
	doc   string
	index []int
	typ   reflect.Type
}

type keys []key

// keysOf lists the keys of a struct type in the order declared. A field is
// called as its json tag says, as in the canonical form, else itself in lower case;
// "-" leaves it out. Fields of an embedded struct without a tag belong to the
// outer one.
func keysOf(t reflect.Type) keys {
	var all keys
	for i := range t.NumField() {
		f := t.Field(i)
		name, tagged := keyName(f)
		if f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct {
			for _, k := range keysOf(f.Type) {
				k.index = append([]int{i}, k.index...)
				all = append(all, k)
			}
			continue
		}
		if !f.IsExported() || name == "-" {
			continue
		}
		all = append(all, key{name: name, doc: f.Tag.Get("doc"), index: []int{i}, typ: f.Type})
	}
	return all
}

func keyName(f reflect.StructField) (name string, tagged bool) {
	if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
		return name, true
	}
	return strings.ToLower(f.Name), false
}

func (k keys) find(name string) (key, bool) {
	i := slices.IndexFunc(k, func(x key) bool { return x.name == name })
	if i < 0 {
		return key{}, false
	}
	return k[i], true
}

func (k keys) names() []string {
	names := make([]string, len(k))
	for i, x := range k {
		names[i] = x.name
	}
	return names
}

// Field documents one key of a plugin's configuration.
type Field struct {
	// Name as written in pipeline.yaml; a key inside a block has a dotted name.
	Name string
	// Type in words: text, whole number, number, true or false, duration, list
	// of ..., map of ..., one block per entry marked by "[]" or ".*" in Name.
	Type string
	// Default as written in pipeline.yaml, or empty when there is none.
	Default string
	Doc     string
}

// Describe lists the keys of a configuration, a struct or a pointer to one
// with its defaults set, in the order declared.
func Describe(cfg any) []Field {
	v := reflect.Indirect(reflect.ValueOf(cfg))
	if v.Kind() != reflect.Struct {
		return nil
	}
	return describe("", v, 0)
}

func describe(prefix string, v reflect.Value, depth int) []Field {
	var fields []Field
	for _, k := range keysOf(v.Type()) {
		fv := v.FieldByIndex(k.index)
		f := Field{Name: prefix + k.name, Type: typeName(k.typ), Default: defaultText(fv), Doc: k.doc}
		fields = append(fields, f)
		inner, mark := block(fv)
		if inner.IsValid() && depth < maxDepth {
			fields = append(fields, describe(f.Name+mark+".", inner, depth+1)...)
		}
	}
	return fields
}

// block finds the struct inside a field, if there is one.
func block(v reflect.Value) (reflect.Value, string) {
	t, mark := v.Type(), ""
	for {
		switch {
		case isScalar(t):
			return reflect.Value{}, ""
		case t.Kind() == reflect.Struct:
			if t == v.Type() {
				return v, mark
			}
			return reflect.New(t).Elem(), mark
		case t.Kind() == reflect.Slice, t.Kind() == reflect.Array:
			t, mark = t.Elem(), mark+"[]"
		case t.Kind() == reflect.Map:
			t, mark = t.Elem(), mark+".*"
		case t.Kind() == reflect.Pointer:
			t = t.Elem()
		default:
			return reflect.Value{}, ""
		}
	}
}

func isScalar(t reflect.Type) bool {
	return t == durationType || reflect.PointerTo(t).Implements(textType)
}

func typeName(t reflect.Type) string {
	switch {
	case t == durationType:
		return "duration"
	case isScalar(t):
		return "text"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Slice, reflect.Array:
		return "list of " + typeName(t.Elem())
	case reflect.Map:
		return "map of " + typeName(t.Elem())
	case reflect.Struct:
		return "block"
	case reflect.Interface:
		return "any"
	}
	return "whole number"
}

// defaultText shows a set value; blocks show theirs key by key.
func defaultText(v reflect.Value) string {
	if v.IsZero() || v.Kind() == reflect.Struct && !isScalar(v.Type()) {
		return ""
	}
	switch v.Kind() {
	case reflect.Pointer:
		return defaultText(v.Elem())
	case reflect.Slice, reflect.Array:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = fmt.Sprint(v.Index(i).Interface())
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return fmt.Sprint(v.Interface())
}
