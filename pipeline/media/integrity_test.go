package media

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// sounding is a normalised video whose whole length has a sound that never repeats.
func sounding(t testing.TB, tl *Tools, id, frames int, p Profile, dir string) NormalisedVideo {
	t.Helper()
	c := clipSpec{id: id, name: string(rune('k'+id)) + ".mp4", frames: frames, w: 320, h: 180, flash: -1, out: x264}
	mute := c.make(t, dir)
	path := filepath.Join(dir, "loud-"+c.name)
	noise := "aevalsrc=0.4*sin(2*PI*t*(200+" + string(rune('0'+id%10)) + "0+150*t))+0.2*(random(0)-0.5)*gt(sin(9*t)\\,0):s=48000:c=stereo"
	ffmpeg(t, "-i", mute, "-f", "lavfi", "-i", noise, "-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "aac", "-b:a", "192k", "-shortest", path)
	one, two := cutsOf(p)
	return probed(t, tl, path, p, dir, one, two)
}

// studio is what the tests of Verify compose from.
type studio struct {
	t       *testing.T
	tl      *Tools
	dir     string
	p       Profile
	sources map[string]NormalisedVideo
}

func newStudio(t *testing.T) studio {
	tl, dir, p := tools(t), t.TempDir(), small()
	made := fixtures.normalised(t, "studio", dir, func(dir string) []NormalisedVideo {
		mute := clipSpec{id: 7, name: "mute.mp4", frames: 90, w: 320, h: 180, flash: -1, out: x264}
		return []NormalisedVideo{sounding(t, tl, 3, 3*25+7, p, dir), sounding(t, tl, 9, 4*25+1, p, dir), probed(t, tl, mute.make(t, dir), p, dir, 28)}
	})
	return studio{t, tl, dir, p, map[string]NormalisedVideo{"a": made[0], "b": made[1], "m": made[2]}}
}

func (s studio) find(media string) (NormalisedVideo, error) {
	m, ok := s.sources[media]
	if !ok {
		return NormalisedVideo{}, os.ErrNotExist
	}
	return m, nil
}

// join renders a recipe of whole pictures.
func (s studio) join(r schemas.Recipe) string {
	s.t.Helper()
	var clips []Clip
	for _, g := range r.Segments {
		m := s.sources[g.Source]
		c := Clip{m.Video, m.Audio, g.From, g.To}
		if !m.HasAudio {
			c.Audio = ""
		}
		clips = append(clips, c)
	}
	out, err := s.tl.Join(context.Background(), clips, s.p, s.dir, DefaultLimits())
	if err != nil {
		s.t.Fatal(err)
	}
	return out.Path
}

// sequenceOf is the recipe of segments one after the other.
func sequenceOf(segments ...schemas.Segment) schemas.Recipe {
	r := schemas.Recipe{Layout: schemas.LayoutConcat}
	at := int64(0)
	for _, s := range segments {
		s.Region, s.At = "full", at
		at += s.To - s.From
		r.Segments = append(r.Segments, s)
	}
	return r
}

func (s studio) verify(video string, r schemas.Recipe) Report {
	s.t.Helper()
	rep, err := s.tl.Verify(context.Background(), video, r, s.find, s.p)
	if err != nil {
		s.t.Fatal(err)
	}
	return rep
}

func (s studio) demand(name, video string, r schemas.Recipe, want string) (rep Report) {
	s.t.Helper()
	s.t.Run(name, func(t *testing.T) {
		s.t = t
		rep = s.verify(video, r)
		if want == "" && len(rep.Problems) > 0 || want != "" && !strings.Contains(strings.Join(rep.Problems, "; "), want) {
			t.Errorf("problems %q, want %q (checked %q)", rep.Problems, want, rep.Checked)
		}
		if want == "" {
			t.Logf("checked %q", rep.Checked)
		}
	})
	return rep
}

func TestVerifyOfJoinedVideos(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	f, g := cutsOf(s.p)
	whole := func(name string) schemas.Segment { return schemas.Segment{Source: name, To: s.sources[name].Frames} }
	ab := sequenceOf(whole("a"), whole("b"))
	abPath := s.join(ab)
	woven := sequenceOf(schemas.Segment{Source: "a", To: f}, schemas.Segment{Source: "b", To: f}, schemas.Segment{Source: "a", From: f, To: g},
		schemas.Segment{Source: "b", From: f, To: g}, schemas.Segment{Source: "m", From: 28, To: 80}, schemas.Segment{Source: "b", From: g, To: 101})
	for name, r := range map[string]schemas.Recipe{"AAB": sequenceOf(whole("a"), whole("a"), whole("b")), "mute": sequenceOf(whole("m"), whole("m"))} {
		if testsize.Full() {
			s.demand(name, s.join(r), r, "")
		}
	}
	s.demand("interleaved with silence", s.join(woven), woven, "")
	// Beside where clips begin, the last frame is jumped to.
	if rep := s.demand("AB", abPath, ab, ""); !slices.Contains(rep.Checked, fmt.Sprintf("jumps to the frames [0 %d %d] show the right pictures", s.sources["a"].Frames, rep.Frames-1)) {
		t.Errorf("of %d frames, the last one is not jumped to: %q", rep.Frames, rep.Checked)
	}
	ba := sequenceOf(whole("b"), whole("a"))
	s.demand("the other order", abPath, ba, "is not the frame of the normalised video")
	short := sequenceOf(whole("a"), schemas.Segment{Source: "b", To: 100})
	s.demand("a frame less", abPath, short, "183 frames, want 182")
	entered := sequenceOf(schemas.Segment{Source: "a", From: 1, To: 82})
	s.demand("no keyframe", abPath, entered, "no keyframe")
	gap := ab
	gap.Segments = slices.Clone(ab.Segments)
	gap.Segments[1].At++
	s.demand("a gap", abPath, gap, "recipe: segment 1")
	s.demand("no segments", abPath, schemas.Recipe{}, "no layout is like that")
	s.demand("swaps in whole pictures", abPath, schemas.Recipe{SwapFrames: []int64{3}, Segments: ab.Segments}, "no layout is like that")
	text := filepath.Join(s.dir, "text.mp4")
	if err := os.WriteFile(text, []byte("no video"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.demand("a text", text, ab, "picture: undecodable")
	if _, err := s.tl.Verify(context.Background(), filepath.Join(s.dir, "gone.mp4"), ab, s.find, s.p); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing video: %v", err)
	}
}

// Each damage is done to a clean video of A and B and must be found.
func TestVerifyFindsDamage(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	a, b := s.sources["a"], s.sources["b"]
	r := sequenceOf(schemas.Segment{Source: "a", To: a.Frames}, schemas.Segment{Source: "b", To: b.Frames})
	path := s.join(r)
	sound := func(name, filter string) string {
		out := filepath.Join(s.dir, name)
		ffmpeg(t, "-i", path, "-map", "0:v", "-map", "0:a", "-c:v", "copy", "-af", filter, "-c:a", "aac", "-b:a", "128k", "-video_track_timescale", "25000", out)
		return out
	}
	seconds := "7.32"
	s.demand("60 ms late", sound("late.mp4", "adelay=60:all=1,atrim=end="+seconds), r, "60.0 ms off")
	if testsize.Full() {
		s.demand("60 ms early", sound("early.mp4", "atrim=start=0.06,asetpts=PTS-STARTPTS,apad=whole_dur="+seconds), r, "-60.0 ms off")
		s.demand("sound encoded again", sound("again.mp4", "anull"), r, "")
	}
	s.demand("30 ms late", sound("abit.mp4", "adelay=30:all=1,atrim=end="+seconds), r, "")
	s.demand("late from the join on", sound("drift.mp4", "asplit[x][y];[x]atrim=end=3.28[p];[y]atrim=start=3.28,asetpts=PTS-STARTPTS,adelay=80:all=1,atrim=end=4.04,asetpts=PTS-STARTPTS[q];[p][q]concat=n=2:v=0:a=1"), r, "begin of segment 1 on channel 0 is 85.4 ms off")
	s.demand("another sound", sound("other.mp4", "areverse"), r, "not that of the source")
	s.demand("short sound", sound("short.mp4", "atrim=end=6"), r, "samples")
	s.demand("no sound", s.remux("mute.mp4", path, "-an"), r, "a picture or sound track is missing")
	s.demand("encoded again", s.remux("recoded.mp4", path, "-c:v", "libx264", "-bf", "0", "-c:a", "copy"), r, "picture")
	cutOff := filepath.Join(s.dir, "cut.mp4")
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cutOff, all[:len(all)*2/3], 0o644); err != nil {
		t.Fatal(err)
	}
	s.demand("cut off", cutOff, r, "picture")
	flipped := slices.Clone(all)
	for i := len(all) / 20; i < len(all); i += len(all) / 20 {
		flipped[i] ^= 0x55
	}
	if err := os.WriteFile(cutOff, flipped, 0o644); err != nil {
		t.Fatal(err)
	}
	s.demand("bits flipped", cutOff, r, "picture")
	quietR := sequenceOf(schemas.Segment{Source: "m", To: 80}, schemas.Segment{Source: "a", To: a.Frames})
	loud := s.sources["m"]
	loud.Audio, loud.HasAudio = a.Audio, true
	forged := studio{t, s.tl, s.dir, s.p, map[string]NormalisedVideo{"m": loud, "a": a}}.join(quietR)
	s.demand("sound where silence should be", forged, quietR, "where the source is silent")
}

func (s studio) remux(name, path string, args ...string) string {
	out := filepath.Join(s.dir, name)
	ffmpeg(s.t, append(append([]string{"-i", path, "-c", "copy", "-video_track_timescale", "25000"}, args...), out)...)
	return out
}

func TestVerifyOfSplitScreens(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	a, b := s.sources["a"], s.sources["b"]
	out, err := s.tl.SplitScreen(context.Background(), a, b, 4, s.p, s.dir, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	r := func(left, right string, swaps ...int64) schemas.Recipe {
		return schemas.Recipe{Layout: schemas.LayoutSplit, SwapFrames: swaps, Segments: []schemas.Segment{
			{Source: left, Region: "left", To: a.Frames}, {Source: right, Region: "right", To: a.Frames}}}
	}
	swaps := out.SwapFrames
	if rep := s.demand("plain", out.Plain.Path, r("a", "b"), ""); !slices.Contains(rep.Checked, fmt.Sprintf("jumps to the frames [0 %d] show what playing shows", rep.Frames-1)) {
		t.Errorf("of %d frames, the last one is not jumped to: %q", rep.Frames, rep.Checked)
	}
	s.demand("swapped", out.Swapped.Path, r("a", "b", swaps...), "")
	s.demand("sides", out.Plain.Path, r("b", "a"), "frame 0 shows the other source")
	for i, off := range []int64{-1, 1, -1, 1}[:testsize.Choose(2, 4)] {
		moved := slices.Clone(swaps)
		moved[i] += off
		s.demand("swap moved", out.Swapped.Path, r("a", "b", moved...), "shows the other source")
	}
	s.demand("swap forgotten", out.Swapped.Path, r("a", "b", swaps[:3]...), "shows the other source")
	if testsize.Full() {
		s.demand("swaps in the plain one", out.Plain.Path, r("a", "b", swaps...), "shows the other source")
	}
	s.demand("a third source", out.Plain.Path, r("a", "m"), "picture: frame 0")
	long := r("a", "b")
	long.Segments[0].To, long.Segments[1].To = 90, 90
	s.demand("longer", out.Plain.Path, long, "82 frames, want 90")
	uneven := r("a", "b")
	uneven.Segments[1].To = 80
	s.demand("halves of two lengths", out.Plain.Path, uneven, "the left half has 82")
	if _, err := s.tl.Verify(context.Background(), out.Plain.Path, r("a", "gone"), s.find, s.p); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing normalised video: %v", err)
	}
	exchanged := filepath.Join(s.dir, "exchanged.mp4")
	ffmpeg(t, "-i", out.Plain.Path, "-c:v", "copy", "-af", "channelmap=1|0", "-c:a", "aac", "-video_track_timescale", "25000", exchanged)
	s.demand("channels exchanged", exchanged, r("a", "b"), "not that of the source")
}
