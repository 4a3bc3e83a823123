package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/kit/parquetread"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/manifest"

	"github.com/xitongsys/parquet-go/parquet"
)

// InPlace is a release whose tables are read in place, a row group at a time, for programs
// that cannot wait for Verify. A file of a table is decoded once its bytes have the digest
// that the manifest names; what the rows say is not checked.
type InPlace struct {
	Dir string
	// Manifest has the files that OpenInPlace was told to keep, Digest is that of its bytes.
	Manifest manifest.Manifest
	Digest   pipeline.Digest

	root    *os.Root
	digests map[string]pipeline.Digest // of the files of tables
	checked map[string]fs.FileInfo     // those that had their digest
}

// TableShape is a table with the columns that today's releases have.
type TableShape struct {
	Name    string
	Keys    int
	Columns []rowschema.Column
	Rows    int64
	Files   []manifest.SplitInfo

	written table // with the columns that the files have
	old     bool  // which may be fewer
}

// OpenInPlace reads the manifest of the release in dir, and calls keep for each file that it
// lists, as manifest.Parse does. It checks no other file.
func OpenInPlace(ctx context.Context, dir string, keep func(manifest.FileInfo) bool) (*InPlace, error) {
	p := &InPlace{Dir: dir, digests: map[string]pipeline.Digest{}, checked: map[string]fs.FileInfo{}}
	var err error
	if p.Digest, _, err = digestFile(ctx, filepath.Join(dir, manifest.FileName)); err != nil {
		return nil, fmt.Errorf("open release: %w", err)
	}
	p.Manifest, err = readManifestAs(dir, func(f manifest.FileInfo) (manifest.FileInfo, bool) {
		if isTable(f.Path) {
			p.digests[f.Path] = f.SHA256
		}
		return f, keep(f)
	})
	if err != nil {
		return nil, fmt.Errorf("open release %s: %w", dir, err)
	}
	if p.root, err = os.OpenRoot(dir); err != nil {
		return nil, fmt.Errorf("open release: %w", err)
	}
	return p, nil
}

// Close closes the folder. Open files stay open.
func (p *InPlace) Close() error { return p.root.Close() }

// Tables lists the tables in the order of the manifest, but those that this program does not
// know.
func (p *InPlace) Tables() []TableShape {
	var out []TableShape
	now, written := currentShapes(p.Manifest), shapesOf(p.Manifest)
	for _, info := range p.Manifest.Tables {
		if t, known := findTable(now, info.Name); known {
			as, _ := findTable(written, info.Name)
			out = append(out, TableShape{Name: t.name, Keys: t.keys, Columns: t.columns, Rows: info.Rows, Files: info.Splits, written: as, old: p.Manifest.Format < manifest.WideFormat})
		}
	}
	return out
}

// Hydrated lists the files below media where the release references some, also those that it
// lists: their names say which bytes they should have.
func (p *InPlace) Hydrated() (out []manifest.FileInfo, err error) {
	if p.Manifest.Media == "" {
		return nil, nil
	}
	err = fs.WalkDir(p.root.FS(), "media", func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && (!d.Type().IsRegular() || !mediumFile.MatchString(name)) {
			return nil
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			id := strings.TrimSuffix(path.Base(name), path.Ext(name))
			out = append(out, manifest.FileInfo{Path: name, SHA256: pipeline.Digest(id), Size: info.Size()})
		}
		return err
	})
	return out, err
}

// OpenFile opens a file of the release, by its slash-separated path. A link out of the release,
// or what is no file, is an error.
func (p *InPlace) OpenFile(name string) (*os.File, error) {
	if err := manifest.CheckPath(name); err != nil {
		return nil, err
	}
	local := filepath.FromSlash(name)
	for at := local; at != "."; at = filepath.Dir(at) {
		info, err := p.root.Lstat(at)
		switch {
		case err != nil:
			return nil, err
		case at == local && info.Mode()&fs.ModeSymlink != 0:
			return p.openLinked(name)
		case at == local && !info.Mode().IsRegular():
			return nil, &atomicfile.FileTypeError{Path: name, Mode: info.Mode()}
		case at != local && !info.IsDir():
			return nil, &atomicfile.FileTypeError{Path: path.Dir(name), Mode: info.Mode()}
		}
	}
	f, err := p.root.OpenFile(local, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &atomicfile.FileTypeError{Path: name, Mode: info.Mode()}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// openLinked opens the file that a link of the release leads to.
func (p *InPlace) openLinked(name string) (*os.File, error) {
	dir, err := filepath.Abs(p.Dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, err
	}
	to, _, why := followLink(dir, filepath.Join(dir, filepath.FromSlash(name)))
	if why != "" {
		return nil, fmt.Errorf("%s %s", name, why)
	}
	return atomicfile.Open(to)
}

// TableFile is one open file of a table.
type TableFile struct {
	shape  TableShape
	file   *os.File
	opened tableFile
}

// groupBudget bounds what a row group may take once inflated, as Limits count: several times
// the largest that is written.
const groupBudget = 384 << 20

// OpenTable opens the i-th file of a table and compares its bytes with the manifest, unless it
// did before and the file is the same.
func (p *InPlace) OpenTable(ctx context.Context, t TableShape, i int) (_ *TableFile, err error) {
	name := t.Files[i].Path
	file, err := p.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	before, known := p.checked[name]
	if !known || !os.SameFile(before, info) || before.Size() != info.Size() || !before.ModTime().Equal(info.ModTime()) {
		got, _, err := atomicfile.Copy(ctx, io.Discard, file)
		if err != nil {
			return nil, err
		}
		if want := p.digests[name]; pipeline.Digest(got) != want {
			return nil, damagedError(p.Dir, name, "digest %s, the manifest says %q", got, want)
		}
		p.checked[name] = info
	}
	opened, err := openTable(file, info.Size(), t.written, groupBudget)
	if err != nil {
		return nil, err
	}
	return &TableFile{t, file, opened}, nil
}

// Close closes the file.
func (f *TableFile) Close() error { return f.file.Close() }

// Groups lists the number of rows of each row group.
func (f *TableFile) Groups() []int64 {
	var out []int64
	for _, g := range f.opened.Footer.GetRowGroups() {
		out = append(out, g.GetNumRows())
	}
	return out
}

// MayHold reports whether a row group may hold a text in a column, by the least and the
// greatest value that the file states of it.
func (f *TableFile) MayHold(group int, column, value string) bool {
	for _, c := range f.opened.Footer.GetRowGroups()[group].GetColumns() {
		m := c.GetMetaData()
		if m == nil || !slices.Equal(m.GetPathInSchema(), []string{column}) {
			continue
		}
		s := m.GetStatistics()
		if s == nil || m.GetType() != parquet.Type_BYTE_ARRAY || !s.IsSetMinValue() || !s.IsSetMaxValue() {
			return true
		}
		return string(s.GetMinValue()) <= value && value <= string(s.GetMaxValue())
	}
	return true
}

// Read decodes columns of n rows of a row group, from one on, and gives the cells of each row in
// the order of the names. A column that older releases lack is empty.
func (f *TableFile) Read(group int, from, n int64, columns []string) (rows [][]any, err error) {
	t := f.shape.written
	defer t.wrapDecode(&err)
	now, err := f.shape.Select(columns)
	if err != nil {
		return nil, err
	}
	var stored []rowschema.Column
	for _, c := range now {
		if at, ok := t.column(c.Name); ok {
			stored = append(stored, t.columns[at])
		}
	}
	rules := readRules()
	rules.Exact = false
	taken, err := f.opened.CheckFooter(rules, parquetread.LeavesOf(t.columns), func(l parquetread.Leaf) bool {
		return !slices.Contains(columns, l.Path[0])
	}, groupBudget)
	if err != nil {
		return nil, err
	}
	g, err := f.opened.LoadGroup(group, groupBudget-taken)
	if err != nil {
		return nil, err
	}
	if err := g.Narrow(from, n); err != nil {
		return nil, err
	}
	if rows, _, err = g.Nested(stored, f.opened.dictionaries, groupBudget-taken); err != nil {
		return nil, err
	}
	if f.shape.old {
		for i, r := range rows {
			rows[i] = widenCells(now, stored, r)
		}
	}
	return rows, nil
}

// Select returns the columns of these names, in their order.
func (t TableShape) Select(names []string) ([]rowschema.Column, error) {
	out := make([]rowschema.Column, 0, len(names))
	for _, name := range names {
		i := slices.IndexFunc(t.Columns, func(c rowschema.Column) bool { return c.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("table %s has no column %q", t.Name, strings.ToValidUTF8(name, "?"))
		}
		out = append(out, t.Columns[i])
	}
	return out, nil
}
