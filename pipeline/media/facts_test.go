package media

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// tinyWebP is a picture of 1 x 1.
const tinyWebP = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"

func TestFactsOfPictures(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 40, 30))
	var asPNG, asJPEG bytes.Buffer
	if err := errors.Join(png.Encode(&asPNG, img), jpeg.Encode(&asJPEG, img, nil)); err != nil {
		t.Fatal(err)
	}
	asWebP, err := base64.StdEncoding.DecodeString(tinyWebP)
	if err != nil {
		t.Fatal(err)
	}
	for mime, tc := range map[string]struct {
		data          []byte
		width, height int32
	}{"image/png": {asPNG.Bytes(), 40, 30}, "image/jpeg": {asJPEG.Bytes(), 40, 30}, "image/webp": {asWebP, 1, 1}} {
		f, err := parseFacts(bytes.NewReader(tc.data), int64(len(tc.data)))
		if err != nil || f.Kind != "image" || f.Mime != mime || f.Width != tc.width || f.Height != tc.height || f.Frames != 0 {
			t.Errorf("%s: %+v, %v", mime, f, err)
		}
		if _, err := parseFacts(bytes.NewReader(tc.data[:20]), 20); !errors.Is(err, ErrUnread) {
			t.Errorf("%s cut short: %v", mime, err)
		}
	}
	for _, other := range []string{"", "short", "\x1a\x45\xdf\xa3 matroska it is", "....ftypisom but no more than that"} {
		if _, err := parseFacts(strings.NewReader(other), int64(len(other))); !errors.Is(err, ErrUnread) {
			t.Errorf("%q: %v", other, err)
		}
	}
}

// TestFactsOfVideos compares what is read with what the writer of the file knows.
func TestFactsOfVideos(t *testing.T) {
	tl := tools(t)
	ctx, dir, p, lim := context.Background(), t.TempDir(), small(), DefaultLimits()
	a, b, _, _ := pairOf(t, tl, p, dir)
	joined, err := tl.Join(ctx, []Clip{whole(a), {b.Video, b.Audio, 28, 60}}, p, dir, lim)
	if err != nil {
		t.Fatal(err)
	}
	f, err := readFacts(joined.Path)
	if err != nil {
		t.Fatal(err)
	}
	if f.Kind != "video" || f.Mime != "video/mp4" || f.Width != joined.Width || f.Height != joined.Height || f.Frames != joined.Frames ||
		f.FPS != float64(p.FPS) || math.Abs(f.Duration-joined.Duration) > 1e-9 || f.HasAudio != joined.HasAudio || int64(len(f.Packets)) != f.Frames {
		t.Errorf("%+v, the writer says %+v", f, joined)
	}
	silent, err := readFacts(a.Video)
	if err != nil || silent.HasAudio || silent.Frames != a.Frames || silent.Packets[3] != f.Packets[3] {
		t.Errorf("a normalised video: %+v, %v", silent, err)
	}
	if _, err := readFacts(filepath.Join(dir, "gone")); err == nil || errors.Is(err, ErrUnread) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestFits(t *testing.T) {
	segment := func(region string, from, to, at int64, audio string) schemas.Segment {
		return schemas.Segment{Source: "s", Region: region, From: from, To: to, At: at, Audio: audio}
	}
	file := Facts{Frames: 30, HasAudio: true, Keys: []int64{0, 10, 20}}
	row := func() []schemas.Segment {
		return []schemas.Segment{segment("full", 0, 10, 0, "a"), segment("full", 5, 25, 10, "")}
	}
	split := func(swaps ...int64) schemas.Recipe {
		return schemas.Recipe{Layout: schemas.LayoutSplit, SwapFrames: swaps, Segments: []schemas.Segment{segment("left", 0, 30, 0, "a"), segment("right", 0, 30, 0, "")}}
	}
	altered := func(change func([]schemas.Segment) []schemas.Segment) schemas.Recipe {
		return schemas.Recipe{Layout: schemas.LayoutConcat, Segments: change(row())}
	}
	for name, tc := range map[string]struct {
		recipe schemas.Recipe
		want   string
	}{
		"none":           {schemas.Recipe{Layout: "drawn"}, ""},
		"whole pictures": {altered(func(s []schemas.Segment) []schemas.Segment { return s }), ""},
		"two swaps":      {split(10, 20), ""},
		"a gap":          {altered(func(s []schemas.Segment) []schemas.Segment { s[1].At++; return s }), "want at least one frame from 10 on"},
		"too short":      {altered(func(s []schemas.Segment) []schemas.Segment { return s[:1] }), "its segments have 10 frames, the file 30"},
		"no keyframe": {altered(func(s []schemas.Segment) []schemas.Segment {
			s[0].To, s[1].From, s[1].At = 9, 4, 9
			return s
		}), "frame 9 of the file, which is no keyframe"},
		"silent":        {altered(func(s []schemas.Segment) []schemas.Segment { s[0].Audio = ""; return s }), "has sound: false"},
		"another half":  {altered(func(s []schemas.Segment) []schemas.Segment { s[0].Region = "top"; return s }), `the region "top"`},
		"no split":      {schemas.Recipe{Layout: schemas.LayoutSplit, Segments: row()}, "are not shown so"},
		"split, unsaid": {schemas.Recipe{Layout: schemas.LayoutConcat, Segments: split().Segments}, "are not shown so"},
		"a late swap":   {split(10, 21), "swaps at frames [10 21], 2 swaps are at [10 20]"},
		"swaps only":    {schemas.Recipe{SwapFrames: []int64{3}}, "no layout is like that"},
	} {
		err := file.CheckRecipe(tc.recipe)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// FuzzFactsOf must end without a panic whatever a stranger calls a medium.
func FuzzFactsOf(f *testing.F) {
	webp, err := base64.StdEncoding.DecodeString(tinyWebP)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(webp)
	f.Add([]byte("\x89PNG\r\n\x1a\n and then nothing"))
	f.Add([]byte("\xff\xd8\xff no picture at all"))
	f.Add([]byte("\x00\x00\x00\x10ftypisom\x00\x00\x00\x08moov"))
	f.Fuzz(func(t *testing.T, in []byte) {
		facts, err := parseFacts(bytes.NewReader(in), int64(len(in)))
		if err != nil && !errors.Is(err, ErrUnread) {
			t.Fatalf("bytes in memory gave %v", err)
		}
		if err == nil {
			_ = facts.CheckRecipe(schemas.Recipe{Segments: []schemas.Segment{{Region: "full", To: facts.Frames}}})
		}
	})
}

func readFacts(path string) (Facts, error) {
	f, err := os.Open(path)
	if err != nil {
		return Facts{}, err
	}
	defer f.Close()
	return ReadFileFacts(f)
}
