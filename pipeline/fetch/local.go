package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/glob"
)

// fileCacher is a store that remembers the digests of unchanged files.
type fileCacher interface {
	CachedFile(ctx context.Context, path string) (pipeline.Blob, error)
}

// found is one wanted entry of a local root.
type found struct {
	path    string // slash-separated, below the root
	size    int64
	problem *pipeline.Rejection
}

// local walks a folder. The root may itself be a symlink; below it, a link to
// a file must stay inside and a link to a folder is not followed: what is
// inside the root is found under its own name.
func (f *Fetcher) local(ctx context.Context, need pipeline.Need) ([]pipeline.Asset, error) {
	dir := filepath.FromSlash(need.Root)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(f.opts.BaseDir, dir)
	}
	set, err := glob.Compile(need.Include, need.Exclude)
	if err != nil {
		return nil, err
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w; the path is relative to pipeline.yaml", cause(err))
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return nil, errors.New("it is not a folder")
	}
	w := walker{root: root, set: set, max: f.maxBytes(need)}
	if err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return w.visit(p, d, err)
	}); err != nil {
		return nil, err
	}
	slices.SortFunc(w.found, func(a, b found) int { return strings.Compare(a.path, b.path) })
	return f.storeLocal(ctx, root, w.found)
}

type walker struct {
	root  string // without symlinks
	set   *glob.Set
	max   int64
	found []found
}

func (w *walker) visit(full string, d fs.DirEntry, err error) error {
	p, relErr := filepath.Rel(w.root, full)
	if relErr != nil {
		return relErr
	}
	p = filepath.ToSlash(p)
	if err != nil {
		if p == "." || d == nil {
			return cause(err)
		}
		w.lose(p, pipeline.Reject(Unreadable, "%v; check its permissions", cause(err)))
		return nil
	}
	if p != "." && junk(d.Name()) {
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	if d.IsDir() || !w.set.Match(p) {
		return nil
	}
	if !printable(p) {
		w.lose(p, pipeline.Reject(BadName, "the name is not printable UTF-8; rename the file"))
		return nil
	}
	w.file(p, d)
	return nil
}

func (w *walker) file(p string, d fs.DirEntry) {
	full := filepath.Join(w.root, filepath.FromSlash(p))
	if d.Type()&fs.ModeSymlink != 0 {
		if why := w.link(full); why != nil {
			w.lose(p, why)
			return
		}
	}
	info, err := os.Stat(full)
	switch {
	case err != nil:
		w.lose(p, pipeline.Reject(Unreadable, "%v", cause(err)))
	case info.IsDir():
	case !info.Mode().IsRegular():
		w.lose(p, pipeline.Reject(NotRegular, "a device, pipe or socket (%s)", info.Mode().Type()))
	case info.Size() > w.max:
		w.lose(p, tooLarge(info.Size(), w.max))
	default:
		w.found = append(w.found, found{path: p, size: info.Size()})
	}
}

// link refuses a symbolic link that leads nowhere or out of the root.
func (w *walker) link(full string) *pipeline.Rejection {
	target, err := filepath.EvalSymlinks(full)
	if errors.Is(err, fs.ErrNotExist) {
		return pipeline.Reject(Missing, "a symbolic link to nothing")
	}
	if err != nil {
		return pipeline.Reject(Unreadable, "a symbolic link that cannot be followed: %v", cause(err))
	}
	rel, err := filepath.Rel(w.root, target)
	if err != nil || !filepath.IsLocal(rel) {
		return pipeline.Reject(SymlinkOutside, "a symbolic link that leaves the folder; copy the file into it")
	}
	return nil
}

func (w *walker) lose(p string, why *pipeline.Rejection) {
	if !printable(p) {
		p = strings.Trim(fmt.Sprintf("%+q", p), `"`)
	}
	w.found = append(w.found, found{path: p, problem: why})
}

// storeLocal stores files one after the other: a disk gains nothing from more.
func (f *Fetcher) storeLocal(ctx context.Context, dir string, files []found) ([]pipeline.Asset, error) {
	var assets []pipeline.Asset
	for _, file := range files {
		a := pipeline.Asset{Path: file.path, Size: file.size, Problem: file.problem}
		if a.Problem != nil {
			assets = append(assets, a)
			continue
		}
		full := filepath.Join(dir, filepath.FromSlash(file.path))
		blob, err := f.putLocal(ctx, full)
		switch {
		case errors.Is(err, fs.ErrPermission):
			a.Size, a.Problem = 0, pipeline.Reject(Unreadable, "%v; check its permissions", cause(err))
		case err != nil:
			return nil, fmt.Errorf("store %q: %w", file.path, err)
		default:
			a.Blob, a.Size = blob.Digest, blob.Size
		}
		f.opts.Progress(file.path, a.Size, a.Size)
		assets = append(assets, a)
	}
	return assets, nil
}

func (f *Fetcher) putLocal(ctx context.Context, full string) (pipeline.Blob, error) {
	if c, ok := f.store.(fileCacher); ok {
		return c.CachedFile(ctx, full)
	}
	return f.store.PutFile(ctx, full, false)
}

// cause drops the path of a file error: a reason holds no machine's paths.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func tooLarge(size, limit int64) *pipeline.Rejection {
	return pipeline.Reject(TooLarge, "%d bytes, more than the limit of %d; raise max_bytes to take it", size, limit)
}

// junk names what file managers and archivers leave behind.
func junk(name string) bool {
	base := path.Base(name)
	return base == ".DS_Store" || base == "__MACOSX" || strings.HasPrefix(base, "._")
}

func printable(p string) bool {
	return utf8.ValidString(p) && !strings.ContainsFunc(p, unicode.IsControl)
}
