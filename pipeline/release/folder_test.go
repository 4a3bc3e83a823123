package release

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release/manifest"
)

// TestWhatIsARelease: a manifest of another project makes none, and a damaged release
// is one, so that who reads it is told of the damage.
func TestWhatIsARelease(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 3)
	sound := files(t, write(t, store, t.TempDir(), in).Dir)
	stated, sums := sound[manifest.FileName], sound[manifest.SumsName]
	for name, tc := range map[string]struct {
		manifest, sums []byte
		want           string
	}{
		"a release":                     {stated, sums, ""},
		"one without sums":              {stated, nil, ""},
		"one with a damaged manifest":   {bytes.ReplaceAll(stated, []byte("{"), []byte("[")), sums, ""},
		"one whose manifest is cut off": {stated[:len(stated)/2], nil, ""},
		"one without a manifest":        {nil, sums, ""},
		"an empty folder":               {nil, nil, "manifest.json cannot be read"},
		"a web page's":                  {[]byte(`{"name": "app", "icons": []}`), nil, "manifest.json states no format"},
		"an archive's":                  {[]byte(`{"name": "x", "format": "zip"}`), nil, `the format that manifest.json states is "zip"`},
		"a format below all":            {[]byte(`{"format": 0}`), nil, "states is 0"},
		"a list":                        {[]byte(`["format"]`), nil, "manifest.json is no JSON object"},
		"text":                          {[]byte(`{"format`), nil, "manifest.json is no JSON"},
		"another's, with sums":          {[]byte(`{}`), []byte(strings.Repeat("0", 64) + "  data.bin\n"), "no SHA256SUMS lists one"},
	} {
		dir := t.TempDir()
		for place, data := range map[string][]byte{manifest.FileName: tc.manifest, manifest.SumsName: tc.sums} {
			if data == nil {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, place), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		err := CheckFolder(dir)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}
