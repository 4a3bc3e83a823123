package release

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// changedError is a file that had the bytes of the release when they were compared, and
// other ones when it was read.
func changedError(dir, path string) error {
	return damagedError(dir, path, "has changed while the release was read; let nobody write to it meanwhile")
}

// checkUnchanged compares the bytes of an open file of a table with those that it had.
func (v *verifier) checkUnchanged(file *os.File, path string) error {
	want, known := v.digests[path]
	if !known {
		want = v.listed.Digest(path)
	}
	return checkUnchanged(v.ctx, file, want, v.dir, path)
}

// checkUnchanged compares the bytes of an open file with a digest.
func checkUnchanged(ctx context.Context, file *os.File, want pipeline.Digest, dir, path string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	got, _, err := atomicfile.Copy(ctx, io.Discard, file)
	if err != nil {
		return err
	}
	if pipeline.Digest(got) != want {
		return changedError(dir, path)
	}
	return nil
}

// ReadMedium lets read look at the file of a medium of the release. That it still has the
// bytes which were verified is compared behind that, while it is open.
func (c Contents) ReadMedium(ctx context.Context, id string, read func(*os.File) error) error {
	place := c.Files[id]
	file, err := atomicfile.Open(filepath.Join(c.Dir, filepath.FromSlash(place)))
	if err != nil {
		return err
	}
	defer file.Close()
	failed := read(file)
	if err := checkUnchanged(ctx, file, pipeline.Digest(id), c.Dir, place); err != nil {
		return err
	}
	return failed
}
