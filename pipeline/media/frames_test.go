package media

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"testing"
)

func toGray(img image.Image) gray {
	b := img.Bounds()
	g := gray{w: b.Dx(), h: b.Dy()}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			g.pix = append(g.pix, color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y)
		}
	}
	return g
}

func TestFrameSamplesAndSheet(t *testing.T) {
	tl := tools(t)
	ctx := context.Background()
	dir := t.TempDir()
	c := clipSpec{id: 6, name: "in.mp4", frames: 53, w: 320, h: 180, flash: -1, out: x264}
	path := c.make(t, dir)
	for _, n := range []int64{0, 1, 26, 52} {
		img, err := tl.Frame(ctx, path, n)
		if err != nil {
			t.Fatal(err)
		}
		if id, shown, ok := toGray(img).read(); !ok || id != 6 || int64(shown) != n {
			t.Errorf("frame %d shows %d of %d", n, shown, id)
		}
	}
	for _, n := range []int64{-1, 53} {
		if _, err := tl.Frame(ctx, path, n); err == nil {
			t.Errorf("frame %d: no error", n)
		}
	}
	list, err := tl.Samples(ctx, path, 53, 6)
	if err != nil {
		t.Fatal(err)
	}
	for i, img := range list {
		if _, shown, ok := toGray(img).read(); !ok || shown != []int{4, 13, 22, 30, 39, 48}[i] {
			t.Errorf("sample %d shows %d", i, shown)
		}
	}
	if _, err := tl.Samples(ctx, path, 500, 10); err == nil {
		t.Error("samples of a video said to be longer than it is: no error")
	}
	checkSheet(t, tl, path)
}

func checkSheet(t *testing.T, tl *Tools, path string) {
	t.Helper()
	s := ContactSheetLayout{Frames: 6, Columns: 4, CellWidth: 160}
	one, err := tl.ContactSheet(context.Background(), path, 53, s)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(one))
	if err != nil {
		t.Fatal(err)
	}
	if want := image.Rect(0, 0, 4*164-4, 2*94-4); img.Bounds() != want {
		t.Fatalf("sheet is %v, want %v", img.Bounds(), want)
	}
	last := image.Rect(164, 94, 164+160, 94+90)
	cell := img.(interface {
		SubImage(image.Rectangle) image.Image
	}).SubImage(last)
	if _, shown, ok := toGray(cell).read(); !ok || shown != 48 {
		t.Errorf("the last cell shows %d, want 48", shown)
	}
	two, err := tl.ContactSheet(context.Background(), path, 53, s)
	if err != nil || !bytes.Equal(one, two) {
		t.Errorf("a second sheet differs (%v)", err)
	}
	if _, err := tl.ContactSheet(context.Background(), path, 53, ContactSheetLayout{Frames: 0, Columns: 1, CellWidth: 100}); err == nil {
		t.Error("a sheet of no pictures: no error")
	}
}

func TestFrameHashes(t *testing.T) {
	tl := tools(t)
	c := clipSpec{id: 6, name: "in.mp4", frames: 20, w: 320, h: 180, flash: -1, out: x264}
	hashes, err := tl.FrameHashes(context.Background(), c.make(t, t.TempDir()))
	if err != nil || len(hashes) != 20 {
		t.Fatalf("%d hashes (%v), want 20", len(hashes), err)
	}
	seen := map[string]bool{}
	for _, h := range hashes {
		if len(h) != 32 || seen[h] {
			t.Errorf("hash %q is malformed or occurs twice", h)
		}
		seen[h] = true
	}
}
