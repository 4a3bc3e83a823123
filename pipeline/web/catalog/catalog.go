// Package catalog finds and shows what is in a release, or in a build that is running, for
// pages: lists by search and filter, facets with counts, and an item with all that belongs to it.
// Tables are read in place. Search and facets need an index, which a child process builds in the
// user's cache; until it is there, lists come straight from the tables.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// Options say how a catalog works.
type Options struct {
	// Command starts this program as a child with the words that follow: memforge and its
	// hidden command. Without it tables are read, and the index is built, in this process.
	Command []string
	// Cache is the folder of indexes, DefaultCache if it is empty. NoIndex builds and opens none.
	Cache   string
	NoIndex bool
}

// DefaultCache is the folder of indexes in the user's cache.
func DefaultCache(getenv func(string) string) (string, error) {
	if dir := getenv("MEMFORGE_CACHE"); dir != "" {
		return filepath.Join(dir, "catalog"), nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("folder of the index: %w; name one with MEMFORGE_CACHE", err)
	}
	return filepath.Join(dir, "memforge", "catalog"), nil
}

// ErrNotFound says that nothing has an id.
var ErrNotFound = errors.New("the release has nothing of this id")

// Catalog is an open release. Several goroutines may use it.
type Catalog struct {
	// Manifest lists no media files; see OpenMedium.
	Manifest manifest.Manifest
	Digest   pipeline.Digest
	Dir      string

	in     *release.InPlace
	media  *mediaList
	shapes map[string]release.TableShape
	reader reader
	// stop ends the building of the index, done is closed once it has ended.
	stop func()
	done chan struct{}

	mu      sync.Mutex
	state   State
	index   *index
	damaged map[string]bool // digests of media whose files are missing or have other bytes
}

// State is that of the index.
type State struct {
	// Ready says that search, filters and facets work. Else Done of Rows were indexed, or Err
	// says why there will be none.
	Ready      bool
	Done, Rows int64
	Err        error
}

// IndexingError says that what was asked needs the index, which is not there yet.
type IndexingError struct{ State State }

func (e *IndexingError) Error() string {
	if e.State.Err != nil {
		return fmt.Sprintf("search and filters need an index, which could not be built: %v", e.State.Err)
	}
	return fmt.Sprintf("indexing %d %%", e.State.Percent())
}

func (e *IndexingError) Unwrap() error { return e.State.Err }

// Percent is how much is indexed.
func (s State) Percent() int64 {
	if s.Ready {
		return 100
	}
	return min(s.Done*100/max(s.Rows, 1), 99)
}

// Open opens the release in dir and begins to build its index if the cache has none.
func Open(ctx context.Context, dir string, o Options) (*Catalog, error) {
	c := &Catalog{Dir: dir, media: &mediaList{}, damaged: map[string]bool{}, shapes: map[string]release.TableShape{}, stop: func() {}, done: make(chan struct{})}
	var err error
	if c.in, err = release.OpenInPlace(ctx, dir, c.media.add); err != nil {
		return nil, err
	}
	c.Manifest, c.Digest = c.in.Manifest, c.in.Digest
	hydrated, err := c.in.Hydrated()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open release %s: %w", dir, err), c.in.Close())
	}
	c.media.sort()
	shipped := *c.media
	for _, f := range hydrated {
		if _, _, listed := shipped.find(string(f.SHA256)); !listed {
			c.media.add(f)
		}
	}
	c.media.sort()
	for _, s := range c.in.Tables() {
		c.shapes[s.Name] = s
	}
	if len(o.Command) > 0 {
		c.reader = &childReader{command: o.Command, dir: dir}
	} else {
		local, err := newTableReader(ctx, dir)
		if err != nil {
			return nil, errors.Join(err, c.in.Close())
		}
		c.reader = &localReader{tableReader: local}
	}
	c.state.Rows = c.shapes[pipeline.TableQuestions].Rows
	c.startIndex(ctx, o)
	return c, nil
}

// Close ends the child processes.
func (c *Catalog) Close() error {
	c.stop()
	<-c.done
	errs := []error{c.reader.close(), c.in.Close()}
	if c.index != nil {
		errs = append(errs, c.index.close())
	}
	return errors.Join(errs...)
}

// State returns how far the index is.
func (c *Catalog) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// WaitIndexed waits until the index is there, or there will be none.
func (c *Catalog) WaitIndexed(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.done:
	}
	if s := c.State(); !s.Ready {
		return &IndexingError{s}
	}
	return nil
}

// TableInfo is a table of the release.
type TableInfo struct {
	Name    string
	Rows    int64
	Keys    int
	Columns []rowschema.Column
}

// Tables lists the tables in the order of the manifest, plugins' too.
func (c *Catalog) Tables() []TableInfo {
	var out []TableInfo
	for _, t := range c.Manifest.Tables {
		if s, ok := c.shapes[t.Name]; ok {
			out = append(out, TableInfo{s.Name, s.Rows, s.Keys, s.Columns})
		}
	}
	return out
}

// Gate returns what the manifest says of a gate.
func (c *Catalog) Gate(name string) (manifest.GateInfo, bool) {
	i := slices.IndexFunc(c.Manifest.Gates, func(g manifest.GateInfo) bool { return g.Name == name })
	if i < 0 {
		return manifest.GateInfo{}, false
	}
	return c.Manifest.Gates[i], true
}

// find reads the rows of a table whose text in a column is one of values, as records with their
// rows. Columns that the type lacks are not read. Where there are too many, the first come
// with an error.
func find[T any](ctx context.Context, c *Catalog, table, column string, values ...string) ([]T, []int64, error) {
	s, ok := c.shapes[table]
	if !ok || len(values) == 0 {
		return nil, nil, nil
	}
	own, names, err := columnsOf[T](s)
	if err != nil {
		return nil, nil, err
	}
	got, err := c.read(ctx, request{Table: table, Columns: names, Column: column, Values: values, Limit: mostFound})
	if err != nil {
		return nil, nil, err
	}
	out := make([]T, len(got.cells))
	for i, cells := range got.cells {
		fill(own, names, cells, &out[i])
	}
	if got.next >= 0 {
		return out, got.numbers, &TableError{Table: table, Rows: len(out)}
	}
	return out, got.numbers, nil
}

// mostFound bounds the rows that belong to one item.
const mostFound = 20_000

// cutText shortens a text to most bytes, at the end of a character, and marks the cut.
func cutText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return strings.Clone(s[:most]) + Cut
}

// Cut stands at the end of a text of a list of which the rest is left out.
const Cut = " […]"

// columnsOf returns the columns of a record's type, and the names of those that the table has.
func columnsOf[T any](s release.TableShape) (own []rowschema.Column, names []string, err error) {
	if own, err = rowschema.Of(reflect.TypeFor[T]()); err != nil {
		return nil, nil, err
	}
	for _, col := range own {
		if slices.ContainsFunc(s.Columns, func(o rowschema.Column) bool { return o.Name == col.Name }) {
			names = append(names, col.Name)
		}
	}
	return own, names, nil
}
