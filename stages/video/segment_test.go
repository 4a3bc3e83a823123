package video

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/schemas"
)

// realClips are source records of real clips below the fixtures' videos folder.
func (b *bench) realClips(names ...string) []pipeline.Record {
	b.t.Helper()
	var out []pipeline.Record
	for _, n := range names {
		blob, err := b.store.PutFile(b.t.Context(), testfiles.Real(b.t, "videos/"+n), false)
		if err != nil {
			b.t.Fatal(err)
		}
		v := schemas.Video{Media: string(blob.Digest), Name: n, SourceID: "src", License: "CC-BY-4.0", Category: "tabletop"}
		r, err := pipeline.NewRecord(schemas.NameVideo, "v-"+strings.TrimSuffix(filepath.Base(n), ".mp4"), v, blob.Digest)
		if err != nil {
			b.t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func needsFFmpeg(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("decodes videos; run without -short")
	}
	if _, err := media.Locate(); err != nil {
		t.Skipf("needs ffmpeg: %v", err)
	}
}

// twoShots is a normalised video of 50 frames: a dark red second that stands
// still, then a bright one in which a blue square moves at the top left.
func (b *bench) twoShots() pipeline.Record {
	b.t.Helper()
	picture := func(n int64) (*image.RGBA, bool, error) {
		img := image.NewRGBA(image.Rect(0, 0, 320, 180))
		if n < 25 {
			draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{120, 0, 0, 255}), image.Point{}, draw.Src)
			return img, true, nil
		}
		draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
		at := image.Rect(int(2*n), 10, int(2*n)+40, 50).Sub(image.Pt(50, 0))
		draw.Draw(img, at, image.NewUniform(color.RGBA{0, 0, 250, 255}), image.Point{}, draw.Src)
		return img, n < 50, nil
	}
	blob := b.film(media.FrameSpec{Width: 320, Height: 180, FPS: 25}, picture)
	v := schemas.Video{Media: string(blob.Digest), SourceID: "drawn", License: "CC0-1.0", Category: "drawn"}
	r, err := pipeline.NewRecord(schemas.NameVideo, "v-two-shots", v, blob.Digest)
	if err != nil {
		b.t.Fatal(err)
	}
	probed, _ := b.run("video.probe", "", r)
	out, lost := b.run("video.normalise", `{"boundaries": {"uniform": [5], "every": [1]}, "profile": {"width": 320, "height": 180, "preset": "ultrafast"}}`, probed...)
	if len(out) != 1 {
		b.t.Fatal(lost)
	}
	return out[0]
}

func TestSegment(t *testing.T) {
	needsFFmpeg(t)
	b := newBench(t)
	video := b.twoShots()
	for patch, want := range map[string][]int64{
		`{"count": 5}`: {0, 10, 20, 30, 40}, `{"by": "seconds", "seconds": 1}`: {0, 25}, `{"by": "scenes", "min_seconds": 0.8, "max_seconds": 5}`: {0, 25},
	} {
		out, lost := b.run("video.segment", patch, video)
		v := oneVideo(t, out, lost)
		var got []int64
		for i, s := range v.Sections {
			got = append(got, s.From)
			if i > 0 && s.From != v.Sections[i-1].To || s.Looks == nil {
				t.Errorf("%s: sections %+v", patch, v.Sections)
			}
		}
		if !slices.Equal(got, want) || v.Sections[len(got)-1].To != v.Normalised.Frames {
			t.Errorf("%s cuts at %v, want %v", patch, got, want)
		}
	}
	out, lost := b.run("video.segment", `{"by": "seconds", "seconds": 1, "frames": 3, "side": 64}`, video)
	v := oneVideo(t, out, lost)
	first, second := v.Sections[0].Looks, v.Sections[1].Looks
	if first.Brightness > 0.3 || first.Motion > 0.005 || !slices.Equal(first.Colours, []string{"red"}) && !slices.Equal(first.Colours, []string{"brown"}) {
		t.Errorf("the dark red second looks like %+v", first)
	}
	if second.Brightness < 0.7 || second.Motion == 0 || !strings.HasPrefix(second.MotionAt, "top") || second.Colours[0] != "white" {
		t.Errorf("the bright second looks like %+v", second)
	}
	for _, s := range v.Sections {
		for _, d := range s.Frames {
			if !slices.Contains(out[0].Blobs, pipeline.Digest(d)) {
				t.Errorf("the record does not hold picture %s", d)
			}
			f, err := os.Open(b.store.path(pipeline.Digest(d)))
			if err != nil {
				t.Fatal(err)
			}
			c, err := jpeg.DecodeConfig(f)
			if f.Close(); err != nil || c.Width != 64 || c.Height != 36 {
				t.Errorf("picture of %d by %d: %v", c.Width, c.Height, err)
			}
		}
		if len(s.Frames) != 3 {
			t.Errorf("%d pictures", len(s.Frames))
		}
	}
	b.conformRendered("video.segment", SegmentConfig{By: byUniform, Count: 2, Seconds: 1, MinSeconds: 1, MaxSeconds: 2, Frames: 1, Side: 64}, video)
}

func TestSegmentRejects(t *testing.T) {
	b := newBench(t)
	bare, err := pipeline.NewRecord(schemas.NameVideo, "v-bare", schemas.Video{Media: "x"})
	if err != nil {
		t.Fatal(err)
	}
	for patch, want := range map[string]string{`{}`: "too-short", `{"by": "scenes"}`: "not-probed"} {
		_, lost := b.run("video.segment", strings.Replace(patch, "{}", `{"count": 1000}`, 1), bare, b.clip("short", ""))
		if got := codes(lost); got["not-normalised"] != 1 || got[want] != 1 {
			t.Errorf("%s: lost %+v", patch, lost)
		}
	}
	good := SegmentConfig{}
	good.SetDefaults()
	for name, spoil := range map[string]func(*SegmentConfig){
		"by": func(c *SegmentConfig) { c.By = "minutes" }, "count": func(c *SegmentConfig) { c.Count = 0 }, "seconds": func(c *SegmentConfig) { c.Seconds = 0 },
		"scenes": func(c *SegmentConfig) { c.MaxSeconds = c.MinSeconds }, "frames": func(c *SegmentConfig) { c.Frames = -1 }, "side": func(c *SegmentConfig) { c.Side = 1 },
	} {
		c := good
		spoil(&c)
		if _, err := newSegment(c); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestDescribeRealVideos looks at what the built-in model says of real clips:
// few words, and none that a look at the clips would contradict.
func TestDescribeRealVideos(t *testing.T) {
	needsFFmpeg(t)
	b := newBench(t)
	probed, _ := b.run("video.probe", "", b.realClips("sam2/02_cups.mp4", "intel/car-detection.mp4")...)
	normal, _ := b.run("video.normalise", `{"boundaries": {"uniform": [5]}, "profile": {"width": 320, "height": 180, "preset": "ultrafast"}}`, probed...)
	cut, _ := b.run("video.segment", `{"count": 5, "frames": 0}`, normal...)
	described, lost := b.run("video.describe", "", cut...)
	vs := testkit.DecodeAll[schemas.Video](t, schemas.NameVideo, described)
	if len(vs) != 2 {
		t.Fatal(lost)
	}
	// Hands move red cups on a white table, before an orange-brown shirt; cars
	// cross grey asphalt, most of the time there are none.
	for i, want := range []string{"mostly white", "mostly grey"} {
		for _, s := range vs[i].Sections {
			d := s.Description
			if !strings.HasPrefix(d.FineVisualAttribute, want) || d.ToolProp != "" || d.MainStoryline != "" || s.Looks.Cuts != 0 {
				t.Errorf("%s: %+v of %+v", vs[i].Name, d, s.Looks)
			}
			t.Logf("%s: %s; %s; %s", vs[i].Name, d.FineVisualAttribute, d.ShortTermActionState, d.SpatialRelationBinding)
		}
	}
	if cups, cars := vs[0].Sections[1].Looks, vs[1].Sections[3].Looks; cups.Motion < 5*cars.Motion || cups.MotionAt != "centre" {
		t.Errorf("hands that shuffle cups move as %+v, empty asphalt as %+v", cups, cars)
	}
}

// TestSegmentKeepsSomeSections spreads those kept over the whole video.
func TestSegmentKeepsSomeSections(t *testing.T) {
	var all []schemas.Section
	for i := range int64(10) {
		all = append(all, schemas.Section{From: 100 * i, To: 100 * (i + 1)})
	}
	for keep, want := range map[int]string{0: "[0 1 2 3 4 5 6 7 8 9]", 3: "[1 5 8]", 1: "[5]", 10: "[0 1 2 3 4 5 6 7 8 9]", 40: "[0 1 2 3 4 5 6 7 8 9]"} {
		var got []int64
		for _, sec := range (&segmentStage{cfg: SegmentConfig{Keep: keep}}).spreadSections(all) {
			got = append(got, sec.From/100)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%d of 10: %v, want %s", keep, got, want)
		}
	}
	in := pipeline.Volume{schemas.NameVideo: media.PlayingAmount(4, 100, 640, 360, 25)}
	near(t, "sections of 5 s, at most 7 a video", forecasts(t, in, newSegment, func(c *SegmentConfig) { c.By, c.Seconds, c.Keep = bySeconds, 5, 7 }).Out[volumeSection].Records, 28)
}

// TestPortraitsKeepTheirPixels takes pictures of the picture alone: the black
// beside a portrait would leave it a third of the side that a landscape has.
func TestPortraitsKeepTheirPixels(t *testing.T) {
	needsFFmpeg(t)
	b := newBench(t)
	picture := func(n int64) (*image.RGBA, bool, error) {
		img := image.NewRGBA(image.Rect(0, 0, 88, 160))
		draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{200, 60, 60, 255}), image.Point{}, draw.Src)
		draw.Draw(img, image.Rect(10, int(n), 78, int(n)+20), image.White, image.Point{}, draw.Src)
		return img, n < 50, nil
	}
	blob := b.film(media.FrameSpec{Width: 88, Height: 160, FPS: 25}, picture)
	r, err := pipeline.NewRecord(schemas.NameVideo, "v-portrait", schemas.Video{Media: string(blob.Digest), SourceID: "drawn", License: "CC0-1.0", Category: "drawn"}, blob.Digest)
	if err != nil {
		t.Fatal(err)
	}
	probed, _ := b.run("video.probe", "", r)
	normal, lost := b.run("video.normalise", `{"boundaries": {"uniform": [2]}, "profile": {"width": 320, "height": 180, "preset": "ultrafast"}}`, probed...)
	if len(normal) != 1 {
		t.Fatal(lost)
	}
	out, lost := b.run("video.segment", `{"count": 2, "frames": 3, "side": 160}`, normal...)
	v := oneVideo(t, out, lost)
	for i, s := range v.Sections {
		if want := []float64{float64(i) + 0.16, float64(i) + 0.48, float64(i) + 0.8}; len(s.Frames) != 3 || !slices.Equal(s.At, want) {
			t.Errorf("section %d has pictures at %v", i+1, s.At)
		}
		f, err := b.store.OpenBlob(t.Context(), pipeline.Digest(s.Frames[0]))
		if err != nil {
			t.Fatal(err)
		}
		img, err := jpeg.Decode(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if got := img.Bounds(); got.Dy() != 160 || got.Dx() < 86 || got.Dx() > 88 {
			t.Errorf("a portrait of 88x160 is pictured as %v", got)
		}
		for _, x := range []int{2, img.Bounds().Dx() - 3} {
			if r, _, _, _ := img.At(x, 150).RGBA(); r < 0x8000 {
				t.Errorf("column %d is black", x)
			}
		}
	}
}
