// Package pairing chooses which videos to put together: alike ones, because
// memory interferes most between similar material (M3Eval appendix B).
package pairing

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/facts"
)

// Candidate is a video that wants a partner.
type Candidate struct {
	ID    string
	Video schemas.Video
}

// Limits of a matching.
type Limits struct {
	// MaxUse is in how many pairs a video may be.
	MaxUse int
	// MinSimilarity is the least cosine of a pair.
	MinSimilarity float64
	// MaxBlock bounds how many videos are compared with each other; a larger
	// category is cut into blocks of this size.
	MaxBlock int
}

// Link is a chosen pair; A and B index the candidates, A < B.
type Link struct {
	A, B       int
	Similarity float64
	tie        uint64
}

// Match links candidates of the same category, the most similar first, ties
// broken by rnd. Candidates must come in a fixed order.
func Match(cs []Candidate, lim Limits, rnd *rand.Rand) []Link {
	vectors := make([]Vector, len(cs))
	for i, c := range cs {
		vectors[i] = VectorOf(c.Video)
	}
	used := make([]int, len(cs))
	var out []Link
	for _, block := range blocks(cs, lim.MaxBlock) {
		for _, l := range rank(cs, vectors, block, lim.MinSimilarity, rnd) {
			if used[l.A] < lim.MaxUse && used[l.B] < lim.MaxUse {
				used[l.A]++
				used[l.B]++
				out = append(out, l)
			}
		}
	}
	return out
}

// blocks groups the candidates by category, categories sorted.
func blocks(cs []Candidate, size int) [][]int {
	byCategory := map[string][]int{}
	for i, c := range cs {
		byCategory[c.Video.Category] = append(byCategory[c.Video.Category], i)
	}
	names := make([]string, 0, len(byCategory))
	for name := range byCategory {
		names = append(names, name)
	}
	slices.Sort(names)
	var out [][]int
	for _, name := range names {
		out = slices.AppendSeq(out, slices.Chunk(byCategory[name], size))
	}
	return out
}

// rank lists the possible links of a block, best first.
func rank(cs []Candidate, vectors []Vector, block []int, least float64, rnd *rand.Rand) []Link {
	var links []Link
	for n, i := range block {
		for _, j := range block[n+1:] {
			l := Link{A: i, B: j, tie: rnd.Uint64()}
			if !tellable(cs[i].Video, cs[j].Video) {
				continue
			}
			if l.Similarity = Cosine(vectors[i], vectors[j]); l.Similarity >= least {
				links = append(links, l)
			}
		}
	}
	slices.SortFunc(links, func(x, y Link) int {
		return cmp.Or(cmp.Compare(y.Similarity, x.Similarity), cmp.Compare(x.tie, y.tie),
			cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	return links
}

// tellable reports whether a question can tell the two apart: other bytes, and
// titles that do not contain each other.
func tellable(a, b schemas.Video) bool {
	return a.Media != b.Media && !facts.Clash(a.Title, b.Title)
}
