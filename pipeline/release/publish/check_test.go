package publish

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release/manifest"
)

// TestCheckCard reads front matters that hubs or loaders would not take.
func TestCheckCard(t *testing.T) {
	const configs = "configs:\n- config_name: a\n  data_files:\n  - split: test\n    path: data/a.parquet\n"
	for front, says := range map[string]string{
		"license: cc0-1.0\n" + configs:                                       "",
		"license: other\nlicense_name: x\nlicense_link: LICENSE\n" + configs: "",
		"license: other\n" + configs:                                         "without license_name",
		"license: mine\n" + configs:                                          `the license "mine"`,
		configs:                                                              "names no license",
		"license: cc0-1.0\n":                                                 "no configs",
		"license: [\n":                                                       "is no YAML",
		"license: cc0-1.0\n" + configs + configs[9:]:                         `twice the name "a"`,
		"license: cc0-1.0\n" + strings.ReplaceAll(configs, "test", "te-st"):          "a split",
		"license: cc0-1.0\n" + strings.ReplaceAll(configs, "a.parquet", "b.parquet"): "data/b.parquet",
		"license: cc0-1.0\n" + strings.ReplaceAll(configs, "a.parquet", "*.parquet"): "",
	} {
		dir := t.TempDir()
		text := "---\n" + front + "---\n# Title\n"
		if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		rel := &local{root: root, files: []manifest.FileInfo{{Path: "README.md"}, {Path: "data/a.parquet"}}}
		problems, err := rel.checkCard()
		if got := strings.Join(problems, "; "); err != nil || (got == "") != (says == "") || !strings.Contains(got, says) {
			t.Errorf("%q: %q, %v; want %q", front, got, err, says)
		}
		if err := root.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCheckHubLimits(t *testing.T) {
	var many []manifest.FileInfo
	for i := range maxHubFolder + 1 {
		many = append(many, manifest.FileInfo{Path: fmt.Sprintf("media/%06d.mp4", i)})
	}
	spread := make([]manifest.FileInfo, 0, maxHubFiles+1)
	for i := range maxHubFiles + 1 {
		spread = append(spread, manifest.FileInfo{Path: fmt.Sprintf("media/%02x/%06d.mp4", i%256, i)})
	}
	for name, tc := range map[string]struct {
		files           []manifest.FileInfo
		problems, notes string
	}{
		"small":          {files: many[:10]},
		"a full folder":  {files: many, problems: "folder media has 10001 entries", notes: "in one commit"},
		"too many files": {files: spread, problems: "100001 files", notes: "in one commit"},
		"a huge file":    {files: []manifest.FileInfo{{Path: "a", Size: 501e9}}, problems: "a has 501000000000 bytes"},
		"a large file":   {files: []manifest.FileInfo{{Path: "a", Size: 201e9}}, notes: "advises"},
	} {
		problems, notes := checkHubLimits(tc.files)
		for got, want := range map[string]string{strings.Join(problems, ";"): tc.problems, strings.Join(notes, ";") + " ": tc.notes} {
			if !strings.Contains(got, want) || want == "" && strings.TrimSpace(got) != "" {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}
