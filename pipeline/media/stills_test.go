package media

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"
)

func TestSpread(t *testing.T) {
	for _, c := range []struct{ got, want []int64 }{
		{Span{0, 53}.Spread(6), []int64{4, 13, 22, 30, 39, 48}},
		{Span{10, 12}.Spread(5), []int64{10, 11}},
		{Span{10, 20}.Spread(1), []int64{15}},
		{Span{10, 10}.Spread(3), nil},
		{Span{0, 10}.Spread(0), nil},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

func TestStillsAreTheFramesNamed(t *testing.T) {
	tl := tools(t)
	ctx := context.Background()
	c := clipSpec{id: 6, name: "in.mp4", frames: 200, w: 320, h: 180, flash: -1, out: x264}
	path := c.make(t, t.TempDir())
	groups, err := tl.SpanStills(ctx, path, []Span{{0, 50}, {50, 52}, {120, 200}}, 7, image.Rectangle{}, 160)
	if err != nil {
		t.Fatal(err)
	}
	if len(groups) != 3 || len(groups[0]) != 7 || len(groups[1]) != 2 || len(groups[2]) != 7 {
		t.Fatalf("groups of %d, %d, %d", len(groups[0]), len(groups[1]), len(groups[2]))
	}
	for _, s := range slices.Concat(groups...) {
		b := s.Picture.Bounds()
		if _, shown, ok := toGray(s.Picture).read(); !ok || int64(shown) != s.Frame || b.Dx() != 160 || b.Dy() != 90 {
			t.Errorf("frame %d shows %d at %v", s.Frame, shown, b)
		}
	}
	every, err := tl.Stills(ctx, path, Span{0, 200}.Spread(200), 0)
	if err != nil || len(every) != 200 || every[199].Picture.Bounds().Dx() != 320 {
		t.Fatalf("%d stills (%v), want all 200 as large as they are", len(every), err)
	}
	encodings(t, every[33])
	for name, frames := range map[string][]int64{"none": nil, "beyond the end": {0, 200}, "descending": {5, 4}, "double": {5, 5}, "before the first": {-1}, "too many": Span{0, 5000}.Spread(5000)} {
		if _, err := tl.Stills(ctx, path, frames, 0); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, spans := range map[string][]Span{"overlapping": {{0, 10}, {9, 20}}, "empty": {{3, 3}}} {
		if _, err := tl.SpanStills(ctx, path, spans, 2, image.Rectangle{}, 0); err == nil {
			t.Errorf("%s spans: no error", name)
		}
	}
}

func encodings(t *testing.T, s Still) {
	t.Helper()
	lossless, err := PNG(s.Picture)
	if err != nil {
		t.Fatal(err)
	}
	small, err := JPEG(s.Picture)
	if err != nil {
		t.Fatal(err)
	}
	a, err := png.Decode(bytes.NewReader(lossless))
	if err != nil {
		t.Fatal(err)
	}
	b, err := jpeg.Decode(bytes.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	if d := absDiff(toGray(a), toGray(b)); d > 4 {
		t.Errorf("JPEG differs by %.1f levels", d)
	}
	sheet, err := DefaultContactSheet().Compose([]Still{s, s})
	if err != nil {
		t.Fatal(err)
	}
	if img, err := png.Decode(bytes.NewReader(sheet)); err != nil || img.Bounds().Dx() != 2*240+gutter {
		t.Errorf("sheet of two pictures: %v", err)
	}
}

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
