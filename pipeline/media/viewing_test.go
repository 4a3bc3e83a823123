package media

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// One run of ffmpeg shows all that Verify looks at in a good video, and the
// sources of a split screen are not decoded for its second variant. What that
// run shows is what each part shows alone.
func TestVerifyStartsOnce(t *testing.T) {
	s := newStudio(t)
	a, b := s.sources["a"], s.sources["b"]
	joined := sequenceOf(schemas.Segment{Source: "a", To: a.Frames}, schemas.Segment{Source: "b", To: b.Frames})
	out, err := s.tl.SplitScreen(context.Background(), a, b, 4, s.p, s.dir, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	split := schemas.Recipe{Layout: schemas.LayoutSplit, Segments: []schemas.Segment{
		{Source: "a", Region: "left", To: a.Frames}, {Source: "b", Region: "right", To: a.Frames}}}
	swapped := split
	swapped.SwapFrames = out.SwapFrames
	path := s.join(joined)
	real, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	s.tl = scripted(t, "printf '%s ' \"$@\" | tr '\\n' ' ' >> "+log+"; echo >> "+log+"; exec "+real+" \"$@\"")
	for _, c := range []struct {
		name, video string
		recipe      schemas.Recipe
		inputs      int
	}{{"joined", path, joined, 1 + 1 + 6 + 2}, {"plain", out.Plain.Path, split, 1 + 1 + 2 + 2 + 2}, {"swapped", out.Swapped.Path, swapped, 1 + 1 + 0 + 6 + 2}} {
		if err := os.WriteFile(log, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		rep := s.demand(c.name, c.video, c.recipe, "")
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n != 1 {
			t.Errorf("%s: %d runs, want 1:\n%s", c.name, n, text)
		}
		if n := strings.Count(string(text), " -i "); n != c.inputs {
			t.Errorf("%s: %d inputs are opened, want %d:\n%s", c.name, n, c.inputs, text)
		}
		// Where the run for all fails, each part is then shown alone.
		apart := studio{t, scripted(t, "case \"$*\" in *framemd5*pipe:3*) echo no >&2; exit 1;; esac; exec "+real+" \"$@\""), s.dir, s.p, s.sources}
		if alone := apart.verify(c.video, c.recipe); len(alone.Problems) > 0 || !slices.Equal(alone.Checked, rep.Checked) {
			t.Errorf("%s: each part alone shows %q with problems %q, together %q", c.name, alone.Checked, alone.Problems, rep.Checked)
		}
	}
}
