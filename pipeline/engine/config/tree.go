package config

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxBytes bounds a configuration file, maxDepth its nesting.
const (
	maxBytes = 1 << 20
	maxDepth = 40
)

// noAnchors keeps a small file from expanding to a huge tree.
const noAnchors = "anchors, aliases and tags are not understood here; write the value out"

type kind int

const (
	null    kind = iota
	invalid      // reported already
	text
	whole
	real
	boolean
	list
	mapping
)

// node is a YAML value reduced to what a configuration may hold, with places.
type node struct {
	kind   kind
	at     place
	scalar string  // text, and every other scalar as written
	value  any     // int64, uint64, float64 or bool
	items  []*node // list
	fields []field // mapping, in the order written
}

type field struct {
	key   string
	at    place
	value *node
}

// get returns the value under a key of a mapping, or nil.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for _, f := range n.fields {
		if f.key == key {
			return f.value
		}
	}
	return nil
}

// where returns the place of a path's deepest part that exists.
func (n *node) where(path ...string) place {
	for _, p := range path {
		next := n.get(p)
		if next == nil {
			break
		}
		n = next
	}
	return n.at
}

// keyAt returns the place of a key of a mapping, or the mapping's own.
func (n *node) keyAt(key string) place {
	for _, f := range n.fields {
		if f.key == key {
			return f.at
		}
	}
	return n.at
}

// parse reads one YAML document. Problems go to p; the tree holds what could
// be read and is nil when nothing could.
func parse(source string, b []byte, p *problems) *node {
	start := place{source, 1, 1}
	if len(b) > maxBytes {
		p.add(start, "the file has %d bytes, more than %d", len(b), maxBytes)
		return nil
	}
	file, err := parseYAML(b)
	if err != nil {
		var at interface {
			GetToken() *token.Token
			GetMessage() string
		}
		if errors.As(err, &at) && at.GetToken() != nil && at.GetToken().Position != nil {
			pos := at.GetToken().Position
			p.add(place{source, pos.Line, pos.Column}, "not valid YAML: %s", at.GetMessage())
			return nil
		}
		p.add(start, "not valid YAML: %v", err)
		return nil
	}
	var docs []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil && d.Body.Type() != ast.CommentType {
			docs = append(docs, d.Body)
		}
	}
	if len(docs) != 1 {
		p.add(start, "the file has %d YAML documents, want one", len(docs))
		return nil
	}
	c := converter{source: source, problems: p}
	return c.convert(docs[0], 0)
}

// parseYAML keeps a panic of the parser on hostile bytes from ending the
// process.
func parseYAML(b []byte) (file *ast.File, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the parser gave up: %v", v)
		}
	}()
	return parser.ParseBytes(b, 0, parser.AllowDuplicateMapKey())
}

type converter struct {
	source   string
	problems *problems
}

func (c *converter) place(n ast.Node) place {
	t := n.GetToken()
	if t == nil || t.Position == nil {
		return place{c.source, 1, 1}
	}
	return place{c.source, t.Position.Line, t.Position.Column}
}

func (c *converter) convert(n ast.Node, depth int) *node {
	out := &node{at: c.place(n)}
	if depth > maxDepth {
		c.problems.add(out.at, "nested more than %d deep", maxDepth)
		out.kind = invalid
		return out
	}
	switch x := n.(type) {
	case *ast.MappingNode:
		out.at = c.place(x)
		c.mapping(out, x.Values, depth)
	case *ast.MappingValueNode:
		c.mapping(out, []*ast.MappingValueNode{x}, depth)
	case *ast.SequenceNode:
		out.kind = list
		for _, v := range x.Values {
			out.items = append(out.items, c.convert(v, depth+1))
		}
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode, *ast.TagNode:
		c.problems.add(out.at, noAnchors)
		out.kind = invalid
	default:
		c.scalar(out, n)
	}
	return out
}

func (c *converter) scalar(out *node, n ast.Node) {
	if t := n.GetToken(); t != nil {
		out.scalar = t.Value
	}
	switch x := n.(type) {
	case *ast.NullNode:
		out.kind = null
	case *ast.StringNode:
		out.kind, out.scalar = text, x.Value
	case *ast.LiteralNode:
		out.kind, out.scalar = text, x.Value.Value
	case *ast.BoolNode:
		out.kind, out.value = boolean, x.Value
	case *ast.IntegerNode:
		out.kind, out.value = whole, x.Value
	case *ast.FloatNode:
		out.kind, out.value = real, x.Value
	default:
		c.problems.add(out.at, "a %s is not understood here", n.Type())
		out.kind = invalid
	}
}

func (c *converter) mapping(out *node, values []*ast.MappingValueNode, depth int) {
	out.kind = mapping
	seen := map[string]place{}
	for i, v := range values {
		at := c.place(v.Key)
		if i == 0 {
			out.at = at
		}
		key, ok := keyText(v.Key)
		if !ok {
			c.problems.add(at, "a key must be plain text; merge keys, anchors and lists are not understood here")
			continue
		}
		if first, twice := seen[key]; twice {
			c.problems.add(at, "key %q stands here a second time; the first is on line %d", key, first.line)
			continue
		}
		seen[key] = at
		out.fields = append(out.fields, field{key: key, at: at, value: c.convert(v.Value, depth+1)})
	}
}

// keyText accepts text and, because YAML reads them so, numbers and words
// such as "on".
func keyText(k ast.MapKeyNode) (string, bool) {
	switch x := k.(type) {
	case *ast.StringNode:
		return x.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return x.GetToken().Value, true
	}
	return "", false
}
