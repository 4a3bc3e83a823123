package release

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/extsort"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/diff"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// partialPrefix begins the names of folders that are being written. They hold no
// release, even if the process dies.
const partialPrefix = ".partial-"

// Write writes the release below root and returns where it is. The tables are
// checked, written, read back by a second implementation and compared before
// the manifest is written; the folder gets its name last. The store gives the
// media. It fails with *license.Error, *ReferenceError or *ExistsError before
// anything lies in the release's place.
func Write(ctx context.Context, store pipeline.Store, root string, in Input, opts Options) (Written, error) {
	if dir, ok, err := FindBuilt(root, in.Spec.Name, in.BuildKey); ok && (in.auto() || in.Spec.Version == filepath.Base(dir)) {
		if err != nil {
			return Written{}, err
		}
		return Written{Dir: dir, Version: filepath.Base(dir)}, nil
	}
	// What lives long is little: the usual headroom of the heap would double it.
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	w, err := newWriter(store, root, in, opts)
	in.Records = nil
	if err != nil {
		return Written{}, fmt.Errorf("release %s: %w", w.in.Spec.Name, err)
	}
	done, err := w.run(ctx, opts)
	return done, errors.Join(err, w.set.Close(), os.RemoveAll(w.scratch))
}

// rowMemory bounds the bytes of rows in memory that wait for their order.
const rowMemory = 32 << 20

func newWriter(store pipeline.Store, root string, in Input, opts Options) (*writer, error) {
	w := &writer{in: in, original: opts.Original, store: store, home: filepath.Join(root, in.Spec.Name), shard: cmp.Or(opts.Shard, DefaultShard)}
	if !manifest.NamePattern.MatchString(in.Spec.Name) {
		return w, fmt.Errorf("the name %q must be lower-case letters, digits, dots, dashes and underscores", in.Spec.Name)
	}
	var err error
	w.scratch, err = os.MkdirTemp(opts.Scratch, "memforge-rows-")
	w.set = extsort.New(w.scratch, rowMemory)
	return w, err
}

func (w *writer) run(ctx context.Context, opts Options) (Written, error) {
	if err := w.prepare(ctx, opts); err != nil {
		return Written{}, fmt.Errorf("release %s: %w", w.in.Spec.Name, err)
	}
	done, err := w.write(ctx)
	if err != nil {
		return Written{}, fmt.Errorf("release %s %s: %w", w.in.Spec.Name, w.version, err)
	}
	return done, nil
}

// gcPercent is the heap growth between two collections while a release is written.
const gcPercent = 40

func (in Input) auto() bool { return in.Spec.Version == manifest.AutoVersion || in.Spec.Version == "" }

// writer is one release on its way to disk.
type writer struct {
	in       Input
	cards    []describe.Card
	store    pipeline.Store
	home     string // root/name
	content  content
	shapes   []table
	set      *extsort.Tables // rows of all tables
	splits   map[string]bool // of questions
	kinds    map[string]int  // media by kind
	refused  []Violation     // rows that no table can hold
	scratch  string
	shard    int64
	failed   error // what ended the reading of rows
	license  license.Decision
	version  manifest.Version
	previous *previous // nil for a first release
	original *Original // nil but where a release is built again
	changes  diff.Summary
	warning  string // of a version that is too small
	temp     string
	files    []manifest.FileInfo
	tables   []manifest.TableInfo
	gates    []manifest.GateInfo
}

// prepare decides everything that can be decided before writing.
func (w *writer) prepare(ctx context.Context, opts Options) (err error) {
	if w.shapes, err = withDeclared(w.in.withOwnTables()); err != nil {
		return err
	}
	if err := w.collectValid(ctx, &opts); err != nil {
		return err
	}
	w.in.Records, w.in.Stream, w.in.Exclude = nil, nil, nil // the content has them now
	c := &w.content
	if w.license, err = c.license(w.in.mediaMode(), w.in.Spec.License, opts.AllowUnlicensed); err != nil {
		return err
	}
	for i, g := range opts.Gallery {
		card, err := describe.NewCard(g.QuestionID, g.Data)
		if err != nil {
			return fmt.Errorf("report: picture of card %d, of question %q: %w", i, g.QuestionID, err)
		}
		w.cards = append(w.cards, card)
	}
	if w.gates, err = gateInfos(w.in.Gates, c.verdicts, c.probes); err != nil {
		return err
	}
	if err := w.checkReviewMarks(); err != nil {
		return err
	}
	return errors.Join(w.decideVersion(ctx, opts.VersionRule), w.failed)
}

func (w *writer) write(ctx context.Context) (Written, error) {
	if err := atomicfile.MakeFolder(w.home, 0o755); err != nil {
		return Written{}, err
	}
	unlock, err := lockHome(w.home)
	if err != nil {
		return Written{}, err
	}
	defer unlock()
	if err := removePartial(w.home); err != nil {
		return Written{}, err
	}
	if w.temp, err = os.MkdirTemp(w.home, partialPrefix); err != nil {
		return Written{}, err
	}
	defer os.RemoveAll(w.temp)
	if err := os.Chmod(w.temp, 0o755); err != nil {
		return Written{}, err
	}
	if err := w.writeFiles(ctx); err != nil {
		return Written{}, err
	}
	return w.publish(filepath.Join(w.home, w.version.String()))
}

// writeFiles writes every file into the temporary folder; the manifest comes last.
func (w *writer) writeFiles(ctx context.Context) error {
	steps := []func(context.Context) error{w.writeTables, w.writeMedia, w.writeTexts, w.writeManifest}
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	return atomicfile.SyncTree(w.temp)
}

func (w *writer) writeTables(ctx context.Context) error {
	for _, t := range w.shapes {
		info := manifest.TableInfo{Name: t.name, Declared: t.declared, Splits: []manifest.SplitInfo{}}
		for _, split := range w.splitsOf(t) {
			shards, err := w.writeSplit(ctx, t, split, w.splitRows(t, split))
			if err != nil {
				return err
			}
			info.Splits = append(info.Splits, shards...)
		}
		for _, s := range info.Splits {
			info.Rows += s.Rows
		}
		w.tables = append(w.tables, info)
	}
	return nil
}

// splitsOf returns the splits of a divided table; others stay whole. A table without
// rows has a file as well: readers find every table.
func (w *writer) splitsOf(t table) []string {
	if !t.divided {
		return []string{wholeSplit}
	}
	return slices.Sorted(maps.Keys(w.splits))
}

func (w *writer) splitRows(t table, split string) iter.Seq[row] {
	i, _ := t.column("split")
	return func(yield func(row) bool) {
		for r := range w.each(t) {
			if (!t.divided || r[i] == split) && !yield(r) {
				return
			}
		}
	}
}

func (w *writer) writeManifest(context.Context) error {
	slices.SortFunc(w.files, manifest.ComparePaths)
	m := w.manifest()
	sums, err := manifest.SumsDigest(m.Files)
	if err != nil {
		return err
	}
	m.ID = manifest.ReleaseID(m.Name, m.Version, sums)
	sum := sha256.New()
	if err := writeFile(w.path(manifest.FileName), func(out io.Writer) error { return m.Encode(io.MultiWriter(out, sum)) }); err != nil {
		return err
	}
	n := 0
	same := func(f manifest.FileInfo) (manifest.FileInfo, bool) {
		if n < len(w.files) && w.files[n] == f {
			n++
		}
		return f, false
	}
	if _, err := readManifestAs(w.temp, same); err != nil || n < len(w.files) {
		return fmt.Errorf("the manifest written does not read: %w", errors.Join(err, fmt.Errorf("%d of %d files are as they should be", n, len(w.files))))
	}
	return writeFile(w.path(manifest.SumsName), func(out io.Writer) error {
		return manifest.WriteSums(out, manifest.WithManifest(w.files, pipeline.DigestOfSum([sha256.Size]byte(sum.Sum(nil)))))
	})
}

// manifest returns the manifest of what is written so far, without an id.
func (w *writer) manifest() manifest.Manifest {
	m := manifest.Manifest{
		Format: manifest.CurrentFormat, Name: w.in.Spec.Name, Version: w.version.String(), Title: w.in.Spec.Title,
		License: w.license.License.SPDX, Private: w.license.Private, Media: w.in.mediaMode(),
		BuildKey: w.in.BuildKey, Config: w.in.Config, Seed: w.in.Seed,
		Tools: w.in.Tools, Models: w.in.Models, Derivations: ofFamilies(&w.content, w.in.Derivations), From: w.in.Spec.From,
		Reviewed: w.in.Reviewed, About: w.in.Spec.About, Terms: ofFamilies(&w.content, w.in.Terms), Plugins: w.in.Plugins, Texts: describe.Version, Tables: w.tables, Gates: w.gates, GateCounts: w.in.GateCounts,
		RecordCounts: w.in.RecordCounts, Files: w.files,
	}
	if w.previous != nil {
		m.Previous = w.previous.Manifest.Version
	}
	if w.original != nil {
		m.Previous = w.original.Previous
	}
	return m
}

// addFile writes a file of the release and lists it for the manifest.
func (w *writer) addFile(place string, data []byte) error {
	if err := writeBytes(w.path(place), data); err != nil {
		return fmt.Errorf("write %s: %w", place, err)
	}
	w.files = append(w.files, manifest.FileInfo{Path: place, SHA256: pipeline.DigestOf(data), Size: int64(len(data))})
	return nil
}

func (w *writer) path(place string) string { return filepath.Join(w.temp, filepath.FromSlash(place)) }

// collectValid sorts all rows and checks that they are a release. Where records break a
// rule, it begins again without them.
func (w *writer) collectValid(ctx context.Context, opts *Options) error {
	for {
		broken, err := w.violations(ctx)
		if err != nil || len(broken) == 0 {
			return err
		}
		if w.in.Exclude == nil {
			return &ReferenceError{Problems: broken}
		}
		if w.in, opts.Gallery, err = w.in.Exclude(ctx, broken); err != nil {
			return err
		}
		if err := w.set.Close(); err != nil {
			return err
		}
		w.set = extsort.New(w.scratch, rowMemory)
		w.content, w.refused = content{}, nil
		if w.shapes, err = withDeclared(w.in.withOwnTables()); err != nil {
			return err
		}
	}
}

// violations sorts all rows and returns what is against a rule. Rows that no table can
// hold are returned alone: what refers to them is not to blame.
func (w *writer) violations(ctx context.Context) ([]Violation, error) {
	if err := w.collect(w.in); err != nil {
		return nil, err
	}
	if why := TooManyMedia(float64(w.set.Len(mediaRecords().name))); why != "" {
		return nil, errors.New(why)
	}
	if err := w.addRows(ctx); err != nil || len(w.refused) > 0 {
		return w.refused, err
	}
	found := checkReferences(w.shapes, w.each, true)
	return found, w.failed
}

func (w *writer) refuseRow(t table, r row, why string) {
	name := t.name
	if name == mediaRecords().name {
		name = tableMedia
	}
	w.refused = append(w.refused, Violation{name, fmt.Sprint(r[0]), why})
}

// publish renames the finished folder. Where the version exists, its bytes decide
// whether there is nothing to do or a conflict.
func (w *writer) publish(dir string) (Written, error) {
	done := Written{Dir: dir, Version: w.version.String(), VersionWarning: w.warning}
	if _, err := os.Lstat(dir); err == nil {
		return done, w.compareExisting(dir)
	}
	if err := os.Rename(w.temp, dir); err != nil {
		return Written{}, fmt.Errorf("give the release its name: %w", err)
	}
	if err := atomicfile.Sync(w.home); err != nil {
		return Written{}, err
	}
	done.Changed = true
	return done, nil
}

func (w *writer) compareExisting(dir string) error {
	have, err := atomicfile.Read(filepath.Join(dir, manifest.SumsName), manifest.MaxBytes)
	if err != nil {
		return &ExistsError{Dir: dir, Version: w.version.String(), Detail: err.Error()}
	}
	want, err := os.ReadFile(w.path(manifest.SumsName))
	if err != nil {
		return err
	}
	if bytes.Equal(have, want) {
		return checkQuick(dir)
	}
	return &ExistsError{Dir: dir, Version: w.version.String(), Detail: firstDifference(string(have), string(want))}
}

func firstDifference(have, want string) string {
	lines := map[string]bool{}
	for line := range strings.Lines(have) {
		lines[line] = true
	}
	for line := range strings.Lines(want) {
		if !lines[line] && len(line) > 66 {
			return strings.TrimSpace(line[66:]) + " differs"
		}
	}
	return "it has files that this build does not make"
}

// lockHome lets one process at a time write releases of a name. The lock ends with the
// process.
func lockHome(home string) (unlock func(), err error) {
	lock, err := atomicfile.TakeLock(filepath.Join(home, ".lock"))
	var held *atomicfile.LockedError
	if errors.As(err, &held) {
		return nil, fmt.Errorf("lock %s: another build is writing a release there; wait for it and run again: %w", home, err)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", home, err)
	}
	return func() { _ = lock.Release() }, nil // the kernel does it else
}

// removePartial removes what writers that died have left. The lock is held, so none of
// it is in use.
func removePartial(home string) error {
	entries, err := os.ReadDir(home)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), partialPrefix) {
			errs = append(errs, os.RemoveAll(filepath.Join(home, e.Name())))
		}
	}
	return errors.Join(errs...)
}
