// Package golden compares what a test works out with a file of text, so that one look at
// the file shows what code writes and every change of it shows as a line.
package golden

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Updating reports whether golden files are to be written.
func Updating() bool { return *update }

// Check compares a text with testdata/NAME.golden and reports the first line that differs.
// With -update it writes the file.
func Check(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := firstDifference(got, string(data)); diff != "" {
		t.Errorf("%s: %s\nif that is meant, run the test with -update and read the change of the file", path, diff)
	}
}

// firstDifference describes the first line that two texts do not share, or returns "".
func firstDifference(got, want string) string {
	if got == want {
		return ""
	}
	have, stated := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(have), len(stated)) {
		var h, s string
		if i < len(have) {
			h = have[i]
		}
		if i < len(stated) {
			s = stated[i]
		}
		if h != s || i >= len(have) || i >= len(stated) {
			return fmt.Sprintf("line %d of %d is\n%s\nwant (of %d)\n%s", i+1, len(have), h, len(stated), s)
		}
	}
	return ""
}

// JSON returns a value as one line of JSON.
func JSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Digest returns twelve digits that follow from a value's JSON: they pin what is too long
// for a golden file.
func Digest(t testing.TB, v any) string {
	t.Helper()
	return strings.TrimPrefix(string(pipeline.DigestOf([]byte(JSON(t, v)))), "sha256:")[:12]
}
