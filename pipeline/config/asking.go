package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

// LoadAsking reads a configuration for a command that asks models and builds
// nothing. Besides a whole one, it takes a file with models, roles, panels and run
// alone.
func LoadAsking(path string, reg *pipeline.Registry, sets []string) (*Config, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read configuration: %w; name another file with --file", err)
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	var p problems
	tree := parse(path, b, &p)
	if tree == nil || !onlyAsks(tree) {
		return Load(path, reg, sets)
	}
	for _, s := range sets {
		override(tree, s, &p)
	}
	c, err := asking(tree, &p)
	if err != nil {
		return nil, err
	}
	c.Dir, c.File = filepath.Dir(path), path
	return c, nil
}

// onlyAsks reports whether a file has no key of what is built.
func onlyAsks(tree *node) bool {
	known := []string{"version", "models", "roles", "panels", "run"}
	return tree.kind == mapping && len(tree.fields) > 0 && !slices.ContainsFunc(tree.keyNames(), func(k string) bool { return !slices.Contains(known, k) })
}

// asking decodes what a command needs that asks models.
func asking(tree *node, p *problems) (*Config, error) {
	f := struct {
		Version int                          `yaml:"version"`
		Models  map[string]Model             `yaml:"models"`
		Roles   map[string]string            `yaml:"roles"`
		Panels  map[string]map[string]string `yaml:"panels"`
		Run     Run                          `yaml:"run"`
	}{Run: DefaultRun()}
	decoder{p}.value(tree, reflect.ValueOf(&f).Elem())
	l := loader{file: file{Models: f.Models, Roles: f.Roles, Panels: f.Panels, Run: f.Run}, tree: tree, problems: p}
	l.run()
	plan := engine.Plan{Models: l.models()}
	l.panels()
	if err := p.err(); err != nil {
		return nil, err
	}
	return &Config{Plan: plan, Run: f.Run, Models: f.Models, Roles: liveRoles(f.Roles), Panels: f.Panels}, nil
}
