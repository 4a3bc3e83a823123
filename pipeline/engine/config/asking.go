package config

import (
	"reflect"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

// LoadAsking reads a configuration for a command that asks models and builds
// nothing. Besides a whole one, it takes a file with models, roles, panels and run
// alone.
func LoadAsking(path string, reg *pipeline.Registry, sets []string) (*Config, error) {
	return load(path, func(tree *node, p *problems) (*Config, error) {
		if !onlyAsks(tree) {
			return withIncluded(path, tree, reg, sets, p)
		}
		for _, s := range sets {
			override(tree, s, p)
		}
		return asking(tree, p)
	})
}

// ParseAsking is LoadAsking on the bytes of a file with models, roles, panels and run
// alone.
func ParseAsking(name string, b []byte) (*Config, error) { return parsed(name, b, asking) }

// onlyAsks reports whether a file has no key of what is built.
func onlyAsks(tree *node) bool {
	known := []string{"version", "models", "roles", "panels", "run"}
	return tree.kind == mapping && len(tree.fields) > 0 && !slices.ContainsFunc(tree.keyNames(), func(k string) bool { return !slices.Contains(known, k) })
}

// asking decodes what a command needs that asks models.
func asking(tree *node, p *problems) (*Config, error) {
	l := loader{file: file{asked: asked{Run: DefaultRun()}}, tree: tree, problems: p}
	decoder{p}.value(tree, reflect.ValueOf(&l.file.asked).Elem())
	l.run()
	plan := engine.Plan{Models: l.models()}
	l.panels()
	return l.decided(plan)
}
