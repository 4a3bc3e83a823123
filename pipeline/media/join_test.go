package media

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// cutsOf are frames at which the normalised videos of pairOf can be cut, beside the
// regular keyframes and on no round time.
func cutsOf(p Profile) (one, two int64) { return int64(p.FPS) + 3, 2*int64(p.FPS) + 1 }

// pairOf puts two normalised videos with different ids, flashes and lengths into dir.
func pairOf(t testing.TB, tl *Tools, p Profile, dir string) (a, b NormalisedVideo, ca, cb clipSpec) {
	t.Helper()
	pair := fixtures.normalised(t, fmt.Sprintf("pair %+v", p), dir, func(dir string) []NormalisedVideo {
		a, b := makePair(t, tl, p, dir)
		return []NormalisedVideo{a, b}
	})
	ca, cb = specsOfPair(p)
	return pair[0], pair[1], ca, cb
}

func specsOfPair(p Profile) (ca, cb clipSpec) {
	rate := fmt.Sprint(p.FPS)
	ca = clipSpec{id: 3, name: "a.mp4", frames: 3*int(p.FPS) + 7, w: 320, h: 180, rate: rate, sound: true, flash: 40, out: x264}
	cb = clipSpec{id: 9, name: "b.mp4", frames: 4*int(p.FPS) + 1, w: 320, h: 180, rate: rate, sound: true, flash: 70, out: x264}
	return ca, cb
}

// makePair encodes the normalised videos of pairOf.
func makePair(t testing.TB, tl *Tools, p Profile, dir string) (a, b NormalisedVideo) {
	t.Helper()
	ca, cb := specsOfPair(p)
	one, two := cutsOf(p)
	a = probed(t, tl, ca.make(t, dir), p, dir, two, one, one, 0, 100_000)
	b = probed(t, tl, cb.make(t, dir), p, dir, one, two)
	if !slices.Equal(a.Keyframes, []int64{one, two}) || !slices.Equal(b.Keyframes, a.Keyframes) || a.KeyEvery != p.KeyEvery {
		t.Fatalf("keyframes %v and %v each %d, want %d and %d", a.Keyframes, b.Keyframes, a.KeyEvery, one, two)
	}
	if a.Frames != int64(ca.frames) || b.Frames != int64(cb.frames) {
		t.Fatalf("normalised videos of %d and %d frames, want %d and %d", a.Frames, b.Frames, ca.frames, cb.frames)
	}
	return a, b
}

func whole(m NormalisedVideo) Clip { return Clip{m.Video, m.Audio, 0, m.Frames} }

func TestJoinIsExactAtEveryRate(t *testing.T) {
	t.Parallel()
	tl := tools(t)
	for _, fps := range testsize.Choose([]int32{25, 60}, []int32{24, 25, 60}) {
		t.Run(fmt.Sprint(fps), func(t *testing.T) {
			dir := t.TempDir()
			p := small()
			p.FPS = fps
			a, b, ca, cb := pairOf(t, tl, p, dir)
			f, g := cutsOf(p)
			orders := map[string][]Clip{
				"AB":         {whole(a), whole(b)},
				"BA":         {whole(b), whole(a)},
				"AAB":        {whole(a), whole(a), whole(b)},
				"single":     {whole(a)},
				"interleave": {{a.Video, a.Audio, 0, f}, {b.Video, b.Audio, 0, f}, {a.Video, a.Audio, f, g}, {b.Video, b.Audio, f, g}, {a.Video, a.Audio, g, a.Frames}, {b.Video, b.Audio, g, b.Frames}},
				"odd ends":   {{a.Video, a.Audio, f, f + 3}, {b.Video, b.Audio, g, g + f}, {a.Video, a.Audio, 0, 1}},
				"one silent": {{a.Video, "", 0, a.Frames}, whole(b)},
			}
			subsumed := []string{"AB", "BA", "single"} // by the longer ones
			for name, clips := range orders {
				if fps != 25 && name != "interleave" || !testsize.Full() && slices.Contains(subsumed, name) {
					continue
				}
				t.Run(name, func(t *testing.T) { checkJoin(t, tl, clips, p, dir, a, ca, cb) })
			}
		})
	}
}

// checkJoin joins, decodes, and demands frame for frame the hashes of the
// normalised videos, and each flash with its click.
func checkJoin(t *testing.T, tl *Tools, clips []Clip, p Profile, dir string, a NormalisedVideo, ca, cb clipSpec) {
	t.Helper()
	ctx := context.Background()
	out, err := tl.Join(ctx, clips, p, dir, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if err := verifyJoin(ctx, tl, out, clips); err != nil {
		t.Error(err)
	}
	var clicks, flashes []int
	n := 0
	pictures := grays(t, out.Path, int(p.Width), int(p.Height))
	for _, c := range clips {
		spec := cb
		if c.Video == a.Video {
			spec = ca
		}
		for k := c.From; k < c.To; k++ {
			id, shown, ok := pictures[n].read()
			if !ok || id != spec.id || int64(shown) != k {
				t.Fatalf("frame %d shows picture %d of %d, want %d of %d", n, shown, id, k, spec.id)
			}
			if int(k) == spec.flash {
				flashes = append(flashes, n)
				if c.Audio != "" {
					clicks = append(clicks, n)
				}
			}
			if pictures[n].flashes() != (int(k) == spec.flash) {
				t.Fatalf("frame %d flashes: %t", n, pictures[n].flashes())
			}
			n++
		}
	}
	got := peaks(pcmOf(t, out.Path), 0)
	if len(got) != len(clicks) {
		t.Fatalf("clicks at samples %v, want at frames %v (flashes at %v)", got, clicks, flashes)
	}
	per := sampleRate / int(p.FPS)
	for i, at := range got {
		if d := math.Abs(float64(at - clicks[i]*per)); d > float64(per) {
			t.Errorf("click %d is %.1f ms off its flash", i, d/48)
		}
	}
}

func TestJoinOfManyClips(t *testing.T) {
	t.Parallel()
	tl := tools(t)
	dir := t.TempDir()
	p := small()
	a, b, ca, cb := pairOf(t, tl, p, dir)
	var clips []Clip
	for i := range testsize.Choose(12, 30) {
		m := a
		if i%3 == 1 {
			m = b
		}
		clips = append(clips, whole(m))
	}
	checkJoin(t, tl, clips, p, dir, a, ca, cb)
}

func TestJoinRefuses(t *testing.T) {
	t.Parallel()
	tl := tools(t)
	dir := t.TempDir()
	p := small()
	a, b, _, _ := pairOf(t, tl, p, dir)
	other := p
	other.Width, other.Height = 160, 92
	c := probed(t, tl, filepath.Join(dir, "b.mp4"), other, dir)
	empty := filepath.Join(dir, "empty.mp4")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	quick := p
	quick.FPS = 30
	cases := map[string]struct {
		clips []Clip
		p     Profile
		want  string
	}{
		"nothing":            {nil, p, "no clips"},
		"no frames":          {[]Clip{{a.Video, a.Audio, 5, 5}}, p, "at least one frame"},
		"not a keyframe":     {[]Clip{{a.Video, a.Audio, 7, 20}}, p, "no keyframe"},
		"past the end":       {[]Clip{{a.Video, a.Audio, 0, a.Frames + 1}}, p, "has 82"},
		"past the end, mute": {[]Clip{{a.Video, "", 0, a.Frames + 1}}, p, "has 82"},
		"missing entry":      {[]Clip{whole(a), {filepath.Join(dir, "gone.mp4"), "", 0, 10}}, p, "clip 1"},
		"zero-byte entry":    {[]Clip{whole(a), {empty, "", 0, 10}}, p, "clip 1"},
		"other size":         {[]Clip{whole(a), whole(c)}, p, "another format"},
		"other rate":         {[]Clip{{a.Video, "", 0, 30}, {b.Video, "", 0, 30}}, quick, "frame grid"},
		"not normalised":     {[]Clip{{filepath.Join(dir, "a.mp4"), "", 0, 20}}, p, "or one too many"},
		"foreign sound":      {[]Clip{{a.Video, b.Video, 0, 20}}, p, "not the sound of a normalised video"},
		"short sound":        {[]Clip{{b.Video, a.Audio, 0, b.Frames}}, p, "packets"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := tl.Join(context.Background(), c.clips, c.p, dir, DefaultLimits())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that holds %q", err, c.want)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".media-*")); len(left) > 0 {
				t.Errorf("work folders left behind: %v", left)
			}
		})
	}
}

// A packet that is not the normalised video's must be noticed.
func TestVerifyFindsAWrongFrame(t *testing.T) {
	tl := tools(t)
	ctx := context.Background()
	dir := t.TempDir()
	p := small()
	a, b, _, _ := pairOf(t, tl, p, dir)
	lim := DefaultLimits()
	out, err := tl.Join(ctx, []Clip{whole(a), whole(b)}, p, dir, lim)
	if err != nil {
		t.Fatal(err)
	}
	compare := func(clips []Clip, hasAudio bool) error {
		want, err := tl.expectedOf(clips, p)
		if err != nil {
			return err
		}
		var got [2]content
		var errs [2]error
		got[0], errs[0] = tl.listPlayed(ctx, out.Path, hasAudio, lim)
		got[1], errs[1] = readContent(out.Path, hasAudio)
		for i := range got {
			if errs[i] == nil {
				errs[i] = want.compare(got[i], p)
			}
		}
		if fmt.Sprint(errs[0]) != fmt.Sprint(errs[1]) {
			t.Errorf("read by ffmpeg: %v; by us: %v", errs[0], errs[1])
		}
		return errs[0]
	}
	if err := compare([]Clip{whole(b), whole(a)}, true); err == nil || !strings.Contains(err.Error(), "frame 0 is not") {
		t.Errorf("AB compared with BA: %v", err)
	}
	short := []Clip{whole(a), {b.Video, b.Audio, 0, b.Frames - 1}}
	if err := compare(short, true); err == nil || !strings.Contains(err.Error(), "want 182") {
		t.Errorf("one frame too many: %v", err)
	}
	if err := compare([]Clip{whole(a), whole(b)}, false); err == nil || !strings.Contains(err.Error(), "or one too many") {
		t.Errorf("sound where none should be: %v", err)
	}
	if err := verifyJoin(ctx, tl, out, []Clip{whole(b), whole(a)}); err == nil {
		t.Error("verifyJoin took AB for BA")
	}
}

func TestJoinGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	tl := tools(t)
	dir := t.TempDir()
	p := small()
	a, b, _, _ := pairOf(t, tl, p, dir)
	again, _ := makePair(t, tl, p, t.TempDir())
	if sum(t, a.Video) != sum(t, again.Video) || sum(t, a.Audio) != sum(t, again.Audio) {
		t.Error("two normalised videos of one source differ")
	}
	var sums []string
	for range 2 {
		out, err := tl.Join(context.Background(), []Clip{whole(a), whole(b)}, p, t.TempDir(), DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		s, err := tl.SplitScreen(context.Background(), a, b, 4, p, t.TempDir(), DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, sum(t, out.Path)+sum(t, s.Plain.Path)+sum(t, s.Swapped.Path))
	}
	if sums[0] != sums[1] {
		t.Error("two runs gave different bytes")
	}
}

func sum(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := sha256.Sum256(b)
	return string(d[:])
}

// verifyJoin decodes a joined file and the normalised videos it was made of and
// compares every picture. Join has compared the packets already; this is the
// slow proof.
func verifyJoin(ctx context.Context, t *Tools, out Output, clips []Clip) error {
	known := map[string][]string{}
	var want []string
	for i, c := range clips {
		if _, ok := known[c.Video]; !ok {
			hashes, err := t.FrameHashes(ctx, c.Video)
			if err != nil {
				return fmt.Errorf("verify join: clip %d: %w", i, err)
			}
			known[c.Video] = hashes
		}
		if c.To > int64(len(known[c.Video])) {
			return fmt.Errorf("verify join: clip %d: frames %d to %d of %d", i, c.From, c.To, len(known[c.Video]))
		}
		want = append(want, known[c.Video][c.From:c.To]...)
	}
	got, err := t.FrameHashes(ctx, out.Path)
	if err != nil {
		return fmt.Errorf("verify join: %w", err)
	}
	if len(got) != len(want) || out.Frames != int64(len(want)) {
		return fmt.Errorf("verify join: %d frames decode, %d stated, want %d", len(got), out.Frames, len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("verify join: frame %d differs from that of its normalised video", i)
		}
	}
	return nil
}

// listPlayed lists all streams of a file as ffmpeg reads it: a picture and, with
// hasAudio, a sound track, nothing else.
func (t *Tools) listPlayed(ctx context.Context, path string, hasAudio bool, lim Limits) (content, error) {
	var lists []listing
	if err := t.runParts(ctx, lim, listPart(path, &lists)); err != nil {
		return content{}, err
	}
	return contentOf(lists, hasAudio)
}
