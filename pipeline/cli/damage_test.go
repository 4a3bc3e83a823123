package cli_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestADamagedDatabaseIsSaid: neither a build nor a check goes on over a database
// that is damaged, cut or gone, and none starts over without a word.
func TestADamagedDatabaseIsSaid(t *testing.T) {
	p := newProject(t, tellServer(t), "")
	p.must("build")
	path := filepath.Join(p.dir, "out", "store", "store.db")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{
		"emptied": nil, "cut": whole[:len(whole)/2], "overwritten": append([]byte("no database"), whole[11:]...),
	} {
		for _, command := range [][]string{{"build"}, {"store", "check"}} {
			if err := os.WriteFile(path, bad, 0o644); err != nil {
				t.Fatal(err)
			}
			if code, out, errs := p.run(command...); code != 10 || !strings.Contains(errs, "store check --repair") {
				t.Errorf("%s, %v: exit code %d\n%s%s", name, command, code, out, errs)
			}
		}
	}
	p.must("store", "check", "--repair")
	p.must("build")
}

// TestADatabaseWithoutItsRowsIsSaid: that there were rows can be told from what
// their deletion leaves, and no build starts over without a word. A first build that
// was killed left no such thing, and is gone on with.
func TestADatabaseWithoutItsRowsIsSaid(t *testing.T) {
	p := newProject(t, tellServer(t), "")
	p.must("build")
	const rows = "DELETE FROM results; DELETE FROM records; "
	const forgotten = "DELETE FROM builds; DELETE FROM sqlite_sequence; "
	for text, code := range map[string]int{
		rows: 10, rows + "DELETE FROM builds": 10, rows + forgotten + "DELETE FROM files": 10,
		rows + "DELETE FROM builds; UPDATE losses SET records = 0": 10, rows + forgotten + "DELETE FROM losses": 10,
		forgotten: 0,
	} {
		p.alter(text)
		for _, command := range [][]string{{"build"}, {"store", "check"}} {
			got, out, errs := p.run(command...)
			if got != code || code != 0 && !strings.Contains(errs, "store check --repair") {
				t.Errorf("%s, %v: exit code %d, want %d\n%s%s", text, command, got, code, out, errs)
			}
		}
		p.must("store", "check", "--repair")
		p.must("build")
		p.must("store", "check")
	}
}

// alter runs statements on the database of the store.
func (p *project) alter(text string) {
	p.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(p.dir, "out", "store", "store.db"))
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := db.ExecContext(p.t.Context(), text); err != nil {
		p.t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		p.t.Fatal(err)
	}
}

// TestDamagedBlobsCostOneBuild: whatever number of them a disk lost, one build
// says so and the next makes them anew.
func TestDamagedBlobsCostOneBuild(t *testing.T) {
	p := newProject(t, tellServer(t), "")
	p.must("build")
	whole := tree(t, filepath.Join(p.dir, "out", "releases"))
	if err := os.RemoveAll(filepath.Join(p.dir, "out", "releases")); err != nil {
		t.Fatal(err)
	}
	blobs, err := filepath.Glob(filepath.Join(p.dir, "out", "store", "blobs", "*", "*"))
	if err != nil || len(blobs) < 3 {
		t.Fatalf("%d blobs, %v", len(blobs), err)
	}
	for _, blob := range blobs {
		data, err := os.ReadFile(blob)
		if err != nil {
			t.Fatal(err)
		}
		data[0] ^= 1
		if err := errors.Join(os.Chmod(blob, 0o644), os.WriteFile(blob, data, 0o444)); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := p.run("build")
	if code != 10 || !strings.Contains(errs, "run again") {
		t.Errorf("the first build: exit code %d\n%s%s", code, out, errs)
	}
	p.must("build")
	for name, data := range tree(t, filepath.Join(p.dir, "out", "releases")) {
		if whole[name] != data {
			t.Errorf("%s differs from that of the first build", name)
		}
	}
	p.must("store", "check")
}

// TestADatabaseWithoutItsTablesIsSaid: what is left of it may still open.
func TestADatabaseWithoutItsTablesIsSaid(t *testing.T) {
	p := newProject(t, tellServer(t), "")
	p.must("build")
	for _, text := range []string{"DROP TABLE results", "DROP TABLE records", "DROP TABLE losses", "DROP TABLE builds; DROP TABLE files"} {
		p.alter(text)
		for _, command := range [][]string{{"build"}, {"store", "check"}} {
			if code, out, errs := p.run(command...); code != 10 || !strings.Contains(errs, "store check --repair") {
				t.Errorf("%s, %v: exit code %d\n%s%s", text, command, code, out, errs)
			}
		}
		p.must("store", "check", "--repair")
		p.must("build")
	}
}

// TestADamagedReleaseInPlaceIsSaid: nothing to do is no answer where what is done
// is damaged.
func TestADamagedReleaseInPlaceIsSaid(t *testing.T) {
	p := newProject(t, tellServer(t), "")
	p.must("build")
	dir := strings.TrimSpace(p.must("release", "latest"))
	card := filepath.Join(dir, "README.md")
	data, err := os.ReadFile(card)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(card, data, 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errs := p.run("build")
	if code != 4 || !strings.Contains(errs, "README.md: has digest") || !strings.Contains(errs, "build again") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	p.must("build")
	p.must("verify", dir)
}
