package shortcut

import (
	"cmp"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Copy is a pair of questions that say nearly the same; A comes first by id.
type Copy struct {
	A, B string
	// Similarity is the share of common three-word shingles (Jaccard), at least
	// 0.9.
	Similarity float64
	// SplitA and SplitB are the splits that they stand in.
	SplitA, SplitB string
}

// Leak reports that the pair stands in different splits.
func (c Copy) Leak() bool { return c.SplitA != c.SplitB }

func (c Copy) rank() int {
	if c.Leak() {
		return 1
	}
	return 0
}

// Census counts what a set of questions really holds.
type Census struct {
	// Questions are rows, Facts what they ask for (schemas.Question.Fact). Across
	// counts the facts that stand in several splits.
	Questions, Facts, Across int
	// Near are near-duplicates among the facts, each by one of its questions.
	Near []Copy
}

// Count takes the census of questions of any type, with options and without.
// Equal sets give equal censuses.
func Count(qs []schemas.Question) Census {
	qs = slices.SortedFunc(slices.Values(qs), func(a, b schemas.Question) int { return cmp.Compare(a.QuestionID, b.QuestionID) })
	splits := map[string]map[string]bool{}
	var first []schemas.Question
	for _, q := range qs {
		f := q.Fact()
		if splits[f] == nil {
			splits[f] = map[string]bool{}
			first = append(first, q)
		}
		splits[f][q.Split] = true
	}
	c := Census{Questions: len(qs), Facts: len(first), Near: near(first)}
	for _, in := range splits {
		if len(in) > 1 {
			c.Across++
		}
	}
	return c
}

// similar is the share of common shingles from which two questions are copies.
const similar = 0.9

// MinHash signature: bands x rows hashes. Two texts of similarity 0.9 share a
// band with a chance above 0.999.
const (
	bands = 16
	rows  = 4
)

// near finds near-duplicates by MinHash, and checks each by counting. Pairs
// across splits come first, then by id.
func near(qs []schemas.Question) []Copy {
	clusters := Clusters(qs)
	shingles := make([]map[uint64]bool, len(qs))
	buckets := map[[2]uint64][]int{}
	for i, q := range qs {
		shingles[i] = shinglesOf(textOf(q))
		for b, key := range bandsOf(shingles[i]) {
			k := [2]uint64{uint64(b), key}
			buckets[k] = append(buckets[k], i)
		}
	}
	found := map[[2]int]Copy{}
	for _, members := range buckets {
		for n, i := range members[:min(len(members), maxBucket)] {
			for _, j := range members[n+1 : min(len(members), maxBucket)] {
				if _, known := found[[2]int{i, j}]; known || !comparable(qs[i], qs[j], clusters) {
					continue
				}
				if s := jaccard(shingles[i], shingles[j]); s >= similar {
					found[[2]int{i, j}] = Copy{qs[i].QuestionID, qs[j].QuestionID, s, qs[i].Split, qs[j].Split}
				}
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b Copy) int {
		return cmp.Or(cmp.Compare(b.rank(), a.rank()), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
}

// comparable leaves out questions over different media of different clusters:
// there the same words ask something else.
func comparable(a, b schemas.Question, clusters map[string]string) bool {
	if clusters[a.QuestionID] == clusters[b.QuestionID] || len(a.Media) == 0 && len(b.Media) == 0 {
		return true
	}
	return slices.ContainsFunc(a.Media, func(m string) bool { return slices.Contains(b.Media, m) })
}

// maxBucket bounds how many members of a bucket are compared with each other: a
// template that a thousand questions share is one finding, not half a million.
const maxBucket = 64

// textOf is a question with its options in alphabetical order: another order is
// no other question.
func textOf(q schemas.Question) string {
	var options []string
	for _, o := range q.Options {
		options = append(options, o.Text)
	}
	slices.Sort(options)
	return q.Question + " " + strings.Join(options, " ")
}

func shinglesOf(text string) map[uint64]bool {
	words := wordsOf(text)
	out := map[uint64]bool{}
	for i := range max(1, len(words)-2) {
		h := fnv.New64a()
		for _, w := range words[i:min(len(words), i+3)] {
			h.Write([]byte(w))
			h.Write([]byte{0})
		}
		out[h.Sum64()] = true
	}
	return out
}

func bandsOf(set map[uint64]bool) []uint64 {
	out := make([]uint64, bands)
	for b := range bands {
		for r := range rows {
			least := uint64(math.MaxUint64)
			for s := range set {
				least = min(least, mix(s^mix(uint64(b*rows+r+1))))
			}
			out[b] = mix(out[b] ^ least)
		}
	}
	return out
}

// mix is the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func jaccard(a, b map[uint64]bool) float64 {
	both := 0
	for s := range a {
		if b[s] {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
