package video

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"os"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/reels"
)

func registerAll(r *pipeline.Registry) {
	Register(r)
	model.AddEmbedder(r)
	r.AddTool(ffmpeg, encoder)
}

// conform runs the conformance suite on records of a bench; golden pins what the
// stage gives.
func (b *bench) conform(use string, cfg any, golden string, in ...pipeline.Record) {
	b.t.Helper()
	b.suite(testkit.Subject{Use: use, Config: cfg, Inputs: in, Golden: golden})
}

// conformRendered does so for a stage whose output nothing can pin.
func (b *bench) conformRendered(use string, cfg any, in ...pipeline.Record) {
	b.t.Helper()
	b.suite(testkit.Subject{Use: use, Config: cfg, Inputs: in, Unpinned: "the version of ffmpeg shapes the videos", Faults: testsize.Choose[int64](2, 4)})
}

// suite runs the conformance suite with the blobs of the bench.
func (b *bench) suite(s testkit.Subject) {
	b.t.Helper()
	s.Register = registerAll
	s.Types = map[string]func(pipeline.Record) error{
		schemas.NameVideo: testkit.DecodesTo[schemas.Video], schemas.NamePair: testkit.DecodesTo[schemas.Pair],
		schemas.NameComposition: testkit.DecodesTo[schemas.Composition], schemas.NameTrial: testkit.DecodesTo[schemas.Trial],
		reels.Schema: testkit.DecodesTo[reels.Plan],
	}
	entries, err := os.ReadDir(b.store.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range entries {
		bytes, err := os.ReadFile(b.store.path(pipeline.Digest(e.Name())))
		if err != nil {
			b.t.Fatal(err)
		}
		s.Blobs = append(s.Blobs, bytes)
	}
	b.t.Run(s.Use, func(t *testing.T) { testkit.ConformStage(t, s) })
}

// TestConformancePlanning pins the output of the stages that no tool shapes.
func TestConformancePlanning(t *testing.T) {
	b := newBench(t)
	var clips []pipeline.Record
	for i := range 10 {
		clips = append(clips, b.clip(fmt.Sprint(i), fmt.Sprint("sign", i%5)))
	}
	b.conform("video.reel-plan", nil, goldens["video.reel-plan"], clips...)
	b.conform("video.pair", pairWith(func(c *PairConfig) { c.Within, c.MinSimilarity = []string{"category"}, 0 }), goldens["video.pair"], clips...)
	b.conform("video.pair", pairWith(func(c *PairConfig) { c.Within, c.By, c.MinSimilarity = []string{"category"}, byEmbeddings, 0 }), goldens["video.pair by embeddings"], clips...)
	b.conform("video.clip", nil, goldens["video.clip"], b.long(labelled(0, 100, "cut", "hall"), labelled(100, 175, "stir", "hall")))
	b.conform("video.nback-plan", nbackWith(func(c *NBackPlanConfig) { c.AllowRepeat = true }), goldens["video.nback-plan"], clips...)
	cs := b.compositions(b.films()[0])
	b.conform("video.ask", nil, goldens["video.ask"], cs...)
}

// goldens are the plugins' versions and the digests of what they give.
var goldens = map[string]string{
	"video.reel-plan":          "1 a6b1ea15717072ffec224d209f449eda0a71f83c4ef8327973ba82a61698f998",
	"video.pair":               "2 4d0f2a34e441688c03e0814279b72bb0f7e6e003867e72fff9a4d6ae8122535e",
	"video.pair by embeddings": "2 24d4d33d10398572457bf94266c11b333b4772e7e36c35e70a2ca89a80b0a64d",
	"video.clip":               "2 8e64065c3ea4d2ed0e171e654155f00737f99a77535110f201c53deaee1e0e19",
	"video.nback-plan":         "1 2fd9696b252635b487404acd5480522adcee537ba898c5f0a52c04d95d36affc",
	"video.ask":                "9 8fb04f398fa7bc825b701a4762b63ccf2f2b82a18c6e1071f70e26884d0a0241",
}

// drawn makes a source video of a plain moving picture.
func (b *bench) drawn(label string, shade uint8) pipeline.Record {
	b.t.Helper()
	picture := func(n int64) (*image.RGBA, bool, error) {
		img := image.NewRGBA(image.Rect(0, 0, 64, 48))
		draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{shade, uint8(8 * n), 90, 255}), image.Point{}, draw.Src)
		return img, n < 12, nil
	}
	blob := b.film(media.FrameSpec{Width: 64, Height: 48, FPS: 25}, picture)
	v := schemas.Video{Media: string(blob.Digest), SourceID: "drawn", License: "CC0-1.0", Labels: map[string]string{"action": label}}
	r, err := pipeline.NewRecord(schemas.NameVideo, "v-"+label, v, blob.Digest)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// TestConformanceRendering runs the suite on the stages that run ffmpeg.
func TestConformanceRendering(t *testing.T) {
	if testing.Short() {
		t.Skip("encodes videos; run without -short")
	}
	if _, err := media.Locate(); err != nil {
		t.Skipf("needs ffmpeg: %v", err)
	}
	b := newBench(t)
	var drawn []pipeline.Record
	for i, label := range []string{"one", "two", "three", "four"} {
		drawn = append(drawn, b.drawn(label, uint8(40*i)))
	}
	profile := NormaliseConfig{Profile: media.Profile{Width: 64, Height: 48, FPS: 25, Preset: "ultrafast", CRF: 30, Threads: 1, KeyEvery: 100}}
	probed, _ := b.run("video.probe", `{"min_frames": 1}`, drawn...)
	clips, lost := b.run("video.normalise", `{"profile": {"width": 64, "height": 48, "preset": "ultrafast", "crf": 30, "threads": 1}}`, probed...)
	plans, _ := b.run("video.reel-plan", `{"clips_per_reel": 2}`, clips...)
	pairs, _ := b.run("video.pair", `{"min_similarity": 0}`, clips...)
	trials, _ := b.run("video.nback-plan", `{"allow_repeat": true, "n": [1], "k": [2], "clips_per_sequence": 2}`, clips...)
	if len(plans) == 0 || len(pairs) == 0 || len(trials) == 0 {
		t.Fatalf("%d plans, %d pairs, %d trials, lost %v", len(plans), len(pairs), len(trials), lost)
	}
	b.conformRendered("video.probe", ProbeConfig{MaxPixels: 1e6, MaxSeconds: 60, MinFrames: 1}, drawn[0])
	b.conformRendered("video.normalise", profile, probed[0])
	b.conformRendered("video.reel", nil, plans[0])
	b.conformRendered("video.concat", nil, pairs[0])
	b.conformRendered("video.separability", nil, pairs[0])
	b.conformRendered("video.interleave", InterleaveConfig{Segments: 2, Orders: []string{orderAB}}, pairs[0])
	b.conformRendered("video.split", SplitConfig{Swaps: 2, Preset: "ultrafast", CRF: 30, Threads: 1}, pairs[0])
	b.conformRendered("video.nback", nil, slices.Clone(trials[:1])...)
}
