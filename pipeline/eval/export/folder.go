package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release"
)

type folderWriter struct {
	ctx        context.Context
	releaseDir string
	contents   release.Contents
	copies     bool
	result     Result
}

// writeFolder writes the tree into a temporary folder beside dir and renames it.
func (p *folderWriter) writeFolder(dir string, t Tree) error {
	parent := filepath.Dir(dir)
	if err := atomicfile.MakeFolder(parent, 0o755); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(parent, ".partial-export-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	if err := p.writeTree(temp, t); err != nil {
		return err
	}
	if err := atomicfile.SyncTree(temp); err != nil {
		return err
	}
	return replaceFolder(temp, dir)
}

func (p *folderWriter) writeTree(root string, t Tree) error {
	for _, f := range t.Folders {
		if err := os.MkdirAll(filepath.Join(root, filepath.FromSlash(f)), 0o755); err != nil {
			return err
		}
	}
	for _, f := range t.Files {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		name, err := makeParent(root, f.Path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			return err
		}
		p.result.Files++
	}
	for _, m := range t.Media {
		name, err := makeParent(root, m.Path)
		if err != nil {
			return err
		}
		if err := p.placeMedium(m.MediaID, name); err != nil {
			return err
		}
	}
	return nil
}

func makeParent(root, path string) (string, error) {
	name := filepath.Join(root, filepath.FromSlash(path))
	return name, os.MkdirAll(filepath.Dir(name), 0o755)
}

// placeMedium links or copies a file of the release. The release's own file stays where
// it is.
func (p *folderWriter) placeMedium(id, name string) error {
	file := filepath.Join(p.releaseDir, filepath.FromSlash(p.contents.Files[id]))
	info, err := os.Lstat(file)
	if err != nil {
		return err
	}
	p.result.Bytes += info.Size()
	if !p.copies && os.Link(file, name) == nil {
		p.result.Linked++
		return nil
	}
	p.result.Copied++
	return copyFile(p.ctx, file, name, pipeline.Digest(id))
}

// copyFile copies a file and checks its digest.
func copyFile(ctx context.Context, from, to string, want pipeline.Digest) (err error) {
	src, err := atomicfile.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	got, _, err := atomicfile.Copy(ctx, dst, src)
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	if got != string(want) {
		return fmt.Errorf("copy %s: %w", from, &pipeline.CorruptError{Digest: want, Got: pipeline.Digest(got)})
	}
	return nil
}

// replaceFolder renames temp to dir. The old folder is moved aside first, removed once
// the new one stands, and put back if it cannot.
func replaceFolder(temp, dir string) error {
	old := temp + ".old"
	err := os.Rename(dir, old)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("move the earlier export aside: %w", err)
	}
	if err := os.Rename(temp, dir); err != nil {
		err = fmt.Errorf("give the export its name: %w", err)
		if back := os.Rename(old, dir); back != nil && !errors.Is(back, os.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("the earlier export is in %s now: %w", old, back))
		}
		return err
	}
	return errors.Join(atomicfile.Sync(filepath.Dir(dir)), os.RemoveAll(old))
}

// MarkerName is the file that says which release an export was made of. Only a
// folder that has it, or that one beside it speaks for, is ever replaced.
const MarkerName = "memforge-export.json"

// The largest marker that is read, and the largest file that one speaks for.
const (
	maxMarker = 16 << 20
	maxRoot   = 4 << 30
)

type marker struct {
	Format  string `json:"format"`
	Release string `json:"release"`
	Files   int    `json:"files"`
	Media   int    `json:"media"`
	// Author is that of questions which no language model wrote, BuiltIn how many
	// there are.
	Author  string `json:"author,omitempty"`
	BuiltIn int    `json:"built_in_questions,omitempty"`
	// Root are the digests of the files in the root, where the marker lies beside
	// it: what else is found there in their place was written by somebody else.
	Root map[string]string `json:"root,omitempty"`
}

func digests(files []File) map[string]string {
	out := map[string]string{}
	for _, f := range files {
		out[f.Path] = string(pipeline.DigestOf(f.Data))
	}
	return out
}

func (t Tree) withMarker(m marker) (Tree, error) {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return t, fmt.Errorf("encode %s: %w", MarkerName, err)
	}
	t.Files = append(slices.Clone(t.Files), File{MarkerName, append(data, '\n')})
	return t, nil
}

// checkFolders decides whether the folders of an export may be written: each
// holds nothing, or an earlier export that is to be replaced.
func checkFolders(dir, beside string, force bool) error {
	m, marked, err := readMarker(beside)
	if err != nil {
		return err
	}
	if err := checkFolder(beside, marked, force); err != nil || dir == beside {
		return err
	}
	// Earlier versions had the marker in the root.
	_, ours, err := readMarker(dir)
	if err != nil {
		return err
	}
	if !ours && marked {
		if ours, err = m.ownsFolder(dir); err != nil {
			return err
		}
	}
	return checkFolder(dir, ours, force)
}

// readMarker reads the marker of a folder; ok is false where there is none.
func readMarker(dir string) (m marker, ok bool, err error) {
	data, err := atomicfile.Read(filepath.Join(dir, MarkerName), maxMarker)
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	if err != nil {
		return m, false, fmt.Errorf("look at %s: %w", dir, err)
	}
	// Whatever stands in it, a folder that has the file is an export.
	_ = json.Unmarshal(data, &m)
	return m, true, nil
}

// ownsFolder reports whether the files of dir are those that the marker names.
func (m marker) ownsFolder(dir string) (bool, error) {
	if len(m.Root) == 0 {
		return false, nil
	}
	for name, want := range m.Root {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return false, nil
		}
		data, err := atomicfile.Read(filepath.Join(dir, filepath.FromSlash(name)), maxRoot)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("look at %s: %w", dir, err)
		}
		if string(pipeline.DigestOf(data)) != want {
			return false, nil
		}
	}
	return true, nil
}

// checkFolder decides whether dir may be written; ours says that an export wrote
// it.
func checkFolder(dir string, ours, force bool) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at %s: %w", dir, err)
	case len(entries) == 0 || ours && force:
		return nil
	}
	return &ExistsError{Dir: dir, Ours: ours}
}
