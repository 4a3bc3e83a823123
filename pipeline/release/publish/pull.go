package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// Pulled is what Pull brought.
type Pulled struct {
	Report release.Report
	// Done says that the release was there already.
	Done bool
	// Ignored are files of the place that are not of the release.
	Ignored []string
}

// origin is one version at a place that a release is pulled from.
type origin interface {
	// list maps the files that are there to their sizes.
	list(ctx context.Context) (map[string]int64, error)
	// get brings a file into a folder, where it goes on with what is there of it, and
	// returns its place. A file without a digest is brought as it is.
	get(ctx context.Context, f manifest.FileInfo, into string) (string, error)
	// sums is the digest of SHA256SUMS, where the place states it.
	sums() pipeline.Digest
}

// OriginError says that what a place holds is not the release that it lists.
type OriginError struct{ Place, Why string }

func (e *OriginError) Error() string { return e.Place + ": " + e.Why }

// Pull gets a release from a place into a folder that is not there yet, and verifies it.
func Pull(ctx context.Context, from Place, dest string, opts Options) (Pulled, error) {
	got, err := pull(ctx, from, dest, opts)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		err = fmt.Errorf("%w; free space and run again: what arrived is kept", err)
	}
	if err != nil {
		return got, fmt.Errorf("pull from %s: %w", from, err)
	}
	return got, nil
}

func pull(ctx context.Context, from Place, dest string, opts Options) (out Pulled, err error) {
	if err := atomicfile.MakeFolder(filepath.Dir(filepath.Clean(dest)), 0o755); err != nil {
		return out, err
	}
	part, err := openPartial(dest)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, part.close()) }()
	opts.Fetch.TempDir = filepath.Join(part.dir, downloads)
	src, closeSource, err := openOrigin(ctx, from, opts)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, closeSource()) }()
	files, ignored, err := listRelease(ctx, from, src, part)
	if err != nil {
		return out, err
	}
	out.Ignored = ignored
	accept := opts.Accept
	if accept == nil {
		accept = func(release.Report) error { return nil }
	}
	if out.Done, err = isThere(ctx, dest, part, opts, &out); err != nil || out.Done {
		if err == nil {
			err = accept(out.Report)
		}
		return out, errors.Join(err, os.RemoveAll(part.dir))
	}
	if err := part.fetch(ctx, from, src, files, opts); err != nil {
		return out, err
	}
	if err := part.clean(files); err != nil {
		return out, err
	}
	if out.Report, err = opts.Limits.Verify(ctx, part.dir); err != nil {
		return out, err
	}
	if err := accept(out.Report); err != nil {
		return out, err
	}
	return out, part.publish(files)
}

// isThere reports whether the folder holds the release already. Anything else there is an
// error.
func isThere(ctx context.Context, dest string, part *partial, opts Options, out *Pulled) (bool, error) {
	entries, err := os.ReadDir(dest)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	wanted, err := part.root.ReadFile(manifest.SumsName)
	if err != nil {
		return false, err
	}
	is, err := atomicfile.Read(filepath.Join(dest, manifest.SumsName), manifest.MaxBytes)
	if err != nil || string(is) != string(wanted) {
		return false, &release.ExistsError{Dir: dest, Version: filepath.Base(dest), Detail: "something else is in " + dest + "; name a folder that is not there yet"}
	}
	out.Report, err = opts.Limits.Verify(ctx, dest)
	return true, err
}

// listRelease brings SHA256SUMS and returns the files of the release that it lists, with
// it, and the names of other files.
func listRelease(ctx context.Context, from Place, src origin, part *partial) (files []manifest.FileInfo, ignored []string, err error) {
	sizes, err := src.list(ctx)
	if err != nil {
		return nil, nil, err
	}
	size, found := sizes[manifest.SumsName]
	if !found || size > manifest.MaxBytes {
		return nil, nil, &OriginError{from.String(), "it holds no release of memforge: there is no " + manifest.SumsName + " of up to " + fmt.Sprint(int64(manifest.MaxBytes)) + " bytes"}
	}
	lists := manifest.FileInfo{Path: manifest.SumsName, SHA256: src.sums(), Size: size}
	place, err := src.get(ctx, lists, filepath.Join(part.dir, downloads))
	if err != nil {
		return nil, nil, explain(from, lists, err)
	}
	text, err := atomicfile.Read(place, manifest.MaxBytes)
	if err != nil {
		return nil, nil, err
	}
	listed, err := manifest.ParseSums(string(text))
	if err != nil {
		return nil, nil, &OriginError{from.String(), err.Error()}
	}
	if err := part.place(path.Join(downloads, filepath.Base(place)), manifest.SumsName); err != nil {
		return nil, nil, err
	}
	files = []manifest.FileInfo{{Path: manifest.SumsName, SHA256: pipeline.DigestOf(text), Size: size}}
	delete(sizes, manifest.SumsName)
	var missing []string
	for i := range listed.Len() {
		name := listed.Path(i)
		size, found := sizes[name]
		if !found {
			missing = append(missing, name)
		}
		files = append(files, manifest.FileInfo{Path: name, SHA256: listed.Digest(name), Size: size})
		delete(sizes, name)
	}
	if len(missing) > 0 {
		return nil, nil, &OriginError{from.String(), fmt.Sprintf("%d files are missing that %s lists (%s); it was changed after it was published: pull another version, or ask the publisher", len(missing), manifest.SumsName, firstOf(missing))}
	}
	if size, found := sizes[release.SignatureName]; found {
		files = append(files, manifest.FileInfo{Path: release.SignatureName, Size: size})
		delete(sizes, release.SignatureName)
	}
	return files, slices.Sorted(maps.Keys(sizes)), nil
}

// fetch brings the files that are not there with their bytes.
func (p *partial) fetch(ctx context.Context, from Place, src origin, files []manifest.FileInfo, opts Options) error {
	var lacks []manifest.FileInfo
	got := &counter{opts: opts, verb: "fetched"}
	for _, f := range files {
		there, err := p.has(ctx, f)
		if err != nil {
			return err
		}
		if !there {
			lacks, got.want = append(lacks, f), got.want+f.Size
		}
	}
	got.all = len(lacks)
	if err := checkSpace(p.dir, got.want); err != nil {
		return err
	}
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(transfers)
	seen := map[pipeline.Digest]bool{}
	var again []manifest.FileInfo // bytes that another file has, too
	bring := func(ctx context.Context, f manifest.FileInfo) error {
		place, err := src.get(ctx, f, filepath.Join(p.dir, downloads))
		if err == nil {
			err = p.place(path.Join(downloads, filepath.Base(place)), f.Path)
		}
		if err != nil {
			return explain(from, f, err)
		}
		got.add(f.Size)
		return nil
	}
	for _, f := range lacks {
		if f.SHA256 != "" && seen[f.SHA256] {
			again = append(again, f)
			continue
		}
		seen[f.SHA256] = true
		group.Go(func() error { return bring(inGroup, f) })
	}
	err := group.Wait()
	for _, f := range again {
		if err == nil {
			err = bring(ctx, f)
		}
	}
	return err
}

// explain says of other bytes what that means for a release.
func explain(from Place, f manifest.FileInfo, err error) error {
	var changed *fetch.ChangedError
	if errors.As(err, &changed) {
		return &OriginError{from.String(), fmt.Sprintf("%s has other bytes than %s says (want %s, got %s); it was changed after it was published, or damaged: pull another version, or ask the publisher", f.Path, manifest.SumsName, f.SHA256, changed.Got)}
	}
	return fmt.Errorf("%s: %w", f.Path, err)
}

// SpaceError says that a disk has not the space for a release.
type SpaceError struct {
	Dir        string
	Need, Free int64
}

func (e *SpaceError) Error() string {
	return fmt.Sprintf("%s has %d bytes free, and the release needs %d more; free space and run again: what arrived is kept", e.Dir, e.Free, e.Need)
}

// checkSpace compares what is to come with what is free.
func checkSpace(dir string, need int64) error {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return nil // the disk itself will say it
	}
	if free := int64(disk.Bavail) * int64(disk.Bsize); need > free {
		return &SpaceError{dir, need, free}
	}
	return nil
}

func openOrigin(ctx context.Context, from Place, opts Options) (origin, func() error, error) {
	nothing := func() error { return nil }
	switch from.Kind {
	case Hub:
		o, err := openHubOrigin(ctx, from, opts)
		return o, nothing, err
	case Bucket:
		t, err := openBucket(ctx, from, opts)
		if err != nil {
			return nil, nothing, err
		}
		o, err := t.origin(ctx)
		if err != nil {
			return nil, nothing, errors.Join(err, t.bucket.Close())
		}
		return o, t.bucket.Close, nil
	}
	return openFolderOrigin(from)
}

// hubOrigin is a commit of a dataset.
type hubOrigin struct {
	dataset *fetch.Dataset
	commit  string
	files   map[string]fetch.HubFile
}

func openHubOrigin(ctx context.Context, from Place, opts Options) (*hubOrigin, error) {
	dataset, err := fetch.NewDataset(from.Repo, opts.Fetch)
	if err != nil {
		return nil, err
	}
	revision := orMain(from.Version)
	if _, err := manifest.ParseVersion(revision); err == nil {
		revision = "v" + revision
	}
	commit, err := dataset.Resolve(ctx, revision)
	return &hubOrigin{dataset, commit, map[string]fetch.HubFile{}}, err
}

func (o *hubOrigin) list(ctx context.Context) (map[string]int64, error) {
	listed, err := o.dataset.List(ctx, o.commit)
	sizes := map[string]int64{}
	for _, f := range listed {
		o.files[f.Path], sizes[f.Path] = f, f.Size
	}
	return sizes, err
}

func (o *hubOrigin) sums() pipeline.Digest { return "" }

func (o *hubOrigin) get(ctx context.Context, f manifest.FileInfo, _ string) (string, error) {
	of := o.files[f.Path]
	if f.SHA256 != "" {
		if of.SHA256 != "" && of.SHA256 != f.SHA256 {
			return "", &fetch.ChangedError{URL: o.dataset.URL(), Want: string(f.SHA256), Got: string(of.SHA256)}
		}
		of.SHA256 = f.SHA256
	}
	return o.dataset.Download(ctx, o.commit, of)
}

// opened is an origin whose files are read from an offset.
type opened struct {
	sizes func(ctx context.Context) (map[string]int64, error)
	open  func(ctx context.Context, name string, offset int64) (io.ReadCloser, error)
	lists pipeline.Digest
}

func (o opened) sums() pipeline.Digest { return o.lists }

func (o opened) list(ctx context.Context) (map[string]int64, error) { return o.sizes(ctx) }

// get goes on with the bytes that are there. Where they turn out to be others it begins
// again, once.
func (o opened) get(ctx context.Context, f manifest.FileInfo, into string) (string, error) {
	name := string(f.SHA256)
	if name == "" {
		name = strings.ReplaceAll(f.Path, "/", "-")
	}
	place := filepath.Join(into, name)
	for again := false; ; again = true {
		if again || f.SHA256 == "" {
			if err := os.Remove(place); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
		}
		got, err := o.append(ctx, f, place)
		if err != nil || f.SHA256 == "" || pipeline.Digest(got) == f.SHA256 {
			return place, err
		}
		if again {
			return "", &fetch.ChangedError{Want: string(f.SHA256), Got: got}
		}
	}
}

// append brings what is missing at the end of a file, and returns the digest of all.
func (o opened) append(ctx context.Context, f manifest.FileInfo, place string) (got string, err error) {
	out, err := os.OpenFile(place, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	have, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	if have > f.Size {
		have = 0
		if err := out.Truncate(0); err != nil {
			return "", err
		}
	}
	if have < f.Size {
		if err := o.appendFrom(ctx, f, out, have); err != nil {
			return "", err
		}
	}
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	got, _, err = atomicfile.Copy(ctx, io.Discard, out)
	return got, err
}

func (o opened) appendFrom(ctx context.Context, f manifest.FileInfo, out *os.File, have int64) error {
	in, err := o.open(ctx, f.Path, have)
	if err != nil {
		return err
	}
	if _, err = out.Seek(have, io.SeekStart); err == nil {
		_, _, err = atomicfile.Copy(ctx, out, io.LimitReader(in, f.Size-have))
	}
	return errors.Join(err, in.Close())
}

// origin finds the version that is wanted, or the newest.
func (t *bucketTarget) origin(ctx context.Context) (origin, error) {
	version := t.at.Version
	if version == "" {
		versions, err := t.versions(ctx)
		if err != nil {
			return nil, err
		}
		if len(versions) == 0 {
			return nil, &OriginError{t.at.String(), "it holds no release of memforge: there is no VERSION.json"}
		}
		version = versions[len(versions)-1].String()
	}
	is, found, err := t.readPointer(ctx, version)
	if err == nil && !found {
		err = &OriginError{t.at.String(), fmt.Sprintf("there is no version %s", version)}
	}
	if err != nil {
		return nil, err
	}
	folder := t.at.name(is.Folder)
	return opened{
		lists: is.Sums,
		sizes: func(ctx context.Context) (map[string]int64, error) {
			listed, err := t.bucket.ListObjects(ctx, folder, true)
			sizes := map[string]int64{}
			for _, o := range listed {
				sizes[strings.TrimPrefix(o.Name, folder+"/")] = o.Size
			}
			return sizes, err
		},
		open: func(ctx context.Context, name string, offset int64) (io.ReadCloser, error) {
			return t.bucket.OpenObject(ctx, folder+"/"+name, offset)
		},
	}, nil
}

// openFolderOrigin takes a folder that is a release, or one that holds versions.
func openFolderOrigin(from Place) (origin, func() error, error) {
	dir := from.Dir
	if _, err := os.Stat(filepath.Join(dir, manifest.FileName)); from.Version != "" || err != nil {
		versions, err := versionsIn(dir)
		if err != nil {
			return nil, nil, err
		}
		version := from.Version
		if version == "" && len(versions) > 0 {
			version = versions[len(versions)-1].String()
		}
		if !slices.ContainsFunc(versions, func(v manifest.Version) bool { return v.String() == version }) {
			return nil, nil, &OriginError{dir, strings.TrimSpace("there is no release of memforge " + version)}
		}
		dir = filepath.Join(dir, version)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	return opened{
		sizes: func(context.Context) (map[string]int64, error) { return sizesIn(root) },
		open: func(_ context.Context, name string, offset int64) (io.ReadCloser, error) {
			f, err := root.Open(name)
			if err != nil {
				return nil, err
			}
			if _, err := f.Seek(offset, io.SeekStart); err != nil {
				return nil, errors.Join(err, f.Close())
			}
			return f, nil
		},
	}, root.Close, nil
}

func sizesIn(root *os.Root) (map[string]int64, error) {
	sizes := map[string]int64{}
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sizes[name] = info.Size()
		}
		return err
	})
	return sizes, err
}
