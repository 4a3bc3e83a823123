package video

import (
	"image"
	"image/color"
	"image/draw"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/segments"
)

func TestBoundaryFrames(t *testing.T) {
	f := schemas.VideoFacts{Duration: 4, StartLag: 0.04, HasAudio: true, Cuts: []float64{0.5, 0.9, 1.52, 3.9}}
	for name, c := range map[string]struct {
		b    Boundaries
		want []int64
	}{
		"none":            {Boundaries{}, nil},
		"uniform":         {Boundaries{Uniform: []int{4, 2}}, []int64{0, 25, 50, 75, 0, 50}},
		"more than fit":   {Boundaries{Uniform: []int{500}}, nil},
		"every":           {Boundaries{Every: []float64{1.5}}, []int64{38, 76}},
		"scenes":          {Boundaries{Scenes: true}, []int64{14, 39, 99}},
		"all three":       {Boundaries{Uniform: []int{2}, Every: []float64{3}, Scenes: true}, []int64{0, 50, 75, 14, 39, 99}},
		"every, too long": {Boundaries{Every: []float64{60}}, nil},
	} {
		// 4.04 s are 101 frames.
		if got := c.b.keyframes(f, 25); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestNormaliseRefusesBoundaries(t *testing.T) {
	for _, b := range []Boundaries{{Uniform: []int{1}}, {Uniform: []int{0}}, {Uniform: []int{2000}}, {Every: []float64{0}}, {Every: []float64{-4}}, {Every: []float64{1e9}}} {
		var c NormaliseConfig
		c.SetDefaults()
		c.Boundaries = b
		if _, err := newNormalise(c); err == nil {
			t.Errorf("%+v was taken", b)
		}
	}
}

// twoScenes draws 95 frames that change from blue to yellow at frame 40.
func (b *bench) twoScenes() pipeline.Record {
	b.t.Helper()
	picture := func(n int64) (*image.RGBA, bool, error) {
		img := image.NewRGBA(image.Rect(0, 0, 64, 48))
		c := color.RGBA{20, 40, 160, 255}
		if n >= 40 {
			c = color.RGBA{230, 220, 60, 255}
		}
		draw.Draw(img, img.Bounds(), image.NewUniform(c), image.Point{}, draw.Src)
		return img, n < 95, nil
	}
	blob := b.film(media.FrameSpec{Width: 64, Height: 48, FPS: 25}, picture)
	r, err := pipeline.NewRecord(schemas.NameVideo, "v-scenes", schemas.Video{Media: string(blob.Digest), SourceID: "drawn"}, blob.Digest)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// A normalised video can be cut as its configuration says, and where its scene
// changes.
func TestNormalisedVideosCanBeCut(t *testing.T) {
	if _, err := media.Locate(); err != nil {
		t.Skipf("needs ffmpeg: %v", err)
	}
	b := newBench(t)
	probed, _ := b.run("video.probe", "", b.twoScenes())
	v := testkit.DecodeAll[schemas.Video](t, schemas.NameVideo, probed)[0]
	if !slices.Equal(v.Facts.Cuts, []float64{1.6}) {
		t.Fatalf("cuts at %v, want 1.6", v.Facts.Cuts)
	}
	out, lost := b.run("video.normalise", `{"profile": {"width": 64, "height": 48}, "boundaries": {"uniform": [10], "every": [1.2]}}`, probed...)
	if len(out) != 1 {
		t.Fatalf("lost %v", lost)
	}
	m := *testkit.DecodeAll[schemas.Video](t, schemas.NameVideo, out)[0].Normalised
	ten, err := segments.CutUniformly(m, 10)
	if want := segments.EvenStarts(95, 10); err != nil || !slices.Equal(ten, want) {
		t.Errorf("ten segments begin at %v (%v), want %v", ten, err, want)
	}
	clips, err := segments.CutAtInterval(m, 1.2)
	if err != nil || !slices.Equal(clips, []int64{0, 30, 60}) {
		t.Errorf("clips begin at %v (%v)", clips, err)
	}
	scenes, err := segments.CutAtScenes(m, *v.Facts, 1, 20)
	if err != nil || !slices.Equal(scenes, []int64{0, 40}) {
		t.Errorf("scenes begin at %v (%v)", scenes, err)
	}
	bare, _ := b.run("video.normalise", `{"profile": {"width": 64, "height": 48}, "boundaries": {"uniform": [], "scenes": false}}`, probed...)
	if m := testkit.DecodeAll[schemas.Video](t, schemas.NameVideo, bare)[0].Normalised; len(m.Keyframes) != 0 || m.KeyEvery != 100 {
		t.Errorf("without boundaries keyframes stand at %v and each %d", m.Keyframes, m.KeyEvery)
	}
}

// TestDrawnFilmsAreNotEncodedAgain passes what is in the format already, and
// encodes what is not: another size, other bounds, or not drawn here.
func TestDrawnFilmsAreNotEncodedAgain(t *testing.T) {
	drawn := schemas.Video{Script: "script", Normalised: &schemas.NormalisedVideo{
		Video: "v", Width: 640, Height: 360, FPS: 25, Frames: 300, KeyEvery: 100, Keyframes: []int64{30, 60, 90, 120, 150, 180, 210, 240, 270},
	}}
	for name, tc := range map[string]struct {
		change func(*schemas.Video, *NormaliseConfig)
		want   bool
	}{
		"a film":         {func(*schemas.Video, *NormaliseConfig) {}, true},
		"no boundaries":  {func(v *schemas.Video, c *NormaliseConfig) { c.Boundaries.Uniform, v.Normalised.Keyframes = nil, nil }, true},
		"other bounds":   {func(_ *schemas.Video, c *NormaliseConfig) { c.Boundaries.Uniform = []int{7} }, false},
		"other size":     {func(_ *schemas.Video, c *NormaliseConfig) { c.Profile.Width = 320 }, false},
		"other quality":  {func(_ *schemas.Video, c *NormaliseConfig) { c.Profile.CRF = 30 }, false},
		"other keys":     {func(v *schemas.Video, _ *NormaliseConfig) { v.Normalised.KeyEvery = 50 }, true},
		"not drawn":      {func(v *schemas.Video, _ *NormaliseConfig) { v.Script = "" }, false},
		"not normalised": {func(v *schemas.Video, _ *NormaliseConfig) { v.Normalised = nil }, false},
	} {
		var c NormaliseConfig
		c.SetDefaults()
		v, m := drawn, *drawn.Normalised
		v.Normalised = &m
		tc.change(&v, &c)
		if got := (&normaliseStage{cfg: c}).hasFormat(v); got != tc.want {
			t.Errorf("%s: ready %v, want %v", name, got, tc.want)
		}
	}
}
