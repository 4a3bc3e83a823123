package config

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
)

// decoder fills Go values from a tree. It goes on after a mistake so that all
// of them are reported; the value then keeps what it had.
type decoder struct{ problems *problems }

var (
	treeType     = reflect.TypeFor[*node]()
	durationType = reflect.TypeFor[time.Duration]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (d decoder) value(n *node, v reflect.Value) {
	t := v.Type()
	switch {
	case t == treeType:
		v.Set(reflect.ValueOf(n))
		return
	case n.kind == null, n.kind == invalid:
		// A key without a value means the default, as in YAML's own habit.
		return
	case t == durationType:
		d.duration(n, v)
		return
	case reflect.PointerTo(t).Implements(textType):
		d.textValue(n, v)
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		p := reflect.New(t.Elem())
		d.value(n, p.Elem())
		v.Set(p)
	case reflect.Struct:
		d.structValue(n, v)
	case reflect.Map:
		d.mapValue(n, v)
	case reflect.Slice, reflect.Array:
		d.listValue(n, v)
	case reflect.Interface:
		v.Set(reflect.ValueOf(untyped(n)))
	default:
		d.scalar(n, v)
	}
}

func (d decoder) structValue(n *node, v reflect.Value) {
	if !d.expect(n, mapping, "a block of keys") {
		return
	}
	known := keysOf(v.Type())
	for _, f := range n.fields {
		k, ok := known.find(f.key)
		if !ok {
			d.problems.add(f.at, "unknown key %q%s", f.key, suggest(f.key, known.names(), "known keys"))
			continue
		}
		if given := f.value; len(k.enum) > 0 && given.kind == text && !slices.Contains(k.enum, given.scalar) {
			d.problems.add(given.at, "%s %q%s", k.name, shorten(given.scalar), suggest(given.scalar, k.words(), "there are"))
			continue
		}
		d.value(f.value, v.FieldByIndex(k.index))
	}
}

func (d decoder) mapValue(n *node, v reflect.Value) {
	if !d.expect(n, mapping, "a block of keys") {
		return
	}
	t := v.Type()
	if t.Key().Kind() != reflect.String {
		d.problems.add(n.at, "a configuration cannot hold a %s: its keys are not text", t)
		return
	}
	v.Set(reflect.MakeMap(t))
	for _, f := range n.fields {
		item := defaultOf(t.Elem())
		d.value(f.value, item)
		v.SetMapIndex(reflect.ValueOf(f.key).Convert(t.Key()), item)
	}
}

// defaultOf returns a new value of a type with its defaults.
func defaultOf(t reflect.Type) reflect.Value {
	v := reflect.New(t)
	if d, ok := v.Interface().(pipeline.Defaulter); ok {
		d.SetDefaults()
	}
	return v.Elem()
}

func (d decoder) listValue(n *node, v reflect.Value) {
	if !d.expect(n, list, "a list") {
		return
	}
	if v.Kind() == reflect.Array {
		if len(n.items) != v.Len() {
			d.problems.add(n.at, "want a list of %d values, have %d", v.Len(), len(n.items))
			return
		}
	} else {
		v.Set(reflect.MakeSlice(v.Type(), len(n.items), len(n.items)))
	}
	for i, item := range n.items {
		if item.kind == null {
			d.problems.add(item.at, "an empty value in a list; write it out or remove it")
			continue
		}
		d.value(item, v.Index(i))
	}
}

func (d decoder) scalar(n *node, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if n.kind == whole || n.kind == real || n.kind == boolean {
			d.problems.add(n.at, "want text, have %s; put it in quotes", n.describe())
			return
		}
		if d.expect(n, text, "text") {
			v.SetString(n.scalar)
		}
	case reflect.Bool:
		if d.expect(n, boolean, "true or false") {
			v.SetBool(n.value.(bool))
		}
	case reflect.Float32, reflect.Float64:
		d.float(n, v)
	default:
		d.integer(n, v)
	}
}

func (d decoder) float(n *node, v reflect.Value) {
	var f float64
	switch x := n.value.(type) {
	case float64:
		f = x
	case int64:
		f = float64(x)
	case uint64:
		f = float64(x)
	default:
		d.expect(n, real, "a number")
		return
	}
	if v.OverflowFloat(f) || math.IsInf(f, 0) || math.IsNaN(f) {
		d.problems.add(n.at, "the number %s is out of range", n.scalar)
		return
	}
	v.SetFloat(f)
}

func (d decoder) integer(n *node, v reflect.Value) {
	if !v.CanInt() && !v.CanUint() {
		d.problems.add(n.at, "a configuration cannot hold a %s", v.Type())
		return
	}
	if !d.expect(n, whole, "a whole number") {
		return
	}
	if v.CanInt() {
		i, err := strconv.ParseInt(fmt.Sprint(n.value), 10, 64)
		if err != nil || v.OverflowInt(i) {
			d.problems.add(n.at, "the number %s does not fit %d bits", n.scalar, v.Type().Bits())
			return
		}
		v.SetInt(i)
		return
	}
	u, err := strconv.ParseUint(fmt.Sprint(n.value), 10, 64)
	if err != nil || v.OverflowUint(u) {
		d.problems.add(n.at, "want a whole number from 0 to 2^%d-1, have %s", v.Type().Bits(), n.scalar)
		return
	}
	v.SetUint(u)
}

func (d decoder) duration(n *node, v reflect.Value) {
	span, err := time.ParseDuration(n.scalar)
	if n.kind != text || err != nil {
		d.problems.add(n.at, "want a duration such as 30s or 1h15m, have %s", n.describe())
		return
	}
	v.SetInt(int64(span))
}

func (d decoder) textValue(n *node, v reflect.Value) {
	if !d.expect(n, text, "text") {
		return
	}
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.scalar)); err != nil {
		d.problems.addError(n.at, err)
	}
}

// expect reports whether n is of kind k and complains when it is not.
func (d decoder) expect(n *node, k kind, name string) bool {
	if n.kind == k {
		return true
	}
	d.problems.add(n.at, "want %s, have %s", name, n.describe())
	return false
}

// describe says what a value is, for messages.
func (n *node) describe() string {
	switch n.kind {
	case text:
		return fmt.Sprintf("the text %q", shorten(n.scalar))
	case whole, real:
		return "the number " + shorten(n.scalar)
	case boolean:
		return n.scalar
	case list:
		return "a list"
	case mapping:
		return "a block of keys"
	}
	return "nothing"
}

func shorten(s string) string { return words.Shorten(s, 40) }

// untyped turns a tree into untyped Go values.
func untyped(n *node) any {
	switch n.kind {
	case text:
		return n.scalar
	case list:
		items := make([]any, len(n.items))
		for i, item := range n.items {
			items[i] = untyped(item)
		}
		return items
	case mapping:
		m := map[string]any{}
		for _, f := range n.fields {
			m[f.key] = untyped(f.value)
		}
		return m
	}
	return n.value
}

// key is one field of a configuration struct.
type key struct {
	name  string
	doc   string
	index []int
	typ   reflect.Type
	// enum lists the texts that a field of that type may hold; empty: any.
	enum []string
	// required says that a file without the key is refused, which is up to the code
	// that knows why: here it is documentation.
	required bool
}

// words are the texts of enum, without the empty one.
func (k key) words() []string {
	return slices.DeleteFunc(slices.Clone(k.enum), func(w string) bool { return w == "" })
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
		k := key{name: name, doc: f.Tag.Get("doc"), index: []int{i}, typ: f.Type, required: f.Tag.Get("required") != ""}
		if list, ok := f.Tag.Lookup("enum"); ok {
			k.enum = strings.Split(list, ",")
		}
		all = append(all, k)
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
	Default  string
	Doc      string
	Required bool
}

// Describe lists the keys of a configuration, a struct or a pointer to one
// plus its defaults set, in the order declared.
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
		f := Field{Name: prefix + k.name, Type: typeName(k.typ), Default: defaultText(fv), Doc: k.doc, Required: k.required}
		if len(k.enum) > 0 {
			f.Type = "one of " + strings.Join(k.words(), ", ")
		}
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
			return defaultOf(t), mark
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
	case reflect.Map:
		return flow(v)
	case reflect.Slice, reflect.Array:
		if !isScalar(v.Type().Elem()) && v.Type().Elem().Kind() == reflect.Struct {
			return flow(v)
		}
		items := make([]string, v.Len())
		for i := range items {
			items[i] = fmt.Sprint(v.Index(i).Interface())
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return fmt.Sprint(v.Interface())
}

// flow writes a value as JSON, which is YAML too.
func flow(v reflect.Value) string {
	b, err := json.Marshal(v.Interface())
	if err != nil {
		return fmt.Sprint(v.Interface())
	}
	return string(b)
}
