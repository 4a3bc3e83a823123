// Package export writes a finished release in the layout that another project
// reads. What a layout looks like is up to a Format, which is a pure function;
// verifying the release, writing files and linking videos happen here.
//
// An export appears whole or not at all: it is written into a folder beside
// its place, made durable, and renamed.
package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
)

// A Format lays a release out. An error names the question that cannot be
// expressed.
type Format struct {
	Name string
	// Root is the folder that the layout fills, slash-separated, below the one
	// that the user names.
	Root   string
	Layout func(release.Contents) (Tree, error)
}

// Tree is a layout: everything that is to lie below the root.
type Tree struct {
	Files []File
	Media []Medium
	// Folders are made even when nothing lies in them.
	Folders []string
	// Notes tell the user what the other project cannot make use of.
	Notes []string
}

// File is one file of a layout.
type File struct {
	Path string // slash-separated, below the root
	Data []byte
}

// Medium is one media file of the release at its place in the layout.
type Medium struct {
	Path    string
	MediaID string
}

// Options say how to write.
type Options struct {
	// Force replaces an earlier export in the same place.
	Force bool
	// Copy copies media files. Otherwise they are hard links into the release
	// where the file system allows, and copies where it does not.
	Copy bool
}

// Result says what was written.
type Result struct {
	Dir    string // the root of the layout
	Files  int    // without media
	Linked int
	Copied int
	Bytes  int64 // of all media
	Notes  []string
}

// MarkerName is the file that says which release an export was made of. Only a
// folder that has it is ever replaced.
const MarkerName = "memforge-export.json"

// marker is the content of that file.
type marker struct {
	Format  string `json:"format"`
	Release string `json:"release"`
	Files   int    `json:"files"`
	Media   int    `json:"media"`
}

// ExistsError says that something is in the place of an export.
type ExistsError struct {
	Dir string
	// Ours says that it is an earlier export.
	Ours bool
}

func (e *ExistsError) Error() string {
	if e.Ours {
		return fmt.Sprintf("%s is there already; replace it with --force, or name another folder", e.Dir)
	}
	return fmt.Sprintf("%s is there and was not written by an export; it is never replaced: move it away, or name another folder", e.Dir)
}

// Write verifies the release and writes its layout below out.
func Write(ctx context.Context, format Format, releaseDir, out string, opts Options) (Result, error) {
	res, err := write(ctx, format, releaseDir, out, opts)
	if err != nil {
		return Result{}, fmt.Errorf("export %s as %s: %w", releaseDir, format.Name, err)
	}
	return res, nil
}

func write(ctx context.Context, format Format, releaseDir, out string, opts Options) (Result, error) {
	dir := filepath.Join(out, filepath.FromSlash(format.Root))
	if err := checkPlace(dir, opts.Force); err != nil {
		return Result{}, err
	}
	contents, err := release.Read(ctx, releaseDir)
	if err != nil {
		return Result{}, err
	}
	tree, err := format.Layout(contents)
	if err != nil {
		return Result{}, err
	}
	if err := tree.check(contents); err != nil {
		return Result{}, err
	}
	if tree, err = tree.marked(format.Name, contents.Manifest.ID); err != nil {
		return Result{}, err
	}
	p := &place{ctx: ctx, releaseDir: releaseDir, contents: contents, copies: opts.Copy}
	res, err := p.fill(dir, tree)
	res.Dir, res.Notes = dir, tree.Notes
	return res, err
}

// marked adds the marker.
func (t Tree) marked(format, id string) (Tree, error) {
	data, err := json.MarshalIndent(marker{format, id, len(t.Files), len(t.Media)}, "", "  ")
	if err != nil {
		return t, fmt.Errorf("encode %s: %w", MarkerName, err)
	}
	t.Files = append(slices.Clone(t.Files), File{MarkerName, append(data, '\n')})
	return t, nil
}

// check refuses a layout that would write outside its root, write a path twice
// or name media that the release has not.
func (t Tree) check(c release.Contents) error {
	seen := map[string]bool{MarkerName: true}
	var paths []string
	for _, f := range t.Files {
		paths = append(paths, f.Path)
	}
	for _, m := range t.Media {
		paths = append(paths, m.Path)
		if c.Files[m.MediaID] == "" {
			return fmt.Errorf("%s: the release has no medium %q", m.Path, m.MediaID)
		}
	}
	for _, p := range paths {
		if seen[p] || p == "" || path.Clean(p) != p || !filepath.IsLocal(filepath.FromSlash(p)) || strings.Contains(p, "\\") {
			return fmt.Errorf("path %q is taken, or not a plain path below the root", p)
		}
		seen[p] = true
	}
	return nil
}

// checkPlace decides whether dir may be written.
func checkPlace(dir string, force bool) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at %s: %w", dir, err)
	case len(entries) == 0:
		return nil
	}
	ours := slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == MarkerName })
	if ours && force {
		return nil
	}
	return &ExistsError{Dir: dir, Ours: ours}
}

// verifiedCopyError is a medium that changed after it was verified.
func verifiedCopyError(file string, want, got pipeline.Digest) error {
	return fmt.Errorf("copy %s: %w", file, &pipeline.CorruptError{Digest: want, Got: got})
}
