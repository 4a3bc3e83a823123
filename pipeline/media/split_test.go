package media

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memforge/memforge/schemas"
)

func TestSwapFrames(t *testing.T) {
	for _, c := range []struct {
		n    int64
		s    int
		want []int64
	}{{10, 1, []int64{5}}, {11, 1, []int64{6}}, {100, 3, []int64{25, 50, 75}}, {64, 5, []int64{11, 22, 32, 43, 54}}, {3, 2, []int64{1, 2}}, {7, 0, []int64{}}} {
		got := SwapFrames(c.n, c.s)
		if !slices.Equal(got, c.want) {
			t.Errorf("SwapFrames(%d, %d) = %v, want %v", c.n, c.s, got, c.want)
		}
		for n := range c.n {
			_, swapped := slices.BinarySearch(got, n+1)
			toggles := n*int64(c.s+1)/c.n%2 == 1
			before, _ := slices.BinarySearch(got, n+1)
			if before%2 == 1 != toggles {
				t.Errorf("frame %d of %d with %d swaps: side by list and by parity differ (%t)", n, c.n, c.s, swapped)
			}
		}
	}
}

func TestSplitScreenSidesAndSound(t *testing.T) {
	t.Parallel()
	tl := tools(t)
	dir := t.TempDir()
	p := small()
	a, b, ca, cb := pairOf(t, tl, p, dir)
	halfA, halfB := halves(t, a), halves(t, b)
	for _, swaps := range []int{1, 4, 10} {
		s, err := tl.SplitScreen(context.Background(), a, b, swaps, p, dir, DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if s.Plain.Frames != a.Frames || s.Plain.Width != 320 || s.Plain.Height != 90 || !s.Plain.HasAudio {
			t.Fatalf("plain is %+v", s.Plain)
		}
		checkSides(t, s.Plain, nil, halfA, halfB)
		checkSides(t, s.Swapped, s.SwapFrames, halfA, halfB)
		for _, out := range []Output{s.Plain, s.Swapped} {
			pcm := pcmOf(t, out.Path)
			left, right := peaks(pcm, 0), peaks(pcm, 1)
			if len(left) != 1 || len(right) != 1 || math.Abs(float64(left[0]-ca.flash*1920)) > 1920 || math.Abs(float64(right[0]-cb.flash*1920)) > 1920 {
				t.Errorf("clicks left %v right %v, want %d and %d", left, right, ca.flash*1920, cb.flash*1920)
			}
		}
	}
}

// halves is the normalised video at half size.
func halves(t *testing.T, m NormalisedVideo) []gray {
	t.Helper()
	var list []gray
	for _, g := range grays(t, m.Video, 320, 180) {
		h := gray{w: 160, h: 90}
		for y := range 90 {
			for x := range 160 {
				at := 2*y*320 + 2*x
				h.pix = append(h.pix, byte((int(g.pix[at])+int(g.pix[at+1])+int(g.pix[at+320])+int(g.pix[at+321])+2)/4))
			}
		}
		list = append(list, h)
	}
	return list
}

// checkSides reads clip and number off both halves of every frame, so the
// frames around each swap are covered, and compares the pictures.
func checkSides(t *testing.T, out Output, swaps []int64, a, b []gray) {
	t.Helper()
	pictures := grays(t, out.Path, 320, 90)
	if int64(len(pictures)) != out.Frames {
		t.Fatalf("%d frames decode, want %d", len(pictures), out.Frames)
	}
	for n, g := range pictures {
		left, right := a[n], b[n]
		wantL, wantR := 3, 9
		if before, _ := slices.BinarySearch(swaps, int64(n)+1); before%2 == 1 {
			left, right, wantL, wantR = right, left, wantR, wantL
		}
		l, r := g.sub(0, 160), g.sub(160, 160)
		idL, nL, okL := l.read()
		idR, nR, okR := r.read()
		if !okL || !okR || idL != wantL || idR != wantR || nL != n || nR != n {
			t.Fatalf("frame %d shows %d/%d and %d/%d, want %d and %d", n, idL, nL, idR, nR, wantL, wantR)
		}
		if d := max(absDiff(l, left), absDiff(r, right)); d > 6 {
			t.Fatalf("frame %d differs from its source by %.1f grey levels", n, d)
		}
	}
}

func TestSplitScreenWithoutSound(t *testing.T) {
	tl := tools(t)
	dir := t.TempDir()
	p := small()
	a, b, _, _ := pairOf(t, tl, p, dir)
	a.HasAudio, b.HasAudio = false, false
	s, err := tl.SplitScreen(context.Background(), a, b, 2, p, dir, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if s.Plain.HasAudio || s.Swapped.HasAudio {
		t.Error("sound from two mute sources")
	}
}

// oneSided is a normalised video with sound on one channel only.
func oneSided(t testing.TB, tl *Tools, id int, exprs string, p Profile, dir string) NormalisedVideo {
	t.Helper()
	c := clipSpec{id: id, name: fmt.Sprintf("side-%d.mp4", id), frames: 30, w: 320, h: 180, flash: -1, out: x264}
	path := filepath.Join(dir, "loud-"+c.name)
	ffmpeg(t, "-i", c.make(t, dir), "-f", "lavfi", "-i", "aevalsrc="+exprs+":s=48000:c=stereo", "-map", "0:v", "-map", "1:a",
		"-c:v", "copy", "-c:a", "aac", "-b:a", "192k", "-shortest", path)
	return probed(t, tl, path, p, dir)
}

// TestSplitScreenMixesBothChannels composes a source that is heard on the right
// only with one that is heard on the left only: either channel counts for half.
func TestSplitScreenMixesBothChannels(t *testing.T) {
	s := studio{t: t, tl: tools(t), dir: t.TempDir(), p: small()}
	const sweep = "0.5*sin(2*PI*t*(300+100*t))"
	right, left := oneSided(t, s.tl, 3, "0|"+sweep, s.p, s.dir), oneSided(t, s.tl, 9, sweep+"|0", s.p, s.dir)
	out, err := s.tl.SplitScreen(context.Background(), right, left, 1, s.p, s.dir, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	pcm := pcmOf(t, out.Plain.Path)
	pcm = pcm[:len(pcm)/sampleBytes*sampleBytes]
	want := 0.5 * 0.5 * 32768 / math.Sqrt2
	for channel := range 2 {
		if got := effectiveLevel(channelOf(pcm, channel, false)); math.Abs(got-want) > want/10 {
			t.Errorf("channel %d has the level %.0f, want %.0f: half of what its source has on one of two channels", channel, got, want)
		}
	}
	s.sources = map[string]NormalisedVideo{"a": right, "b": left}
	s.demand("verified", out.Plain.Path, schemas.Recipe{Layout: schemas.LayoutSplit, Segments: []schemas.Segment{
		{Source: "a", Region: "left", To: right.Frames}, {Source: "b", Region: "right", To: left.Frames}}}, "")
}

func TestSplitScreenRefuses(t *testing.T) {
	tl := tools(t)
	dir := t.TempDir()
	a := NormalisedVideo{Video: "a.mp4", Frames: 5}
	b := NormalisedVideo{Video: "b.mp4", Frames: 9}
	for name, c := range map[string]struct {
		l, r  NormalisedVideo
		swaps int
	}{"no swap": {a, b, 0}, "as many swaps as frames": {a, b, 5}, "itself": {a, a, 2}, "missing files": {a, b, 2}} {
		if _, err := tl.SplitScreen(context.Background(), c.l, c.r, c.swaps, small(), dir, DefaultLimits()); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
