package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Strict is the schema as servers that enforce one take it: the subset that all
// of them know. Every object is closed and has all of its properties, in their
// order; references are written out; bounds and patterns stand in descriptions,
// for the model to read, and Check holds the answer against them. false means that
// the subset cannot say what the schema does, because a property may be absent,
// for example.
func (s Schema) Strict() (json.RawMessage, bool) { return s.strict, s.strict != nil }

// errNotStrict says why a schema has no strict form.
var errNotStrict = errors.New("not in the strict subset")

// Keywords of JSON Schema by what becomes of them.
var (
	keptKeywords    = []string{"type", "description", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref"}
	droppedKeywords = []string{"$schema", "$id", "$defs", "$comment", "title", "default", "examples", "deprecated", "readOnly", "writeOnly"}
	// describedKeywords bound a value: they go into its description.
	describedKeywords = []string{
		"minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minItems", "maxItems", "uniqueItems",
	}
)

func strictSchema(raw json.RawMessage) (json.RawMessage, error) {
	root, err := parseMembers(raw)
	if err != nil {
		return nil, err
	}
	if string(root.get("type")) != `"object"` {
		return nil, fmt.Errorf("%w: the root is no object", errNotStrict)
	}
	defs := members{}
	if d := root.get("$defs"); d != nil {
		if defs, err = parseMembers(d); err != nil {
			return nil, err
		}
	}
	return (&strictWriter{defs: defs}).writeSchema(root, 0)
}

// members are those of a JSON object, in their order.
type members []member

type member struct {
	name  string
	value json.RawMessage
}

func parseMembers(raw json.RawMessage) (members, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("%w: a schema is no object", errNotStrict)
	}
	var out members
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: name.(string)} // in an object, JSON has no other
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

func (ms members) get(name string) json.RawMessage {
	for _, m := range ms {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

type strictWriter struct {
	defs    members
	written int
}

// Bounds of nesting and of schemas written out, so that one that holds itself ends.
const (
	maxSchemaDepth    = 16
	maxSchemasWritten = 2000
)

func (s *strictWriter) writeSchema(in members, depth int) (json.RawMessage, error) {
	if s.written++; depth > maxSchemaDepth || s.written > maxSchemasWritten {
		return nil, fmt.Errorf("%w: it holds itself, or is nested deeper than %d", errNotStrict, maxSchemaDepth)
	}
	for _, m := range in {
		if !slices.Contains(slices.Concat(keptKeywords, droppedKeywords, describedKeywords), m.name) {
			return nil, fmt.Errorf("%w: %s", errNotStrict, m.name)
		}
	}
	if ref := in.get("$ref"); ref != nil {
		return s.writeReferred(ref, depth)
	}
	var out members
	add := func(name string, value json.RawMessage) { out = append(out, member{name, value}) }
	if t := in.get("type"); t != nil {
		add("type", t)
	}
	if d := describeBounds(in); d != nil {
		add("description", d)
	}
	if err := s.writeProperties(in, depth, add); err != nil {
		return nil, err
	}
	if err := s.writeNested(in, depth, add); err != nil {
		return nil, err
	}
	if one := in.get("const"); one != nil {
		add("enum", slices.Concat([]byte("["), one, []byte("]")))
	}
	if all := in.get("enum"); all != nil {
		add("enum", all)
	}
	return out.marshal(), nil
}

func (s *strictWriter) writeReferred(ref json.RawMessage, depth int) (json.RawMessage, error) {
	var name string
	if err := json.Unmarshal(ref, &name); err != nil {
		return nil, fmt.Errorf("%w: $ref %s", errNotStrict, ref)
	}
	raw := s.defs.get(strings.TrimPrefix(name, "#/$defs/"))
	if raw == nil {
		return nil, fmt.Errorf("%w: $ref %s", errNotStrict, ref)
	}
	to, err := parseMembers(raw)
	if err != nil {
		return nil, err
	}
	return s.writeSchema(to, depth+1)
}

// writeProperties closes an object, all of whose properties the schema must require.
func (s *strictWriter) writeProperties(in members, depth int, add func(string, json.RawMessage)) error {
	raw := in.get("properties")
	if raw == nil {
		if string(in.get("type")) == `"object"` {
			return fmt.Errorf("%w: an object without properties", errNotStrict)
		}
		return nil
	}
	properties, err := parseMembers(raw)
	if err != nil {
		return err
	}
	var required []string
	if r := in.get("required"); r != nil {
		if err := json.Unmarshal(r, &required); err != nil {
			return fmt.Errorf("%w: required %s", errNotStrict, r)
		}
	}
	if more := in.get("additionalProperties"); string(more) != "false" {
		return fmt.Errorf("%w: an object that is open", errNotStrict)
	}
	var names []string
	for i, p := range properties {
		if !slices.Contains(required, p.name) {
			return fmt.Errorf("%w: %s may be absent", errNotStrict, p.name)
		}
		names = append(names, p.name)
		if properties[i].value, err = s.writeInner(p.value, depth); err != nil {
			return err
		}
	}
	order, err := json.Marshal(names)
	if err != nil {
		return err
	}
	add("properties", properties.marshal())
	add("required", order)
	add("additionalProperties", json.RawMessage("false"))
	return nil
}

// writeNested are the schemas of a list's items and of alternatives.
func (s *strictWriter) writeNested(in members, depth int, add func(string, json.RawMessage)) error {
	if raw := in.get("items"); raw != nil {
		items, err := s.writeInner(raw, depth)
		if err != nil {
			return err
		}
		add("items", items)
	}
	raw := in.get("anyOf")
	if raw == nil {
		return nil
	}
	var ways []json.RawMessage
	if err := json.Unmarshal(raw, &ways); err != nil {
		return fmt.Errorf("%w: anyOf %s", errNotStrict, raw)
	}
	for i := range ways {
		var err error
		if ways[i], err = s.writeInner(ways[i], depth); err != nil {
			return err
		}
	}
	add("anyOf", slices.Concat([]byte("["), bytes.Join(rawBytes(ways), []byte(",")), []byte("]")))
	return nil
}

func rawBytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, r := range list {
		out[i] = r
	}
	return out
}

func (s *strictWriter) writeInner(raw json.RawMessage, depth int) (json.RawMessage, error) {
	in, err := parseMembers(raw)
	if err != nil {
		return nil, err
	}
	return s.writeSchema(in, depth+1)
}

func describeBounds(in members) json.RawMessage {
	var text string
	if d := in.get("description"); d != nil {
		_ = json.Unmarshal(d, &text) // what is no text says nothing
	}
	var bounds []string
	for _, m := range in {
		if slices.Contains(describedKeywords, m.name) {
			bounds = append(bounds, m.name+" "+string(m.value))
		}
	}
	if len(bounds) > 0 {
		text = strings.TrimSpace(text + " (" + strings.Join(bounds, ", ") + ")")
	}
	if text == "" {
		return nil
	}
	b, err := marshalString(text)
	if err != nil {
		return nil
	}
	return b
}

func (ms members) marshal() json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range ms {
		if i > 0 {
			out.WriteByte(',')
		}
		name, _ := marshalString(m.name) // a text always is
		out.Write(name)
		out.WriteByte(':')
		out.Write(m.value)
	}
	out.WriteByte('}')
	return out.Bytes()
}

// marshalString leaves <, > and & as they are.
func marshalString(s string) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(s)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
