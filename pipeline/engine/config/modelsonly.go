package config

import (
	"reflect"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

// LoadModels reads a configuration for a command that asks models and builds
// nothing. Besides a whole one, it takes a file with models, roles, panels and run
// alone.
func LoadModels(path string, reg *pipeline.Registry, sets []string) (*Config, error) {
	return load(path, func(tree *node, p *problems) (*Config, error) {
		if !hasOnlyModels(tree) {
			return withIncluded(path, tree, reg, sets, p)
		}
		for _, s := range sets {
			override(tree, s, p)
		}
		return decodeModels(tree, p)
	})
}

// ParseModels is LoadModels on the bytes of a file with models, roles, panels and run
// alone.
func ParseModels(name string, b []byte) (*Config, error) { return parsed(name, b, decodeModels) }

// hasOnlyModels reports whether a file has no key of what is built.
func hasOnlyModels(tree *node) bool {
	known := []string{"version", "models", "roles", "panels", "run"}
	return tree.kind == mapping && len(tree.fields) > 0 && !slices.ContainsFunc(tree.keyNames(), func(k string) bool { return !slices.Contains(known, k) })
}

// decodeModels decodes what a command needs that asks models.
func decodeModels(tree *node, p *problems) (*Config, error) {
	l := loader{file: file{modelBlocks: modelBlocks{Run: DefaultRun()}}, tree: tree, problems: p}
	decoder{p}.value(tree, reflect.ValueOf(&l.file.modelBlocks).Elem())
	l.run()
	plan := engine.Plan{Models: l.models()}
	l.panels()
	return l.decided(plan)
}
