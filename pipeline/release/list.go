package release

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// Info is one release below a root.
type Info struct {
	Dir      string
	Manifest manifest.Manifest
}

// List returns the releases below root, sorted by name and version. Folders
// that are no release, such as unfinished ones, are passed by.
func List(root string) ([]Info, error) {
	names, err := os.ReadDir(root)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list releases: %w", err)
	}
	var all []Info
	for _, n := range names {
		if !n.IsDir() || !manifest.NamePattern.MatchString(n.Name()) {
			continue
		}
		versions, err := Versions(root, n.Name())
		if err != nil {
			return nil, err
		}
		for _, v := range versions {
			dir := filepath.Join(root, n.Name(), v.String())
			m, err := readManifest(dir)
			if err != nil {
				return nil, fmt.Errorf("list releases: %s: %w", dir, err)
			}
			all = append(all, Info{Dir: dir, Manifest: m})
		}
	}
	return all, nil
}

// Latest returns the release of the name with the highest version.
func Latest(root, name string) (Info, bool, error) {
	versions, err := Versions(root, name)
	if err != nil || len(versions) == 0 {
		return Info{}, false, err
	}
	dir := filepath.Join(root, name, versions[len(versions)-1].String())
	m, err := readManifest(dir)
	if err != nil {
		return Info{}, false, fmt.Errorf("latest release of %s: %w; restore or remove %s", name, err, dir)
	}
	return Info{Dir: dir, Manifest: m}, true, nil
}

// Versions lists the version folders of a name in ascending order.
func Versions(root, name string) ([]manifest.Version, error) {
	entries, err := os.ReadDir(filepath.Join(root, name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list versions of %s: %w", name, err)
	}
	var versions []manifest.Version
	for _, e := range entries {
		if v, err := manifest.ParseVersion(e.Name()); err == nil && e.IsDir() {
			versions = append(versions, v)
		}
	}
	slices.SortFunc(versions, manifest.Version.Compare)
	return versions, nil
}

// checkDigest compares the digest of a file with the manifest.
func (info Info) checkDigest(path string, got pipeline.Digest) error {
	i, listed := info.Manifest.File(path)
	if !listed {
		return fmt.Errorf("release %s: the manifest does not list %s", info.Dir, path)
	}
	if want := info.Manifest.Files[i].SHA256; got != want {
		return damagedError(info.Dir, path, "digest %s, the manifest says %s", got, want)
	}
	return nil
}

// digestFile returns the digest and length of a file.
func digestFile(ctx context.Context, name string) (pipeline.Digest, int64, error) {
	f, err := atomicfile.Open(name)
	if err != nil {
		return "", 0, err
	}
	sum, n, err := atomicfile.Copy(ctx, io.Discard, f)
	return pipeline.Digest(sum), n, errors.Join(err, f.Close())
}

func readManifest(dir string) (manifest.Manifest, error) {
	return readManifestAs(dir, func(f manifest.FileInfo) (manifest.FileInfo, bool) { return f, true })
}

// readManifestAs reads a manifest and keeps of its files what keep returns with true.
func readManifestAs(dir string, keep func(manifest.FileInfo) (manifest.FileInfo, bool)) (m manifest.Manifest, err error) {
	f, err := atomicfile.Open(filepath.Join(dir, manifest.FileName))
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return m, err
	}
	if info.Size() > manifest.MaxBytes {
		return m, fmt.Errorf("manifest: %d bytes; at most %d are read", info.Size(), int64(manifest.MaxBytes))
	}
	if m, err = manifest.Parse(f, keep); err != nil {
		return m, err
	}
	if err := checkDeclared(m); err != nil {
		return m, fmt.Errorf("manifest: %w", err)
	}
	return m, nil
}

// comparer compares what is written to it with what can be read.
type comparer struct {
	from  *bufio.Reader
	line  int  // of the first difference, or the last that was read
	other bool // there is one
	buf   []byte
}

func compareWith(from io.Reader) *comparer { return &comparer{from: bufio.NewReader(from), line: 1} }

func (m *comparer) Write(want []byte) (int, error) {
	if m.other {
		return len(want), nil
	}
	m.buf = append(m.buf[:0], want...)
	n, err := io.ReadFull(m.from, m.buf)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, err
	}
	same := 0
	for same < n && m.buf[same] == want[same] {
		same++
	}
	m.line += bytes.Count(want[:same], []byte("\n"))
	m.other = same < len(want)
	return len(want), nil
}

func (m *comparer) differs() bool {
	if m.other {
		return true
	}
	_, err := m.from.ReadByte()
	return err == nil
}

// CheckFolder says whether a folder is meant for a release, sound or not: its manifest states a
// format, which is a number, or its sums list a manifest. The error says what is
// missing; other projects have files of these names, too.
func CheckFolder(dir string) error {
	stated := formatStated(filepath.Join(dir, manifest.FileName))
	if stated == nil {
		return nil
	}
	if data, err := atomicfile.Read(filepath.Join(dir, manifest.SumsName), manifest.MaxBytes); err == nil {
		if listed, err := manifest.ParseSums(string(data)); err == nil && listed.Digest(manifest.FileName) != "" {
			return nil
		}
	}
	return fmt.Errorf("%s is no release: %w, and no %s lists one", dir, stated, manifest.SumsName)
}

// formatStated looks for the format in a manifest, which may be a file of another
// project, or damaged behind it.
func formatStated(name string) error {
	file, err := atomicfile.Open(name)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", manifest.FileName, err)
	}
	defer file.Close()
	dec := json.NewDecoder(io.LimitReader(file, manifest.MaxBytes))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("%s is no JSON object", manifest.FileName)
	}
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			return fmt.Errorf("%s is no JSON: %w", manifest.FileName, err)
		}
		if key != "format" {
			continue
		}
		var format int
		if json.Unmarshal(value, &format) != nil || format < 1 {
			return fmt.Errorf("the format that %s states is %.40s, and that of a release is a number from 1 on", manifest.FileName, value)
		}
		return nil
	}
	return fmt.Errorf("%s states no format", manifest.FileName)
}

// FindBuilt finds the release of the name that was made under buildKey. It looks
// at manifests and sizes, and reads texts and tables but not media, so that a
// build with nothing to do costs little; Verify reads every byte. A release that
// is found and damaged is a *DamagedError, for a build that goes on would stop
// before its place or say that there is nothing to do.
func FindBuilt(root, name, buildKey string) (dir string, ok bool, err error) {
	versions, err := Versions(root, name)
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

// maxQuickFile is the largest file that checkQuick reads.
const maxQuickFile = 64 << 20

// checkQuick compares a release with its own list as far as that is cheap.
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

// checkFileQuick checks the size of a file, and the bytes of one that is no medium.
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

// checkSums compares SHA256SUMS with the manifest.
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
