package media

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"
)

func TestSpreadAndEvery(t *testing.T) {
	for _, c := range []struct{ got, want []int64 }{
		{Span{0, 53}.Spread(6), []int64{4, 13, 22, 30, 39, 48}},
		{Span{10, 12}.Spread(5), []int64{10, 11}},
		{Span{10, 20}.Spread(1), []int64{15}},
		{Span{10, 10}.Spread(3), nil},
		{Span{0, 10}.Spread(0), nil},
		{Span{0, 100}.Every(1, 25), []int64{0, 25, 50, 75}},
		{Span{7, 30}.Every(2, 25), []int64{7, 20}},
		{Span{0, 4}.Every(100, 25), []int64{0, 1, 2, 3}},
		{Span{0, 50}.Every(0.5, 29.97), []int64{0}},
		{Span{0, 50}.Every(0, 25), nil},
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
	every, err := tl.Stills(ctx, path, Span{0, 200}.Every(25, 25), 0)
	if err != nil || len(every) != 200 || every[199].Picture.Bounds().Dx() != 320 {
		t.Fatalf("%d stills (%v), want all 200 as large as they are", len(every), err)
	}
	encodings(t, every[33])
	for name, frames := range map[string][]int64{"none": nil, "beyond the end": {0, 200}, "descending": {5, 4}, "double": {5, 5}, "before the first": {-1}, "too many": Span{0, 5000}.Every(25, 25)} {
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
