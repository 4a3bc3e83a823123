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
	"github.com/memforge/memforge/pipeline/kit/glob"
)

// fileCacher is a store that remembers the digests of unchanged files.
type fileCacher interface {
	CachedFile(ctx context.Context, path string) (pipeline.Blob, error)
}

// FolderError says that a folder which a source reads cannot be looked into.
type FolderError struct{ Err error }

func (e *FolderError) Error() string { return e.Err.Error() }

// Unwrap returns what went wrong.
func (e *FolderError) Unwrap() error { return e.Err }

// local stores what the folder of a need holds.
func (f *Fetcher) local(ctx context.Context, need pipeline.Need) ([]pipeline.Asset, error) {
	need.MaxBytes = f.maxBytes(need)
	files, root, err := listLocal(ctx, f.opts.BaseDir, need)
	if err != nil {
		return nil, err
	}
	return files, f.storeLocal(ctx, root, files)
}

// ListLocal lists the files below a folder that a need wants, sorted by path, and
// stores none: their digests are not known. need.Root is relative to base; where
// need.MaxBytes is 0 no file is too large. A folder that is not there or cannot
// be read is a *FolderError.
//
// The root may itself be a symlink; below it, a link to a file must stay inside
// and a link to a folder is not followed: what is inside the root is found under
// its own name.
func ListLocal(ctx context.Context, base string, need pipeline.Need) ([]pipeline.Asset, error) {
	files, _, err := listLocal(ctx, base, need)
	return files, err
}

func listLocal(ctx context.Context, base string, need pipeline.Need) ([]pipeline.Asset, string, error) {
	dir := filepath.FromSlash(need.Root)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(base, dir)
	}
	set, err := glob.Compile(need.Include, need.Exclude)
	if err != nil {
		return nil, "", err
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, "", &FolderError{fmt.Errorf("open folder: %w; the path is relative to pipeline.yaml", withoutPath(err))}
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return nil, "", &FolderError{errors.New("it is not a folder")}
	}
	w := walker{root: root, set: set, max: need.MaxBytes}
	if err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return w.visit(p, d, err)
	}); err != nil {
		return nil, "", err
	}
	slices.SortFunc(w.found, func(a, b pipeline.Asset) int { return strings.Compare(a.Path, b.Path) })
	return w.found, root, nil
}

type walker struct {
	root  string // without symlinks
	set   *glob.Set
	max   int64 // 0: any size
	found []pipeline.Asset
}

func (w *walker) visit(full string, d fs.DirEntry, err error) error {
	p, relErr := filepath.Rel(w.root, full)
	if relErr != nil {
		return relErr
	}
	p = filepath.ToSlash(p)
	if err != nil {
		if p == "." || d == nil {
			return &FolderError{withoutPath(err)}
		}
		w.reject(p, pipeline.Reject(Unreadable, "%v; check its permissions", withoutPath(err)))
		return nil
	}
	if p != "." && isJunk(d.Name()) {
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	if d.IsDir() || !w.set.Match(p) {
		return nil
	}
	if !printable(p) {
		w.reject(p, pipeline.Reject(BadName, "the name is not printable UTF-8; rename the file"))
		return nil
	}
	w.file(p, d)
	return nil
}

func (w *walker) file(p string, d fs.DirEntry) {
	full := filepath.Join(w.root, filepath.FromSlash(p))
	if d.Type()&fs.ModeSymlink != 0 {
		if why := w.link(full); why != nil {
			w.reject(p, why)
			return
		}
	}
	info, err := os.Stat(full)
	switch {
	case err != nil:
		w.reject(p, pipeline.Reject(Unreadable, "%v", withoutPath(err)))
	case info.IsDir():
	case !info.Mode().IsRegular():
		w.reject(p, pipeline.Reject(NotRegular, "a device, pipe or socket (%s)", info.Mode().Type()))
	case w.max > 0 && info.Size() > w.max:
		w.reject(p, tooLarge(info.Size(), w.max))
	default:
		w.found = append(w.found, pipeline.Asset{Path: p, Size: info.Size()})
	}
}

// link refuses a symbolic link that leads nowhere or out of the root.
func (w *walker) link(full string) *pipeline.Rejection {
	target, err := filepath.EvalSymlinks(full)
	if errors.Is(err, fs.ErrNotExist) {
		return pipeline.Reject(Missing, "a symbolic link to nothing")
	}
	if err != nil {
		return pipeline.Reject(Unreadable, "a symbolic link that cannot be followed: %v", withoutPath(err))
	}
	rel, err := filepath.Rel(w.root, target)
	if err != nil || !filepath.IsLocal(rel) {
		return pipeline.Reject(SymlinkOutside, "a symbolic link that leaves the folder; copy the file into it")
	}
	return nil
}

func (w *walker) reject(p string, why *pipeline.Rejection) {
	if !printable(p) {
		p = strings.Trim(fmt.Sprintf("%+q", p), `"`)
	}
	w.found = append(w.found, pipeline.Asset{Path: p, Problem: why})
}

// storeLocal stores files one after the other: a disk gains nothing from more.
func (f *Fetcher) storeLocal(ctx context.Context, root string, files []pipeline.Asset) error {
	for i := range files {
		a := &files[i]
		if a.Problem != nil {
			continue
		}
		blob, err := f.putLocal(ctx, filepath.Join(root, filepath.FromSlash(a.Path)))
		switch {
		case errors.Is(err, fs.ErrPermission):
			a.Size, a.Problem = 0, pipeline.Reject(Unreadable, "%v; check its permissions", withoutPath(err))
		case err != nil:
			return fmt.Errorf("store %q: %w", a.Path, err)
		default:
			a.Blob, a.Size = blob.Digest, blob.Size
		}
		f.opts.Progress(a.Path, a.Size, a.Size)
	}
	return nil
}

func (f *Fetcher) putLocal(ctx context.Context, full string) (pipeline.Blob, error) {
	if c, ok := f.store.(fileCacher); ok {
		return c.CachedFile(ctx, full)
	}
	return f.store.PutFile(ctx, full, false)
}

// withoutPath drops the path of a file error: a reason holds no machine's paths.
func withoutPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func tooLarge(size, limit int64) *pipeline.Rejection {
	return pipeline.Reject(TooLarge, "%d bytes, more than the limit of %d; raise max_bytes to take it", size, limit)
}

// isJunk names what file managers and archivers leave behind.
func isJunk(name string) bool {
	base := path.Base(name)
	return base == ".DS_Store" || base == "__MACOSX" || strings.HasPrefix(base, "._")
}

func printable(p string) bool {
	return utf8.ValidString(p) && !strings.ContainsFunc(p, unicode.IsControl)
}
