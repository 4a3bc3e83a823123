package video

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// ruler is a normalised video with a keyframe every so many frames.
func ruler(name string, frames int64, every int32) schemas.Video {
	return schemas.Video{Media: "orig-" + name, SourceID: "src-" + name, Normalised: &schemas.NormalisedVideo{
		Video: "pic-" + name, Audio: "pcm-" + name, Width: 64, Height: 48, FPS: 25, Frames: frames, KeyEvery: every,
	}}
}

// reelOf is a video joined from others.
func reelOf(vs ...schemas.Video) schemas.Video {
	r := ruler("reel", 0, 0)
	r.Parts = sequenceRecipe(schemas.LayoutConcat, vs).Segments
	for _, v := range vs {
		r.Normalised.Frames += v.Normalised.Frames
	}
	return r
}

// brief writes a recipe as "source[from,to)@at" words.
func brief(r schemas.Recipe) string {
	var out []string
	for _, s := range r.Segments {
		out = append(out, fmt.Sprintf("%s[%d,%d)@%d", strings.TrimPrefix(s.Source, "pic-"), s.From, s.To, s.At))
	}
	return strings.Join(out, " ")
}

func TestRecipesResolvePieces(t *testing.T) {
	a, b := ruler("a", 10, 1), ruler("b", 20, 1)
	reel := reelOf(a, b)
	tests := []struct {
		name   string
		pieces []piece
		want   string
	}{
		{"wholes", wholePieces(a, b), "a[0,10)@0 b[0,20)@10"},
		{"one twice", wholePieces(a, a, b), "a[0,10)@0 a[0,10)@10 b[0,20)@20"},
		{"from the middle", []piece{{b, 5, 8, ""}, {a, 2, 10, ""}}, "b[5,8)@0 a[2,10)@3"},
		{"a reel", wholePieces(reel), "a[0,10)@0 b[0,20)@10"},
		{"over a joint of a reel", []piece{{a, 0, 4, ""}, {reel, 7, 15, ""}}, "a[0,4)@0 a[7,10)@4 b[0,5)@7"},
		{"within a part of a reel", []piece{{reel, 12, 14, ""}}, "b[2,4)@0"},
		{"at a joint of a reel", []piece{{reel, 10, 30, ""}}, "b[0,20)@0"},
	}
	for _, tt := range tests {
		r := recipeOf(schemas.LayoutConcat, tt.pieces)
		if got := brief(r); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		for _, s := range r.Segments {
			name := strings.TrimPrefix(s.Source, "pic-")
			if s.Original != "orig-"+name || s.SourceID != "src-"+name || s.Region != regionFull {
				t.Errorf("%s: segment %+v does not lead to its source", tt.name, s)
			}
		}
	}
}

func TestOrders(t *testing.T) {
	p := schemas.Pair{A: ruler("a", 1, 1), B: ruler("b", 2, 1)}
	for _, order := range []string{"AB", "BA", "AAB", "ABB", "BAA", "BBA"} {
		got := ""
		for _, v := range videosInOrder(p, order) {
			got += strings.ToUpper(strings.TrimPrefix(v.Normalised.Video, "pic-"))
		}
		if got != order {
			t.Errorf("order %s plays %s", order, got)
		}
	}
}

// interleaver is video.interleave without ffmpeg.
func interleaver(n int, least float64) *interleaveStage {
	return &interleaveStage{cfg: InterleaveConfig{Segments: n, MinSegment: least}}
}

func TestAlternate(t *testing.T) {
	a, b := ruler("a", 30, 1), ruler("b", 60, 1)
	pieces, err := interleaver(3, 0).alternatePieces(a, b)
	if err != nil {
		t.Fatal(err)
	}
	const want = "a[0,10)@0 b[0,20)@10 a[10,20)@30 b[20,40)@40 a[20,30)@60 b[40,60)@70"
	if got := brief(recipeOf(schemas.LayoutInterleaved, pieces)); got != want {
		t.Errorf("alternates %s, want %s", got, want)
	}
	// Each video keeps its own order and loses no frame, whatever n.
	for n := 2; n <= 30; n++ {
		pieces, err := interleaver(n, 0).alternatePieces(b, a)
		if err != nil {
			t.Fatal(err)
		}
		next := map[string]int64{}
		for i, p := range pieces {
			name := p.video.Normalised.Video
			if p.from != next[name] || p.to <= p.from || (i%2 == 0) != (name == "pic-b") {
				t.Fatalf("n=%d: piece %d is %s[%d,%d), frame %d is next", n, i, name, p.from, p.to, next[name])
			}
			next[name] = p.to
		}
		if !reflect.DeepEqual(next, map[string]int64{"pic-a": 30, "pic-b": 60}) || len(pieces) != 2*n {
			t.Errorf("n=%d: %d pieces up to %v", n, len(pieces), next)
		}
	}
	for name, vs := range map[string][]schemas.Video{
		"too short": {a, ruler("c", 31, 1)}, "no keyframes": {b, ruler("c", 600, 0)},
	} {
		n := map[string]int{"too short": 31, "no keyframes": 10}[name]
		_, err := interleaver(n, 0).alternatePieces(vs...)
		if why, ok := err.(*pipeline.Rejection); !ok || !slices.Contains([]string{"too-short", "no-keyframe"}, why.Code) {
			t.Errorf("%s: error %v, want a rejection", name, err)
		}
	}
}

// TestAlternateCutsReelsBetweenClips: each segment is whole clips, wherever
// keyframes stand.
func TestAlternateCutsReelsBetweenClips(t *testing.T) {
	x, y := reelOf(ruler("a", 50, 1), ruler("b", 30, 1), ruler("c", 40, 1)), reelOf(ruler("d", 60, 1), ruler("e", 30, 1))
	x.Normalised.KeyEvery, y.Normalised.KeyEvery = 1, 1
	pieces, err := interleaver(2, 1).alternatePieces(x, y)
	if err != nil {
		t.Fatal(err)
	}
	const want = "a[0,50)@0 d[0,60)@50 b[0,30)@110 c[0,40)@140 e[0,30)@180"
	if got := brief(recipeOf(schemas.LayoutInterleaved, pieces)); got != want {
		t.Errorf("alternates %s, want %s", got, want)
	}
	for _, tc := range []struct {
		n     int
		least float64
		code  string
	}{{3, 1, "few-clips"}, {2, 1.2, ""}, {2, 1.21, "short-segment"}} {
		_, err := interleaver(tc.n, tc.least).alternatePieces(x, y)
		why, rejected := err.(*pipeline.Rejection)
		if rejected != (tc.code != "") || rejected && why.Code != tc.code {
			t.Errorf("%d segments of %g s or more: %v, want %q", tc.n, tc.least, err, tc.code)
		}
	}
	if _, err := interleaver(3, 1.1).alternatePieces(ruler("f", 90, 1), ruler("g", 80, 1)); err == nil || err.(*pipeline.Rejection).Code != "short-segment" {
		t.Errorf("segments of 1.04 s: %v, want short-segment", err)
	}
}
