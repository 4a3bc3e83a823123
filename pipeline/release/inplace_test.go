package release

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// TestInPlaceReadsWhatVerifyReads compares every range of rows with those of the whole table.
func TestInPlaceReadsWhatVerifyReads(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 7)
	dir := write(t, store, t.TempDir(), in).Dir
	p, err := OpenInPlace(t.Context(), dir, func(manifest.FileInfo) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	compared := 0
	for _, shape := range p.Tables() {
		names := []string{}
		for _, c := range shape.Columns {
			names = append(names, c.Name)
		}
		for i, split := range shape.Files {
			all, _, err := readTable(files(t, dir)[split.Path], tableIn(t, p, shape.Name))
			if err != nil {
				t.Fatal(err)
			}
			f, err := p.OpenTable(t.Context(), shape, i)
			if err != nil {
				t.Fatal(err)
			}
			first := int64(0)
			for g, rows := range f.Groups() {
				for from := range rows {
					for n := int64(1); from+n <= rows; n++ {
						got, err := f.Read(g, from, n, names)
						if err != nil || int64(len(got)) != n {
							t.Fatalf("%s, rows %d to %d: %d rows, %v", split.Path, from, from+n, len(got), err)
						}
						for j, r := range got {
							if !rowschema.EqualCells(r, all[first+from+int64(j)]) {
								t.Fatalf("%s, row %d of %d from %d on:\n%v\nis not\n%v", split.Path, j, n, from, r, all[first+from+int64(j)])
							}
							compared++
						}
					}
				}
				first += rows
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if compared < 100 {
		t.Fatalf("only %d rows were compared", compared)
	}
}

func tableIn(t *testing.T, p *InPlace, name string) table {
	t.Helper()
	found, ok := findTable(shapesOf(p.Manifest), name)
	if !ok {
		t.Fatalf("no table %s", name)
	}
	return found
}

// TestInPlaceOpensNoOtherBytes changes, links and moves files of a release.
func TestInPlaceOpensNoOtherBytes(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 2)
	dir := write(t, store, t.TempDir(), in).Dir
	p, err := OpenInPlace(t.Context(), dir, func(manifest.FileInfo) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	shape := p.Tables()[0]
	place := filepath.Join(dir, shape.Files[0].Path)
	data, err := os.ReadFile(place)
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	for name, change := range map[string]func() error{
		"flipped": func() error {
			other := append([]byte{}, data...)
			other[len(other)/2] ^= 1
			return os.WriteFile(place, other, 0o644)
		},
		"missing": func() error { return nil },
		"link":    func() error { return errors.Join(os.WriteFile(outside, data, 0o644), os.Symlink(outside, place)) },
		"folder":  func() error { return os.Mkdir(place, 0o755) },
	} {
		if err := errors.Join(os.RemoveAll(place), change()); err != nil {
			t.Fatal(err)
		}
		if f, err := p.OpenTable(t.Context(), shape, 0); err == nil {
			t.Errorf("%s: opened", name)
			f.Close()
		}
	}
	if err := errors.Join(os.RemoveAll(place), os.WriteFile(place, data, 0o644)); err != nil {
		t.Fatal(err)
	}
	f, err := p.OpenTable(t.Context(), shape, 0)
	if err != nil {
		t.Fatalf("restored: %v", err)
	}
	f.Close()
	for _, name := range []string{"..", "../x", "/etc/passwd", "media", "", "data/../manifest.json", "a\x00b"} {
		if f, err := p.OpenFile(name); err == nil {
			t.Errorf("%q: opened", name)
			f.Close()
		}
	}
	if _, err := shape.Select([]string{fmt.Sprint(shape.Columns[0].Name, "x")}); err == nil {
		t.Error("a column that is not there")
	}
}

// TestInPlaceReadsAcrossPages reads ranges of a table whose columns have several pages.
func TestInPlaceReadsAcrossPages(t *testing.T) {
	t.Parallel()
	store, in := streamedSample(t, 24_000)
	dir := write(t, store, t.TempDir(), in).Dir
	p, err := OpenInPlace(t.Context(), dir, func(manifest.FileInfo) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	at := slices.IndexFunc(p.Tables(), func(s TableShape) bool { return s.Name == tableProbes })
	f, err := p.OpenTable(t.Context(), p.Tables()[at], 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	names := []string{"item", "response", "rotation", "reason"}
	rows := f.Groups()[0]
	all, err := f.Read(0, 0, rows, names)
	if err != nil || rows < 20_000 {
		t.Fatalf("%d rows, %v", rows, err)
	}
	for from := int64(0); from < rows; from += 997 {
		n := min(int64(5), rows-from)
		got, err := f.Read(0, from, n, names)
		if err != nil || int64(len(got)) != n {
			t.Fatalf("from row %d: %d rows, %v", from, len(got), err)
		}
		for i, r := range got {
			if !rowschema.EqualCells(r, all[from+int64(i)]) {
				t.Fatalf("row %d:\n%v\nis not\n%v", from+int64(i), r, all[from+int64(i)])
			}
		}
	}
	if _, err := f.Read(0, rows-1, 2, names); err == nil {
		t.Error("rows behind the last were read")
	}
}
