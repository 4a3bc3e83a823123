package config

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strconv"
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
		v.Set(reflect.ValueOf(plain(n)))
	default:
		d.scalar(n, v)
	}
}

func (d decoder) structValue(n *node, v reflect.Value) {
	if !d.want(n, mapping, "a block of keys") {
		return
	}
	known := keysOf(v.Type())
	for _, f := range n.fields {
		k, ok := known.find(f.key)
		if !ok {
			d.problems.add(f.at, "unknown key %q%s", f.key, suggest(f.key, known.names(), "known keys"))
			continue
		}
		d.value(f.value, v.FieldByIndex(k.index))
	}
}

func (d decoder) mapValue(n *node, v reflect.Value) {
	if !d.want(n, mapping, "a block of keys") {
		return
	}
	t := v.Type()
	if t.Key().Kind() != reflect.String {
		d.problems.add(n.at, "a configuration cannot hold a %s: its keys are not text", t)
		return
	}
	v.Set(reflect.MakeMap(t))
	for _, f := range n.fields {
		item := reflect.New(t.Elem()).Elem()
		if def, ok := item.Addr().Interface().(pipeline.Defaulter); ok {
			def.SetDefaults()
		}
		d.value(f.value, item)
		v.SetMapIndex(reflect.ValueOf(f.key).Convert(t.Key()), item)
	}
}

func (d decoder) listValue(n *node, v reflect.Value) {
	if !d.want(n, list, "a list") {
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
		if d.want(n, text, "text") {
			v.SetString(n.scalar)
		}
	case reflect.Bool:
		if d.want(n, boolean, "true or false") {
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
		d.want(n, real, "a number")
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
	if !d.want(n, whole, "a whole number") {
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
	if !d.want(n, text, "text") {
		return
	}
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.scalar)); err != nil {
		d.problems.wrap(n.at, err)
	}
}

// want reports whether n is of kind k and complains when it is not.
func (d decoder) want(n *node, k kind, name string) bool {
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

// plain turns a tree into untyped Go values.
func plain(n *node) any {
	switch n.kind {
	case text:
		return n.scalar
	case list:
		items := make([]any, len(n.items))
		for i, item := range n.items {
			items[i] = plain(item)
		}
		return items
	case mapping:
		m := map[string]any{}
		for _, f := range n.fields {
			m[f.key] = plain(f.value)
		}
		return m
	}
	return n.value
}
