package pairing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

func match(t testing.TB, cs []Candidate, lim Limits) []Link {
	t.Helper()
	links, err := Match(t.Context(), cs, lim, 7)
	if err != nil {
		t.Fatal(err)
	}
	return links
}

// named lists links as "a-b", sorted.
func named(cs []Candidate, links []Link) string {
	var out []string
	for _, l := range links {
		out = append(out, cs[l.A].ID+"-"+cs[l.B].ID)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func with(edit func(*Limits)) Limits {
	lim := defaults()
	edit(&lim)
	return lim
}

func TestSimilarity(t *testing.T) {
	cs := []Candidate{
		described("0", "", "red kettle on stove"), described("1", "", "Red kettle, on stove!"), described("2", "", "boats at dawn"),
		described("3", "", "kettle kettle"), described("4", "", ""),
	}
	s, err := newSpace(t.Context(), cs, []int{0, 1, 2, 3, 4}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	// Of five, two have red, on and stove (weight 1 + floor(log2 5/2) = 2), three
	// kettle (1, twice in 3: 2).
	tests := []struct {
		i, j int32
		want float64
	}{{0, 1, 1}, {0, 2, 0}, {0, 3, 1 / math.Sqrt(13)}, {0, 4, 0}, {4, 4, 0}}
	for _, tt := range tests {
		if got := s.similarity(tt.i, tt.j); math.Abs(got-tt.want) > 1e-12 || got != s.similarity(tt.j, tt.i) {
			t.Errorf("similarity of %d and %d is %g, want %g both ways", tt.i, tt.j, got, tt.want)
		}
	}
}

// TestTextsThatCount pairs by each text of a video alone.
func TestTextsThatCount(t *testing.T) {
	fields := map[string]func(v *schemas.Video, text string){
		"title":       func(v *schemas.Video, s string) { v.Title = s + " " + v.Media },
		"description": func(v *schemas.Video, s string) { v.Description = s },
		"summary":     func(v *schemas.Video, s string) { v.Summary = s },
		"label":       func(v *schemas.Video, s string) { v.Labels = map[string]string{"scene": s} },
		"event":       func(v *schemas.Video, s string) { v.Events = []schemas.Event{{Object: s}} },
		"caption":     func(v *schemas.Video, s string) { v.Captions = []schemas.Caption{{Text: s}} },
		"section": func(v *schemas.Video, s string) {
			v.Sections = []schemas.Section{{}, {Description: &schemas.Description{ToolProp: s}}}
		},
		"category": func(v *schemas.Video, s string) { v.Category = s },
	}
	for name, set := range fields {
		var cs []Candidate
		for i, text := range []string{"green kettle", "old harbour", "kettle whistling", "harbour crane"} {
			c := described(fmt.Sprint(i), "", "")
			set(&c.Video, text)
			cs = append(cs, c)
		}
		if got := named(cs, match(t, cs, with(func(l *Limits) { l.Within = nil }))); got != "0-2 1-3" {
			t.Errorf("%s: pairs %s, want 0-2 1-3", name, got)
		}
	}
}

func TestMatch(t *testing.T) {
	kitchen := []Candidate{
		described("1", "kitchen", "baker kneads dough"), described("2", "kitchen", "cook chops onions quickly"),
		described("3", "kitchen", "cook chops carrots"), described("4", "kitchen", "baker kneads bread dough"),
		described("5", "harbour", "cook chops onions quickly"),
	}
	sourced := slices.Clone(kitchen)
	sourced[3].Video.SourceID = "elsewhere"
	titled := []Candidate{described("1", "c", "cup"), described("2", "c", "cup"), described("3", "c", "hat")}
	titled[0].Video.Title, titled[1].Video.Title = "The Cup", "cup two"
	twins := []Candidate{described("1", "c", "cup"), described("2", "c", "cup"), described("3", "c", "hat")}
	twins[1].Video.Media = "1"
	parts := []Candidate{described("1", "c", "cup"), described("2", "c", "cup"), described("3", "c", "hat")}
	parts[0].Video.Parts = []schemas.Segment{{Source: "x", Original: "film", From: 0, To: 9}}
	parts[1].Video.Parts = []schemas.Segment{{Source: "y", Original: "film", From: 50, To: 59}}
	cjk := []Candidate{described("1", "c", "猫が魚を食べる"), described("2", "c", "電車が駅に着く"), described("3", "c", "猫が魚を焼く"), described("4", "c", "電車が駅を出る")}
	tests := []struct {
		name string
		cs   []Candidate
		lim  Limits
		want string
	}{
		{"most alike", kitchen, defaults(), "1-4 2-3"},
		{"any category", kitchen, with(func(l *Limits) { l.Within = nil }), "1-4 2-5"},
		{"other source", sourced, defaults(), "2-3"},
		{"source does not matter", sourced, with(func(l *Limits) { l.Within = []string{Category} }), "1-4 2-3"},
		{"twice", titled[:2:2], with(func(l *Limits) { l.MaxUse = 2 }), ""},
		{"least", kitchen[:4], with(func(l *Limits) { l.MinSimilarity = 0.5 }), "1-4"},
		{"titles contain each other", titled, with(func(l *Limits) { l.MaxUse = 2 }), "1-3 2-3"},
		{"same media", twins, with(func(l *Limits) { l.MaxUse = 2 }), "1-3 2-3"},
		{"parts of one film", parts, with(func(l *Limits) { l.MaxUse = 2 }), "1-3 2-3"},
		{"no spaces", cjk, defaults(), "1-3 2-4"},
		{"nothing said", []Candidate{described("1", "c", ""), described("2", "c", "")}, defaults(), "1-2"},
		{"nothing said, some asked for", []Candidate{described("1", "c", ""), described("2", "c", "")}, with(func(l *Limits) { l.MinSimilarity = 0.01 }), ""},
		{"one", kitchen[:1], defaults(), ""},
		{"none", nil, defaults(), ""},
	}
	for _, tt := range tests {
		if got := named(tt.cs, match(t, tt.cs, tt.lim)); got != tt.want {
			t.Errorf("%s: pairs %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestClusters(t *testing.T) {
	cs := []Candidate{
		described("1", "c", "cup on table"), described("2", "c", "cup on table"), described("3", "c", "far away hills"),
		described("4", "c", ""), described("5", "c", "cup on table"),
	}
	cs[0].Video.Clusters, cs[2].Video.Clusters = []string{"q7", "q1", "q1"}, []string{"q1"}
	tests := map[string]string{Prefer: "1-3 2-5", Require: "1-3"}
	for how, want := range tests {
		lim := with(func(l *Limits) { l.Clusters, l.MinSimilarity = how, 0.5 })
		if got := named(cs, match(t, cs, lim)); got != want {
			t.Errorf("%s: pairs %s, want %s", how, got, want)
		}
	}
	ignored := match(t, cs, with(func(l *Limits) { l.Clusters, l.MinSimilarity = Ignore, 0.5 }))
	if len(ignored) != 1 || ignored[0].Similarity != 1 {
		t.Errorf("ignored clusters: %+v, want one pair of equals", ignored)
	}
	// The most alike of a cluster come first, whatever other clusters hold.
	four := []Candidate{described("1", "c", "cup tea"), described("2", "c", "hat"), described("3", "c", "cup tea milk"), described("4", "c", "hat coat")}
	for i := range four {
		four[i].Video.Clusters = []string{"tuple"}
	}
	if got := named(four, match(t, four, with(func(l *Limits) { l.Clusters = Require }))); got != "1-3 2-4" {
		t.Errorf("within a cluster: %s, want 1-3 2-4", got)
	}
}

// check is what holds of every matching.
func check(t *testing.T, cs []Candidate, lim Limits, links []Link) {
	t.Helper()
	used, seen := make([]int, len(cs)), map[[2]int]bool{}
	for _, l := range links {
		a, b := cs[l.A].Video, cs[l.B].Video
		if l.A >= l.B || seen[[2]int{l.A, l.B}] {
			t.Fatalf("link %+v is out of order or there twice", l)
		}
		if slices.Contains(lim.Within, Category) && a.Category != b.Category || a.Media == b.Media || l.Similarity < lim.MinSimilarity {
			t.Fatalf("link %+v of %+v and %+v", l, a, b)
		}
		if a.Title != "" && a.Title == b.Title {
			t.Fatalf("link %+v of one title %q", l, a.Title)
		}
		seen[[2]int{l.A, l.B}] = true
		used[l.A]++
		used[l.B]++
	}
	if len(used) > 0 && slices.Max(used) > lim.MaxUse {
		t.Fatalf("used %d times, want at most %d", slices.Max(used), lim.MaxUse)
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
		lim := with(func(l *Limits) { l.MaxUse, l.MinSimilarity = 1+rnd.IntN(3), rnd.Float64()/2 })
		links := match(t, cs, lim)
		check(t, cs, lim, links)
		// Nobody is left who could still be paired.
		for _, members := range groupCandidates(cs, lim.Within) {
			b, err := newBlock(t.Context(), cs, members, lim, 7)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.match(t.Context()); err != nil {
				t.Fatal(err)
			}
			for i := range members {
				for j := range i {
					if s := roundToFour(b.space.similarity(int32(i), int32(j))); s >= lim.MinSimilarity && b.allowed(int32(i), int32(j)) {
						t.Fatalf("seed %d: %d and %d (%g) could be paired", seed, i, j, s)
					}
				}
			}
		}
	}
}

// TestSeedBreaksTies wants other pairs of equals from another seed, and the
// same when a stranger joins.
func TestSeedBreaksTies(t *testing.T) {
	var cs []Candidate
	for i := range 40 {
		cs = append(cs, described(fmt.Sprint("v", i), "c", "the same words"))
	}
	one, err := Match(t.Context(), cs, defaults(), 1)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Match(t.Context(), cs, defaults(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(one) != 20 || len(two) != 20 || named(cs, one) == named(cs, two) {
		t.Errorf("%d and %d pairs, equal: %v", len(one), len(two), named(cs, one) == named(cs, two))
	}
	more := slices.Insert(slices.Clone(cs), 10, described("stranger", "other", "the same words"))
	three, err := Match(t.Context(), more, defaults(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if named(cs, one) != named(more, three) {
		t.Error("a video of another category changes the pairs")
	}
}

func TestDeterministic(t *testing.T) {
	lim := with(func(l *Limits) { l.MaxUse = 2 })
	for name, make := range corpora() {
		cs := make(1500, rand.New(rand.NewPCG(3, 3)))
		before := runtime.GOMAXPROCS(1)
		one := match(t, cs, lim)
		runtime.GOMAXPROCS(4)
		four := match(t, cs, lim)
		runtime.GOMAXPROCS(before)
		if !reflect.DeepEqual(one, four) {
			t.Errorf("%s: one and four cores pair differently", name)
		}
		check(t, cs, lim, one)
		if len(one) < 1450 {
			t.Errorf("%s: %d pairs of 1500 videos in two each", name, len(one))
		}
	}
}

// hostile are collections made to defeat the search.
func hostile() map[string]func(i int, c *Candidate) {
	return map[string]func(i int, c *Candidate){
		"identical":     func(_ int, c *Candidate) { c.Video.Description = "one and the same short description" },
		"one word":      func(i int, c *Candidate) { c.Video.Description = fmt.Sprintf("common own%d", i) },
		"nothing said":  func(int, *Candidate) {},
		"two films":     func(i int, c *Candidate) { c.Video.Media, c.Video.Description = fmt.Sprint(i%2), "word" },
		"one cluster":   func(_ int, c *Candidate) { c.Video.Clusters = []string{"all"} },
		"many clusters": func(i int, c *Candidate) { c.Video.Clusters = []string{fmt.Sprint(i % 50), fmt.Sprint("x", i/200)} },
	}
}

func hostileOf(n int, edit func(int, *Candidate)) []Candidate {
	cs := make([]Candidate, n)
	for i := range cs {
		cs[i] = described(fmt.Sprint("v", i), "c", "")
		edit(i, &cs[i])
	}
	return cs
}

// TestHostile wants nearly everybody paired where everybody could be, and no
// more work than the bounds of the search allow (BenchmarkHostile has 100,000).
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("pairs thousands of videos the hard way; run without -short")
	}
	n := testsize.Choose(2000, 5000)
	for name, edit := range hostile() {
		cs := hostileOf(n, edit)
		links := match(t, cs, defaults())
		check(t, cs, defaults(), links)
		if len(links) < n/2-n/200 {
			t.Errorf("%s: %d pairs of %d videos", name, len(links), n)
		}
	}
	same := hostileOf(n, func(_ int, c *Candidate) { c.Video.Media, c.Video.Description = "one file", "word" })
	if links := match(t, same, defaults()); len(links) != 0 {
		t.Errorf("%d pairs of one file", len(links))
	}
}
