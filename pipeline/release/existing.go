package release

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// FindBuilt finds the release of the name that was made under buildKey. It looks
// at manifests and sizes, and reads texts and tables but not media, so that a
// build with nothing to do costs little; Verify reads every byte. A release that
// is found and damaged is a *DamagedError, for a build that goes on would stop
// before its place or say that there is nothing to do.
func FindBuilt(root, name, buildKey string) (dir string, ok bool, err error) {
	versions, err := versionsOf(root, name)
	if err != nil || buildKey == "" {
		return "", false, err
	}
	for _, v := range slices.Backward(versions) {
		dir := filepath.Join(root, name, v.String())
		m, err := readManifest(dir)
		if err != nil || m.BuildKey != buildKey {
			continue
		}
		return dir, true, checkQuick(dir)
	}
	return "", false, nil
}

// maxQuickFile is the largest file that intact reads.
const maxQuickFile = 64 << 20

// checkQuick holds a release in its place against its own list as far as that is
// cheap.
func checkQuick(dir string) error {
	var found []Problem
	add := func(path string, err error) {
		if err != nil {
			found = append(found, Problem{path, err.Error()})
		}
	}
	m, err := readManifest(dir)
	add(manifest.FileName, err)
	for _, f := range m.Files {
		add(f.Path, checkFileQuick(dir, f))
	}
	if err == nil {
		add(manifest.SumsName, checkSums(dir, m))
	}
	if len(found) > 0 {
		return &DamagedError{Dir: dir, Problems: found}
	}
	return nil
}

// checkFileQuick looks at one file: its size, and the bytes of what is no medium.
func checkFileQuick(dir string, f manifest.FileInfo) error {
	name := filepath.Join(dir, filepath.FromSlash(f.Path))
	info, err := os.Lstat(name)
	switch {
	case os.IsNotExist(err):
		return fmt.Errorf("is missing")
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("is not a regular file")
	case info.Size() != f.Size:
		return fmt.Errorf("has %d bytes, the manifest says %d", info.Size(), f.Size)
	case f.Size > maxQuickFile || strings.HasPrefix(f.Path, "media/") && !strings.HasSuffix(f.Path, "/"+filesName):
		return nil
	}
	data, err := atomicfile.Read(name, f.Size)
	if err != nil {
		return err
	}
	if got := pipeline.DigestOf(data); got != f.SHA256 {
		return fmt.Errorf("has digest %s, want %s", got, f.SHA256)
	}
	return nil
}

// checkSums holds SHA256SUMS against the manifest, and the manifest against it.
func checkSums(dir string, m manifest.Manifest) error {
	file, err := atomicfile.Open(filepath.Join(dir, manifest.SumsName))
	if err != nil {
		return err
	}
	defer file.Close()
	digest, _, err := digestFile(context.Background(), filepath.Join(dir, manifest.FileName))
	if err != nil {
		return err
	}
	same := compareWith(file)
	if err := manifest.WriteSums(same, manifest.WithManifest(m.Files, digest)); err != nil {
		return err
	}
	if same.differs() {
		return fmt.Errorf("lists other digests than %s", manifest.FileName)
	}
	return nil
}
