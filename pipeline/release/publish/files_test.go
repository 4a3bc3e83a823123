package publish

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// A signature may be absent, but neither it nor a list may be there and unreadable.
func TestFilesThatNoManifestLists(t *testing.T) {
	for name, tc := range map[string]struct {
		file        string
		make        func(path string) error
		right, sent bool
	}{
		"no signature":        {file: release.SignatureName, right: true},
		"a signature":         {release.SignatureName, func(path string) error { return os.WriteFile(path, []byte("abc"), 0o600) }, true, true},
		"a signature outside": {file: release.SignatureName, make: func(path string) error { return os.Symlink("/etc/hostname", path) }},
		"a folder":            {file: release.SignatureName, make: func(path string) error { return os.Mkdir(path, 0o700) }},
		"no manifest":         {file: manifest.FileName},
		"no sums":             {file: manifest.SumsName},
	} {
		dir := t.TempDir()
		if tc.make != nil {
			if err := tc.make(filepath.Join(dir, tc.file)); err != nil {
				t.Fatal(err)
			}
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		l := local{root: root}
		if err := l.addFile(t.Context(), tc.file); (err == nil) != tc.right || len(l.files) == 1 != tc.sent {
			t.Errorf("%s: %v, %v", name, l.files, err)
		}
		if tc.sent && l.files[0] != (manifest.FileInfo{Path: tc.file, SHA256: pipeline.DigestOf([]byte("abc")), Size: 3}) {
			t.Errorf("%s: %+v", name, l.files[0])
		}
		if err := root.Close(); err != nil {
			t.Error(err)
		}
	}
}
