package fetch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// LockName is the lock file's usual name, beside pipeline.yaml.
const LockName = "pipeline.lock.yaml"

const lockVersion = 1

// Lock is the set of pins of all sources, bound to a file.
type Lock struct {
	path    string
	mu      sync.Mutex
	sources map[string][]Entry
}

// Entry pins one need.
type Entry struct {
	// From to Exclude identify the need; SHA256 pins the need itself.
	From     string          `yaml:"from"`
	Repo     string          `yaml:"repo,omitempty"`
	Revision string          `yaml:"revision,omitempty"`
	URL      string          `yaml:"url"`
	SHA256   pipeline.Digest `yaml:"sha256,omitempty"`
	Include  []string        `yaml:"include,omitempty"`
	Exclude  []string        `yaml:"exclude,omitempty"`
	// Commit is what Revision was when the need was pinned.
	Commit string `yaml:"commit,omitempty"`
	// License as the hub states it.
	License string `yaml:"license,omitempty"`
	// Files are sorted by path.
	Files []File `yaml:"files"`
}

// File pins one file. A file that could not be had has a Problem and a Reason
// in place of a digest.
type File struct {
	Path    string          `yaml:"path"`
	Size    int64           `yaml:"size"`
	SHA256  pipeline.Digest `yaml:"sha256,omitempty"`
	Problem string          `yaml:"problem,omitempty"`
	Reason  string          `yaml:"reason,omitempty"`
}

// lockFile is the file's form: lists, not maps, so that the order is fixed.
type lockFile struct {
	Version int          `yaml:"version"`
	Sources []lockSource `yaml:"sources"`
}

type lockSource struct {
	Name  string  `yaml:"name"`
	Needs []Entry `yaml:"needs"`
}

// LoadLock reads a lock file. A file that does not exist is an empty lock that
// is written by the first fetch. Errors give file:line:column.
func LoadLock(path string) (*Lock, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Lock{path: path, sources: map[string][]Entry{}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read lock file: %w", err)
	}
	sources, err := parseLock(filepath.Base(path), b)
	if err != nil {
		return nil, err
	}
	return &Lock{path: path, sources: sources}, nil
}

// Entries returns the pins of a source.
func (l *Lock) Entries(source string) []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.sources[source])
}

// update replaces the pins of a source, prunes those of sources not in keep
// (nil keeps all), and writes the file if anything changed.
func (l *Lock) update(source string, entries []Entry, keep []string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := encodeLock(l.sources)
	next := map[string][]Entry{}
	for name, es := range l.sources {
		if keep == nil || slices.Contains(keep, name) {
			next[name] = es
		}
	}
	delete(next, source)
	if len(entries) > 0 {
		next[source] = dedupe(entries)
	}
	after := encodeLock(next)
	if before == after {
		return nil
	}
	if _, err := parseLock(filepath.Base(l.path), []byte(after)); err != nil {
		return fmt.Errorf("the new lock file would not load: %w", err)
	}
	if err := writeAtomic(l.path, []byte(after)); err != nil {
		return fmt.Errorf("write lock file: %w", err)
	}
	l.sources = next
	return nil
}

// dedupe keeps one entry for needs that are written twice.
func dedupe(entries []Entry) []Entry {
	var out []Entry
	for _, e := range entries {
		if !slices.ContainsFunc(out, e.sameNeed) {
			out = append(out, e)
		}
	}
	return out
}

// entryOf returns the identity part of an entry. MaxBytes and License are not in
// it: they do not change what the upstream has.
func entryOf(n pipeline.Need, canonical string) Entry {
	e := Entry{From: n.From, Repo: n.Repo, Revision: n.Revision, URL: canonical, SHA256: n.SHA256,
		Include: slices.Clone(n.Include), Exclude: slices.Clone(n.Exclude)}
	slices.Sort(e.Include)
	slices.Sort(e.Exclude)
	return e
}

func (e Entry) sameNeed(o Entry) bool {
	return e.samePlace(o) && slices.Equal(e.Include, o.Include) && slices.Equal(e.Exclude, o.Exclude)
}

// samePlace tells entries whose pins hold for each other: the same revision of
// the same repository, whichever files are wanted from it.
func (e Entry) samePlace(o Entry) bool {
	return e.From == o.From && e.Repo == o.Repo && e.Revision == o.Revision && e.URL == o.URL && e.SHA256 == o.SHA256
}

// find returns the entry of a need (exact), or failing that one that pins the
// same place.
func (l *Lock) find(source string, want Entry) (e Entry, found, exact bool) {
	for _, have := range l.Entries(source) {
		if have.sameNeed(want) {
			return have, true, true
		}
		if !found && have.samePlace(want) {
			e, found = have, true
		}
	}
	return e, found, false
}

func sortFiles(fs []File) {
	slices.SortFunc(fs, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
}

// writeAtomic leaves the old file or the new one, whenever the process dies.
func writeAtomic(path string, b []byte) error {
	return atomicfile.Write(path, 0o644, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

const (
	lockHeader = `# Pins of every upstream file of this pipeline: which commit, size and digest.
# Written by memforge; keep it under version control. To pin anew: --relock.
`
	maxLockBytes = 64 << 20
)

// encodeLock writes the lock with every string quoted as in JSON, which is
// YAML as well: no path can turn into another type or break a line.
func encodeLock(sources map[string][]Entry) string {
	w := &lockWriter{}
	w.WriteString(lockHeader)
	fmt.Fprintf(w, "version: %d\nsources:", lockVersion)
	if len(sources) == 0 {
		w.WriteString(" []")
	}
	w.WriteString("\n")
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		fmt.Fprintf(w, "  - name: %s\n    needs:\n", quote(name))
		for _, e := range sources[name] {
			w.entry(e)
		}
	}
	return w.String()
}

type lockWriter struct{ strings.Builder }

func (w *lockWriter) entry(e Entry) {
	fmt.Fprintf(w, "      - from: %s\n", quote(e.From))
	w.field("        ", "repo", e.Repo)
	w.field("        ", "revision", e.Revision)
	w.field("        ", "url", e.URL)
	w.field("        ", "sha256", string(e.SHA256))
	w.list("include", e.Include)
	w.list("exclude", e.Exclude)
	w.field("        ", "commit", e.Commit)
	w.field("        ", "license", e.License)
	if len(e.Files) == 0 {
		w.WriteString("        files: []\n")
		return
	}
	w.WriteString("        files:\n")
	for _, f := range e.Files {
		fmt.Fprintf(w, "          - path: %s\n            size: %d\n", quote(f.Path), f.Size)
		w.field("            ", "sha256", string(f.SHA256))
		w.field("            ", "problem", f.Problem)
		w.field("            ", "reason", f.Reason)
	}
}

func (w *lockWriter) field(indent, name, value string) {
	if value != "" {
		fmt.Fprintf(w, "%s%s: %s\n", indent, name, quote(value))
	}
}

func (w *lockWriter) list(name string, values []string) {
	if len(values) == 0 {
		return
	}
	fmt.Fprintf(w, "        %s:\n", name)
	for _, v := range values {
		fmt.Fprintf(w, "          - %s\n", quote(v))
	}
}

func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return `""` // strings always encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// parseLock reads a lock file strictly. name is for errors.
func parseLock(name string, b []byte) (sources map[string][]Entry, err error) {
	defer func() { // the YAML parser panics on some malformed input
		if r := recover(); r != nil {
			err = fmt.Errorf("lock file %s: not YAML: %v", name, r)
		}
	}()
	if len(b) > maxLockBytes {
		return nil, fmt.Errorf("lock file %s: %d bytes, more than %d", name, len(b), maxLockBytes)
	}
	doc, err := parser.ParseBytes(b, 0)
	if err != nil {
		return nil, withFileName(name, err)
	}
	if len(doc.Docs) > 1 {
		return nil, fmt.Errorf("lock file %s: %d YAML documents; want one", name, len(doc.Docs))
	}
	var file lockFile
	if err := yaml.NewDecoder(bytes.NewReader(b), yaml.Strict()).Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, withFileName(name, err)
	}
	c := lockChecker{name: name, doc: doc}
	return c.check(file)
}

func withFileName(name string, err error) error {
	var ye yaml.Error
	if errors.As(err, &ye) && ye.GetToken() != nil && ye.GetToken().Position != nil {
		at := ye.GetToken().Position
		return fmt.Errorf("lock file %s:%d:%d: %s", name, at.Line, at.Column, ye.GetMessage())
	}
	return fmt.Errorf("lock file %s: %w", name, err)
}

// lockChecker checks what the types do not say.
type lockChecker struct {
	name string
	doc  *ast.File
}

// at reports a fault at a YAML path such as $.sources[0].name.
func (c lockChecker) at(where, format string, args ...any) error {
	msg := fmt.Sprintf(format, args...)
	if p, err := yaml.PathString(where); err == nil {
		if n, err := p.FilterFile(c.doc); err == nil && n != nil && n.GetToken() != nil && n.GetToken().Position != nil {
			at := n.GetToken().Position
			return fmt.Errorf("lock file %s:%d:%d: %s", c.name, at.Line, at.Column, msg)
		}
	}
	return fmt.Errorf("lock file %s: %s: %s", c.name, strings.TrimPrefix(where, "$."), msg)
}

func (c lockChecker) check(file lockFile) (map[string][]Entry, error) {
	if file.Version != lockVersion {
		return nil, c.at("$.version", "version %d: this memforge reads version %d", file.Version, lockVersion)
	}
	out := map[string][]Entry{}
	for i, s := range file.Sources {
		where := fmt.Sprintf("$.sources[%d]", i)
		if _, twice := out[s.Name]; twice || s.Name == "" {
			return nil, c.at(where+".name", "source %q is empty or occurs twice", s.Name)
		}
		for j, e := range s.Needs {
			if err := c.entry(fmt.Sprintf("%s.needs[%d]", where, j), e); err != nil {
				return nil, err
			}
		}
		out[s.Name] = s.Needs
	}
	return out, nil
}

func (c lockChecker) entry(where string, e Entry) error {
	switch e.From {
	case HTTP:
	case Hub, GitHub:
		if !isCommit(e.Commit) {
			return c.at(where+".commit", "commit %q: want 40 hex digits", e.Commit)
		}
	default:
		return c.at(where+".from", "from %q: want %s, %s or %s", e.From, HTTP, Hub, GitHub)
	}
	last := ""
	for i, f := range e.Files {
		at := fmt.Sprintf("%s.files[%d]", where, i)
		if f.Path <= last {
			return c.at(at+".path", "path %q: empty or not in ascending order", f.Path)
		}
		last = f.Path
		if err := c.file(at, f); err != nil {
			return err
		}
	}
	return nil
}

func (c lockChecker) file(where string, f File) error {
	if f.Problem == "" && !fs.ValidPath(f.Path) {
		return c.at(where+".path", "path %q leaves its root", f.Path)
	}
	if f.Size < 0 {
		return c.at(where+".size", "size %d is negative", f.Size)
	}
	if f.Problem != "" {
		if f.SHA256 != "" {
			return c.at(where+".sha256", "a file with a problem has no digest")
		}
		return nil
	}
	if _, err := pipeline.ParseDigest(string(f.SHA256)); err != nil {
		return c.at(where+".sha256", "%v", err)
	}
	return nil
}

// isCommit tells a full commit id from a branch or tag.
func isCommit(s string) bool {
	if len(s) != 40 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}
