package release

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/manifest"

	"github.com/memforge/memforge/pipeline"
)

// finds fails unless Verify reports a problem at path whose detail holds want.
func finds(t *testing.T, dir, path, want string) {
	t.Helper()
	_, err := Verify(t.Context(), dir)
	var damaged *DamagedError
	if !errors.As(err, &damaged) {
		t.Errorf("want %s: %q, error is %v", path, want, err)
		return
	}
	for _, p := range damaged.Problems {
		if p.Path == path && strings.Contains(p.Detail, want) {
			return
		}
	}
	t.Errorf("want %s: %q, have %v", path, want, damaged.Problems)
}

func TestVerifyFindsAFlipInEveryFile(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 12)
	dir := write(t, store, t.TempDir(), in).Dir
	all := files(t, dir)
	for name, data := range all {
		for _, at := range []int{0, len(data) / 2, len(data) - 1} {
			bad := bytes.Clone(data)
			bad[at] ^= 0x10
			if err := os.WriteFile(filepath.Join(dir, name), bad, 0o644); err != nil {
				t.Fatal(err)
			}
			var damaged *DamagedError
			if _, err := Verify(t.Context(), dir); !errors.As(err, &damaged) {
				t.Errorf("%s, byte %d: error %v", name, at, err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mustVerify(t, dir)
}

func TestVerifyFindsEveryMissingFile(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 12)
	dir := write(t, store, t.TempDir(), in).Dir
	for name, data := range files(t, dir) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		var damaged *DamagedError
		if _, err := Verify(t.Context(), dir); !errors.As(err, &damaged) {
			t.Errorf("%s removed: error %v", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestVerifyFindsExtraFilesAndLinks(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 12)
	dir := write(t, store, t.TempDir(), in).Dir
	extra := filepath.Join(dir, "data", "questions", "more.parquet")
	if err := os.WriteFile(extra, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	finds(t, dir, "data/questions/more.parquet", "does not belong")
	if err := os.Remove(extra); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "card")
	if err := os.Rename(filepath.Join(dir, "README.md"), outside); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "README.md")); err != nil {
		t.Fatal(err)
	}
	finds(t, dir, "README.md", "outside the release")
}

// reseal makes manifest and sums agree with the files again, as a forger would.
func reseal(t *testing.T, dir string, change func(*manifest.Manifest)) {
	t.Helper()
	m, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := files(t, dir)
	for i, f := range m.Files {
		if b, ok := all[f.Path]; ok {
			m.Files[i].SHA256, m.Files[i].Size = pipeline.DigestOf(b), int64(len(b))
		}
	}
	if change != nil {
		change(&m)
	}
	data := encoded(&m)
	sums := append(slices.Clone(m.Files), manifest.FileInfo{Path: manifest.FileName, SHA256: pipeline.DigestOf(data)})
	slices.SortFunc(sums, func(a, b manifest.FileInfo) int { return strings.Compare(a.Path, b.Path) })
	overwrite(t, dir, manifest.FileName, data)
	overwrite(t, dir, manifest.SumsName, formatSums(sums))
}

func overwrite(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// rewrite writes a table again with other rows.
func rewrite(t *testing.T, dir, path string, tab table, change func([]row) []row) {
	t.Helper()
	rows, _, err := readTable(files(t, dir)[path], tab)
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, dir, path, encode(t, tab, change(rows)))
	reseal(t, dir, nil)
}

func TestVerifyFindsForgeries(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a release for each of many forgeries; run without -short")
	}
	t.Parallel()
	questions := tablePath(tableQuestions, "test")
	verdicts := tablePath(tableVerdicts, wholeSplit)
	byName := map[string]table{}
	for _, tab := range tables() {
		byName[tab.name] = tab
	}
	cases := map[string]struct {
		path, want string
		forge      func(*testing.T, string)
	}{
		"a row left out": {questions, "5 rows, the manifest says 6", func(t *testing.T, dir string) {
			rewrite(t, dir, questions, tableOf(tableQuestions), func(r []row) []row { return r[1:] })
		}},
		"a row count changed": {questions, "6 rows, the manifest says 9", func(t *testing.T, dir string) {
			reseal(t, dir, func(m *manifest.Manifest) { m.Tables[0].Rows += 3; m.Tables[0].Splits[0].Rows += 3 })
		}},
		"rows out of order": {questions, "not in order", func(t *testing.T, dir string) {
			rewrite(t, dir, questions, tableOf(tableQuestions), func(r []row) []row { slices.Reverse(r); return r })
		}},
		"a question in the wrong split": {questions, "of split nowhere", func(t *testing.T, dir string) {
			rewrite(t, dir, questions, tableOf(tableQuestions), func(r []row) []row { r[2][18] = "nowhere"; return r })
		}},
		"a task that is nowhere": {"data", `task_id refers to "t-9"`, func(t *testing.T, dir string) {
			rewrite(t, dir, questions, tableOf(tableQuestions), func(r []row) []row { r[2][2] = "t-9"; return r })
		}},
		"a null where an id belongs": {"data", "has no question_id", func(t *testing.T, dir string) {
			rewrite(t, dir, questions, tableOf(tableQuestions), func(r []row) []row { r[0][0] = nil; return r })
		}},
		"a verdict on nobody": {"data", `"zzz", which is in no table of records`, func(t *testing.T, dir string) {
			rewrite(t, dir, verdicts, byName[tableVerdicts], func(r []row) []row { r[len(r)-1][0] = "zzz"; return r })
		}},
		"an instruction before the options": {"data", "question_mcq is neither the question", func(t *testing.T, dir string) {
			rewrite(t, dir, questions, tableOf(tableQuestions), func(r []row) []row { r[2][5] = "Answer A.\n" + r[2][5].(string); return r })
		}},
		"a medium beside itself": {"media/videos/" + filesName, "which is no medium", func(t *testing.T, dir string) {
			rewrite(t, dir, "media/videos/"+filesName, tableOf(tableFiles), func(r []row) []row { r[0][1], r[1][1] = r[1][1], r[0][1]; return r })
		}},
		"another picture in the row": {"media/images/" + string(pipeline.DigestOf(picturePNG(64, 48, 7))) + ".png", "is not this file", func(t *testing.T, dir string) {
			at, _ := tableOf(tableMedia).column("image")
			rewrite(t, dir, tablePath(tableMedia, wholeSplit), tableOf(tableMedia), func(r []row) []row {
				i := slices.IndexFunc(r, func(m row) bool { return m[1] == kindOfImage })
				r[i][at] = []any{picturePNG(64, 48, 8), r[i][at].([]any)[1]}
				return r
			})
		}},
		"a signature in the sums": {manifest.SumsName, "which signs it", func(t *testing.T, dir string) {
			sums, _ := os.ReadFile(filepath.Join(dir, manifest.SumsName))
			overwrite(t, dir, manifest.SumsName, append(sums, []byte(strings.Repeat("0", 64)+"  "+SignatureName+"\n")...))
			sumsSorted(t, dir)
		}},
		"a signature of megabytes": {SignatureName, "larger than", func(t *testing.T, dir string) {
			overwrite(t, dir, SignatureName, make([]byte, 1<<20))
		}},
		"other columns": {questions, "not those that this memforge writes", func(t *testing.T, dir string) {
			tab := tableOf(tableTasks)
			overwrite(t, dir, questions, encode(t, tab, nil))
			reseal(t, dir, nil)
		}},
		"no table at all": {questions, "not a Parquet file", func(t *testing.T, dir string) {
			overwrite(t, dir, questions, []byte("hello"))
			reseal(t, dir, nil)
		}},
		"a medium replaced": {"media", "", func(t *testing.T, dir string) {
			name, _ := filepath.Glob(filepath.Join(dir, "media", "videos", "*.mp4"))
			overwrite(t, dir, "media/videos/"+filepath.Base(name[0]), []byte("other"))
			reseal(t, dir, nil)
		}},
		"a path out of the release": {manifest.FileName, `"../../etc/passwd"`, func(t *testing.T, dir string) {
			reseal(t, dir, func(m *manifest.Manifest) { m.Files[0].Path = "../../etc/passwd" })
			sums, _ := os.ReadFile(filepath.Join(dir, manifest.SumsName))
			overwrite(t, dir, manifest.SumsName, bytes.Replace(sums, []byte("../../etc/passwd"), []byte("CHANGELOG.md"), 1))
			sumsSorted(t, dir)
		}},
		"a path out of the release in the sums": {manifest.SumsName, `"/etc/passwd"`, func(t *testing.T, dir string) {
			sums, _ := os.ReadFile(filepath.Join(dir, manifest.SumsName))
			overwrite(t, dir, manifest.SumsName, append([]byte(strings.Repeat("0", 64)+"  /etc/passwd\n"), sums...))
		}},
		"another size in the manifest": {questions, "bytes, the manifest says", func(t *testing.T, dir string) {
			reseal(t, dir, func(m *manifest.Manifest) {
				m.Files[slices.IndexFunc(m.Files, func(f manifest.FileInfo) bool { return f.Path == questions })].Size++
			})
		}},
		"a file in the sums alone": {"CHANGELOG.md", manifest.SumsName + " lists it, the manifest does not", func(t *testing.T, dir string) {
			var gone manifest.FileInfo
			reseal(t, dir, func(m *manifest.Manifest) {
				gone, m.Files = m.Files[0], m.Files[1:]
			})
			sums, _ := os.ReadFile(filepath.Join(dir, manifest.SumsName))
			overwrite(t, dir, manifest.SumsName, append(sums, formatSums([]manifest.FileInfo{gone})...))
			sumsSorted(t, dir)
		}},
		"sums without the manifest": {manifest.SumsName, "does not list " + manifest.FileName, func(t *testing.T, dir string) {
			m, err := readManifest(dir)
			if err != nil {
				t.Fatal(err)
			}
			overwrite(t, dir, manifest.SumsName, formatSums(m.Files))
		}},
		"a table that nobody names": {"data/more.parquet", "belongs to no table", func(t *testing.T, dir string) {
			overwrite(t, dir, "data/more.parquet", []byte("rows"))
			reseal(t, dir, func(m *manifest.Manifest) {
				m.Files = append(m.Files, manifest.FileInfo{Path: "data/more.parquet", SHA256: pipeline.DigestOf([]byte("rows")), Size: 4})
				slices.SortFunc(m.Files, func(a, b manifest.FileInfo) int { return strings.Compare(a.Path, b.Path) })
			})
		}},
		"pictures declared as something else": {tablePath(tableMedia, wholeSplit), "other features", func(t *testing.T, dir string) {
			tab := tableOf(tableMedia)
			rows, _, err := readTable(files(t, dir)[tablePath(tableMedia, wholeSplit)], tab)
			if err != nil {
				t.Fatal(err)
			}
			at, _ := tab.column("image")
			tab.columns = slices.Clone(tab.columns)
			tab.columns[at].Kind = rowschema.Struct
			overwrite(t, dir, tablePath(tableMedia, wholeSplit), encode(t, tab, rows))
			reseal(t, dir, nil)
		}},
		"a manifest of the future": {manifest.FileName, "format 4", func(t *testing.T, dir string) {
			reseal(t, dir, func(m *manifest.Manifest) { m.Format = manifest.CurrentFormat + 1 })
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, in := sample(t, 12)
			dir := write(t, store, t.TempDir(), in).Dir
			c.forge(t, dir)
			if name == "a medium replaced" {
				if _, err := Verify(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "is not the medium") {
					t.Errorf("error %v", err)
				}
				return
			}
			finds(t, dir, c.path, c.want)
		})
	}
}

// sumsSorted puts the lines of SHA256SUMS in order of path.
func sumsSorted(t *testing.T, dir string) {
	t.Helper()
	sums, err := os.ReadFile(filepath.Join(dir, manifest.SumsName))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(sums), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[66:], b[66:]) })
	overwrite(t, dir, manifest.SumsName, []byte(strings.Join(lines, "")))
}

func TestVerifyOfNoRelease(t *testing.T) {
	t.Parallel()
	if _, err := Verify(t.Context(), filepath.Join(t.TempDir(), "nothing")); err == nil {
		t.Error("a folder that is not there verifies")
	}
	finds(t, t.TempDir(), manifest.SumsName, "no such file")
}

func FuzzParseManifest(f *testing.F) {
	m := manifest.Manifest{Format: manifest.CurrentFormat, Name: "demo", Version: "1.0.0", Files: []manifest.FileInfo{{Path: "a/b", SHA256: pipeline.DigestOf(nil)}}}
	f.Add(encoded(&m))
	f.Add([]byte(`{"files":[],"Files":[{"path":"a"}]} x`))
	f.Add([]byte(`{"format":1,"files":[{"path":"../x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := manifest.Parse(bytes.NewReader(data), keepFile)
		if err != nil {
			return
		}
		for _, p := range m.Files {
			if !filepath.IsLocal(filepath.FromSlash(p.Path)) {
				t.Errorf("accepted %q", p.Path)
			}
		}
	})
}

func FuzzParseSums(f *testing.F) {
	f.Add([]byte(strings.Repeat("a", 64) + "  data/x\n"))
	f.Add([]byte(strings.Repeat("0", 64) + "  ../x\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		listed, err := manifest.ParseSums(string(data))
		if err != nil {
			return
		}
		var files []manifest.FileInfo
		for i := range listed.Len() {
			path := listed.Path(i)
			if files = append(files, manifest.FileInfo{Path: path, SHA256: listed.Digest(path)}); !filepath.IsLocal(filepath.FromSlash(path)) {
				t.Errorf("accepted %q", path)
			}
		}
		if !bytes.Equal(formatSums(files), data) {
			t.Error("accepted sums do not write back")
		}
	})
}
