package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// folderTarget is a folder with a folder for each version.
type folderTarget struct {
	dir  string
	opts Options
}

func (t *folderTarget) compare(ctx context.Context, rel *local) (Plan, error) {
	plan := Plan{Place: t.dir, Name: rel.manifest.Version, Send: rel.files}
	if err := t.checkName(rel); err != nil {
		return plan, err
	}
	is, err := t.opts.Limits.Verify(ctx, filepath.Join(t.dir, plan.Name))
	if _, failed := os.Stat(filepath.Join(t.dir, plan.Name)); errors.Is(failed, fs.ErrNotExist) {
		return plan, nil
	}
	if err != nil {
		return plan, err
	}
	if is.Sums != rel.sums {
		return plan, otherBytes(t.dir, plan.Name, "release "+is.Manifest.ID)
	}
	plan.Done, plan.Send, plan.Kept = true, nil, len(rel.files)
	return plan, nil
}

// checkName refuses a folder with releases of another name, and one that is a release.
func (t *folderTarget) checkName(rel *local) error {
	if _, err := os.Stat(filepath.Join(t.dir, manifest.FileName)); err == nil {
		return &TakenError{t.dir, "it is a release itself; name the folder that is to hold the versions"}
	}
	versions, err := versionsIn(t.dir)
	if err != nil {
		return err
	}
	for _, v := range versions {
		text, err := atomicfile.Read(filepath.Join(t.dir, v.String(), manifest.FileName), manifest.MaxBytes)
		if err != nil {
			continue // no release
		}
		if name, _ := headOf(text); name != rel.manifest.Name && !t.opts.Replace {
			return &TakenError{t.dir, fmt.Sprintf("it holds release %s %s, and this is %s; publish to another place, or give --replace", name, v, rel.manifest.Name)}
		}
	}
	return nil
}

// send copies the files into a hidden folder, makes them durable, and gives that the name
// of the version.
func (t *folderTarget) send(ctx context.Context, rel *local, plan Plan) (err error) {
	if err := atomicfile.MakeFolder(t.dir, 0o755); err != nil {
		return err
	}
	part, err := openPartial(filepath.Join(t.dir, plan.Name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, part.close()) }()
	// Another process may have been quicker, before this one had the lock.
	if now, err := t.compare(ctx, rel); err != nil || now.Done {
		return errors.Join(err, os.RemoveAll(part.dir))
	}
	sent := &counter{opts: t.opts, verb: "copied", all: len(plan.Send), want: plan.Bytes()}
	for _, f := range plan.Send {
		if there, err := part.has(ctx, f); err != nil || there {
			sent.add(f.Size)
			if err != nil {
				return err
			}
			continue
		}
		in, err := rel.root.Open(f.Path)
		if err != nil {
			return fmt.Errorf("read release: %w", err)
		}
		err = part.write(ctx, f, in)
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
		sent.add(f.Size)
	}
	return part.publish(rel.files)
}

// partial is a folder that is filled under a hidden name beside its own, over several
// runs if need be. One process at a time fills it.
type partial struct {
	dest, dir string
	root      *os.Root
	lock      *atomicfile.Lock
}

// downloads is a folder within for files that are not whole yet.
const downloads = ".downloads"

// BusyError says that another process publishes or pulls to the same place.
type BusyError struct{ Err error }

func (e *BusyError) Error() string {
	return fmt.Sprintf("another memforge writes there: %v; wait until it ends", e.Err)
}

// Unwrap returns who holds the place.
func (e *BusyError) Unwrap() error { return e.Err }

func openPartial(dest string) (_ *partial, err error) {
	above, base := filepath.Split(filepath.Clean(dest))
	p := &partial{dest: dest, dir: filepath.Join(above, "."+base+".partial")}
	p.lock, err = atomicfile.TakeLock(filepath.Join(above, "."+base+".lock"))
	var held *atomicfile.LockedError
	if errors.As(err, &held) {
		return nil, &BusyError{err}
	}
	if err != nil {
		return nil, err
	}
	if err = os.MkdirAll(filepath.Join(p.dir, downloads), 0o755); err == nil {
		p.root, err = os.OpenRoot(p.dir)
	}
	if err != nil {
		return nil, errors.Join(err, p.lock.Release())
	}
	return p, nil
}

func (p *partial) close() error { return errors.Join(p.root.Close(), p.lock.Release()) }

// has reports whether a file is there with its bytes.
func (p *partial) has(ctx context.Context, want manifest.FileInfo) (bool, error) {
	f, err := p.root.Open(want.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	sum, _, err := atomicfile.Copy(ctx, io.Discard, f)
	return pipeline.Digest(sum) == want.SHA256, errors.Join(err, f.Close())
}

// write copies a file, which must have its bytes, into its place.
func (p *partial) write(ctx context.Context, want manifest.FileInfo, from io.Reader) error {
	name := path.Join(downloads, string(want.SHA256))
	out, err := p.root.Create(name)
	if err != nil {
		return err
	}
	sum, _, err := atomicfile.Copy(ctx, out, from)
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("write %s: %w", want.Path, err)
	}
	if pipeline.Digest(sum) != want.SHA256 {
		return fmt.Errorf("%s has digest %s, want %s; run again", want.Path, sum, want.SHA256)
	}
	return p.place(name, want.Path)
}

// place gives a file that was checked its name.
func (p *partial) place(name, to string) error {
	if err := p.root.MkdirAll(path.Dir(to), 0o755); err != nil {
		return err
	}
	return p.root.Rename(name, to)
}

// clean removes all but the files of the release, as of another one that was begun here.
func (p *partial) clean(files []manifest.FileInfo) error {
	own, folders := map[string]bool{}, map[string]bool{".": true}
	for _, f := range files {
		own[f.Path] = true
		for at := path.Dir(f.Path); !folders[at]; at = path.Dir(at) {
			folders[at] = true
		}
	}
	return fs.WalkDir(p.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil, d.IsDir() && folders[name], !d.IsDir() && own[name]:
			return err
		case d.IsDir():
			if err := p.root.RemoveAll(name); err != nil {
				return err
			}
			return fs.SkipDir
		}
		return p.root.Remove(name)
	})
}

// publish makes the folder durable and gives it its name, which must be free.
func (p *partial) publish(files []manifest.FileInfo) error {
	if err := p.clean(files); err != nil {
		return err
	}
	if err := atomicfile.SyncTree(p.dir); err != nil {
		return err
	}
	if err := os.Rename(p.dir, p.dest); err != nil {
		return err
	}
	return atomicfile.Sync(filepath.Dir(p.dest))
}

// versionsIn lists the versions that a folder holds, in their order.
func versionsIn(dir string) (out []manifest.Version, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if v, err := manifest.ParseVersion(e.Name()); err == nil && e.IsDir() {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, manifest.Version.Compare)
	return out, err
}

// headOf reads name and version of a manifest, empty where it is none.
func headOf(text []byte) (name, version string) {
	var is struct{ Name, Version string }
	if json.Unmarshal(text, &is) != nil {
		return "", ""
	}
	return is.Name, is.Version
}
