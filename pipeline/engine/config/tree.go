package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

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

// maxIncluded bounds the files of one configuration.
const maxIncluded = 64

// blocks are what an included file may hold besides further files.
var blocks = []string{"sources", "stages", "gates"}

// includer brings the nodes of included files into the tree of the file that
// includes them. All lie in one folder or below it.
type includer struct {
	root     *os.Root
	dir      string // the folder as messages show it
	problems *problems
	// taken are the files by path below the folder, with the place that includes
	// each; open are those being read, from the first to the innermost.
	taken map[string]place
	open  []string
}

// include merges what the file at a path includes into its tree.
func include(file string, tree *node, p *problems) error {
	if tree.get("include") == nil {
		return nil
	}
	root, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		return fmt.Errorf("read what %s includes: %w", file, err)
	}
	defer root.Close()
	name := filepath.Base(file)
	in := &includer{root, filepath.Dir(file), p, map[string]place{name: tree.at}, []string{name}}
	in.merge(tree, tree)
	return nil
}

// merge adds the nodes of the files that a tree includes to those of the first.
func (in *includer) merge(into, tree *node) {
	list := tree.remove("include")
	if list == nil {
		return
	}
	var paths []string
	before := len(in.problems.list)
	decoder{in.problems}.value(list, reflect.ValueOf(&paths).Elem())
	if len(in.problems.list) > before {
		return
	}
	for i, p := range paths {
		in.includeFile(into, p, list.items[i].at)
	}
}

func (in *includer) includeFile(into *node, written string, at place) {
	from := in.open[len(in.open)-1]
	name := path.Join(path.Dir(from), written)
	switch {
	case written == "" || path.IsAbs(written) || strings.Contains(written, "\\") || !filepath.IsLocal(filepath.FromSlash(name)):
		in.problems.add(at, "include %q: want a path below the folder of the configuration, with slashes, relative to this file", shorten(written))
		return
	case slices.Contains(in.open, name):
		cycle := append(in.open[slices.Index(in.open, name):len(in.open):len(in.open)], name)
		in.problems.add(at, "the files include each other in a cycle: %s", strings.Join(cycle, " -> "))
		return
	case in.taken[name] != place{}:
		in.problems.add(at, "%q is included a second time; the first is at %s", written, in.taken[name])
		return
	case len(in.taken) >= maxIncluded:
		in.problems.add(at, "more than %d files are included", maxIncluded-1)
		return
	}
	in.taken[name] = at
	b, err := in.read(name)
	if err != nil {
		in.problems.addError(at, fmt.Errorf("include %q: %w", written, err))
		return
	}
	tree := parse(filepath.Join(in.dir, filepath.FromSlash(name)), b, in.problems)
	if tree == nil {
		return
	}
	in.open = append(in.open, name)
	in.nodes(into, tree)
	in.merge(into, tree)
	in.open = in.open[:len(in.open)-1]
}

// read reads a file of the folder; what leads out of it, as a link may, is refused.
func (in *includer) read(name string) ([]byte, error) {
	f, err := in.root.Open(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; its path is relative to the file that includes it", err)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errors.New("it is no regular file"))
	}
	return io.ReadAll(io.LimitReader(f, maxBytes+1))
}

// nodes adds the nodes of a file; none replaces another.
func (in *includer) nodes(into, tree *node) {
	if tree.kind != mapping {
		in.problems.add(tree.at, "an included file holds sources, stages and gates, this one has %s", tree.describe())
		return
	}
	for _, f := range tree.fields {
		if f.key == "include" {
			continue
		}
		if !slices.Contains(blocks, f.key) {
			in.problems.add(f.at, "key %q cannot stand in an included file%s", shorten(f.key), suggest(f.key, append([]string{"include"}, blocks...), "it may hold"))
			continue
		}
		into.adopt(f, in.problems)
	}
}

// adopt adds the nodes of a block to the block of the same name.
func (n *node) adopt(block field, p *problems) {
	own := n.get(block.key)
	if own == nil || own.kind == null {
		n.setField(block.key, block.at, &node{kind: mapping, at: block.value.at})
		own = n.get(block.key)
	}
	if own.kind != mapping || block.value.kind != mapping {
		(decoder{p}).expect(block.value, mapping, "a block of keys")
		return
	}
	for _, f := range block.value.fields {
		if first := own.get(f.key); first != nil {
			p.add(f.at, "the name %q is taken at %s; an included file replaces nothing", shorten(f.key), own.keyAt(f.key))
			continue
		}
		own.fields = append(own.fields, f)
	}
}

func (n *node) remove(key string) *node {
	value := n.get(key)
	n.fields = slices.DeleteFunc(n.fields, func(f field) bool { return f.key == key })
	return value
}

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
