package words_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/words"
)

// sentences are n texts of 40 words of a vocabulary; every tenth but the first is
// an earlier one with its last word replaced.
func sentences(n int) []string {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprint("w", r.IntN(5000)) }
	out := make([]string, n)
	for i := range out {
		list := make([]string, 40)
		for k := range list {
			list[k] = word()
		}
		if i > 0 && i%10 == 0 {
			list = strings.Fields(out[r.IntN(i)])
			list[39] = word()
		}
		out[i] = strings.Join(list, " ")
	}
	return out
}

// TestNear holds the pairs against counting all of them, where the chance to miss
// one is 1e-7 at a similarity of 0.9 and less above.
func TestNear(t *testing.T) {
	texts := append(sentences(300), "A b, c!", "a B c", "", "?")
	sets := make([][]uint64, len(texts))
	for i, text := range texts {
		sets[i] = words.Shingles(text)
	}
	var want, even []words.Pair
	for i := range texts {
		for j := range texts[:i] {
			if s := words.Overlap(sets[j], sets[i]); s >= 0.9 {
				want = append(want, words.Pair{A: j, B: i, Similarity: s})
			}
		}
	}
	slices.SortFunc(want, func(a, b words.Pair) int { return slices.Compare([]int{a.A, a.B}, []int{b.A, b.B}) })
	if got := words.NearDuplicates(texts, nil); !slices.Equal(got, want) || len(got) < 10 || want[len(want)-1] != (words.Pair{A: 302, B: 303, Similarity: 1}) {
		t.Errorf("%d pairs, want %d", len(got), len(want))
	}
	for _, p := range want {
		if (p.A+p.B)%2 == 0 {
			even = append(even, p)
		}
	}
	if got := words.NearDuplicates(texts, func(i, j int) bool { return (i+j)%2 == 0 }); !slices.Equal(got, even) {
		t.Errorf("%d comparable pairs, want %d", len(got), len(even))
	}
}

// A text that stands there a thousand times is a finding of a bounded size.
func TestNearOfManyCopies(t *testing.T) {
	if got := words.NearDuplicates(slices.Repeat([]string{"one text, again and again"}, 1000), nil); len(got) != 64*63/2 {
		t.Errorf("%d pairs", len(got))
	}
}

// FuzzNear wants pairs in order and each above the bound.
func FuzzNear(f *testing.F) {
	f.Add("a b c d\na b c d\n\n!\ne f")
	f.Fuzz(func(t *testing.T, s string) {
		texts := strings.Split(s, "\n")
		last := words.Pair{A: -1}
		for _, p := range words.NearDuplicates(texts, nil) {
			if p.A >= p.B || p.Similarity < 0.9 || p.Similarity > 1 || slices.Compare([]int{last.A, last.B}, []int{p.A, p.B}) >= 0 {
				t.Fatalf("%+v after %+v", p, last)
			}
			last = p
		}
	})
}

// BenchmarkNear is for 200,000 texts, as many as a family of dialogues has turns.
func BenchmarkNear(b *testing.B) {
	texts := sentences(200_000)
	b.ReportAllocs()
	for b.Loop() {
		words.NearDuplicates(texts, nil)
	}
}

func BenchmarkWords(b *testing.B) {
	text := strings.Repeat("A red kettle stands, to the left of the Window; ", 10)
	b.ReportAllocs()
	for b.Loop() {
		words.Words(text)
	}
}
