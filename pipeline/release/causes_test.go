package release

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release/manifest"
)

// One cause is one line, and the lines come in one order.
func TestVerifySaysEachCauseOnce(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		harm func(t *testing.T, dir string)
		want []string
	}{
		"a table that cannot be read": {func(t *testing.T, dir string) {
			spoil(t, dir, "data/tasks/train-00000-of-00001.parquet", []byte("PAR1 no table PAR1"))
			reseal(t, dir, nil)
		}, []string{"data/tasks/train-00000-of-00001.parquet: decode table tasks"}},
		"a table that the manifest does not name": {func(t *testing.T, dir string) {
			reseal(t, dir, func(m *manifest.Manifest) {
				m.Tables = slices.DeleteFunc(m.Tables, func(i manifest.TableInfo) bool { return i.Name == tableMedia })
			})
		}, []string{"data/media/train-00000-of-00001.parquet: belongs to no table", "manifest.json: says nothing of table media"}},
		"files that the manifest does not list": {func(t *testing.T, dir string) {
			reseal(t, dir, func(m *manifest.Manifest) {
				m.Files = slices.DeleteFunc(m.Files, func(f manifest.FileInfo) bool { return f.Path == "README.md" || f.Path == "LICENSES.md" })
			})
		}, []string{"LICENSES.md: does not belong", "README.md: does not belong"}},
		"a file of another size": {func(t *testing.T, dir string) {
			spoil(t, dir, "README.md", []byte("# Other"))
		}, []string{"README.md: has digest"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, in := sample(t, 12)
			dir := write(t, store, t.TempDir(), in).Dir
			tc.harm(t, dir)
			_, err := Verify(t.Context(), dir)
			var damaged *DamagedError
			if !errors.As(err, &damaged) {
				t.Fatalf("error %v", err)
			}
			lines := strings.Split(damaged.Error(), "\n  ")[1:]
			ok := len(lines) == len(tc.want)
			for i := range min(len(lines), len(tc.want)) {
				ok = ok && strings.HasPrefix(lines[i], tc.want[i])
			}
			if !ok {
				t.Errorf("have\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(tc.want, "\n"))
			}
		})
	}
}

func spoil(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), data, 0o644); err != nil {
		t.Fatal(err)
	}
}
