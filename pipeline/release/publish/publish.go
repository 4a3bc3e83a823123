// Package publish sends a release to where others get it, and gets it from there: a
// dataset of the Hugging Face hub, a bucket of a cloud, or a folder. What was interrupted
// goes on at the next run. Nothing half of it is ever to be seen: a hub gets one commit, a
// bucket a pointer once all files are there, a folder is renamed at the end.
package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// Options of Publish and Pull.
type Options struct {
	// Create makes a dataset of the hub that is not there.
	Create bool
	// Private makes that private, and allows a release that must not be public. Of a
	// dataset that is there already it is checked.
	Private bool
	// Replace removes files of others from a dataset, or puts the release in the place of
	// another one or of a newer version.
	Replace bool
	// DryRun compares and changes nothing.
	DryRun bool
	// Limits of the release when it is verified.
	Limits release.Limits
	// Fetch has endpoints, token and patience of requests to the hub.
	Fetch fetch.Options
	// Accept may refuse a release that Pull has verified, before its folder gets its name.
	Accept func(release.Report) error
	// Tell is told how far it is, a line at a time; nil tells nobody.
	Tell func(line string)
}

func (o Options) tell(format string, args ...any) {
	if o.Tell != nil {
		o.Tell(fmt.Sprintf(format, args...))
	}
}

// Plan is what a publication does, or what a dry run found that it would do.
type Plan struct {
	// Place is where people find the release, Name its name there.
	Place, Name string
	// Done says that the release is there already.
	Done bool
	// Create says that the dataset is made first.
	Create bool
	// Send are the files that the place lacks, Kept counts those that it has.
	Send []manifest.FileInfo
	Kept int
	// Remove are paths that the release has not.
	Remove []string
	// Notes are what the release lacks for readers, and what is as well to know.
	Notes []string
}

// Bytes is how many are sent.
func (p Plan) Bytes() (n int64) {
	for _, f := range p.Send {
		n += f.Size
	}
	return n
}

// target is a place that a release is sent to.
type target interface {
	// compare finds out what is to be sent. It refuses what must not be replaced.
	compare(ctx context.Context, rel *local) (Plan, error)
	// send makes the place hold the release.
	send(ctx context.Context, rel *local, plan Plan) error
}

// Publish checks the release in dir and sends it to a place.
func Publish(ctx context.Context, dir string, to Place, opts Options) (Plan, error) {
	rel, notes, err := openLocal(ctx, dir, to, opts)
	if err != nil {
		return Plan{}, err
	}
	defer rel.root.Close()
	t, closeTarget, err := openTarget(ctx, to, opts)
	if err != nil {
		return Plan{}, fmt.Errorf("publish to %s: %w", to, err)
	}
	plan, err := t.compare(ctx, rel)
	plan.Notes = append(notes, plan.Notes...)
	if err == nil && !plan.Done && !opts.DryRun {
		opts.tell("%d files to send (%d bytes), %d there already, %d to remove", len(plan.Send), plan.Bytes(), plan.Kept, len(plan.Remove))
		err = t.send(ctx, rel, plan)
	}
	if err = errors.Join(err, closeTarget()); err != nil {
		return plan, fmt.Errorf("publish to %s: %w", to, err)
	}
	return plan, nil
}

func openTarget(ctx context.Context, to Place, opts Options) (target, func() error, error) {
	nothing := func() error { return nil }
	switch to.Kind {
	case Hub:
		t, err := openHub(to, opts)
		if err != nil {
			return nil, nothing, err
		}
		return t, t.close, nil
	case Bucket:
		t, err := openBucket(ctx, to, opts)
		if err != nil {
			return nil, nothing, err
		}
		return t, t.bucket.Close, nil
	}
	return &folderTarget{to.Dir, opts}, nothing, nil
}

// local is a release on this machine that was verified.
type local struct {
	root     *os.Root
	manifest manifest.Manifest
	// sums is the text of SHA256SUMS, which all places are compared with.
	sums string
	// files are those of the release, its lists and its signature among them, by path.
	files []manifest.FileInfo
}

// openLocal verifies a release and checks that it may and can be published.
func openLocal(ctx context.Context, dir string, to Place, opts Options) (*local, []string, error) {
	report, err := opts.Limits.Verify(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("open release: %w", err)
	}
	rel := &local{root: root, manifest: report.Manifest, sums: report.Sums, files: slices.Clone(report.Manifest.Files)}
	for _, name := range []string{manifest.FileName, manifest.SumsName, release.SignatureName} {
		err = errors.Join(err, rel.addFile(ctx, name))
	}
	slices.SortFunc(rel.files, manifest.ComparePaths)
	var notes []string
	if err == nil {
		err = checkShipped(report)
	}
	if err == nil {
		notes, err = rel.check(to, opts)
	}
	if report.Manifest.Media != "" {
		notes = append(notes, "media that the release references are not sent, also where they were hydrated")
	}
	if err != nil {
		return nil, nil, errors.Join(err, root.Close())
	}
	return rel, notes, nil
}

// addFile adds a file that the manifest does not list.
func (l *local) addFile(ctx context.Context, name string) error {
	f, err := l.root.Open(name)
	if errors.Is(err, os.ErrNotExist) && name == release.SignatureName {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open release: %w", err)
	}
	sum, n, err := atomicfile.Copy(ctx, io.Discard, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	l.files = append(l.files, manifest.FileInfo{Path: name, SHA256: pipeline.Digest(sum), Size: n})
	return nil
}

// open opens a file after its bytes were compared with its digest.
func (l *local) open(ctx context.Context, of manifest.FileInfo) (*os.File, error) {
	f, err := l.root.Open(of.Path)
	if err != nil {
		return nil, fmt.Errorf("read release: %w", err)
	}
	sum, _, err := atomicfile.Copy(ctx, io.Discard, f)
	if err == nil && pipeline.Digest(sum) != of.SHA256 {
		err = &fetch.ChangedFileError{Path: of.Path}
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (l *local) tag() string { return "v" + l.manifest.Version }

// file returns a file of the release by its path.
func (l *local) file(path string) (manifest.FileInfo, bool) {
	i, ok := slices.BinarySearchFunc(l.files, path, func(f manifest.FileInfo, p string) int { return strings.Compare(f.Path, p) })
	if !ok {
		return manifest.FileInfo{}, false
	}
	return l.files[i], true
}

// TakenError says that a version is there already with other bytes, or something else in
// the place of the release.
type TakenError struct{ Place, Why string }

func (e *TakenError) Error() string { return e.Place + ": " + e.Why }

// otherBytes refuses a version that was published before.
func otherBytes(place, version, detail string) error {
	return &TakenError{place, fmt.Sprintf("version %s is there already with other bytes (%s); a published version is never changed: build the release as a new version", version, detail)}
}

// counter tells of every tenth of what is sent or fetched.
type counter struct {
	opts        Options
	verb        string
	files, all  int
	bytes, want int64
	mu          sync.Mutex
}

func (c *counter) add(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.bytes * 10 / max(c.want, 1)
	c.files, c.bytes = c.files+1, c.bytes+n
	if c.bytes*10/max(c.want, 1) > before || c.files == c.all {
		c.opts.tell("%s %d of %d files, %d of %d bytes", c.verb, c.files, c.all, c.bytes, c.want)
	}
}

// privateError says that the terms of the release forbid to publish it.
func privateError(m manifest.Manifest, detail string) error {
	return &license.Error{License: m.License, Parts: []string{"release " + m.ID}, Detail: detail}
}
