package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release"
)

// folderWriter writes one layout.
type folderWriter struct {
	ctx        context.Context
	releaseDir string
	contents   release.Contents
	copies     bool
	result     Result
}

// writeFolder writes the tree into a folder beside dir and gives it its name.
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

// makeParent makes the folder of a file below root and returns its name.
func makeParent(root, path string) (string, error) {
	name := filepath.Join(root, filepath.FromSlash(path))
	return name, os.MkdirAll(filepath.Dir(name), 0o755)
}

// placeMedium puts a file of the release in its place. The release's own file stays
// where it is, whatever happens.
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

// copyFile copies a file and checks every byte of it.
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
		return verifiedCopyError(from, want, pipeline.Digest(got))
	}
	return nil
}

// replaceFolder gives temp the name dir. What was there is moved aside first, removed
// once the new folder stands, and put back if it cannot.
func replaceFolder(temp, dir string) error {
	old := temp + ".old"
	err := os.Rename(dir, old)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("move the earlier export aside: %w", err)
	}
	if err := os.Rename(temp, dir); err != nil {
		return errors.Join(fmt.Errorf("give the export its name: %w", err), restoreFolder(old, dir))
	}
	return errors.Join(atomicfile.Sync(filepath.Dir(dir)), os.RemoveAll(old))
}

func restoreFolder(old, dir string) error {
	if err := os.Rename(old, dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the earlier export is in %s now: %w", old, err)
	}
	return nil
}
