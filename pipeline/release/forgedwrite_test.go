package release

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// WithSmallPictures writes the release of dir into dest, an empty folder, with
// small pictures in its report. They follow from nothing, and every forgery is
// read to the last byte.
func WithSmallPictures(ctx context.Context, dir, dest string) error {
	f, err := NewForger(ctx, dir)
	if err != nil {
		return err
	}
	for i := range f.shown {
		if f.shown[i], err = f.shown[i].WithPicture(picturePNG(16, 9, i)); err != nil {
			return err
		}
	}
	g := &forged{Forger: f, rows: f.rows, manifest: f.manifest, stated: true}
	return g.write(dest)
}

// write writes the release: what did not change is linked.
func (g *forged) write(dest string) error {
	files := map[string][]byte{}
	if err := g.writeTables(files); err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, f := range g.Forger.manifest.Files {
		gone[f.Path] = true
	}
	list := map[string]manifest.FileInfo{}
	for _, f := range g.Forger.manifest.Files {
		p := cmp.Or(g.renamed[f.Path], f.Path)
		if _, isTable := files[f.Path]; isTable || !strings.HasPrefix(f.Path, "data/") {
			list[p] = manifest.FileInfo{Path: p, SHA256: f.SHA256, Size: f.Size}
			delete(gone, p)
		}
	}
	put := func(name string, data []byte) {
		files[name] = data
		list[name] = manifest.FileInfo{Path: name, SHA256: pipeline.DigestOf(data), Size: int64(len(data))}
	}
	for name, data := range files {
		put(name, data)
	}
	return g.finish(dest, list, files, put)
}

// writeTables encodes the tables that changed; of others the release's forger keeps what
// they are encoded to.
func (g *forged) writeTables(files map[string][]byte) (err error) {
	all := shapesOf(g.manifest)
	g.manifest.Tables = nil
	for _, t := range all {
		info := manifest.TableInfo{Name: t.name, Declared: t.declared, Rows: int64(len(g.rows[t.name])), Splits: []manifest.SplitInfo{}}
		parts, names := splitRows(t, g.rows[t.name])
		for _, split := range names {
			place := tablePath(t.name, split)
			if files[place], err = g.encode(t, place, parts[split]); err != nil {
				return err
			}
			info.Splits = append(info.Splits, manifest.SplitInfo{Split: split, Path: place, Rows: int64(len(parts[split]))})
		}
		g.manifest.Tables = append(g.manifest.Tables, info)
	}
	for folder, rows := range g.rows {
		if strings.HasSuffix(folder, "/") {
			if files[folder+filesName], err = g.encode(tableOf(tableFiles), folder+filesName, rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// written is what a file of a table was encoded from, and to.
type written struct {
	table table
	rows  []row
	data  []byte
}

// encode encodes rows, unless the very same ones are those of the release.
func (g *forged) encode(t table, place string, rows []row) ([]byte, error) {
	same := func(a, b row) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }
	if w := g.written[place]; w.data != nil && slices.EqualFunc(w.rows, rows, same) && reflect.DeepEqual(w.table, t) {
		return w.data, nil
	}
	var b bytes.Buffer
	err := encodeTable(&b, t, slices.Values(rows))
	if g.keeps != nil {
		g.keeps[place] = written{t, rows, b.Bytes()}
	}
	return b.Bytes(), err
}

// keepWritten encodes the tables of the release.
func (f *Forger) keepWritten() error {
	g := f.begin()
	g.keeps = map[string]written{}
	err := g.writeTables(map[string][]byte{})
	f.written = g.keeps
	return err
}

// finish restates texts, manifest and sums, and writes everything.
func (g *forged) finish(dest string, list map[string]manifest.FileInfo, files map[string][]byte, put func(string, []byte)) error {
	sorted := func() (out []manifest.FileInfo) {
		for _, f := range list {
			out = append(out, f)
		}
		slices.SortFunc(out, func(a, b manifest.FileInfo) int { return strings.Compare(a.Path, b.Path) })
		return out
	}
	g.manifest.Files = sorted()
	of, err := describeContents(g.contents(), g.shown)
	var refused *license.Error
	if errors.As(err, &refused) && !g.stated {
		// What has no licence can be called private.
		g.manifest.Private, g.manifest.License = true, ""
		of, err = describeContents(g.contents(), g.shown)
	}
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	texts, err := of.Texts()
	if err != nil {
		return err
	}
	for _, t := range texts {
		put(t.Path, t.Data)
	}
	croissant, err := of.Croissant(sorted())
	if err != nil {
		return err
	}
	put(describe.CroissantName, croissant)
	if !g.stated {
		g.manifest.License, g.manifest.Private = of.License.License.SPDX, of.License.Private
	}
	g.manifest.Files = sorted()
	put(manifest.FileName, encoded(&g.manifest))
	files[manifest.SumsName] = formatSums(sorted())
	return g.link(dest, files)
}

// link writes the files given and links all others of the release.
func (g *forged) link(dest string, files map[string][]byte) error {
	for _, f := range g.Forger.manifest.Files {
		p := cmp.Or(g.renamed[f.Path], f.Path)
		if files[p] != nil || strings.HasPrefix(p, "data/") {
			continue
		}
		to := filepath.Join(dest, filepath.FromSlash(p))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Link(filepath.Join(g.dir, filepath.FromSlash(f.Path)), to)); err != nil {
			return err
		}
	}
	for name, data := range files {
		if err := writeBytes(filepath.Join(dest, filepath.FromSlash(name)), data); err != nil {
			return err
		}
	}
	signature, err := os.ReadFile(filepath.Join(g.dir, SignatureName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, writeBytes(filepath.Join(dest, SignatureName), signature))
}
