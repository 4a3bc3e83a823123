package pairing

import (
	"slices"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// exclusion is what forbids a pair: footage in common, or titles or labels that
// cannot be told apart.
type exclusion struct {
	footage []uint64
	title   wordSet
	labels  []wordSet
}

func exclusionOf(v *schemas.Video, apart []string) exclusion {
	g := exclusion{footage: []uint64{words.Hash(v.Media)}, title: newWordSet(v.Title)}
	for _, name := range apart {
		g.labels = append(g.labels, newWordSet(v.Labels[name]))
	}
	for _, p := range v.Parts {
		for _, digest := range []string{p.Source, p.Original} {
			if digest != "" {
				g.footage = append(g.footage, words.Hash(digest))
			}
		}
	}
	slices.Sort(g.footage)
	g.footage = slices.Compact(g.footage)
	return g
}

// distinguishable reports whether a question can tell the two apart: no footage in
// common, and titles and labels of which neither contains the other.
func (g exclusion) distinguishable(other exclusion) bool {
	for i, label := range g.labels {
		if label.clashes(other.labels[i]) {
			return false
		}
	}
	return !intersect(g.footage, other.footage) && !g.title.clashes(other.title)
}

// intersect reports whether two sorted lists have an element in common.
func intersect[T uint64 | uint32](a, b []T) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}

// wordSet is the distinct words of a value, hashed and sorted.
type wordSet []uint64

func newWordSet(value string) wordSet { return wordSetOf(groundtruth.Words(value)) }

func wordSetOf(list []string) wordSet {
	s := make(wordSet, len(list))
	for i, w := range list {
		s[i] = words.Hash(w)
	}
	slices.Sort(s)
	return slices.Compact(s)
}

// clashes is facts.Clash for values that were split before.
func (s wordSet) clashes(other wordSet) bool {
	return len(s) > 0 && len(other) > 0 && (s.isSubset(other) || other.isSubset(s))
}

func (s wordSet) isSubset(other wordSet) bool {
	for _, w := range s {
		if _, ok := slices.BinarySearch(other, w); !ok {
			return false
		}
	}
	return true
}
