package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

func TestEvidenceInTime(t *testing.T) {
	for _, tc := range []struct {
		refs []string
		out  int
	}{
		{[]string{"t/S01/T002", "t/S01/T002", "t/S02/T001", "t/S100/T001"}, 0},
		{[]string{"t/S02/T001", "t/S01/T002"}, 1},
		{[]string{"t/S01/T010", "t/S01/T009"}, 1},
		{[]string{"t/S02/T001", "u/S01/T001", "a kitchen", "t/S03/T001"}, 0},
		{[]string{"t/S100/T001", "x", "t/S99/T001"}, 1},
		{nil, 0},
	} {
		q := schemas.Question{QuestionID: "q"}
		for i, ref := range tc.refs {
			q.Evidence = append(q.Evidence, schemas.Evidence{Ref: ref, Order: int32(i + 1)})
		}
		var c checker
		if c.checkTimeOrder(q); len(c.problems) != tc.out {
			t.Errorf("%v: %v", tc.refs, c.problems)
		}
	}
}

// TestFolderOfReleases: who names the folder above is told which to name, and not to
// remove it.
func TestFolderOfReleases(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "1.0.0")
	if err := os.MkdirAll(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inside, manifest.FileName), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	for of, want := range map[string]string{dir: "such as " + inside, inside: "restore it from a good copy"} {
		_, err := Verify(t.Context(), of)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "remove") != (of == inside) {
			t.Errorf("%s: %v", of, err)
		}
	}
}
