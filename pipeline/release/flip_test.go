package release

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAFlipOfAnyByteOfTheJudgementsIsFound flips one bit of every byte of the
// tables of probes and verdicts, one at a time, and compares the file with what
// SHA256SUMS lists, as Verify and whatever reads a release does.
func TestAFlipOfAnyByteOfTheJudgementsIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("verifies a release some thousand times; run without -short")
	}
	t.Parallel()
	store, in := sample(t, 12)
	dir := write(t, store, t.TempDir(), in).Dir
	v := Limits{}.verifier(t.Context(), dir)
	if !v.readSums() {
		t.Fatal(v.problems)
	}
	tried := map[string]int{}
	for i := range v.listed.Len() {
		rel := v.listed.Path(i)
		table := filepath.Base(filepath.Dir(filepath.FromSlash(rel)))
		if table != tableProbes && table != tableVerdicts {
			continue
		}
		tried[table] += flipAll(t, v, rel)
	}
	if tried[tableProbes] < 1000 || tried[tableVerdicts] < 1000 {
		t.Errorf("bytes tried: %v", tried)
	}
	t.Logf("bytes tried: %v", tried)
	mustVerify(t, dir)
}

// flipAll returns how many bytes the file has.
func flipAll(t *testing.T, v *verifier, rel string) int {
	t.Helper()
	name := filepath.Join(v.dir, filepath.FromSlash(rel))
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	put := func(at int, b byte) {
		if _, err := f.WriteAt([]byte{b}, int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	entry := fs.FileInfoToDirEntry(info)
	for at, b := range data {
		v.problems = nil
		put(at, b^1<<(at%8))
		if err := v.checkFile(name, rel, entry); err != nil {
			t.Fatal(err)
		}
		if len(v.problems) != 1 || v.problems[0].Path != rel || !strings.HasPrefix(v.problems[0].Detail, "has digest ") {
			t.Fatalf("%s, byte %d: %v", rel, at, v.problems)
		}
		put(at, b)
	}
	return len(data)
}
