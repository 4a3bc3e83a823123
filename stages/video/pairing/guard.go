package pairing

import (
	"slices"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// guard is what forbids a pair: footage in common, or titles or labels that
// cannot be told apart.
type guard struct {
	footage []uint64
	title   set
	labels  []set
}

func guardOf(v *schemas.Video, apart []string) guard {
	g := guard{footage: []uint64{words.Hash(v.Media)}, title: setOf(v.Title)}
	for _, name := range apart {
		g.labels = append(g.labels, setOf(v.Labels[name]))
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

// tellable reports whether a question can tell the two apart: no footage in
// common, and titles and labels of which neither contains the other.
func (g guard) tellable(other guard) bool {
	for i, label := range g.labels {
		if label.clash(other.labels[i]) {
			return false
		}
	}
	return !meet(g.footage, other.footage) && !g.title.clash(other.title)
}

// meet reports whether two sorted lists have an element in common.
func meet[T uint64 | uint32](a, b []T) bool {
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

// set is the distinct words of a value, hashed and sorted.
type set []uint64

func setOf(value string) set { return setOfWords(groundtruth.Words(value)) }

func setOfWords(list []string) set {
	s := make(set, len(list))
	for i, w := range list {
		s[i] = words.Hash(w)
	}
	slices.Sort(s)
	return slices.Compact(s)
}

// clash is facts.Clash for values that were split before.
func (s set) clash(other set) bool {
	return len(s) > 0 && len(other) > 0 && (s.within(other) || other.within(s))
}

func (s set) within(other set) bool {
	for _, w := range s {
		if _, ok := slices.BinarySearch(other, w); !ok {
			return false
		}
	}
	return true
}
