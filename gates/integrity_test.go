package gates

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/schemas"
)

// darkroom makes videos to be looked at, and keeps their bytes.
type darkroom struct {
	t       *testing.T
	profile media.Profile
	store   *store.Disk
	blobs   [][]byte
}

func newDarkroom(t *testing.T) *darkroom {
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
	return &darkroom{t: t, profile: p, store: st}
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
	spec := media.FrameSpec{Width: 64, Height: 48, FPS: 25, Audio: filepath.Join(dir, "sound.pcm")}
	if err := os.WriteFile(spec.Audio, pcm, 0o644); err != nil {
		d.t.Fatal(err)
	}
	drawn, err := media.Lazy().EncodeFrames(ctx, spec, func(n int64) (*image.RGBA, bool, error) {
		img := image.NewRGBA(image.Rect(0, 0, 64, 48))
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
	side := func(s schemas.Segment) media.Mezzanine {
		return media.Mezzanine{Video: d.path(s.Source), Audio: d.path(s.Audio), Frames: s.To, HasAudio: true}
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
	r.AddTool("ffmpeg", media.Lazy().Version)
	id := pipeline.Identity{Name: "whole", Kind: pipeline.KindGate, Use: "video-integrity", Version: "1", Config: []byte("{}"), OnFail: "keep"}
	results, err := pipeline.Execute(d.t.Context(), pipeline.Runtime{Registry: r, Store: d.store, TempRoot: d.t.TempDir()},
		pipeline.Task{Node: "whole", Each: true, Identity: id, Inputs: []pipeline.Ref{ref}})
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

// TestIntegrityFindsWhatWasPlanted looks at clean videos of every layout and at
// the same ones after one thing was changed in recipe or file.
func TestIntegrityFindsWhatWasPlanted(t *testing.T) {
	d := newDarkroom(t)
	a, b := d.source(60, 30, 300), d.source(50, 210, 700)
	part := func(s schemas.Segment, from, to int64) schemas.Segment {
		s.From, s.To = from, to
		return s
	}
	concat := d.join(row(a, b))
	woven := d.join(row(part(a, 0, 30), part(b, 0, 20), part(a, 30, 60), part(b, 20, 50)))
	sides := d.split(a, b)
	for i, m := range []schemas.Media{concat, d.join(row(a, a, b)), woven, sides[0], sides[1]} {
		v := d.look(m)
		t.Logf("clean video %d: %s", i, v.Reason)
		if v.Outcome != schemas.Pass || !strings.Contains(v.Reason, "frames") {
			t.Errorf("clean video %d: %+v", i, v)
		}
	}
	pcm, err := os.ReadFile(d.path(b.Audio))
	if err != nil {
		t.Fatal(err)
	}
	late := b
	late.Audio = d.put(append(make([]byte, 10*7680), pcm[:len(pcm)-10*7680]...))
	planted := map[string]schemas.Media{
		"order of the segments": edit(woven, func(m *schemas.Media) {
			m.Recipe = row(part(b, 0, 20), part(a, 0, 30), part(a, 30, 60), part(b, 20, 50))
		}),
		"a segment of later": edit(woven, func(m *schemas.Media) { m.Recipe.Segments[1].From, m.Recipe.Segments[1].To = 10, 30 }),
		"one frame moved": edit(woven, func(m *schemas.Media) {
			m.Recipe = row(part(a, 0, 31), part(b, 0, 19), part(a, 30, 60), part(b, 20, 50))
		}),
		"the other source":         edit(concat, func(m *schemas.Media) { m.Recipe.Segments[1].Source, m.Recipe.Segments[1].Audio = a.Source, a.Audio }),
		"sound ten frames late":    edit(concat, func(m *schemas.Media) { m.Recipe = row(a, late) }),
		"sound of the other":       edit(concat, func(m *schemas.Media) { m.Recipe.Segments[0].Audio, m.Recipe.Segments[1].Audio = b.Audio, a.Audio }),
		"no sound":                 edit(concat, func(m *schemas.Media) { m.Recipe.Segments[0].Audio, m.Recipe.Segments[1].Audio = "", "" }),
		"two sounds of one source": edit(woven, func(m *schemas.Media) { m.Recipe.Segments[2].Audio = b.Audio }),
		"a swap a frame later":     edit(sides[1], func(m *schemas.Media) { m.Recipe.SwapFrames[1]++ }),
		"no swaps":                 edit(sides[1], func(m *schemas.Media) { m.Recipe.SwapFrames = nil }),
		"sides exchanged":          edit(sides[0], func(m *schemas.Media) { m.Recipe.Segments[0].Region, m.Recipe.Segments[1].Region = "right", "left" }),
		"another file":             edit(concat, func(m *schemas.Media) { m.MediaID = d.join(row(b, a)).MediaID }),
		"fewer frames stated":      edit(concat, func(m *schemas.Media) { m.Frames--; m.Duration = float64(m.Frames) / 25 }),
		"another rate stated":      edit(concat, func(m *schemas.Media) { m.FPS = 30 }),
		"a name for a source":      edit(concat, func(m *schemas.Media) { m.Recipe.Segments[0].Source = "kitchen.mp4" }),
		"cut off":                  edit(concat, func(m *schemas.Media) { m.MediaID = d.put(first(t, d.path(m.MediaID), 0.7)) }),
		"no video":                 edit(concat, func(m *schemas.Media) { m.MediaID = d.put([]byte("text")) }),
	}
	for name, m := range planted {
		v := d.look(m)
		if v.Outcome != schemas.Fail || v.Reason == "" {
			t.Errorf("%s: %+v, want fail", name, v)
		}
		t.Logf("%s: %s", name, v.Reason)
	}
	gone := edit(concat, func(m *schemas.Media) { m.Recipe.Segments[0].Source = strings.Repeat("0", 64) })
	if v := d.look(gone); v.Outcome != schemas.Error || !strings.Contains(v.Reason, "not in the store") {
		t.Errorf("a source that is gone: %+v, want error", v)
	}
	still := edit(concat, func(m *schemas.Media) { m.Kind, m.Recipe.Segments = "image", nil })
	if v := d.look(still); v.Outcome != schemas.Insufficient {
		t.Errorf("an image: %+v, want insufficient", v)
	}
}

// edit changes a copy of a media row.
func edit(m schemas.Media, change func(*schemas.Media)) schemas.Media {
	m.Recipe.Segments = slices.Clone(m.Recipe.Segments)
	m.Recipe.SwapFrames = slices.Clone(m.Recipe.SwapFrames)
	change(&m)
	return m
}

// first reads a share of a file.
func first(t *testing.T, path string, share float64) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b[:int(share*float64(len(b)))]
}

func TestTellingTags(t *testing.T) {
	tags := slices.Concat(formatTags, []string{"file: title=kitchen", "stream: handler_name=kitchen", "chapter: title=second video"})
	if got := telling(tags); len(got) != 3 {
		t.Errorf("telling tags %q, want the last three", got)
	}
}

func TestIntegrityConformance(t *testing.T) {
	d := newDarkroom(t)
	a := d.source(30, 30, 300)
	good := d.join(row(a))
	bad := edit(good, func(m *schemas.Media) { m.Recipe.Segments[0].From++; m.Frames--; m.Duration = float64(m.Frames) / 25 })
	s := pipelinetest.Subject{
		Register: func(r *pipeline.Registry) { Register(r); r.AddTool("ffmpeg", media.Lazy().Version) },
		Use:      "video-integrity", Blobs: d.blobs,
	}
	for id, m := range map[string]schemas.Media{"good": good, "bad": bad} {
		r, err := pipeline.NewRecord(schemas.NameMedia, id, m)
		if err != nil {
			t.Fatal(err)
		}
		s.Inputs = append(s.Inputs, r)
	}
	pipelinetest.Gate(t, s)
}
