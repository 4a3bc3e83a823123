package pairing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/facts"
)

func described(media, category, description string) Candidate {
	return Candidate{ID: media, Video: schemas.Video{Media: media, Category: category, Description: description}}
}

func TestCosine(t *testing.T) {
	a := VectorOf(schemas.Video{Description: "a red kettle on the stove"})
	b := VectorOf(schemas.Video{Description: "red kettle, on stove!"})
	c := VectorOf(schemas.Video{Description: "boats at dawn", Labels: map[string]string{"scene": "harbour"}})
	if got := Cosine(a, b); got != 1 {
		t.Errorf("same words: %g, want 1", got)
	}
	if got := Cosine(a, c); got != 0 {
		t.Errorf("no common word: %g, want 0", got)
	}
	if got := Cosine(a, nil); got != 0 {
		t.Errorf("empty: %g, want 0", got)
	}
	half := VectorOf(schemas.Video{Events: []schemas.Event{{Kind: "stove", Object: "lid"}}})
	if got, want := Cosine(a, half), math.Round(1e6/math.Sqrt(8))/1e6; got != want {
		t.Errorf("one of four and two words: %g, want %g", got, want)
	}
}

func TestMatchPrefersTheMostAlike(t *testing.T) {
	cs := []Candidate{
		described("1", "kitchen", "baker kneads dough"), described("2", "kitchen", "cook chops onions quickly"),
		described("3", "kitchen", "cook chops carrots"), described("4", "kitchen", "baker kneads bread dough"),
		described("5", "harbour", "baker kneads dough"),
	}
	links := Match(cs, Limits{MaxUse: 1, MaxBlock: 100}, rand.New(rand.NewPCG(1, 1)))
	got := map[[2]int]bool{}
	for _, l := range links {
		got[[2]int{l.A, l.B}] = true
	}
	if want := map[[2]int]bool{{0, 3}: true, {1, 2}: true}; !reflect.DeepEqual(got, want) {
		t.Errorf("links %v, want %v", got, want)
	}
}

func TestMatchProperties(t *testing.T) {
	words := []string{"cup", "pan", "door", "boat", "hat", "sun"}
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var cs []Candidate
		for i := range rnd.IntN(30) {
			c := described(fmt.Sprint(rnd.IntN(25)), fmt.Sprint(rnd.IntN(3)), words[rnd.IntN(6)]+" "+words[rnd.IntN(6)])
			c.ID = fmt.Sprint(i)
			c.Video.Title = fmt.Sprint("Title ", rnd.IntN(20))
			cs = append(cs, c)
		}
		lim := Limits{MaxUse: 1 + rnd.IntN(3), MinSimilarity: rnd.Float64() / 2, MaxBlock: 2 + rnd.IntN(20)}
		links := Match(cs, lim, rand.New(rand.NewPCG(seed, 2)))
		used, seen := make([]int, len(cs)), map[[2]int]bool{}
		for _, l := range links {
			a, b := cs[l.A].Video, cs[l.B].Video
			if a.Category != b.Category || a.Media == b.Media || a.Title == b.Title || l.Similarity < lim.MinSimilarity || l.A >= l.B {
				t.Fatalf("seed %d: link %+v of %+v and %+v", seed, l, a, b)
			}
			if seen[[2]int{l.A, l.B}] {
				t.Fatalf("seed %d: link %+v twice", seed, l)
			}
			seen[[2]int{l.A, l.B}] = true
			used[l.A]++
			used[l.B]++
		}
		if len(used) > 0 && slices.Max(used) > lim.MaxUse {
			t.Fatalf("seed %d: used %v, want at most %d", seed, used, lim.MaxUse)
		}
		if !reflect.DeepEqual(links, Match(cs, lim, rand.New(rand.NewPCG(seed, 2)))) {
			t.Fatalf("seed %d: two runs differ", seed)
		}
	}
}

func TestPoolHoldsNothingOfThePair(t *testing.T) {
	film := func(media string, objects ...string) schemas.Video {
		v := schemas.Video{Media: media, Title: "Film " + media}
		for _, o := range objects {
			v.Events = append(v.Events, schemas.Event{Kind: facts.PicksUp, Object: o})
		}
		return v
	}
	a, b := film("a", "red cup"), film("b", "pan")
	b.Description = "A long rope lies about."
	var pool Pool
	for _, v := range []schemas.Video{a, b, film("c", "cup", "anvil", "lamp"), film("d", "film", "rope", "vase")} {
		pool.Add(v)
	}
	got := pool.For("p", a, b, 10)
	if want := map[string][]string{facts.PicksUp: {"anvil", "lamp", "vase"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("pool %v, want %v", got, want)
	}
	two := pool.For("p", a, b, 2)[facts.PicksUp]
	if len(two) != 2 {
		t.Fatalf("limited pool %v, want 2", two)
	}
	pool.Add(film("e", "zither"))
	kept := 0
	for _, v := range pool.For("p", a, b, 2)[facts.PicksUp] {
		if slices.Contains(two, v) {
			kept++
		}
	}
	if kept == 0 {
		t.Error("one more video changed the whole pool")
	}
	var empty Pool
	if got := empty.For("p", a, b, 3); len(got) != 0 {
		t.Errorf("empty pool gives %v", got)
	}
}

// BenchmarkMatch pairs one full block of described videos.
func BenchmarkMatch(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 1))
	var cs []Candidate
	for i := range 1000 {
		text := ""
		for range 40 {
			text += fmt.Sprint(" word", rnd.IntN(400))
		}
		cs = append(cs, described(fmt.Sprint(i), "c", text))
	}
	for b.Loop() {
		if links := Match(cs, Limits{MaxUse: 1, MaxBlock: 1000}, rnd); len(links) != 500 {
			b.Fatalf("%d links", len(links))
		}
	}
}
