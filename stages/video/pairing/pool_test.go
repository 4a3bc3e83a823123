package pairing

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

func film(media string, objects ...string) schemas.Video {
	v := schemas.Video{Media: media, Title: "Film " + media}
	for _, o := range objects {
		v.Events = append(v.Events, schemas.Event{Kind: groundtruth.PicksUp, Object: o})
	}
	return v
}

func TestPoolHoldsNothingOfThePair(t *testing.T) {
	a, b := film("a", "red cup"), film("b", "pan")
	a.Sections = []schemas.Section{{Description: &schemas.Description{ToolProp: "a harp"}}}
	b.Description, b.Summary = "A long rope lies about.", "In the end a kite."
	var pool Pool
	for _, v := range []schemas.Video{a, b, film("c", "cup", "anvil", "lamp", "harp"), film("d", "film", "rope", "vase", "kite")} {
		pool.Add(v)
	}
	got := pool.Distractors("p", a, b, 10)
	if want := map[string][]string{groundtruth.PicksUp: {"anvil", "lamp", "vase"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("pool %v, want %v", got, want)
	}
	two := pool.Distractors("p", a, b, 2)[groundtruth.PicksUp]
	if len(two) != 2 {
		t.Fatalf("limited pool %v, want 2", two)
	}
	pool.Add(film("e", "zither"))
	kept := 0
	for _, v := range pool.Distractors("p", a, b, 2)[groundtruth.PicksUp] {
		if slices.Contains(two, v) {
			kept++
		}
	}
	if kept == 0 {
		t.Error("one more video changed the whole pool")
	}
	var empty Pool
	if got := empty.Distractors("p", a, b, 3); len(got) != 0 {
		t.Errorf("empty pool gives %v", got)
	}
}

// TestPoolKeepsToTheCategory has a pair of a kitchen get what other kitchens
// hold, and of any place where these hold too little.
func TestPoolKeepsToTheCategory(t *testing.T) {
	var pool Pool
	for media, v := range map[string]schemas.Video{
		"other kitchen": film("k", "ladle", "whisk", "red cup"), "park": film("p", "kite", "spade"), "nowhere": film("n", "anvil"),
	} {
		if media != "nowhere" {
			v.Category = map[bool]string{true: "park", false: "kitchen"}[media == "park"]
		}
		pool.Add(v)
	}
	a, b := film("a", "red cup"), film("b", "pan")
	for category, want := range map[string][]string{
		"kitchen": {"ladle", "whisk"}, "park": {"kite", "spade"},
		"": {"anvil", "kite", "ladle", "spade", "whisk"}, "beach": {"anvil", "kite", "ladle", "spade", "whisk"},
	} {
		a.Category, b.Category = category, category
		if got := pool.Distractors("pair", a, b, 10)[groundtruth.PicksUp]; !slices.Equal(got, want) {
			t.Errorf("category %q: %v, want %v", category, got, want)
		}
	}
	a.Category, b.Category = "park", "park"
	b.Events = append(b.Events, schemas.Event{Kind: groundtruth.PicksUp, Object: "kite"})
	if got, want := pool.Distractors("pair", a, b, 10)[groundtruth.PicksUp], []string{"anvil", "ladle", "spade", "whisk"}; !slices.Equal(got, want) {
		t.Errorf("one answer left in the park: %v, want %v", got, want)
	}
}

// TestPoolScales takes pools for 20,000 pairs out of 100,000 answers, for a quarter of
// them at small size.
func TestPoolScales(t *testing.T) {
	if testing.Short() {
		t.Skip("takes thousands of pools and measures CPU; run without -short")
	}
	var pool Pool
	kinds := groundtruth.Kinds()
	for i := range 10_000 {
		v := film(fmt.Sprint(i))
		for o := range 10 {
			v.Events = append(v.Events, schemas.Event{Kind: kinds[(i*10+o)%len(kinds)], Subject: fmt.Sprintf("who%d", i*10+o), Object: fmt.Sprintf("what%d", i*10+o)})
		}
		pool.Add(v)
	}
	a, b := film("a", "red cup"), film("b", "pan")
	before, distinct := cpu(t), map[string]bool{}
	for i := range testsize.Choose(5_000, 10_000) {
		got := pool.Distractors(fmt.Sprint("pair", i), a, b, 16)
		for _, kind := range groundtruth.Kinds() {
			if len(got[kind]) != 16 {
				t.Fatalf("pair %d: %d of %s, want 16", i, len(got[kind]), kind)
			}
			distinct[got[kind][0]] = true
		}
	}
	if took := cpu(t) - before; took > testsize.Choose(8*time.Second, 16*time.Second) {
		t.Errorf("%v CPU", took)
	}
	if len(distinct) < 5_000 {
		t.Errorf("the pools begin with %d answers only", len(distinct))
	}
}
