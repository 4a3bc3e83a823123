package fetch

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

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

// entryOf is the identity part of an entry. MaxBytes and License are not in
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
