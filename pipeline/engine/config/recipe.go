package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

// Recipe returns the configuration as one file that builds the same on any machine: with
// what it includes and what overrides set, without run, panels and models that play no
// role. A folder of a source that is not below the configuration's own is renamed to
// inputs/SOURCE. steps are those of the plan, resolved.
func (c *Config) Recipe(steps []engine.Step) ([]byte, error) {
	if c.tree == nil {
		return nil, errors.New("write the recipe: this configuration was read from no file")
	}
	tree := c.tree.clone()
	tree.remove("run")
	tree.remove("panels")
	if models := tree.get("models"); models != nil {
		models.fields = slices.DeleteFunc(models.fields, func(f field) bool {
			for _, name := range c.Roles {
				if name == f.key {
					return false
				}
			}
			return true
		})
		for _, f := range models.fields {
			if at := f.value.get("base_url"); at != nil && at.kind == text {
				at.scalar = publicURL(at.scalar)
			}
		}
	}
	for _, s := range steps {
		if _, round := pipeline.SplitRound(s.Name); round > 0 {
			continue
		}
		at := tree.get(string(s.Kind) + "s").get(s.Name)
		if at == nil {
			continue // a step that revision added
		}
		for _, n := range s.Needs {
			if root := n.Root; root != "" && !filepath.IsLocal(filepath.FromSlash(root)) {
				at.get("with").rename(root, "inputs/"+s.Name)
			}
		}
		if s.Kind == pipeline.KindGate {
			if err := at.askEverything(s.Config); err != nil {
				return nil, fmt.Errorf("write the recipe: gate %s: %w", s.Name, err)
			}
		}
	}
	out, err := yaml.MarshalWithOptions(untypedInOrder(tree), yaml.Indent(2), yaml.UseLiteralStyleIfMultiline(false))
	if err != nil {
		return nil, fmt.Errorf("write the recipe: %w", err)
	}
	var p problems
	if again := parse("recipe", out, &p); again == nil || len(p.list) > 0 || !again.equals(tree) {
		return nil, errors.Join(errors.New("write the recipe: the configuration does not survive being written as YAML"), p.err())
	}
	return out, nil
}

// publicPath is of words that many servers have in their addresses.
var publicPath = regexp.MustCompile(`^(/(api|openai|compatible-mode|inference|v[0-9]+[a-z]*))+/?$`)

// publicURL returns the address of a server with /v1 in the place of a path that may be
// private. The host enters cache keys, the path does not.
func publicURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || publicPath.MatchString(u.Path) {
		return address
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/v1"}).String()
}

// askEverything sets the full protocol of a gate where its configuration has it.
func (n *node) askEverything(config pipeline.RawConfig) error {
	full, err := engine.FullProtocol(config)
	if err != nil {
		return err
	}
	var has struct {
		Full bool `json:"full_protocol"`
	}
	if err := json.Unmarshal(config, &has); err != nil || !has.Full || !bytes.Equal(full, config) {
		return err
	}
	with := n.get("with")
	if with == nil || with.kind == null {
		with = &node{kind: mapping, at: n.at}
		n.setField("with", n.at, with)
	}
	with.setField("full_protocol", n.at, &node{kind: boolean, scalar: "true", value: true, at: n.at})
	return nil
}

func (n *node) clone() *node {
	out := *n
	out.items, out.fields = slices.Clone(n.items), slices.Clone(n.fields)
	for i := range out.items {
		out.items[i] = out.items[i].clone()
	}
	for i := range out.fields {
		out.fields[i].value = out.fields[i].value.clone()
	}
	return &out
}

// rename replaces every text that is exactly one by another.
func (n *node) rename(from, to string) {
	if n == nil {
		return
	}
	if n.kind == text && n.scalar == from {
		n.scalar = to
	}
	for _, item := range n.items {
		item.rename(from, to)
	}
	for _, f := range n.fields {
		f.value.rename(from, to)
	}
}

// equals compares values, wherever they stand.
func (n *node) equals(o *node) bool {
	if n.kind != o.kind || len(n.items) != len(o.items) || len(n.fields) != len(o.fields) {
		return false
	}
	if n.kind == text && n.scalar != o.scalar || n.kind != text && fmt.Sprint(n.value) != fmt.Sprint(o.value) {
		return false
	}
	for i := range n.items {
		if !n.items[i].equals(o.items[i]) {
			return false
		}
	}
	for i := range n.fields {
		if n.fields[i].key != o.fields[i].key || !n.fields[i].value.equals(o.fields[i].value) {
			return false
		}
	}
	return true
}

// untypedInOrder returns a tree as the YAML library takes it.
func untypedInOrder(n *node) any {
	switch n.kind {
	case mapping:
		out := yaml.MapSlice{}
		for _, f := range n.fields {
			out = append(out, yaml.MapItem{Key: f.key, Value: untypedInOrder(f.value)})
		}
		return out
	case list:
		out := []any{}
		for _, item := range n.items {
			out = append(out, untypedInOrder(item))
		}
		return out
	case text:
		return n.scalar
	}
	return n.value
}
