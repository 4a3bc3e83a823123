package media

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// lookedAt and cutUp are the clips that a check below is about: at small size one
// large clip and short ones of other people in another container.
func lookedAt() []string {
	return testsize.Choose([]string{"01_dog.mp4", "asl_book.mkv"}, []string{"01_dog.mp4", "02_cups.mp4", "car-detection.mp4"})
}

func cutUp() []string {
	return testsize.Choose([]string{"01_dog.mp4", "asl_book.mkv", "asl_bird.mkv"}, []string{"01_dog.mp4", "02_cups.mp4", "asl_book.mkv", "car-detection.mp4"})
}

// Every real clip, or some, is probed without a note of damage and normalised to its
// length; then they are joined, looked at, and cut up again.
func TestRealVideos(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute; not run with -short")
	}
	t.Parallel()
	tl := tools(t)
	root := fixtureVideos(t)
	paths, err := filepath.Glob(filepath.Join(root, "*", "*.m*"))
	if err != nil || len(paths) < 18 {
		t.Fatalf("%d videos under the fixtures (%v), want 18", len(paths), err)
	}
	if !testsize.Full() {
		names := slices.Concat(lookedAt(), cutUp())
		paths = slices.DeleteFunc(paths, func(p string) bool { return !slices.Contains(names, filepath.Base(p)) })
	}
	ctx, dir, p := context.Background(), t.TempDir(), small()
	var all []NormalisedVideo
	for _, path := range paths {
		f, err := tl.Probe(ctx, path, DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
			continue
		}
		if len(f.Cuts) > 0 {
			t.Errorf("%s: cuts at %v in one take", filepath.Base(path), f.Cuts)
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
	if len(all) != len(paths) {
		t.FailNow()
	}
	// What follows rests on the same normalised videos, by the names of their clips.
	byName := map[string]NormalisedVideo{}
	for i, path := range paths {
		byName[filepath.Base(path)] = all[i]
	}
	t.Run("joined", func(t *testing.T) { joinReal(t, tl, all, p, dir) })
	t.Run("looks", func(t *testing.T) { lookAtReal(t, tl, byName) })
	t.Run("cuts", func(t *testing.T) { cutsOfReal(t, tl, byName, p, dir) })
}

// joinReal joins two clips in both orders and all as one long sequence.
func joinReal(t *testing.T, tl *Tools, all []NormalisedVideo, p Profile, dir string) {
	var sequence []Clip
	for i, m := range all {
		sequence = append(sequence, whole(m), whole(all[(i+1)%len(all)]))
	}
	for _, clips := range [][]Clip{{whole(all[0]), whole(all[len(all)-1])}, {whole(all[len(all)-1]), whole(all[0])}, sequence} {
		out, err := tl.Join(context.Background(), clips, p, dir, DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if err := verifyJoin(context.Background(), tl, out, clips); err != nil {
			t.Error(err)
		}
	}
}

// lookAtReal demands of real footage that each half has colours, light and
// contrast within reason.
func lookAtReal(t *testing.T, tl *Tools, all map[string]NormalisedVideo) {
	for _, name := range lookedAt() {
		m := all[name]
		list, err := tl.MeasureAppearance(context.Background(), m.Video, 25, []Span{{0, m.Frames / 2}, {m.Frames / 2, m.Frames}})
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range list {
			if len(l.Colours) == 0 || l.Brightness < 0.1 || l.Brightness > 0.9 || l.Contrast < 0.05 || l.Cuts != 0 {
				t.Errorf("%s, half %d: %+v", name, i, l)
			}
		}
	}
}

// cutsOfReal demands one cut wherever two clips are joined. That they have none
// inside is seen when they are probed.
func cutsOfReal(t *testing.T, tl *Tools, all map[string]NormalisedVideo, p Profile, dir string) {
	var clips []Clip
	var want []float64
	frames := int64(0)
	for _, name := range cutUp() {
		m := all[name]
		if frames > 0 {
			want = append(want, float64(frames)/25)
		}
		clips, frames = append(clips, whole(m)), frames+m.Frames
	}
	out, err := tl.Join(context.Background(), clips, p, dir, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	checkCuts(t, tl, out.Path, want)
}

func TestRealSplitScreen(t *testing.T) {
	t.Parallel()
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

// Between two keyframes of this split screen the quick decoding strays by more
// than what a wrong picture would differ by. Small pictures stray as far where
// keyframes are few and coarse.
func TestVerifyTrustsExactDecoding(t *testing.T) {
	t.Parallel()
	tl := tools(t)
	root := fixtureVideos(t)
	ctx, dir, p := context.Background(), t.TempDir(), DefaultProfile()
	if !testsize.Full() {
		p = small()
		p.CRF, p.KeyEvery = 30, 250
	}
	sources := map[string]NormalisedVideo{}
	for name, clip := range map[string]string{"a": "bottle-detection.mp4", "b": "car-detection.mp4"} {
		path := filepath.Join(root, "intel", clip)
		if !testsize.Full() {
			begin := filepath.Join(dir, clip)
			ffmpeg(t, "-t", "10", "-i", path, "-c", "copy", "-an", begin)
			path = begin
		}
		f, err := tl.Probe(ctx, path, DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if sources[name], err = tl.Normalise(ctx, path, f, manyKeys(FramesOf(f, p.FPS)), p, dir, DefaultLimits()); err != nil {
			t.Fatal(err)
		}
	}
	split, err := tl.SplitScreen(ctx, sources["a"], sources["b"], 10, p, dir, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	n := min(sources["a"].Frames, sources["b"].Frames)
	recipe := func(left, right string) schemas.Recipe {
		return schemas.Recipe{SwapFrames: split.SwapFrames, Segments: []schemas.Segment{{Source: left, Region: "left", To: n}, {Source: right, Region: "right", To: n}}}
	}
	find := func(media string) (NormalisedVideo, error) { return sources[media], nil }
	if rep, err := tl.Verify(ctx, split.Swapped.Path, recipe("a", "b"), find, p); err != nil || len(rep.Problems) > 0 {
		t.Errorf("%v, %v", rep.Problems, err)
	}
	if rep, err := tl.Verify(ctx, split.Swapped.Path, recipe("b", "a"), find, p); err != nil || len(rep.Problems) == 0 {
		t.Errorf("the sides are taken for each other: %v, %v", rep.Problems, err)
	}
}

// manyKeys are boundaries as for videos that are cut in 10 and in 22, at full size.
func manyKeys(frames int64) (keys []int64) {
	for i := range testsize.Choose[int64](0, 22) {
		keys = append(keys, i*frames/10, i*frames/22)
	}
	keys = slices.DeleteFunc(keys, func(k int64) bool { return k >= frames })
	slices.Sort(keys)
	return slices.Compact(keys)
}
