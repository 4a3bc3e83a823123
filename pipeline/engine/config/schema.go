package config

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/license"
)

// jsonSchema is what of JSON Schema, draft 7, a configuration needs. Editors know that
// draft best.
type jsonSchema struct {
	Schema               string                 `json:"$schema,omitempty"`
	Title                string                 `json:"title,omitempty"`
	Description          string                 `json:"description,omitempty"`
	Ref                  string                 `json:"$ref,omitempty"`
	Type                 any                    `json:"type,omitempty"` // a word, or words of which one holds
	Const                any                    `json:"const,omitempty"`
	Enum                 []any                  `json:"enum,omitempty"`
	Default              any                    `json:"default,omitempty"`
	Pattern              string                 `json:"pattern,omitempty"`
	Minimum              *int                   `json:"minimum,omitempty"`
	Items                *jsonSchema            `json:"items,omitempty"`
	MinItems             int                    `json:"minItems,omitempty"`
	MaxItems             int                    `json:"maxItems,omitempty"`
	Properties           map[string]*jsonSchema `json:"properties,omitempty"`
	Required             []string               `json:"required,omitempty"`
	PropertyNames        *jsonSchema            `json:"propertyNames,omitempty"`
	AdditionalProperties any                    `json:"additionalProperties,omitempty"` // false or a schema
	AnyOf                []*jsonSchema          `json:"anyOf,omitempty"`
	AllOf                []*jsonSchema          `json:"allOf,omitempty"`
	If                   *jsonSchema            `json:"if,omitempty"`
	Then                 *jsonSchema            `json:"then,omitempty"`
	Definitions          map[string]*jsonSchema `json:"definitions,omitempty"`
}

const (
	durationPattern = `^[-+]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`
	stepPattern     = `^[a-z0-9][a-z0-9_-]{0,63}$`
)

// WriteSchema writes a JSON Schema of pipeline.yaml, and of the files that it includes, for
// editors. It is made of the types and tags that Load decodes by: keys, types, defaults,
// closed lists and, for each step, the keys of the plugin that use names. What a plugin
// wants beyond that, and whether steps fit together, Load alone says.
func WriteSchema(out io.Writer, reg *pipeline.Registry) error {
	root := schemaOf(reflect.ValueOf(defaultFile()))
	root.Schema = "http://json-schema.org/draft-07/schema#"
	root.Title = "memforge configuration"
	root.Type = "object"
	root.Definitions = map[string]*jsonSchema{}
	top := root.Properties
	top["version"].Enum = []any{1}
	licenses := &top["release"].Properties["license"].Enum
	for _, id := range license.IDs() {
		*licenses = append(*licenses, id)
	}
	*licenses = append(*licenses, "", nil)
	for _, k := range []pipeline.Kind{pipeline.KindSource, pipeline.KindStage, pipeline.KindGate} {
		defineKind(root.Definitions, reg, k)
		steps := top[string(k)+"s"]
		step := steps.AdditionalProperties.(*jsonSchema)
		step.Type = "object" // a step without keys is none
		choosePlugin(step, reg, k)
		steps.PropertyNames = &jsonSchema{Pattern: stepPattern}
	}
	choosePlugin(top["revise"], reg, pipeline.KindStage)
	choosePlugin(top["revise"].Properties["also"].Items, reg, pipeline.KindStage)
	top["roles"].Properties = roleSchemas(reg)
	root.AnyOf = []*jsonSchema{
		{Title: "a whole configuration", Required: []string{"version", "release"}},
		{Title: "a file that another includes", PropertyNames: &jsonSchema{Enum: []any{"include", "sources", "stages", "gates"}}},
		{Title: "models alone", Required: []string{"version"}, PropertyNames: &jsonSchema{Enum: []any{"version", "models", "roles", "panels", "run"}}},
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(root); err != nil {
		return fmt.Errorf("write the schema of the configuration: %w", err)
	}
	return nil
}

// defineKind adds the configuration of every plugin of a kind to the definitions.
func defineKind(definitions map[string]*jsonSchema, reg *pipeline.Registry, k pipeline.Kind) {
	for _, name := range reg.Names(k) {
		p, _ := reg.Plugin(k, name)
		with := orNull(schemaOf(reflect.Indirect(reflect.ValueOf(p.NewConfig()))))
		with.Description = p.Summary
		definitions[string(k)+"."+name] = with
	}
}

// choosePlugin lists the plugins that use may name, and lets with hold the keys of the
// one it names.
func choosePlugin(step *jsonSchema, reg *pipeline.Registry, k pipeline.Kind) {
	use := step.Properties["use"]
	for _, name := range reg.Names(k) {
		use.Enum = append(use.Enum, name)
		step.AllOf = append(step.AllOf, &jsonSchema{
			If:   &jsonSchema{Properties: map[string]*jsonSchema{"use": {Const: name}}, Required: []string{"use"}},
			Then: &jsonSchema{Properties: map[string]*jsonSchema{"with": {Ref: "#/definitions/" + string(k) + "." + name}}},
		})
	}
}

// roleSchemas has the roles that plugins ask with their defaults; others are allowed.
func roleSchemas(reg *pipeline.Registry) map[string]*jsonSchema {
	out := map[string]*jsonSchema{}
	for _, k := range []pipeline.Kind{pipeline.KindSource, pipeline.KindStage, pipeline.KindGate} {
		for _, name := range reg.Names(k) {
			spec, _ := reg.DefaultSpec(k, name)
			for _, a := range spec.Asks {
				out[a.Role] = orNull(&jsonSchema{Type: "string"})
			}
		}
	}
	return out
}

// schemaOf returns the schema of a value's type; what the value holds are the defaults.
func schemaOf(v reflect.Value) *jsonSchema {
	t := v.Type()
	switch {
	case t == treeType:
		return &jsonSchema{}
	case t == durationType:
		return &jsonSchema{Type: "string", Pattern: durationPattern}
	case isScalar(t):
		return &jsonSchema{Type: "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v = reflect.New(t.Elem())
		}
		return schemaOf(v.Elem())
	case reflect.Struct:
		return schemaOfStruct(v)
	case reflect.Map:
		return &jsonSchema{Type: "object", AdditionalProperties: orNull(schemaOf(defaultOf(t.Elem())))}
	case reflect.Slice:
		return &jsonSchema{Type: "array", Items: schemaOf(reflect.New(t.Elem()).Elem())}
	case reflect.Array:
		return &jsonSchema{Type: "array", Items: schemaOf(reflect.New(t.Elem()).Elem()), MinItems: t.Len(), MaxItems: t.Len()}
	case reflect.String:
		return &jsonSchema{Type: "string"}
	case reflect.Bool:
		return &jsonSchema{Type: "boolean"}
	case reflect.Float32, reflect.Float64:
		return &jsonSchema{Type: "number"}
	case reflect.Interface:
		return &jsonSchema{}
	}
	whole := &jsonSchema{Type: "integer"}
	if v.CanUint() {
		whole.Minimum = new(int)
	}
	return whole
}

func schemaOfStruct(v reflect.Value) *jsonSchema {
	s := &jsonSchema{Type: "object", Properties: map[string]*jsonSchema{}, AdditionalProperties: false}
	for _, k := range keysOf(v.Type()) {
		field := v.FieldByIndex(k.index)
		property := schemaOf(field)
		for _, word := range k.enum {
			property.Enum = append(property.Enum, word)
		}
		property.Description, property.Default = k.doc, defaultValue(field)
		s.Properties[k.name] = orNull(property)
		if k.required {
			s.Required = append(s.Required, k.name)
		}
	}
	return s
}

// orNull lets a key stand without a value, which means its default.
func orNull(s *jsonSchema) *jsonSchema {
	if word, ok := s.Type.(string); ok {
		s.Type = []string{word, "null"}
	}
	if len(s.Enum) > 0 {
		s.Enum = append(s.Enum, nil)
	}
	return s
}

// defaultValue is defaultText as a value of JSON.
func defaultValue(v reflect.Value) any {
	switch {
	case v.IsZero(), v.Kind() == reflect.Struct && !isScalar(v.Type()):
		return nil
	case v.Kind() == reflect.Pointer:
		return defaultValue(v.Elem())
	case v.Type() == durationType:
		return defaultText(v)
	}
	return v.Interface()
}
