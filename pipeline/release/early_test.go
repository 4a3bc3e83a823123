package release

import (
	"reflect"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// narrowed are cells of all columns as cells of those that the first format had.
func narrowed(all, some []rowschema.Column, cells []any) []any {
	out := make([]any, len(some))
	for i, c := range some {
		for j, o := range all {
			if o.Name != c.Name {
				continue
			}
			out[i] = cells[j]
			if list, ok := cells[j].([]any); ok && c.Kind == rowschema.List && c.Elem.Kind == rowschema.Struct {
				var elems []any = []any{}
				for _, e := range list {
					elems = append(elems, narrowed(o.Elem.Fields, c.Elem.Fields, e.([]any)))
				}
				out[i] = elems
			}
		}
	}
	return out
}

// TestReleasesOfTheFirstFormat verify, say what they said, and are followed by a
// minor version where nothing but the format changed.
func TestReleasesOfTheFirstFormat(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 12)
	root := t.TempDir()
	dir := write(t, store, root, in).Dir
	want := mustRead(t, dir)
	for _, name := range []string{tableQuestions, tableFlagged} {
		tab := tableOf(name)
		early := tab.firstFormat()
		if len(early.columns) != len(tab.columns)-2 {
			t.Fatalf("%s: %d columns, were %d", name, len(tab.columns), len(early.columns))
		}
		for _, s := range mustTable(t, want.Manifest, name).Splits {
			rows, _, err := readTable(files(t, dir)[s.Path], tab)
			if err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				rows[i] = narrowed(tab.columns, early.columns, rows[i])
			}
			overwrite(t, dir, s.Path, encode(t, early, rows))
		}
	}
	reseal(t, dir, func(m *manifest.Manifest) { m.Format, m.Texts = 1, manifest.RuledTexts-1 })
	got := mustRead(t, dir)
	if got.Manifest.Format != 1 || !reflect.DeepEqual(got.Questions, want.Questions) || !reflect.DeepEqual(got.Flagged, want.Flagged) {
		t.Errorf("read %+v\nwritten %+v", got.Questions[0], want.Questions[0])
	}
	in.BuildKey = "again"
	if v := write(t, store, root, in).Version; v != "1.1.0" {
		t.Errorf("the same in the new format is version %s", v)
	}
	reseal(t, dir, func(m *manifest.Manifest) { m.Format = manifest.CurrentFormat })
	if _, err := Verify(t.Context(), dir); err == nil {
		t.Error("columns of the first format pass for those of the second")
	}
}

func mustTable(t *testing.T, m manifest.Manifest, name string) manifest.TableInfo {
	t.Helper()
	info, ok := m.Table(name)
	if !ok {
		t.Fatalf("no table %s", name)
	}
	return info
}
