package video

import (
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// tiny is the profile of rendered test videos: a keyframe every 5 frames.
const tiny = `{"profile": {"width": 64, "height": 48, "preset": "ultrafast", "crf": 30, "threads": 1, "key_every": 5}, "boundaries": {"uniform": []}}`

// footage draws and normalises a video of which every frame is different. A
// tone above 0 gives it sound, a rectangle wave of that period in samples.
func (b *bench) footage(name string, frames int64, shade uint8, tone int) pipeline.Record {
	b.t.Helper()
	if testing.Short() {
		b.t.Skip("encodes videos; run without -short")
	}
	if _, err := media.Locate(); err != nil {
		b.t.Skipf("needs ffmpeg: %v", err)
	}
	dir := b.t.TempDir()
	spec := media.FrameSpec{Width: 64, Height: 48, FPS: 25}
	if tone > 0 {
		spec.Audio = filepath.Join(dir, "tone.pcm")
		writeTone(b.t, spec.Audio, frames*48000/25, tone)
	}
	picture := func(n int64) (*image.RGBA, bool, error) {
		img := image.NewRGBA(image.Rect(0, 0, 64, 48))
		draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{shade, uint8(60 + shade/2), 90, 255}), image.Point{}, draw.Src)
		at := image.Pt(int(n*3%56), int(n*3/56*6%42))
		draw.Draw(img, image.Rectangle{at, at.Add(image.Pt(8, 6))}, image.White, image.Point{}, draw.Src)
		return img, n < frames, nil
	}
	blob := b.film(spec, picture)
	v := schemas.Video{Media: string(blob.Digest), Name: name, SourceID: "drawn", License: "CC0-1.0", Title: name, Category: "drawn", Labels: map[string]string{"action": name}}
	r, err := pipeline.NewRecord(schemas.NameVideo, "v-"+name, v, blob.Digest)
	if err != nil {
		b.t.Fatal(err)
	}
	probed, lost := b.run("video.probe", `{"min_frames": 1}`, r)
	normal, more := b.run("video.normalise", tiny, probed...)
	if len(normal) != 1 {
		b.t.Fatalf("%s is lost: %v %v", name, lost, more)
	}
	return normal[0]
}

func writeTone(t *testing.T, path string, samples int64, period int) {
	t.Helper()
	pcm := make([]byte, 0, 4*samples)
	for i := range samples {
		level := int16(6000)
		if int(i)%period < period/2 {
			level = -6000
		}
		// It grows quieter towards the end, so that no two seconds sound alike.
		level -= int16(int64(level) * i / (2 * samples))
		for range 2 {
			pcm = binary.LittleEndian.AppendUint16(pcm, uint16(level))
		}
	}
	if err := os.WriteFile(path, pcm, 0o644); err != nil {
		t.Fatal(err)
	}
}

// pairOf pairs two videos without asking whether they are alike.
func (b *bench) pairOf(x, y schemas.Video) pipeline.Record {
	b.t.Helper()
	p := schemas.Pair{A: x, B: y, Pool: map[string][]string{}}
	r, err := pipeline.NewRecord(schemas.NamePair, pairID(p), p, normalisedBlobs(x, y)...)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *bench) video(r pipeline.Record) schemas.Video {
	b.t.Helper()
	v, err := pipeline.Decode[schemas.Video](r)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// follows checks that sequential videos are what their recipes say: decoded
// frame by decoded frame, and in the length of the sound.
func (b *bench) follows(medias ...schemas.Media) {
	b.t.Helper()
	for _, m := range medias {
		want := b.follow(m.Recipe)
		got := b.hashes(m.MediaID)
		if len(got) != len(want) || m.Frames != int64(len(want)) {
			b.t.Errorf("%s has %d frames, states %d, its recipe %d", m.Recipe.Layout, len(got), m.Frames, len(want))
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				b.t.Errorf("%s: frame %d is not what the recipe says", m.Recipe.Layout, i)
				break
			}
		}
	}
}

// film stores a video of the pictures that next draws.
func (b *bench) film(spec media.FrameSpec, next func(n int64) (*image.RGBA, bool, error)) pipeline.Blob {
	b.t.Helper()
	path, err := media.Lazy().EncodeFrames(b.t.Context(), spec, next, b.t.TempDir(), media.DefaultLimits())
	if err != nil {
		b.t.Fatal(err)
	}
	blob, err := b.store.PutFile(b.t.Context(), path, false)
	if err != nil {
		b.t.Fatal(err)
	}
	return blob
}
