package release

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// TestVerifyKnowsWhatAReleaseConsistsOf: a file more or a text less is found though
// manifest and sums agree with it.
func TestVerifyKnowsWhatAReleaseConsistsOf(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 12)
	whole := write(t, store, t.TempDir(), in).Dir
	another := files(t, whole)["media/videos/"+filesName]
	for name, want := range map[string]struct{ place, why string }{
		"memforge-films.py":           {"", "is no file that a release has"},
		".git/hooks/post-checkout":    {"", "is no file that a release has"},
		"index.html":                  {"", "is no file that a release has"},
		"dataset_infos.json":          {"", "is no file that a release has"},
		"train.parquet":               {"", "is no file that a release has"},
		"data/questions/more.parquet": {"", "belongs to no table"},
		"media/" + filesName:          {"", "is in no row of table media"},
		"media/other/" + filesName:    {"", "is in no row of table media"},
		"media/videos/play.sh":        {"", "is in no row of table media"},
		"a\x1b[2K.md":                 {manifest.SumsName, "does not lead to a file"},
		"exe.\u202egpj":               {manifest.SumsName, "does not lead to a file"},
		"two words":                   {manifest.SumsName, "does not lead to a file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "r")
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			overwrite(t, dir, name, another)
			reseal(t, dir, func(m *manifest.Manifest) {
				m.Files = append(m.Files, manifest.FileInfo{Path: name, SHA256: pipeline.DigestOf(another), Size: int64(len(another))})
				slices.SortFunc(m.Files, func(a, b manifest.FileInfo) int { return strings.Compare(a.Path, b.Path) })
			})
			if want.place == "" {
				want.place = name
			}
			finds(t, dir, want.place, want.why)
		})
	}
	for _, name := range []string{describe.CardName, describe.LicensesName, describe.ChangelogName, describe.ReportName, describe.CroissantName} {
		dir := filepath.Join(t.TempDir(), "r")
		if err := errors.Join(os.CopyFS(dir, os.DirFS(whole)), os.Remove(filepath.Join(dir, name))); err != nil {
			t.Fatal(err)
		}
		reseal(t, dir, func(m *manifest.Manifest) {
			m.Files = slices.DeleteFunc(m.Files, func(f manifest.FileInfo) bool { return f.Path == name })
		})
		finds(t, dir, name, "is missing")
	}
}

// TestVerifyFollowsOnlyTheLinkItIsGiven: to a folder, not from a release to files
// outside of it.
func TestVerifyFollowsOnlyTheLinkItIsGiven(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 12)
	dir := write(t, store, t.TempDir(), in).Dir
	link := filepath.Join(t.TempDir(), "latest")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{link, link + "/"} {
		if _, err := Verify(t.Context(), name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	outside := filepath.Join(t.TempDir(), "sums")
	if err := errors.Join(os.Rename(filepath.Join(dir, manifest.SumsName), outside), os.Symlink(outside, filepath.Join(dir, manifest.SumsName))); err != nil {
		t.Fatal(err)
	}
	finds(t, link, manifest.SumsName, "outside the release")
}
