package media

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// mixed is a source of an unlike shape; w x h of 320x180 is where its picture
// must stand.
type mixed struct {
	clip  clipSpec
	turn  string // rotation tag
	w, h  int
	audio bool
}

// mixedSources differ in rate, shape, depth, channels, length and container.
var mixedSources = map[string]mixed{
	"4:3 mono":      {clipSpec{id: 1, name: "a.mp4", frames: 70, w: 320, h: 240, rate: "25", sound: true, flash: -1, out: x264}, "", 240, 180, true},
	"29.97 5.1":     {clipSpec{id: 2, name: "b.mkv", frames: 96, w: 640, h: 360, rate: "30000/1001", sound: true, flash: -1, channels: "5.1", out: opts(x264, "-c:a", "ac3")}, "", 320, 180, true},
	"turned phone":  {clipSpec{id: 3, name: "c.mp4", frames: 84, w: 180, h: 320, rate: "30", flash: -1, out: opts(x264, "-vf", "transpose=cclock")}, "270", 101, 180, false},
	"uneven, wide":  {clipSpec{id: 4, name: "d.mkv", frames: 90, w: 640, h: 160, rate: "30", flash: -1, out: opts(x264, "-vf", "select=not(eq(mod(n\\,7)\\,3))", "-fps_mode", "passthrough")}, "", 320, 80, false},
	"10 bit, odd":   {clipSpec{id: 5, name: "e.mp4", frames: 75, w: 321, h: 241, rate: "24", flash: -1, out: []string{"-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", "-pix_fmt", "yuv444p10le"}}, "", 240, 180, false},
	"broad pixels":  {clipSpec{id: 6, name: "f.mp4", frames: 80, w: 160, h: 180, rate: "25", sound: true, flash: -1, out: opts(x264, "-vf", "setsar=2")}, "", 320, 180, true},
	"late, in a ts": {clipSpec{id: 7, name: "g.ts", frames: 66, w: 240, h: 240, rate: "50", sound: true, flash: -1, out: x264}, "", 180, 180, true},
}

// mixedMezzanines normalises them all, with boundaries for three parts.
func mixedMezzanines(t *testing.T, tl *Tools, dir string) map[string]NormalisedVideo {
	t.Helper()
	all := map[string]NormalisedVideo{}
	for name, c := range mixedSources {
		if !slices.ContainsFunc(mixedPairs(), func(pair [2]string) bool { return pair[0] == name || pair[1] == name }) {
			continue
		}
		path := c.clip.make(t, dir)
		if c.turn != "" {
			turned := filepath.Join(dir, "turned-"+c.clip.name)
			ffmpeg(t, "-i", path, "-c", "copy", "-metadata:s:v:0", "rotate="+c.turn, turned)
			path = turned
		}
		f, err := tl.Probe(context.Background(), path, DefaultLimits())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n := FramesOf(f, 25)
		m, err := tl.Normalise(context.Background(), path, f, []int64{n / 3, 2 * n / 3}, small(), dir, DefaultLimits())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if m.HasAudio != c.audio {
			t.Errorf("%s: sound %t", name, m.HasAudio)
		}
		all[name] = m
	}
	return all
}

// shownIn reads id and number off a picture that stands in the middle of a
// frame with black around it.
func shownIn(t *testing.T, g gray, w, h int) (id, n int) {
	t.Helper()
	x, y := (g.w-w)/2, (g.h-h)/2
	for _, at := range [][2]int{{x/2 - 1, g.h / 2}, {g.w - x/2, g.h / 2}, {g.w / 2, y/2 - 1}, {g.w / 2, g.h - y/2}} {
		bar := at[0] >= 0 && at[1] >= 0 && at[0] < g.w && at[1] < g.h && (at[0] < x-2 || at[0] > x+w+2 || at[1] < y-2 || at[1] > y+h+2)
		if bar && g.pix[at[1]*g.w+at[0]] > 24 {
			t.Errorf("pixel %v is %d, want a black bar around %dx%d", at, g.pix[at[1]*g.w+at[0]], w, h)
		}
	}
	id, n, ok := crop(g, w, h).read()
	if !ok {
		t.Errorf("no picture of %dx%d stands in the middle", w, h)
	}
	return id, n
}

// numbersOf are the pictures that the frames of a normalised video show.
func numbersOf(t *testing.T, m NormalisedVideo, c mixed) []int {
	t.Helper()
	var list []int
	for k, g := range grays(t, m.Video, 320, 180) {
		id, n := shownIn(t, g, c.w, c.h)
		if id != c.clip.id {
			t.Fatalf("frame %d shows clip %d, want %d", k, id, c.clip.id)
		}
		list = append(list, n)
	}
	return list
}

// mixedPairs are the sources that are composed with each other.
func mixedPairs() [][2]string {
	pairs := [][2]string{{"4:3 mono", "29.97 5.1"}, {"10 bit, odd", "broad pixels"}, {"turned phone", "uneven, wide"}, {"late, in a ts", "turned phone"}}
	return pairs[:testsize.Choose(2, len(pairs))]
}

func TestMixedSourcesCompose(t *testing.T) {
	t.Parallel()
	tl := tools(t)
	dir, p := t.TempDir(), small()
	all := mixedMezzanines(t, tl, dir)
	numbers := map[string][]int{}
	for name, m := range all {
		numbers[name] = numbersOf(t, m, mixedSources[name])
	}
	for _, pair := range mixedPairs() {
		t.Run(pair[0]+" and "+pair[1], func(t *testing.T) {
			checkMixedJoin(t, tl, p, dir, pair, all, numbers)
			checkMixedSplit(t, tl, p, dir, pair, all, numbers)
		})
	}
}

func checkMixedJoin(t *testing.T, tl *Tools, p Profile, dir string, pair [2]string, all map[string]NormalisedVideo, numbers map[string][]int) {
	t.Helper()
	var order []string
	var clips []Clip
	add := func(name string, from, to int64) {
		c := clipOf(all[name])
		c.From, c.To = from, to
		order, clips = append(order, name), append(clips, c)
	}
	for _, name := range pair {
		add(name, 0, all[name].Frames)
	}
	for part := range 3 {
		for _, name := range pair {
			m := all[name]
			starts := append(append([]int64{0}, m.Keyframes...), m.Frames)
			add(name, starts[part], starts[part+1])
		}
	}
	out, err := tl.Join(context.Background(), clips, p, dir, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	pictures := grays(t, out.Path, 320, 180)
	at := 0
	for i, c := range clips {
		s := mixedSources[order[i]]
		for k := c.From; k < c.To; k++ {
			if id, n := shownIn(t, pictures[at], s.w, s.h); id != s.clip.id || n != numbers[order[i]][k] {
				t.Fatalf("frame %d shows %d of %d, want %d of %d", at, n, id, numbers[order[i]][k], s.clip.id)
			}
			at++
		}
	}
	if at != len(pictures) {
		t.Errorf("%d frames, want %d", len(pictures), at)
	}
	if want := all[pair[0]].HasAudio || all[pair[1]].HasAudio; out.HasAudio != want {
		t.Errorf("sound %t, want %t", out.HasAudio, want)
	}
}

func checkMixedSplit(t *testing.T, tl *Tools, p Profile, dir string, pair [2]string, all map[string]NormalisedVideo, numbers map[string][]int) {
	t.Helper()
	out, err := tl.SplitScreen(context.Background(), all[pair[0]], all[pair[1]], 3, p, dir, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	r := schemas.Recipe{SwapFrames: out.SwapFrames}
	for i, region := range []string{"left", "right"} {
		r.Segments = append(r.Segments, schemas.Segment{Source: pair[i], Region: region, To: out.Swapped.Frames})
	}
	rep, err := tl.Verify(context.Background(), out.Swapped.Path, r, func(name string) (NormalisedVideo, error) { return all[name], nil }, p)
	if err != nil || len(rep.Problems) > 0 {
		t.Errorf("verify: %v, %v", rep.Problems, err)
	}
	c, _ := parseRecipe(r)
	for n, g := range grays(t, out.Swapped.Path, 320, 90) {
		left, right := pair[0], pair[1]
		if c.swapped(int64(n)) {
			left, right = right, left
		}
		for side, name := range []string{left, right} {
			s := mixedSources[name]
			if id, shown := shownIn(t, g.sub(160*side, 160), s.w/2, s.h/2); id != s.clip.id || shown != numbers[name][n] {
				t.Fatalf("frame %d, half %d shows %d of %d, want %d of %d", n, side, shown, id, numbers[name][n], s.clip.id)
			}
		}
	}
}
