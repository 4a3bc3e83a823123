package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/engine/config"
)

// What is generated from the keys of the configuration lies beside the configurations.
const (
	schemaFile    = "configs/pipeline.schema.json"
	referenceFile = "configs/reference.md"
)

func TestLayoutConfigKeysAreCurrent(t *testing.T) {
	reg := plugins.Registry()
	var schema, reference bytes.Buffer
	if err := config.WriteSchema(&schema, reg); err != nil {
		t.Fatal(err)
	}
	if err := config.WriteReference(&reference, reg); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{schemaFile: schema.Bytes(), referenceFile: reference.Bytes()} {
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(name); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not what the code says (%v): UPDATE=1 go test -run TestLayoutConfigKeysAreCurrent . writes it", name, err)
		}
	}
}

// TestLayoutConfigKeysHaveMeaning wants a doc tag on every key.
func TestLayoutConfigKeysHaveMeaning(t *testing.T) {
	var walk func(where string, s map[string]any)
	seen := 0
	walk = func(where string, s map[string]any) {
		properties, _ := s["properties"].(map[string]any)
		for name, p := range properties {
			property := p.(map[string]any)
			if seen++; property["description"] == nil && !strings.HasSuffix(where, ".roles") {
				t.Errorf("%s.%s has no doc tag", where, name)
			}
			walk(where+"."+name, property)
		}
		for _, inner := range []string{"items", "additionalProperties"} {
			if below, ok := s[inner].(map[string]any); ok {
				walk(where, below)
			}
		}
	}
	root := readSchema(t).(map[string]any)
	walk("", root)
	for name, definition := range root["definitions"].(map[string]any) {
		walk(name, definition.(map[string]any))
	}
	if seen < 500 {
		t.Errorf("only %d keys", seen)
	}
}

func readSchema(t *testing.T) any {
	t.Helper()
	b, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("pipeline.schema.json", readSchema(t)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("pipeline.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON reads YAML into what a validator takes.
func asJSON(t *testing.T, text string) any {
	t.Helper()
	var plain any
	if err := yaml.Unmarshal([]byte(text), &plain); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestConfigSchemaTakesShippedConfigurations(t *testing.T) {
	var files []string
	for _, pattern := range []string{"pipeline.yaml", "configs/*.yaml", "configs/*/*.yaml", "docs/*.yaml", "docs/examples/*/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 25 {
		t.Fatalf("only %d configurations: %v", len(files), files)
	}
	s := compileSchema(t)
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(asJSON(t, string(b))); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// Schema and loader refuse the same mistakes and allow the same liberties.
func TestConfigSchemaRefusesWhatLoadRefuses(t *testing.T) {
	const good = `version: 1
release: {name: r, from: [options], license: CC0-1.0}
sources:
  films: {use: procedural, with: {kind: film, count: 4, likeness: [0, 1]}}
stages:
  render: {use: film.render, from: [films]}
  pair: {use: video.pair, from: [render]}
  concat: {use: video.concat, from: [pair]}
  ask: {use: video.ask, from: [concat]}
gates:
  options: {use: interference-roles, from: [ask], on_fail: drop, max_insufficient: 0.5}
models: {big: {base_url: "http://127.0.0.1:1/v1", model: m, limits: {timeout: 1m30s}, media: {detail: low}}}
roles: {judge: big, captioner: built-in}
run: {workers: 2, log_format: text, grace: 5s, max_cost: 0}
`
	s, reg := compileSchema(t), plugins.Registry()
	for _, tc := range []struct {
		name, old, new string
		ok             bool
	}{
		{"as it is", "", "", true},
		{"a key without a value", "workers: 2", "workers: ", true},
		{"a step that is switched off by nothing", "with: {kind: film, count: 4, likeness: [0, 1]}", "with: ", true},
		{"no budget", "max_cost: 0", "max_cost: ", true},
		{"unknown key at the top", "version: 1", "version: 1\nsedd: 3", false},
		{"unknown key of a step", "use: film.render,", "use: film.render, whit: {},", false},
		{"unknown key of a plugin", "count: 4", "cuont: 4", false},
		{"key of another plugin", "from: [concat]}", "from: [concat], with: {orders: [AB]}}", false},
		{"plugin of another kind", "use: film.render", "use: procedural", false},
		{"unknown plugin", "use: video.ask", "use: video.aks", false},
		{"step without use", "use: video.pair, ", "", false},
		{"step without from", "use: video.ask, from: [concat]", "use: video.ask", false},
		{"step name", "  render: {", "  Render: {", false},
		{"text for a number", "count: 4", "count: four", false},
		{"number for text", "name: r", "name: 3", false},
		{"fraction for a whole number", "workers: 2", "workers: 2.5", false},
		{"list for a block", "with: {kind: film, count: 4, likeness: [0, 1]}", "with: [film]", false},
		{"empty value in a list", "likeness: [0, 1]", "likeness: [0, ~]", false},
		{"closed list", "on_fail: drop", "on_fail: ignore", false},
		{"log format", "log_format: text", "log_format: xml", false},
		{"detail", "detail: low", "detail: lowest", false},
		{"duration", "timeout: 1m30s", "timeout: 90", false},
		{"duration without unit", "grace: 5s", "grace: '5'", false},
		{"licence", "license: CC0-1.0", "license: mine", false},
		{"version", "version: 1", "version: 2", false},
		{"no version", "version: 1\n", "", false},
		{"no release", "release: {name: r, from: [options], license: CC0-1.0}\n", "", false},
		{"release without from", ", from: [options]", "", false},
		{"model without address", `base_url: "http://127.0.0.1:1/v1", `, "", false},
		{"include and release", "version: 1", "include: [other.yaml]", false},
	} {
		text := strings.Replace(good, tc.old, tc.new, 1)
		if tc.old != "" && text == good {
			t.Fatalf("%s: nothing changed", tc.name)
		}
		bySchema := s.Validate(asJSON(t, text))
		_, byLoad := config.Parse("pipeline.yaml", []byte(text), reg, nil)
		if (bySchema == nil) != tc.ok || (byLoad == nil) != tc.ok {
			t.Errorf("%s: schema says %v, load says %v; right: %t", tc.name, bySchema, byLoad, tc.ok)
		}
	}
}
