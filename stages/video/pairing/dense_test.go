package pairing

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memforge/memforge/schemas"
)

func TestQuantise(t *testing.T) {
	v, err := Quantise([]float32{0.5, -1, 0.25, 0})
	if want := (Vector{64, -127, 32, 0}); err != nil || string(vectorBytes(v)) != string(vectorBytes(want)) {
		t.Errorf("quantised %v, %v; want %v", v, err, want)
	}
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		if _, err := Quantise([]float32{1, bad}); err == nil {
			t.Errorf("%g is taken", bad)
		}
	}
}

func vectorBytes(v Vector) []byte {
	out := make([]byte, len(v))
	for i, x := range v {
		out[i] = byte(x)
	}
	return out
}

func TestMatchByVectors(t *testing.T) {
	var cs []Candidate
	for i, v := range [][]float32{{1, 0, 0}, {0, 1, 0.1}, {0.9, 0.1, 0}, {0, 0.8, 0}, {-1, 0, 0}, {0, 0, 0}} {
		c := described(string(rune('1'+i)), "c", "words do not count")
		var err error
		if c.Vector, err = Quantise(v); err != nil {
			t.Fatal(err)
		}
		cs = append(cs, c)
	}
	if got := named(cs, match(t, cs, with(func(l *Limits) { l.MinSimilarity = 0.5 }))); got != "1-3 2-4" {
		t.Errorf("pairs %s, want 1-3 2-4", got)
	}
	links := match(t, cs, defaults())
	if last := links[len(links)-1]; len(links) != 3 || last.Similarity != 0 {
		t.Errorf("links %+v, want opposite and zero vectors last, at 0", links)
	}
	cs[1].Vector = cs[1].Vector[:2]
	if _, err := Match(t.Context(), cs, defaults(), 1); err == nil || !strings.Contains(err.Error(), "one model") {
		t.Errorf("vectors of two lengths: %v", err)
	}
}

func TestHadamard(t *testing.T) {
	x := []float32{1, 2, 3, 4}
	hadamard(x)
	for i, want := range []float32{10, -2, -4, 0} {
		if x[i] != want {
			t.Fatalf("transform %v", x)
		}
	}
}

func TestText(t *testing.T) {
	v := schemas.Video{Title: "Tea", Category: "kitchen", Labels: map[string]string{"b": "two", "a": "one", "c": "three"}, Events: []schemas.Event{{Subject: "Ada", Kind: "opens", Object: "tin  box"}}, Captions: []schemas.Caption{{Text: "spoken"}}}
	if got, want := EmbeddingText(v), "Tea\nkitchen\none three two\nAda\nopens\ntin box"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if got := EmbeddingText(schemas.Video{}); got != " " {
		t.Errorf("of nothing: %q", got)
	}
	long := EmbeddingText(schemas.Video{Description: strings.Repeat("猫", 5000)})
	if utf8.RuneCountInString(long) != maxText || !utf8.ValidString(long) {
		t.Errorf("%d characters", utf8.RuneCountInString(long))
	}
}
