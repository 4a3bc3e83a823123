package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/disk"
	"github.com/memforge/memforge/pipeline/license"
)

// partialPrefix begins the names of folders that are being written. They hold
// no release, whatever moment the process dies at.
const partialPrefix = ".partial-"

// Write writes the release below root and returns where it is. The tables are
// checked, written, read back by a second implementation and compared before
// the manifest is written; the folder gets its name last. The store gives the
// media. It fails with *license.Error, *ReferenceError or *ExistsError before
// anything lies in the release's place.
func Write(ctx context.Context, store pipeline.Store, root string, in Input, opts Options) (Written, error) {
	if dir, ok, err := Existing(root, in.Spec.Name, in.BuildKey); ok && in.asksFor(filepath.Base(dir)) {
		if err != nil {
			return Written{}, err
		}
		return Written{Dir: dir, Version: filepath.Base(dir)}, nil
	}
	// What is held is every row, to the end: the usual headroom of the heap would
	// double it.
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	w, err := prepare(ctx, store, root, in, opts)
	in.Records = nil
	if err != nil {
		return Written{}, fmt.Errorf("release %s: %w", in.Spec.Name, err)
	}
	done, err := w.write(ctx)
	if err != nil {
		return Written{}, fmt.Errorf("release %s %s: %w", in.Spec.Name, w.version, err)
	}
	return done, nil
}

// gcPercent is the heap growth between two collections while a release is written.
const gcPercent = 40

func (in Input) auto() bool { return in.Spec.Version == autoVersion || in.Spec.Version == "" }

func (in Input) asksFor(version string) bool { return in.auto() || in.Spec.Version == version }

// writer is one release on its way to disk.
type writer struct {
	in       Input
	gallery  []embedded
	store    pipeline.Store
	home     string // root/name
	content  content
	shapes   []table
	rows     map[string][]row
	license  license.Decision
	version  version
	previous *previous // nil for a first release
	diffs    []tableDiff
	temp     string
	files    []FileInfo
	tables   []TableInfo
	gates    []GateInfo
	checked  checked
	facts    factsTable
}

// prepare decides everything that can be decided before writing.
func prepare(ctx context.Context, store pipeline.Store, root string, in Input, opts Options) (*writer, error) {
	if !releaseName.MatchString(in.Spec.Name) {
		return nil, fmt.Errorf("the name %q must be lower-case letters, digits, dots, dashes and underscores", in.Spec.Name)
	}
	c, err := collect(in)
	if err != nil {
		return nil, err
	}
	w := &writer{in: in, store: store, home: filepath.Join(root, in.Spec.Name)}
	w.in.Records = nil // the content has them now
	if w.shapes, err = withPlugged(in.Tables); err != nil {
		return nil, err
	}
	if w.license, err = license.Decide(c.licenseParts(), in.Spec.License, opts.AllowUnlicensed); err != nil {
		return nil, err
	}
	if w.gallery, err = embed(opts.Gallery); err != nil {
		return nil, err
	}
	if w.rows, err = c.tableRows(ctx, store, w.shapes); err != nil {
		return nil, err
	}
	if problems := references(w.shapes, w.rows); len(problems) > 0 {
		return nil, &ReferenceError{Problems: problems}
	}
	if w.gates, err = gateInfos(in.Gates, c.verdicts, c.probes); err != nil {
		return nil, err
	}
	w.checked = checkedOf(&c, w.gates)
	w.facts = factsOf(&c, w.gates)
	// Verdicts and probes, by far the most, are in the rows and not needed twice.
	c.verdicts, c.probes = nil, nil
	w.content = c
	return w, w.decideVersion(root)
}

// decideVersion settles the version and what the release is compared with: the
// highest version below it.
func (w *writer) decideVersion(root string) error {
	versions, err := versionsOf(root, w.in.Spec.Name)
	if err != nil {
		return err
	}
	auto := w.in.auto()
	if !auto {
		if w.version, err = parseVersion(w.in.Spec.Version); err != nil {
			return err
		}
		versions = slices.DeleteFunc(versions, func(v version) bool { return v.compare(w.version) >= 0 })
	}
	if len(versions) == 0 {
		if auto {
			w.version = version{1, 0, 0}
		}
		return nil
	}
	latest := versions[len(versions)-1]
	dir := filepath.Join(w.home, latest.String())
	m, err := readManifest(dir)
	if err != nil {
		return fmt.Errorf("previous release: %w", &DamagedError{Dir: dir, Problems: []Problem{{manifestName, err.Error()}}})
	}
	if w.previous, err = readPrevious(Info{Dir: dir, Manifest: m}); err != nil {
		return err
	}
	w.diffs = difference(w.shapes, w.previous, w.rows)
	if auto {
		w.version = latest.next(grade(w.diffs))
	}
	return nil
}

func (w *writer) write(ctx context.Context) (Written, error) {
	if err := disk.MakeFolder(w.home, 0o755); err != nil {
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
	if err := w.fill(ctx); err != nil {
		return Written{}, err
	}
	return w.publish(filepath.Join(w.home, w.version.String()))
}

// fill writes every file into the temporary folder; the manifest comes last.
func (w *writer) fill(ctx context.Context) error {
	steps := []func(context.Context) error{w.writeTables, w.writeMedia, w.writeTexts, w.writeManifest}
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	return syncTree(w.temp)
}

func (w *writer) writeTables(context.Context) error {
	for _, t := range w.shapes {
		info := TableInfo{Name: t.name, Declared: t.declared, Rows: int64(len(w.rows[t.name])), Splits: []SplitInfo{}}
		splits, names := splitRows(t, w.rows[t.name])
		for _, split := range names {
			place := tablePath(t.name, split)
			if err := w.writeTable(t, place, splits[split]); err != nil {
				return err
			}
			info.Splits = append(info.Splits, SplitInfo{Split: split, Path: place, Rows: int64(len(splits[split]))})
		}
		w.tables = append(w.tables, info)
	}
	return nil
}

// splitRows divides a divided table by split; others stay whole.
func splitRows(t table, rows []row) (map[string][]row, []string) {
	out := map[string][]row{}
	var names []string
	for _, r := range rows {
		split := wholeSplit
		if i, ok := t.column("split"); ok && t.divided {
			split, _ = r[i].(string)
		}
		if _, seen := out[split]; !seen {
			names = append(names, split)
		}
		out[split] = append(out[split], r)
	}
	if len(names) == 0 {
		// A table without rows has a file as well: readers find every table.
		names = append(names, wholeSplit)
	}
	slices.Sort(names)
	return out, names
}

// writeTable writes one Parquet file, reads it back with the second
// implementation and compares every value.
func (w *writer) writeTable(t table, place string, rows []row) error {
	var b bytes.Buffer
	if err := encodeTable(&b, t, rows); err != nil {
		return err
	}
	if err := w.put(place, b.Bytes()); err != nil {
		return err
	}
	data, err := os.ReadFile(w.path(place))
	if err != nil {
		return err
	}
	if !bytes.Equal(data, b.Bytes()) {
		return fmt.Errorf("table %s: the disk gives back other bytes than were written; check the disk", t.name)
	}
	return checkTable(t, rows, data)
}

// checkTable decodes a table and compares it with the rows it was written from.
func checkTable(t table, rows []row, data []byte) error {
	got, _, err := readTable(data, t)
	if err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	return compareRows(t, rows, got)
}

func (w *writer) writeMedia(ctx context.Context) error {
	files := map[string][]row{}
	for _, m := range w.content.media {
		place, err := mediaPath(m)
		if err != nil {
			return err
		}
		if err := copyMedia(ctx, w.store, m, w.path(place)); err != nil {
			return err
		}
		w.files = append(w.files, FileInfo{Path: place, SHA256: pipeline.Digest(m.MediaID), Size: m.Bytes})
		folder, name := path.Split(place)
		files[folder] = append(files[folder], rowOf(tableFiles, besideRow{name, m.MediaID}))
	}
	t := tableOf(tableFiles)
	for _, folder := range mediaFolders() {
		if len(files[folder]) == 0 {
			continue
		}
		t.sort(files[folder])
		if err := w.writeTable(t, folder+filesName, files[folder]); err != nil {
			return err
		}
	}
	return nil
}

// mediaFolders are where media lie.
func mediaFolders() []string { return []string{"media/images/", "media/videos/"} }

// filesName is the table beside media files that folder loaders look for.
const filesName = "metadata.parquet"

func (w *writer) writeManifest(context.Context) error {
	slices.SortFunc(w.files, func(a, b FileInfo) int { return strings.Compare(a.Path, b.Path) })
	data, err := w.manifest().encode()
	if err != nil {
		return err
	}
	if _, err := parseManifest(data); err != nil {
		return fmt.Errorf("the manifest written does not read: %w", err)
	}
	files := append(slices.Clone(w.files), FileInfo{Path: manifestName, SHA256: pipeline.DigestOf(data)})
	slices.SortFunc(files, func(a, b FileInfo) int { return strings.Compare(a.Path, b.Path) })
	return errors.Join(
		writeBytes(w.path(manifestName), data),
		writeBytes(w.path(sumsName), formatSums(files)))
}

func (w *writer) manifest() Manifest {
	m := Manifest{
		Format: manifestFormat, Name: w.in.Spec.Name, Version: w.version.String(), Title: w.in.Spec.Title,
		License: w.license.License.SPDX, Private: w.license.Private,
		BuildKey: w.in.BuildKey, Config: w.in.Config, Seed: w.in.Seed,
		Tools: w.in.Tools, Models: w.in.Models,
		Derivations: w.content.derivations(w.in.Derivations), From: w.in.Spec.From, Texts: textsVersion, Tables: w.tables, Gates: w.gates, Judged: w.in.Judged, Funnel: w.in.Funnel, Files: w.files,
	}
	if w.previous != nil {
		m.Previous = w.previous.info.Manifest.Version
	}
	m.ID = releaseID(m.Name, m.Version, m.Files)
	return m
}

// put writes a file of the release and lists it for the manifest.
func (w *writer) put(place string, data []byte) error {
	if err := writeBytes(w.path(place), data); err != nil {
		return fmt.Errorf("write %s: %w", place, err)
	}
	w.files = append(w.files, FileInfo{Path: place, SHA256: pipeline.DigestOf(data), Size: int64(len(data))})
	return nil
}

func (w *writer) path(place string) string { return filepath.Join(w.temp, filepath.FromSlash(place)) }
