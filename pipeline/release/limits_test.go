package release

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// bombVariable names the release that a child of this test verifies under a
// limit of memory.
const bombVariable = "MEMFORGE_TEST_BOMB"

const bombMemory = 4 << 30

// inflating writes a release of which one small table takes gigabytes: either
// long texts of one letter, or nothing but nulls.
func inflating(t *testing.T, rows []row) (dir string) {
	t.Helper()
	store, in := sample(t, 12)
	dir = write(t, store, t.TempDir(), in).Dir
	place := tablePath(tableRejections, wholeSplit)
	data := encode(t, tableOf(tableRejections), rows)
	if len(data) > 400<<10 {
		t.Fatalf("the table has %d bytes and is not small", len(data))
	}
	overwrite(t, dir, place, data)
	reseal(t, dir, func(m *manifest.Manifest) {
		for i, info := range m.Tables {
			if info.Name == tableRejections {
				m.Tables[i].Rows, m.Tables[i].Splits[0].Rows = int64(len(rows)), int64(len(rows))
			}
		}
	})
	return dir
}

func longRows(n int) (rows []row) {
	long := strings.Repeat("a", 1_000_000)
	for i := range n {
		rows = append(rows, row{fmt.Sprintf("%06d", i), "stage", "code", long, "source", nil})
	}
	return rows
}

func nullRows(n int) (rows []row) {
	null := make(row, len(tableOf(tableRejections).columns))
	for range n {
		rows = append(rows, null)
	}
	return rows
}

// TestTablesThatInflateAreRefusedWithinMemory verifies releases whose tables
// take more memory than refusing them may, and at full size more than the process may
// have.
func TestTablesThatInflateAreRefusedWithinMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("writes gigabytes through the encoder; run without -short")
	}
	for name, rows := range map[string][]row{"texts": longRows(testsize.Choose(500, 1600)), "nulls": nullRows(testsize.Choose(1_200_000, 2_000_000))} {
		dir := inflating(t, rows)
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestVerifyBombAsChild$", "-test.v")
		cmd.Env = append(os.Environ(), bombVariable+"="+dir, "GOGC=100") // its memory is counted
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("refused")) {
			t.Errorf("%s: %v\n%.1000s", name, err, out)
		}
	}
}

// TestVerifyBombAsChild is the child: it may not take bombMemory, and takes
// little of it.
func TestVerifyBombAsChild(t *testing.T) {
	dir := os.Getenv(bombVariable)
	if dir == "" {
		return // the test above runs it
	}
	limit := syscall.Rlimit{Cur: bombMemory, Max: bombMemory}
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		t.Fatal(err)
	}
	_, err := Verify(t.Context(), dir)
	var over *LimitError
	if !errors.As(err, &over) || !strings.Contains(err.Error(), "--max-inflated") {
		t.Fatalf("error %.300v", err)
	}
	if n := peakKiB(t); n > 300<<10 {
		t.Errorf("refusing took %d KiB", n)
	}
	fmt.Println("refused:", err)
}

// peakKiB is the most memory that this process had.
func peakKiB(t *testing.T) (n int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("no /proc here")
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(after, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLimitsAreOfFileAndRelease counts: half of the budget for one file, all of
// it for the release, and as much as is asked for.
func TestLimitsAreOfFileAndRelease(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 24)
	dir := write(t, store, t.TempDir(), in).Dir
	v, err := Limits{}.verify(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	took := v.budget.all - v.budget.left
	if took < 10_000 || took > 8<<20 {
		t.Fatalf("the release takes %d", took)
	}
	refuses := func(budget int64) string {
		_, err := Limits{Inflated: budget}.Verify(t.Context(), dir)
		var over *LimitError
		if err != nil && !errors.As(err, &over) {
			t.Errorf("budget %d: %v", budget, err)
		}
		if err == nil {
			return ""
		}
		return over.Path
	}
	if path := refuses(took - 1); path == "" {
		t.Errorf("a release that takes %d is read within one less", took)
	}
	if path := refuses(2 * took); path != "" {
		t.Errorf("%s is refused within twice what the release takes", path)
	}
	if path := refuses(1); path != filepath.ToSlash(tablePath(tableQuestions, "test")) {
		t.Errorf("within a budget of 1, %q is refused", path)
	}
}

// TestManifestsOfManyValuesAreRefused: an empty object is three bytes of a file
// and hundreds in memory.
func TestManifestsOfManyValuesAreRefused(t *testing.T) {
	t.Parallel()
	data := []byte(`{"format":1,"tables":[` + strings.Repeat("{},", manifest.MaxEntries+1) + `{}]}`)
	if _, err := manifest.Parse(bytes.NewReader(data), keepFile); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("error %v", err)
	}
}
