package release

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/diff"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// previous is the release that a new one is compared with.
type previous struct {
	diff.Release
	changelog string
}

// readPrevious opens a release that this program wrote.
func readPrevious(ctx context.Context, info Info) (*previous, error) {
	text, err := readText(info, describe.ChangelogName)
	if err != nil {
		return nil, err
	}
	opened, err := openTables(ctx, info, &budget{Unlimited, Unlimited, Unlimited})
	return &previous{opened, describe.TrimChangesHead(text)}, err
}

// OpenTables opens the release in dir for a comparison: it checks the digests of the
// files of tables, whose rows are read as they are asked for, once. A table of other bytes is a
// *DamagedError, one that takes too much a *LimitError.
func (l Limits) OpenTables(ctx context.Context, dir string) (diff.Release, error) {
	m, err := readManifestAs(dir, func(f manifest.FileInfo) (manifest.FileInfo, bool) { return f, !isMediaFile(f.Path) })
	if err != nil {
		return diff.Release{}, damagedError(dir, manifest.FileName, "%v", err)
	}
	bytes := int64(0)
	for _, f := range m.Files {
		if isTable(f.Path) {
			bytes += f.Size
		}
	}
	return openTables(ctx, Info{Dir: dir, Manifest: m}, l.streaming(bytes))
}

// isMediaFile reports a medium, or the list beside media.
func isMediaFile(path string) bool { return strings.HasPrefix(path, "media/") }

// openTables checks the digests of a release's tables. The manifest keeps the files alone
// that are neither tables nor media.
func openTables(ctx context.Context, info Info, b *budget) (diff.Release, error) {
	m := info.Manifest
	m.Files = slices.DeleteFunc(slices.Clone(m.Files), func(f manifest.FileInfo) bool { return isTable(f.Path) || isMediaFile(f.Path) })
	out, bare := diff.Release{Manifest: m}, Info{Dir: info.Dir, Manifest: m}
	for _, t := range shapesOf(m) {
		of, _ := m.Table(t.name)
		broken := false
		for _, s := range of.Splits {
			if err := info.checkTable(ctx, s.Path); err != nil {
				return out, err
			}
			broken = broken || hasOtherColumns(info.Dir, s.Path, t)
		}
		wide, _ := findTable(currentShapes(m), t.name)
		out.Tables = append(out.Tables, diff.Table{Name: t.name, Columns: wide.columns, Keys: t.keys, Unreadable: broken, Rows: bare.rows(t, of, b)})
	}
	return out, nil
}

func (info Info) checkTable(ctx context.Context, path string) error {
	got, _, err := digestFile(ctx, filepath.Join(info.Dir, filepath.FromSlash(path)))
	if err != nil {
		return fmt.Errorf("release %s: %w", info.Dir, err)
	}
	return info.checkDigest(path, got)
}

// hasOtherColumns reports whether a file has other columns than the table. Whatever else is
// wrong with it is found when its rows are read.
func hasOtherColumns(dir, path string, t table) bool {
	file, size, err := openPart(dir, path)
	if err != nil {
		return false
	}
	defer file.Close()
	_, err = openTable(file, size, t, Unlimited)
	return errors.Is(err, errColumns)
}

// rows yields the rows of a table in its order, those of all splits merged.
func (info Info) rows(t table, of manifest.TableInfo, b *budget) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		var failed error
		var splits []iter.Seq[row]
		for _, shards := range manifest.GroupBySplit(of.Splits) {
			splits = append(splits, func(yield func(row) bool) {
				for _, s := range shards {
					for g, err := range readPartWithin(info.Dir, s.Path, t, b) {
						if failed = errors.Join(failed, err); failed != nil {
							return
						}
						for _, r := range g.rows {
							if !yield(widenRow(info.Manifest, t, r)) {
								return
							}
						}
					}
				}
			})
		}
		for r := range mergeRows(t, splits) {
			if !yield(r, nil) {
				return
			}
		}
		if failed != nil {
			yield(nil, failed)
		}
	}
}

// readPart reads a file of a table whose digest was checked.
func readPart(dir, path string, t table) iter.Seq2[group, error] {
	return readPartWithin(dir, path, t, &budget{Unlimited, Unlimited, Unlimited})
}

func readPartWithin(dir, path string, t table, b *budget) iter.Seq2[group, error] {
	return func(yield func(group, error) bool) {
		file, size, err := openPart(dir, path)
		if err != nil {
			yield(group{}, err)
			return
		}
		defer file.Close()
		b.groups(file, size, t, path)(yield)
	}
}

// comparable returns the release that is being written, as far as it is compared.
func (w *writer) comparable() diff.Release {
	out := diff.Release{Manifest: manifest.Manifest{Format: manifest.CurrentFormat, Name: w.in.Spec.Name, Version: w.version.String()}}
	for _, t := range w.shapes {
		out.Tables = append(out.Tables, diff.Table{Name: t.name, Columns: t.columns, Keys: t.keys, Rows: func(yield func(row, error) bool) {
			for r := range w.each(t) {
				if !yield(r, nil) {
					return
				}
			}
			if w.failed != nil {
				yield(nil, w.failed)
			}
		}})
	}
	return out
}

// VersionRule says what becomes of a version number that is too small for what changed
// since the version before.
type VersionRule string

// The rules. Nothing said is RefuseVersion.
const (
	RefuseVersion VersionRule = "refuse"
	WarnVersion   VersionRule = "warn"
	AnyVersion    VersionRule = "off"
)

// decideVersion sets the version, and compares with the release before: that of the
// highest version below. A given version that is too small for the changes is a
// *diff.VersionError, unless it exists already: then its bytes decide.
func (w *writer) decideVersion(ctx context.Context, rule VersionRule) (err error) {
	if w.original != nil {
		w.version, err = manifest.ParseVersion(w.original.Version)
		return err
	}
	versions, err := Versions(filepath.Dir(w.home), w.in.Spec.Name)
	if err != nil {
		return err
	}
	auto, exists := w.in.auto(), false
	if !auto {
		if w.version, err = manifest.ParseVersion(w.in.Spec.Version); err != nil {
			return err
		}
		exists = slices.Contains(versions, w.version)
		versions = slices.DeleteFunc(versions, func(v manifest.Version) bool { return v.Compare(w.version) >= 0 })
	}
	if len(versions) == 0 {
		if auto {
			w.version = manifest.Version{Major: 1}
		}
		return nil
	}
	latest := versions[len(versions)-1]
	if w.changes, err = w.compareWith(ctx, filepath.Join(w.home, latest.String())); err != nil {
		return err
	}
	if auto {
		w.version = latest.Next(w.changes.Asks)
		w.changes.After.Version = w.version.String()
		return nil
	}
	if held, _ := w.changes.Rule(); held.Kept || exists || rule == AnyVersion {
		return nil
	}
	tooSmall := &diff.VersionError{Summary: w.changes}
	if rule == WarnVersion {
		w.warning = tooSmall.Error()
		return nil
	}
	return tooSmall
}

// compareWith compares what is to be written with the release before.
func (w *writer) compareWith(ctx context.Context, dir string) (diff.Summary, error) {
	m, err := readManifest(dir)
	if err != nil {
		return diff.Summary{}, fmt.Errorf("previous release: %w", damagedError(dir, manifest.FileName, "%v", err))
	}
	if w.previous, err = readPrevious(ctx, Info{Dir: dir, Manifest: m}); err != nil {
		return diff.Summary{}, err
	}
	sum, err := diff.Tables(ctx, w.previous.Release, w.comparable(), nil)
	if err != nil {
		return sum, fmt.Errorf("previous release: %w", err)
	}
	return sum, nil
}
