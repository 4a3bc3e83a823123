package cli_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOfOneExhibit looks at a build of the sequential protocol in turn, for to cut
// frames for its gates is what takes long. The last of them spoils it.
func TestOfOneExhibit(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	server := newExhibitServer(t)
	built, moved := buildExhibit(t, server, false), exhibitProject(t, server, false)
	moved.release = filepath.Join(moved.dir, "given")
	t.Run("gains of first calls", func(t *testing.T) {
		built.t = t
		gainsOfFirstCalls(t, server, built)
	})
	moves := func(t *testing.T) {
		moved.t = t
		rerunShowsPictures(t, server, built, moved)
	}
	if t.Run("a rerun shows pictures of the release", moves) {
		t.Run("a rerun of a damaged film", func(t *testing.T) {
			stranger := exhibitProject(t, server, false) // nothing is recorded there
			stranger.release = moved.release
			rerunOfADamagedFilm(t, server, stranger)
		})
	}
}

// rerunShowsPictures asks again about a release that was moved away from its
// builder's store and ledger: every request, pictures of a film included, must be the
// one that the build made.
func rerunShowsPictures(t *testing.T, server *exhibitServer, built, moved boxProject) {
	t.Helper()
	before, images := server.Counts(), len(server.images)
	if images == 0 {
		t.Fatal("the build showed no picture")
	}
	if err := os.Rename(built.release, moved.release); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(built.dir); err != nil {
		t.Fatal(err)
	}
	same := moved.again(0, "--panel", "same")
	after := server.Counts()
	if n := after.Answered - before.Answered; n != before.Answered || after.Repeated-before.Repeated != n || same.Rerun.Calls != n {
		t.Errorf("%d calls of the build, %d of the rerun (%d stated), of which %d were made by the build as well",
			before.Answered, n, same.Rerun.Calls, after.Repeated-before.Repeated)
	}
	if len(same.Rerun.Flipped)+len(same.Rerun.Answered)+len(same.Rerun.Skipped) != 0 || same.Rerun.Verdicts.Calls != 5*exhibitCount {
		t.Errorf("%+v", same.Rerun)
	}
	shown := map[[32]byte]int{}
	for i, b := range server.images {
		if i < images {
			shown[sha256.Sum256(b)]++
		} else {
			shown[sha256.Sum256(b)]--
		}
	}
	for sum, n := range shown {
		if n != 0 {
			t.Errorf("picture %x was shown %d times more by one of build and rerun", sum[:4], n)
		}
	}
	// A panel that takes fewer pictures is shown the same, and that is said. What it
	// takes is part of no request: all answers are recorded.
	requests := server.Counts().Requests
	code, _, errs := moved.run("audit", "--rerun", "--panel", "same", "--set", "models.second.media.max_images=20", moved.release)
	want := "warning: gate solved shows up to 32 pictures a request, model second (role panel_b) takes 20: views are those of the release, and larger requests fail\n"
	if code != 0 || !strings.Contains(errs, want) || strings.Contains(errs, "gate blind shows") || server.Counts().Requests != requests {
		t.Errorf("exit code %d, %d more requests\n%s", code, server.Counts().Requests-requests, errs)
	}
	// Two models in each other's place answer otherwise, and the rules do not ask
	// who of the two it was.
	flipped := moved.again(0, "--panel", "swapped", "--full-protocol")
	if r := flipped.Rerun; len(r.Answered) == 0 || len(r.Flipped) != 0 || r.Verdicts.Calls != 5*exhibitCount || len(r.Skipped) != 0 {
		t.Errorf("swapped: %+v", r)
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "memforge-audit-*", "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// rerunOfADamagedFilm: a medium that is changed is found before anybody is asked, one
// that is gone too.
func rerunOfADamagedFilm(t *testing.T, server *exhibitServer, p boxProject) {
	t.Helper()
	asked := server.Counts().Requests
	films, err := filepath.Glob(filepath.Join(p.release, "media", "*", "*.mp4"))
	if err != nil || len(films) != 1 {
		t.Fatalf("films: %v, %v", films, err)
	}
	data, err := os.ReadFile(films[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	for what, spoil := range map[string]func() error{
		"changed": func() error { return os.WriteFile(films[0], data, 0o644) },
		"gone":    func() error { return os.Remove(films[0]) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		code, out, errs := p.run("audit", "--rerun", "--panel", "same", p.release)
		if code != 4 || !strings.Contains(errs, filepath.Base(films[0])) {
			t.Errorf("%s: exit code %d\n%s%s", what, code, out, errs)
		}
	}
	if n := server.Counts().Requests; n != asked {
		t.Error(fmt.Sprint(n-asked, " requests were made for a damaged release"))
	}
}
