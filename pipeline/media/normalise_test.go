package media

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

var x264 = []string{"-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", "-bf", "2", "-pix_fmt", "yuv420p", "-c:a", "aac"}

func opts(base []string, more ...string) []string {
	return append(append([]string(nil), base...), more...)
}

// sourceCases are inputs of every common shape. shown says which picture of
// the source frame k of the normalised video must show.
var sourceCases = []struct {
	clip    clipSpec
	letterW int // width of the picture inside 320x180; 0: all of it
	letterH int
	keep    func(n int) bool // pictures the source keeps, nil for all
	vfr     bool
	alike   bool // others here or in mixedSources are of its shape
}{
	{alike: true, clip: clipSpec{name: "r25.mp4", frames: 60, w: 320, h: 180, rate: "25", sound: true, flash: 30, out: x264}},
	{clip: clipSpec{name: "r2997.mp4", frames: 72, w: 320, h: 180, rate: "30000/1001", sound: true, flash: 36, out: x264}},
	{alike: true, clip: clipSpec{name: "r30.mkv", frames: 72, w: 320, h: 180, rate: "30", sound: true, flash: 41, out: x264}},
	{clip: clipSpec{name: "r125.mp4", frames: 36, w: 320, h: 180, rate: "25/2", sound: true, flash: 12, out: x264}},
	{clip: clipSpec{name: "r60.mp4", frames: 120, w: 320, h: 180, rate: "60", flash: -1, out: x264}},
	{clip: clipSpec{name: "ts.ts", frames: 60, w: 320, h: 180, rate: "25", sound: true, flash: 20, out: x264}},
	{clip: clipSpec{name: "vp9.webm", frames: 60, w: 320, h: 180, rate: "25", sound: true, flash: 20, out: []string{"-c:v", "libvpx", "-b:v", "2M", "-deadline", "realtime", "-cpu-used", "8", "-threads", "1", "-pix_fmt", "yuv420p", "-c:a", "libopus"}}},
	{alike: true, clip: clipSpec{name: "mpeg4.avi", frames: 60, w: 320, h: 180, rate: "25", sound: true, flash: 20, out: []string{"-c:v", "mpeg4", "-q:v", "2", "-c:a", "pcm_s16le"}}},
	{alike: true, clip: clipSpec{name: "flash.flv", frames: 60, w: 320, h: 180, rate: "25", sound: true, flash: 20, out: opts(x264, "-ar", "44100")}},
	{clip: clipSpec{name: "vfr.mkv", frames: 72, w: 320, h: 180, rate: "30", sound: true, flash: 40, out: opts(x264, "-vf", "select=not(eq(mod(n\\,7)\\,3))", "-fps_mode", "passthrough")}, keep: func(n int) bool { return n%7 != 3 }, vfr: true},
	{alike: true, clip: clipSpec{name: "odd.mp4", frames: 30, w: 321, h: 181, rate: "25", flash: -1, out: []string{"-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", "-pix_fmt", "yuv444p"}}},
	{alike: true, clip: clipSpec{name: "tenbit.mp4", frames: 30, w: 320, h: 180, rate: "25", flash: -1, out: []string{"-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", "-pix_fmt", "yuv420p10le"}}},
	{clip: clipSpec{name: "portrait.mp4", frames: 30, w: 180, h: 320, rate: "25", flash: -1, out: x264}, letterW: 101, letterH: 180},
	{alike: true, clip: clipSpec{name: "wide.mp4", frames: 30, w: 640, h: 160, rate: "25", flash: -1, out: x264}, letterW: 320, letterH: 80},
	{alike: true, clip: clipSpec{name: "sar.mp4", frames: 30, w: 160, h: 180, rate: "25", flash: -1, out: opts(x264, "-vf", "setsar=2")}},
	{alike: true, clip: clipSpec{name: "surround.mkv", frames: 60, w: 320, h: 180, rate: "25", sound: true, flash: 20, channels: "5.1", out: opts(x264, "-c:a", "pcm_s16le")}},
	{clip: clipSpec{name: "reordered.avi", frames: 60, w: 320, h: 180, rate: "25", flash: -1, out: []string{"-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-crf", "12", "-pix_fmt", "yuv420p"}}},
	{alike: true, clip: clipSpec{name: "slow.avi", frames: 30, w: 320, h: 180, rate: "10", flash: -1, out: []string{"-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-crf", "12", "-pix_fmt", "yuv420p"}}},
	{clip: clipSpec{name: "mute.mp4", frames: 60, w: 320, h: 180, rate: "25", flash: 5, out: x264}},
	{clip: clipSpec{name: "latesound.mkv", frames: 60, w: 320, h: 180, rate: "25", sound: true, lateSound: 0.5, flash: 20, out: x264}},
}

func TestNormaliseShowsTheRightPictures(t *testing.T) {
	t.Parallel()
	tl := tools(t)
	for _, c := range sourceCases {
		if c.alike && !testsize.Full() {
			continue
		}
		t.Run(c.clip.name, func(t *testing.T) {
			dir := t.TempDir()
			c.clip.id = 5
			path := c.clip.make(t, dir)
			f, err := tl.Probe(context.Background(), path, DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			if f.VFR != c.vfr {
				t.Errorf("VFR %t, want %t", f.VFR, c.vfr)
			}
			if f.HasAudio != c.clip.sound {
				t.Errorf("sound %t, want %t", f.HasAudio, c.clip.sound)
			}
			m, err := tl.Normalise(context.Background(), path, f, nil, small(), dir, DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			if !c.clip.sound {
				f.StartLag = 0 // nothing that the first picture could be late for
			}
			checkPictures(t, m, c.clip, f.StartLag, c.keep, c.letterW, c.letterH)
			checkSound(t, m, c.clip)
		})
	}
}

// checkPictures compares every frame with the picture that stands at its time.
func checkPictures(t *testing.T, m NormalisedVideo, c clipSpec, lag float64, keep func(int) bool, lw, lh int) {
	t.Helper()
	rate := fraction2(c.rate)
	if want := float64(c.frames) / rate * 25; math.Abs(float64(m.Frames)-want) > 1.01 {
		t.Errorf("%d frames, want about %.2f", m.Frames, want)
	}
	pictures := grays(t, m.Video, 320, 180)
	if int64(len(pictures)) != m.Frames {
		t.Fatalf("%d frames decode, want %d", len(pictures), m.Frames)
	}
	for k, g := range pictures {
		if lw > 0 {
			g = crop(g, lw, lh)
		}
		id, n, ok := g.read()
		// Containers with a clock of milliseconds move a picture that stands
		// between two frames to either.
		early, late := shownAt(k, lag-0.001, c, keep), shownAt(k, lag+0.001, c, keep)
		if !ok || id != c.id || (n != early && n != late) {
			t.Fatalf("frame %d shows picture %d of clip %d (%t), want %d or %d of %d", k, n, id, ok, early, late, c.id)
		}
	}
}

func crop(g gray, w, h int) gray {
	out := g.sub((g.w-w)/2, w)
	top := (g.h - h) / 2
	return gray{w: w, h: h, pix: out.pix[top*w : (top+h)*w]}
}

// shownAt is the last picture whose time, lag included and rounded to the
// frame grid, is not after frame k; the first one stands in for what is missing
// before it.
func shownAt(k int, lag float64, c clipSpec, keep func(int) bool) int {
	shown := 0
	for j := range c.frames {
		if keep != nil && !keep(j) {
			continue
		}
		if int(math.Floor((float64(j)/fraction2(c.rate)+lag)*25+0.5)) <= k {
			shown = j
		}
	}
	return shown
}

// checkSound demands the exact length, and the click at the flash.
func checkSound(t *testing.T, m NormalisedVideo, c clipSpec) {
	t.Helper()
	sound, err := readTrack(m.Audio)
	if err != nil {
		t.Fatal(err)
	}
	if want := packetsOf(m.Frames * small().frameSamples()); sound.packets() != want {
		t.Errorf("%d packets of sound, want %d", sound.packets(), want)
	}
	pcm := decoded(t, m.Audio)
	if !c.sound || c.flash < 0 {
		if len(peaks(pcm, 0)) > 0 {
			t.Error("sound where silence was expected")
		}
		return
	}
	got := peaks(pcm, 0)
	want := (float64(c.flash)/fraction2(c.rate) + c.lateSound) * 48000
	if len(got) != 1 || math.Abs(float64(got[0])-want) > 1920 {
		t.Errorf("click at samples %v, want %.0f", got, want)
	}
}

// The fact says clockwise, and what ffmpeg turns must come out upright.
func TestRotationIsUndone(t *testing.T) {
	t.Parallel()
	tl := tools(t)
	turns := []struct{ stored, tag string }{{"cclock", "270"}, {"cclock", "90"}, {"clock,transpose=clock", "180"}, {"clock", "270"}, {"clock", "90"}}
	for _, c := range turns[:testsize.Choose(3, len(turns))] {
		dir := t.TempDir()
		clip := clipSpec{id: 2, name: "turned.mp4", frames: 25, w: 320, h: 180, flash: -1, out: opts(x264, "-vf", "transpose="+c.stored)}
		turned := filepath.Join(dir, "tagged.mp4")
		ffmpeg(t, "-i", clip.make(t, dir), "-c", "copy", "-metadata:s:v:0", "rotate="+c.tag, turned)
		f, err := tl.Probe(context.Background(), turned, DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		m, err := tl.Normalise(context.Background(), turned, f, nil, small(), dir, DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if f.Width != 320 || f.Height != 180 {
			t.Errorf("%v: displayed %dx%d", c, f.Width, f.Height)
		}
		undone := map[string]int32{"cclock": 90, "clock": 270, "clock,transpose=clock": 180}[c.stored]
		id, n, ok := grays(t, m.Video, 320, 180)[7].read()
		if upright := ok && id == 2 && n == 7; upright != (f.Rotation == undone) {
			t.Errorf("%v: rotation %d, upright %t", c, f.Rotation, upright)
		}
	}
}

func TestForcedKeyframesNameTheNextRegularOne(t *testing.T) {
	p := small()
	p.KeyEvery, p.FPS = 100, 30
	for _, c := range []struct {
		keys []int64
		want string
	}{
		{nil, ""},
		{[]int64{0, 100, 200}, ""},
		{[]int64{37}, "1.233333,3.333333"},
		{[]int64{250, 110, 37, 110, 100}, "1.233333,3.333333,3.666667,6.666667,8.333333,10.000000"},
	} {
		extra, err := extraKeys(c.keys, p)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := forceKeys(extra, p)["force_key_frames"].(string)
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.keys, got, c.want)
		}
	}
	if _, err := extraKeys([]int64{5, -1}, p); err == nil {
		t.Error("a frame before the first was taken")
	}
	many := make([]int64, 2*MaxKeyframes)
	for i := range many {
		many[i] = int64(i)
	}
	if _, err := extraKeys(many, p); err == nil {
		t.Error("too many keyframes were taken")
	}
}

func TestIrregularKeyframesMustStand(t *testing.T) {
	p := small()
	p.KeyEvery = 10
	for name, c := range map[string]struct {
		found, extra []int64
		want         []int64
		bad          bool
	}{
		"regular":         {[]int64{0, 10, 20}, nil, nil, false},
		"extra":           {[]int64{0, 7, 10, 20}, []int64{7, 31}, []int64{7}, false},
		"more than asked": {[]int64{0, 10, 15, 20}, nil, []int64{15}, false},
		"regular missing": {[]int64{0, 10}, nil, nil, true},
		"extra missing":   {[]int64{0, 10, 20}, []int64{7}, nil, true},
	} {
		got, err := irregularKeys(c.found, c.extra, 25, p)
		if (err != nil) != c.bad || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
