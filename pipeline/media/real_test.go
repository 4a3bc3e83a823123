package media

import (
	"context"
	"math"
	"path/filepath"
	"testing"
)

// Every real clip is probed without a note of damage, normalised to its
// length, and joined in both orders and as one long sequence.
func TestRealVideos(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute; not run with -short")
	}
	tl := tools(t)
	root := fixtureVideos(t)
	paths, err := filepath.Glob(filepath.Join(root, "*", "*.m*"))
	if err != nil || len(paths) < 18 {
		t.Fatalf("%d videos under the fixtures (%v), want 18", len(paths), err)
	}
	ctx, dir, p := context.Background(), t.TempDir(), small()
	var all []Mezzanine
	for _, path := range paths {
		f, err := tl.Probe(ctx, path, DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
			continue
		}
		m, err := tl.Normalise(ctx, path, f, nil, p, dir, DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
			continue
		}
		if want := f.Duration * 25; math.Abs(float64(m.Frames)-want) > 1.01 {
			t.Errorf("%s: %d frames of %.3f s", filepath.Base(path), m.Frames, f.Duration)
		}
		t.Logf("%s: %dx%d %.3f fps, %d frames, %.3f s, sound %t, %q -> %d frames", filepath.Base(path), f.Width, f.Height, f.FPS, f.Frames, f.Duration, f.HasAudio, f.Notes, m.Frames)
		all = append(all, m)
	}
	var sequence []Clip
	for i, m := range all {
		sequence = append(sequence, whole(m), whole(all[(i+1)%len(all)]))
	}
	for _, clips := range [][]Clip{{whole(all[0]), whole(all[14])}, {whole(all[14]), whole(all[0])}, sequence} {
		out, err := tl.Join(ctx, clips, p, dir, DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if err := VerifyJoin(ctx, tl, out, clips); err != nil {
			t.Error(err)
		}
	}
}

func TestRealSplitScreen(t *testing.T) {
	tl := tools(t)
	root := fixtureVideos(t)
	dir, p := t.TempDir(), small()
	a := probed(t, tl, filepath.Join(root, "intel", "asl_book.mkv"), p, dir)
	b := probed(t, tl, filepath.Join(root, "intel", "asl_eat.mkv"), p, dir)
	s, err := tl.SplitScreen(context.Background(), a, b, 5, p, dir, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	halfA, halfB := halves(t, a), halves(t, b)
	sides := map[int64]bool{}
	for _, f := range s.SwapFrames {
		sides[f] = true
	}
	swapped := false
	for n, g := range grays(t, s.Swapped.Path, 320, 90) {
		swapped = swapped != sides[int64(n)]
		left, right := halfA[n], halfB[n]
		if swapped {
			left, right = right, left
		}
		same := absDiff(g.sub(0, 160), left) + absDiff(g.sub(160, 160), right)
		other := absDiff(g.sub(0, 160), right) + absDiff(g.sub(160, 160), left)
		if same > 8 || other < 3*same {
			t.Fatalf("frame %d (swaps at %v): %.1f levels from what it should show, %.1f from the other side", n, s.SwapFrames, same, other)
		}
	}
}
