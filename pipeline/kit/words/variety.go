package words

import (
	"cmp"
	"container/heap"
	"maps"
	"slices"
	"strings"
)

// maxTextBytes is how many bytes of a text a Sample looks at.
const maxTextBytes = 4096

// TextSample keeps at most so many of any number of texts: those whose keys have the least
// hashes, so that the same texts give the same sample in any order. Of texts under one
// key, copies of one thing, it keeps one.
type TextSample struct {
	most int
	seen int
	kept map[string]*sampled
	rank ranks // the greatest rank first
}

// sampled is a text; place breaks the tie of those of one key.
type sampled struct {
	rank             uint64
	key, place, text string
}

// NewTextSample is an empty one of at most so many texts.
func NewTextSample(most int) *TextSample { return &TextSample{most: most, kept: map[string]*sampled{}} }

// Add puts a text in. Of those with the same key the one with the least place stays.
func (s *TextSample) Add(key, place, text string) {
	s.seen++
	if have := s.kept[key]; have != nil {
		if place < have.place {
			have.place, have.text = place, clip(text)
		}
		return
	}
	one := &sampled{rank: Mix(Hash(key)), key: key}
	if len(s.rank) == s.most {
		if !ranksBelow(one, s.rank[0]) {
			return
		}
		delete(s.kept, s.rank[0].key)
		heap.Pop(&s.rank)
	}
	one.place, one.text = place, clip(text)
	s.kept[key] = one
	heap.Push(&s.rank, one)
}

func clip(text string) string { return strings.Clone(text[:min(len(text), maxTextBytes)]) }

func ranksBelow(a, b *sampled) bool {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.key, b.key)) < 0
}

// ranks is a heap.
type ranks []*sampled

func (r ranks) Len() int           { return len(r) }
func (r ranks) Less(i, j int) bool { return ranksBelow(r[j], r[i]) }
func (r ranks) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }

// Push implements heap.Interface.
func (r *ranks) Push(x any) { *r = append(*r, x.(*sampled)) }

// Pop implements heap.Interface.
func (r *ranks) Pop() any {
	last := len(*r) - 1
	x := (*r)[last]
	*r = (*r)[:last]
	return x
}

// Variety says how much texts differ.
type Variety struct {
	// Texts were looked at, of so many that were put in.
	Texts, Of int
	// Distinct1 and Distinct2 are how many different words, and pairs of words in a
	// row, there are for each that stands there (distinct-n, Li et al. 2016). They
	// fall as more texts are looked at.
	Distinct1, Distinct2 float64
	// Same is the share of texts with the same words as another, Near of those that
	// share nine of ten shingles with another (see Near), the former among them.
	Same, Near float64
}

// Variety measures the texts of the sample.
func (s *TextSample) Variety() Variety {
	v := Variety{Texts: len(s.rank), Of: s.seen}
	if v.Texts == 0 {
		return v
	}
	times := map[string]int{}
	var grams [2]runCounts
	for _, key := range slices.Sorted(maps.Keys(s.kept)) {
		list := Words(s.kept[key].text)
		times[strings.Join(list, " ")]++
		for i := range grams {
			grams[i].add(list, i+1)
		}
	}
	v.Distinct1, v.Distinct2 = grams[0].distinct(), grams[1].distinct()
	folded := slices.Sorted(maps.Keys(times))
	close := map[int]bool{}
	for _, p := range NearDuplicates(folded, nil) {
		close[p.A], close[p.B] = true, true
	}
	same, near := 0, 0
	for i, f := range folded {
		if times[f] > 1 {
			same += times[f]
		}
		if times[f] > 1 || close[i] {
			near += times[f]
		}
	}
	v.Same, v.Near = float64(same)/float64(v.Texts), float64(near)/float64(v.Texts)
	return v
}

// runCounts are runs of words.
type runCounts struct {
	all  int
	seen map[uint64]struct{}
}

func (c *runCounts) add(list []string, n int) {
	if c.seen == nil {
		c.seen = map[uint64]struct{}{}
	}
	for i := range max(0, len(list)-n+1) {
		c.all++
		c.seen[Hash(strings.Join(list[i:i+n], "\x00"))] = struct{}{}
	}
}

func (c *runCounts) distinct() float64 {
	return float64(len(c.seen)) / float64(max(1, c.all))
}
