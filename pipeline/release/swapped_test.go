package release

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// swapIn puts another file in the place of one of a release: renamed into it, so that
// who has the old one open keeps that, or written over it; none where data is nil.
func swapIn(t *testing.T, dir, place string, data []byte, over bool) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(place))
	switch {
	case data == nil:
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	case over:
		overwrite(t, dir, place, data)
	default:
		if err := os.WriteFile(name+".new", data, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name+".new", name); err != nil {
			t.Fatal(err)
		}
	}
}

// forgedVerdicts is the table of verdicts in which the first is another.
func forgedVerdicts(t *testing.T, dir string) []byte {
	t.Helper()
	tab := tableOf(tableVerdicts)
	rows, _, err := readTable(files(t, dir)[tablePath(tableVerdicts, wholeSplit)], tab)
	if err != nil {
		t.Fatal(err)
	}
	i, _ := tab.column("outcome")
	rows[0][i] = map[any]string{schemas.Pass: schemas.Fail, schemas.Fail: schemas.Pass}[rows[0][i]]
	return encode(t, tab, rows)
}

// isSwapped fails unless an error says that a file changed while it was read.
func isSwapped(t *testing.T, err error, place string) {
	t.Helper()
	var damaged *DamagedError
	if !errors.As(err, &damaged) || len(damaged.Problems) != 1 || damaged.Problems[0].Path != place || !strings.Contains(damaged.Problems[0].Detail, "has changed while") {
		t.Errorf("%v; want that %s has changed", err, place)
	}
}

// TestASwapBetweenTwoReadingsIsFound: what is judged is what was verified, whatever is
// put in its place after the digests were compared, and after the rows were checked.
func TestASwapBetweenTwoReadingsIsFound(t *testing.T) {
	t.Parallel()
	place := tablePath(tableVerdicts, wholeSplit)
	for name, swap := range map[string]struct {
		forge func(*testing.T, string) []byte
		over  bool
	}{
		"another table renamed into its place": {forge: forgedVerdicts},
		"another table written over it":        {forgedVerdicts, true},
		"no table":                             {forge: func(*testing.T, string) []byte { return []byte("none") }},
		"nothing":                              {forge: func(*testing.T, string) []byte { return nil }},
	} {
		t.Run("after the check: "+name, func(t *testing.T) {
			v, dir := checking(t)
			if err := v.verifyAll(); err != nil {
				t.Fatal(err)
			}
			swapIn(t, dir, place, swap.forge(t, dir), swap.over)
			c, err := v.contents()
			isSwapped(t, err, place)
			if c.Dir != "" || len(c.Verdicts) > 0 {
				t.Errorf("contents of %q with %d verdicts", c.Dir, len(c.Verdicts))
			}
		})
	}
	t.Run("after the digests", func(t *testing.T) {
		v, dir := checking(t)
		if !v.readSums() || v.checkFiles() != nil {
			t.Fatal(v.problems)
		}
		swapIn(t, dir, place, forgedVerdicts(t, dir), false)
		if goes, err := v.readManifest(); !goes || err != nil {
			t.Fatal(err)
		}
		isSwapped(t, v.checkTables(), place)
	})
	t.Run("the manifest", func(t *testing.T) {
		v, dir := checking(t)
		m, err := readManifest(dir)
		if !v.readSums() || v.checkFiles() != nil || err != nil {
			t.Fatal(v.problems, err)
		}
		m.Seed++
		swapIn(t, dir, manifest.FileName, encoded(&m), false)
		_, err = v.readManifest()
		isSwapped(t, err, manifest.FileName)
	})
}

// checking is who is about to check a release.
func checking(t *testing.T) (*verifier, string) {
	t.Helper()
	store, in := sample(t, 12)
	dir := write(t, store, t.TempDir(), in).Dir
	v := Limits{}.verifier(t.Context(), dir)
	v.held = true
	return v, dir
}

// TestASwappedMediumIsFound: a file that is looked at after the release was read.
func TestASwappedMediumIsFound(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 12)
	c := mustRead(t, write(t, store, t.TempDir(), in).Dir)
	id := c.Media[0].MediaID
	read := func(f *os.File) error {
		_, err := io.ReadAll(f)
		return err
	}
	if err := c.ReadMedium(t.Context(), id, read); err != nil {
		t.Fatal(err)
	}
	swapIn(t, c.Dir, c.Files[id], []byte("another"), false)
	isSwapped(t, c.ReadMedium(t.Context(), id, read), c.Files[id])
	isSwapped(t, c.ReadMedium(t.Context(), id, func(*os.File) error { return errors.New("it is no picture") }), c.Files[id])
}
