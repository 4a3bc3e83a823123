package config

import (
	"slices"
	"strings"
)

// override sets one value, "key.path=value", in the tree. The value is YAML,
// so 3 is a number and [a, b] a list. Keys that no schema knows are found when
// the tree is decoded; nodes must exist, because an override does not add one.
func override(root *node, set string, p *problems) {
	at := place{source: "--set " + set}
	path, raw, ok := strings.Cut(set, "=")
	if !ok || path == "" {
		p.add(at, "want key.path=value")
		return
	}
	parts := strings.Split(path, ".")
	if slices.Contains(parts, "") {
		p.add(at, "the path %q has an empty part", path)
		return
	}
	value := overrideValue(at, raw, p)
	if value == nil || !overridable(root, parts, at, p) {
		return
	}
	for _, part := range parts[:len(parts)-1] {
		next := root.get(part)
		if next == nil || next.kind == null {
			next = &node{kind: mapping, at: at}
			root.setField(part, at, next)
		}
		if next.kind != mapping {
			p.add(at, "%q is %s and has no keys", part, next.describe())
			return
		}
		root = next
	}
	root.setField(parts[len(parts)-1], at, value)
}

// overridable checks that a path into the nodes starts at one there is.
func overridable(root *node, parts []string, at place, p *problems) bool {
	if root.kind != mapping {
		return false
	}
	section := parts[0]
	if !slices.Contains([]string{"sources", "stages", "gates"}, section) {
		return true
	}
	nodes := root.get(section)
	if len(parts) < 3 || nodes == nil || nodes.get(parts[1]) == nil {
		name := ""
		if len(parts) > 1 {
			name = parts[1]
		}
		p.add(at, "no %s is called %q%s", strings.TrimSuffix(section, "s"), name, suggest(name, nodes.keyNames(), "there are"))
		return false
	}
	return true
}

// overrideValue reads the right-hand side; nothing means empty text.
func overrideValue(at place, raw string, p *problems) *node {
	if strings.TrimSpace(raw) == "" {
		return &node{kind: text, at: at}
	}
	var inner problems
	value := parse(at.source, []byte(raw), &inner)
	for _, problem := range inner.list {
		p.add(at, "%s", problem.Text)
	}
	if value != nil {
		value.relocate(at)
	}
	return value
}

func (n *node) setField(name string, at place, value *node) {
	for i := range n.fields {
		if n.fields[i].key == name {
			n.fields[i].at, n.fields[i].value = at, value
			return
		}
	}
	n.fields = append(n.fields, field{key: name, at: at, value: value})
}

// relocate gives a whole tree one place.
func (n *node) relocate(at place) {
	n.at = at
	for _, item := range n.items {
		item.relocate(at)
	}
	for i := range n.fields {
		n.fields[i].at = at
		n.fields[i].value.relocate(at)
	}
}

func (n *node) keyNames() []string {
	if n == nil {
		return nil
	}
	names := make([]string, len(n.fields))
	for i, f := range n.fields {
		names[i] = f.key
	}
	return names
}
