package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/disk"
)

// Info is one release below a root.
type Info struct {
	Dir      string
	Manifest Manifest
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
		if !n.IsDir() || !releaseName.MatchString(n.Name()) {
			continue
		}
		versions, err := versionsOf(root, n.Name())
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
	versions, err := versionsOf(root, name)
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

// versionsOf lists the version folders of a name in ascending order.
func versionsOf(root, name string) ([]version, error) {
	entries, err := os.ReadDir(filepath.Join(root, name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list versions of %s: %w", name, err)
	}
	var versions []version
	for _, e := range entries {
		if v, err := parseVersion(e.Name()); err == nil && e.IsDir() {
			versions = append(versions, v)
		}
	}
	slices.SortFunc(versions, version.compare)
	return versions, nil
}

func readManifest(dir string) (Manifest, error) {
	data, err := disk.Read(filepath.Join(dir, manifestName), maxManifest)
	if err != nil {
		return Manifest{}, err
	}
	return parseManifest(data)
}

// previous is the release that a new one is compared with.
type previous struct {
	info   Info
	shapes []table
	rows   map[string][]row
	// broken names the tables whose columns were others than today's.
	broken    map[string]bool
	changelog string
}

// readPrevious loads a release after checking the digests of what it reads.
func readPrevious(info Info) (*previous, error) {
	p := &previous{info: info, rows: map[string][]row{}, broken: map[string]bool{}}
	p.shapes = info.Manifest.shapes()
	for _, t := range p.shapes {
		ti, _ := info.Manifest.table(t.name)
		for _, s := range ti.Splits {
			data, err := readPinned(info, s.Path)
			if err != nil {
				return nil, err
			}
			rows, _, err := readTable(data, t)
			if errors.Is(err, errColumns) {
				p.broken[t.name] = true
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("release %s: %w", info.Dir, err)
			}
			p.rows[t.name] = append(p.rows[t.name], rows...)
		}
	}
	text, err := readText(info, changelogName)
	p.changelog = strings.TrimPrefix(string(text), changelogHead)
	return p, err
}

func readPinned(info Info, path string) ([]byte, error) {
	i := slices.IndexFunc(info.Manifest.Files, func(f FileInfo) bool { return f.Path == path })
	if i < 0 {
		return nil, fmt.Errorf("release %s: the manifest does not list %s", info.Dir, path)
	}
	f := info.Manifest.Files[i]
	data, err := disk.Read(filepath.Join(info.Dir, filepath.FromSlash(path)), f.Size)
	if err != nil {
		return nil, fmt.Errorf("release %s: %w", info.Dir, err)
	}
	if got := pipeline.DigestOf(data); got != f.SHA256 {
		return nil, &DamagedError{Dir: info.Dir, Problems: []Problem{{path, fmt.Sprintf("digest %s, the manifest says %s", got, f.SHA256)}}}
	}
	return data, nil
}

// digestFile is the digest and length of a file.
func digestFile(ctx context.Context, name string) (pipeline.Digest, int64, error) {
	f, err := disk.Open(name)
	if err != nil {
		return "", 0, err
	}
	sum := sha256.New()
	n, err := io.Copy(sum, contextReader{ctx, f})
	if err = errors.Join(err, f.Close()); err != nil {
		return "", 0, err
	}
	return pipeline.Digest(hex.EncodeToString(sum.Sum(nil))), n, nil
}
