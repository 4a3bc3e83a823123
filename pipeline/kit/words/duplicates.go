package words

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
)

// Pair is two texts of a list, by their places in it, A before B.
type Pair struct {
	A, B int
	// Similarity is the share of common shingles, see Overlap.
	Similarity float64
}

// duplicateShare is the share of common shingles from which two texts are copies.
const duplicateShare = 0.9

// MinHash signature: bands x rows hashes. Two texts of similarity 0.9 share a
// band with a chance above 0.999.
const (
	bands = 16
	rows  = 4
)

// maxBucket bounds how many texts of one bucket are compared with each other: a
// template that a thousand texts share is one finding, not half a million. Who
// wants a rate of duplicates and not examples counts equal Folded texts first.
const maxBucket = 64

// NearDuplicates finds the pairs of texts that share at least nine of ten shingles: by
// MinHash, and each checked by counting. Pairs for which comparable says no are
// left out; nil compares all. They come in ascending order. Time and memory grow
// with the number of texts and their length, not with their square.
func NearDuplicates(texts []string, comparable func(i, j int) bool) []Pair {
	shingles := make([][]uint64, len(texts))
	signatures := make([]signature, len(texts))
	for i, t := range texts {
		shingles[i] = Shingles(t)
		signatures[i] = signatureOf(shingles[i])
	}
	found := map[Pair]bool{}
	for band := range bands {
		for i, j := range candidatePairs(signatures, band) {
			if comparable != nil && !comparable(i, j) {
				continue
			}
			if s := Overlap(shingles[i], shingles[j]); s >= duplicateShare {
				found[Pair{i, j, s}] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b Pair) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) })
}

// candidatePairs yields the pairs of texts, the earlier one first, whose signatures
// agree in a band.
func candidatePairs(signatures []signature, band int) iter.Seq2[int, int] {
	order := make([]int, len(signatures))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(signatures[i][band], signatures[j][band]) })
	return func(yield func(int, int) bool) {
		first := 0
		for n, j := range order {
			if signatures[j][band] != signatures[order[first]][band] {
				first = n
			}
			if n-first >= maxBucket {
				continue
			}
			for _, i := range order[first:n] {
				if !yield(i, j) {
					return
				}
			}
		}
	}
}

// Shingles are the runs of three words of a text, hashed, distinct and
// ascending. A shorter text is one shingle, and so is a text without words.
func Shingles(text string) []uint64 {
	words := Words(text)
	out := make([]uint64, 0, max(1, len(words)-2))
	for i := range max(1, len(words)-2) {
		h := uint64(offset)
		for _, w := range words[i:min(len(words), i+3)] {
			h = hash(hash(h, w), "\x00")
		}
		out = append(out, h)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Overlap is the Jaccard similarity of two sets, each a list of distinct
// elements in ascending order; of two empty ones it is 0.
func Overlap[T cmp.Ordered](a, b []T) float64 {
	both, all := 0, len(a)+len(b)
	for len(a) > 0 && len(b) > 0 {
		switch c := cmp.Compare(a[0], b[0]); {
		case c < 0:
			a = a[1:]
		case c > 0:
			b = b[1:]
		default:
			both, a, b = both+1, a[1:], b[1:]
		}
	}
	return float64(both) / math.Max(1, float64(all-both))
}

// signature is one hash a band.
type signature [bands]uint64

func signatureOf(set []uint64) (out signature) {
	for b := range bands {
		for r := range rows {
			least, salt := uint64(math.MaxUint64), splitMix(uint64(b*rows+r+1))
			for _, s := range set {
				least = min(least, splitMix(s^salt))
			}
			out[b] = splitMix(out[b] ^ least)
		}
	}
	return out
}

// splitMix is what SplitMix64 gives in state x.
func splitMix(x uint64) uint64 { return Mix(x + 0x9e3779b97f4a7c15) }

// offset and prime are those of the 64-bit FNV-1a hash.
const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

// Hash is the 64-bit FNV-1a hash of a text.
func Hash(s string) uint64 { return hash(offset, s) }

func hash(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * prime
	}
	return h
}

// Mix spreads the bits of x (the finaliser of SplitMix64).
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
