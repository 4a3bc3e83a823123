package panel

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// plain is a picture of one shade.
func plain(shade uint8) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, 64, 48))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{shade, shade, shade, 255}), image.Point{}, draw.Src)
	return img
}

func (b *bench) png(shade uint8) string {
	b.t.Helper()
	data, err := media.PNG(plain(shade))
	if err != nil {
		b.t.Fatal(err)
	}
	blob, err := b.store.PutBlob(b.t.Context(), bytes.NewReader(data))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(blob.Digest)
}

// film is a video that grows lighter from black to white in four seconds.
func (b *bench) film() string {
	b.t.Helper()
	if testing.Short() {
		b.t.Skip("encodes a video; run without -short")
	}
	if _, err := media.Locate(); err != nil {
		b.t.Skipf("needs ffmpeg: %v", err)
	}
	next := func(n int64) (*image.RGBA, bool, error) { return plain(uint8(min(255, n*2+27))), n < 100, nil }
	path, err := media.Lazy().EncodeFrames(b.t.Context(), media.FrameSpec{Width: 64, Height: 48, FPS: 25}, next, b.t.TempDir(), media.DefaultLimits())
	if err != nil {
		b.t.Fatal(err)
	}
	blob, err := b.store.PutFile(b.t.Context(), path, false)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(blob.Digest)
}

// shades are the mean brightness of what a model was sent.
func shades(t *testing.T, images [][]byte) (out []int) {
	t.Helper()
	for _, data := range images {
		img, _, err := image.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		r, _, _, _ := img.At(32, 24).RGBA()
		out = append(out, int(r>>8))
	}
	return out
}

func TestImagesAreShownAsTheyAre(t *testing.T) {
	b := newBench(t)
	light, dark := b.png(250), b.png(5)
	q := edited("q", func(q *schemas.Question) {
		q.Evidence[0].Kind, q.Evidence[0].Ref, q.Evidence[0].Text = "media", light, ""
		q.Evidence[1].Modality, q.Evidence[1].Media = schemas.ModalityImage, dark
	})
	var first testkit.ChatRequest
	b.ask(func(a testkit.ChatRequest) testkit.ChatReply {
		first = a
		return reader(t, "green", "images:2", "is green")(a)
	})
	if got := b.judge("oracle", "", q); got.Outcome != schemas.Pass {
		t.Fatalf("%s %s", got.Outcome, got.Reason)
	}
	if got := shades(t, first.Images); !slices.Equal(got, []int{250, 5}) {
		t.Errorf("pictures of brightness %v", got)
	}
	shown, err := read(first)
	if err != nil || len(shown.passages) != 2 || !slices.Equal(shown.passages[1].Pictures, []int{2}) || shown.passages[1].Text == "" {
		t.Errorf("passages %+v, %v", shown.passages, err)
	}
	if got := b.judge("modality-necessity", "", q); got.Outcome != schemas.Pass || got.CallsFull != 8 {
		t.Errorf("texts and images are both needed: %s %s of %d", got.Outcome, got.Reason, got.CallsFull)
	}
}

func TestVideosAreShownByPictures(t *testing.T) {
	b := newBench(t)
	id := b.film()
	q := edited("q", func(q *schemas.Question) {
		for i, ref := range []string{"#t=0.00,1.00", "#t=2.00,4.00"} {
			e := &q.Evidence[i]
			e.Kind, e.Text, e.Modality, e.Ref = "media", "", schemas.ModalityVideo, id+ref
		}
	})
	var sent [][]byte
	b.ask(func(a testkit.ChatRequest) testkit.ChatReply {
		sent = a.Images
		return reader(t, "green", "never there")(a)
	})
	for _, tc := range []struct {
		gate, config string
		want         []int
	}{
		{"oracle", `{"frames": 2}`, []int{39, 65, 153, 203}},
		{"oracle", `{"frames": 8, "max_pictures": 8}`, []int{33, 45, 57, 69, 139, 165, 189, 215}},
		{"single-frame-bypass", `{}`, []int{177}},
	} {
		sent = nil
		for _, p := range b.judge(tc.gate, tc.config, q).probes {
			if p.Pictures != int32(len(tc.want)) {
				t.Errorf("%s %s: a probe says %d of %d pictures", tc.gate, tc.config, p.Pictures, p.PicturesFull)
			}
		}
		got := shades(t, sent)
		if len(got) != len(tc.want) {
			t.Fatalf("%s %s: %d pictures, want %d", tc.gate, tc.config, len(got), len(tc.want))
		}
		for i, s := range got {
			if s < tc.want[i]-14 || s > tc.want[i]+14 {
				t.Errorf("%s %s: brightness %v, want about %v", tc.gate, tc.config, got, tc.want)
				break
			}
		}
	}
}

// TestMediaThatCannotBeShown is neither pass nor fail.
func TestMediaThatCannotBeShown(t *testing.T) {
	b := newBench(t)
	id := b.film()
	blob, err := b.store.PutBlob(b.t.Context(), bytes.NewReader([]byte("no video at all")))
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{string(blob.Digest), id + "#t=90,91"} {
		q := edited("q", func(q *schemas.Question) { q.Evidence[0].Media = ref })
		got, err := b.try("oracle", "", q)
		if err != nil || got.Outcome != schemas.Error || got.code() != "no-picture-taken" || len(got.probes) > 0 {
			t.Errorf("%s: %+v, %v", ref, got, err)
		}
	}
	q := edited("q", func(q *schemas.Question) { q.Evidence[0].Media = string(id[:60]) + "0000" })
	if _, err := b.try("oracle", "", q); err == nil {
		t.Error("a medium that is not in the store went unnoticed")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := classifyMediaError(ctx, "m", media.ErrNoMoment); err != context.Canceled {
		t.Errorf("stopped: %v", err)
	}
}
