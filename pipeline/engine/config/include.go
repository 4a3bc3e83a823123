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
)

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

// includeFile reads a file and adds its nodes.
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
		in.problems.wrap(at, fmt.Errorf("include %q: %w", written, err))
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
		(decoder{p}).want(block.value, mapping, "a block of keys")
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

// remove takes a key out of a mapping and returns its value, or nil.
func (n *node) remove(key string) *node {
	value := n.get(key)
	n.fields = slices.DeleteFunc(n.fields, func(f field) bool { return f.key == key })
	return value
}
