package videogates

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// ffmpeg tells its version for every look.
var ffmpeg = testkit.CacheVersion(media.Lazy().Version)

// darkroom makes videos to be looked at, and keeps their bytes.
type darkroom struct {
	t             testing.TB
	profile       media.Profile
	width, height int32 // of what is drawn
	store         store.Store
	blobs         [][]byte
}

func newDarkroom(t testing.TB) *darkroom {
	t.Helper()
	if testing.Short() {
		t.Skip("encodes videos; run without -short")
	}
	if _, err := media.Locate(); err != nil {
		t.Skipf("needs ffmpeg: %v", err)
	}
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	p := media.DefaultProfile()
	p.Width, p.Height, p.Preset, p.CRF, p.Threads, p.KeyEvery = 64, 48, "ultrafast", 26, 1, 10
	return &darkroom{t: t, profile: p, width: 64, height: 48, store: st}
}

// put stores bytes and returns their digest.
func (d *darkroom) put(b []byte) string {
	d.t.Helper()
	blob, err := d.store.PutBlob(d.t.Context(), bytes.NewReader(b))
	if err != nil {
		d.t.Fatal(err)
	}
	d.blobs = append(d.blobs, b)
	return string(blob.Digest)
}

func (d *darkroom) file(path string) string {
	d.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.put(b)
}

func (d *darkroom) path(digest string) string {
	d.t.Helper()
	p, err := d.store.BlobPath(d.t.Context(), pipeline.Digest(digest))
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

// source draws a normalised video whose pictures and sound never repeat, and
// returns the segment that shows it whole.
func (d *darkroom) source(frames int64, shade uint8, pitch float64) schemas.Segment {
	d.t.Helper()
	ctx, dir, lim := d.t.Context(), d.t.TempDir(), media.DefaultLimits()
	var pcm []byte
	for i := range frames * 1920 {
		at := float64(i) / 48000
		level := int16(9000 * math.Sin(2*math.Pi*at*(pitch+180*at)))
		pcm = binary.LittleEndian.AppendUint16(pcm, uint16(level))
		pcm = binary.LittleEndian.AppendUint16(pcm, uint16(level))
	}
	spec := media.FrameSpec{Width: d.width, Height: d.height, FPS: 25, Audio: filepath.Join(dir, "sound.pcm")}
	if err := os.WriteFile(spec.Audio, pcm, 0o644); err != nil {
		d.t.Fatal(err)
	}
	drawn, err := media.Lazy().EncodeFrames(ctx, spec, func(n int64) (*image.RGBA, bool, error) {
		img := image.NewRGBA(image.Rect(0, 0, int(d.width), int(d.height)))
		draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{shade, 255 - shade, 90, 255}), image.Point{}, draw.Src)
		at := image.Pt(int(n*7%48), int(n*5%36))
		draw.Draw(img, image.Rectangle{at, at.Add(image.Pt(16, 12))}, image.White, image.Point{}, draw.Src)
		return img, n < frames, nil
	}, dir, lim)
	if err != nil {
		d.t.Fatal(err)
	}
	facts, err := media.Lazy().Probe(ctx, drawn, lim)
	if err != nil {
		d.t.Fatal(err)
	}
	m, err := media.Lazy().Normalise(ctx, drawn, facts, nil, d.profile, dir, lim)
	if err != nil {
		d.t.Fatal(err)
	}
	return schemas.Segment{Source: d.file(m.Video), Audio: d.file(m.Audio), Region: "full", To: m.Frames, Original: d.file(drawn)}
}

// row is a recipe of segments one after the other.
func row(segments ...schemas.Segment) schemas.Recipe {
	r := schemas.Recipe{Layout: schemas.LayoutConcat}
	var at int64
	for _, s := range segments {
		s.At = at
		at += s.To - s.From
		r.Segments = append(r.Segments, s)
	}
	return r
}

func (d *darkroom) describe(out media.Output, r schemas.Recipe) schemas.Media {
	return schemas.Media{
		MediaID: d.file(out.Path), Kind: "video", Mime: "video/mp4", Width: out.Width, Height: out.Height,
		Duration: out.Duration, FPS: 25, Frames: out.Frames, HasAudio: out.HasAudio, Recipe: r,
	}
}

// join renders a recipe.
func (d *darkroom) join(r schemas.Recipe) schemas.Media {
	d.t.Helper()
	var clips []media.Clip
	for _, s := range r.Segments {
		clips = append(clips, media.Clip{Video: d.path(s.Source), Audio: d.path(s.Audio), From: s.From, To: s.To})
	}
	out, err := media.Lazy().Join(d.t.Context(), clips, d.profile, d.t.TempDir(), media.DefaultLimits())
	if err != nil {
		d.t.Fatal(err)
	}
	return d.describe(out, r)
}

// split renders both variants of two sources side by side.
func (d *darkroom) split(a, b schemas.Segment) []schemas.Media {
	d.t.Helper()
	side := func(s schemas.Segment) media.NormalisedVideo {
		return media.NormalisedVideo{Video: d.path(s.Source), Audio: d.path(s.Audio), Frames: s.To, HasAudio: true}
	}
	out, err := media.Lazy().SplitScreen(d.t.Context(), side(a), side(b), 3, d.profile, d.t.TempDir(), media.DefaultLimits())
	if err != nil {
		d.t.Fatal(err)
	}
	a.Region, b.Region = "left", "right"
	a.To, b.To = out.Plain.Frames, out.Plain.Frames
	r := schemas.Recipe{Layout: schemas.LayoutSplit, Segments: []schemas.Segment{a, b}}
	swapped := r
	swapped.SwapFrames = out.SwapFrames
	return []schemas.Media{d.describe(out.Plain, r), d.describe(out.Swapped, swapped)}
}

// look runs the gate on one media row and returns its verdict.
func (d *darkroom) look(m schemas.Media) schemas.Verdict {
	d.t.Helper()
	rec, err := pipeline.NewRecord(schemas.NameMedia, m.MediaID, m)
	if err != nil {
		d.t.Fatal(err)
	}
	ref, err := rec.Ref()
	if err != nil {
		d.t.Fatal(err)
	}
	in := pipeline.Committed{Result: pipeline.Result{Key: pipeline.Key(ref.Digest), Outputs: []pipeline.Ref{ref}}, Records: []pipeline.Record{rec}}
	if err := d.store.Commit(d.t.Context(), []pipeline.Committed{in}); err != nil {
		d.t.Fatal(err)
	}
	r := pipeline.NewRegistry()
	Register(r)
	r.AddTool("ffmpeg", ffmpeg)
	id, err := r.Identify(d.t.Context(), pipeline.Identity{Name: "whole", Kind: pipeline.KindGate, Use: "video-integrity", Version: "2", Config: []byte("{}"), OnFail: "keep"})
	if err != nil {
		d.t.Fatal(err)
	}
	results, err := engine.Execute(d.t.Context(), engine.Runtime{Registry: r, Store: d.store, TempRoot: d.t.TempDir()},
		pipeline.Task{Step: "whole", Each: true, Identity: id, Inputs: []pipeline.Ref{ref}})
	if err != nil {
		d.t.Fatal(err)
	}
	if len(results[0].Outputs) == 0 {
		d.t.Fatalf("no verdict, rejections %v", results[0].Rejections)
	}
	recs, err := d.store.Records(d.t.Context(), []pipeline.Digest{results[0].Outputs[0].Digest})
	if err != nil {
		d.t.Fatal(err)
	}
	v, err := pipeline.Decode[schemas.Verdict](recs[0])
	if err != nil {
		d.t.Fatal(err)
	}
	return v
}
