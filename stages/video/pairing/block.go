package pairing

import (
	"cmp"
	"context"
	"slices"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// block is a group of candidates that may be paired with each other, and how
// far that has come. Its videos are numbered from 0.
type block struct {
	lim        Limits
	members    []int // of the candidates
	space      space
	exclusions []exclusion
	keys       []uint64
	clusters   [][]int32
	partners   [][]int32
	links      []Link
}

func newBlock(ctx context.Context, cs []Candidate, members []int, lim Limits, seed uint64) (*block, error) {
	n := len(members)
	b := &block{
		lim: lim, members: members,
		exclusions: make([]exclusion, n), keys: make([]uint64, n), partners: make([][]int32, n),
	}
	clusters := map[string][]int32{}
	for i, m := range members {
		b.exclusions[i] = exclusionOf(&cs[m].Video, lim.Apart)
		b.keys[i] = words.Mix(seed ^ words.Hash(cs[m].ID))
		names := slices.Clone(cs[m].Video.Clusters)
		slices.Sort(names)
		for _, c := range slices.Compact(names) {
			clusters[c] = append(clusters[c], int32(i))
		}
	}
	b.clusters = sortedGroups(clusters)
	var err error
	b.space, err = newSpace(ctx, cs, members, lim)
	return b, err
}

func newSpace(ctx context.Context, cs []Candidate, members []int, lim Limits) (space, error) {
	if cs[members[0]].Vector != nil {
		vectors := make([]Vector, len(members))
		for i, m := range members {
			vectors[i] = cs[m].Vector
		}
		return newDense(ctx, vectors)
	}
	rule := words.Rule{Compatible: true, Pairs: true}
	category := !slices.Contains(lim.Within, Category)
	return newBags(ctx, len(members), func(i int, yield func(uint64)) {
		for text := range videoTexts(&cs[members[i]].Video, category) {
			for w := range rule.Each(text) {
				yield(words.Hash(w))
			}
		}
	})
}

// tieBreak orders pairs of equal similarity by seed and ids only.
func (b *block) tieBreak(i, j int32) uint64 { return words.Mix(b.keys[i] + b.keys[j]) }

func (b *block) allowed(i, j int32) bool {
	return i != j && b.hasCapacity(i) && b.hasCapacity(j) && !slices.Contains(b.partners[i], j) && b.exclusions[i].distinguishable(b.exclusions[j])
}

func (b *block) hasCapacity(i int32) bool { return len(b.partners[i]) < b.lim.MaxUse }

func (b *block) match(ctx context.Context) error {
	if b.lim.Clusters != Ignore {
		if err := b.matchGroups(ctx, b.clusters, 0); err != nil {
			return err
		}
	}
	if b.lim.Clusters == Require {
		return nil
	}
	return b.matchGroups(ctx, [][]int32{allMembers(len(b.members))}, b.lim.MinSimilarity)
}

func allMembers(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// matchGroups pairs within groups until few videos find a partner: those whose
// neighbours were all taken by others look again among the rest. Where no
// similarity is demanded, those that share nothing are paired last.
func (b *block) matchGroups(ctx context.Context, groups [][]int32, least float64) error {
	if err := b.matchRounds(ctx, groups, least, b.space.index); err != nil || least > 0 {
		return err
	}
	return b.matchRounds(ctx, groups, least, b.newSeededOrder)
}

// minLinksPerRound is the share of the videos that are left (1 of few) that a round must
// pair for another one to follow.
const minLinksPerRound = 100

func (b *block) matchRounds(ctx context.Context, groups [][]int32, least float64, index func([]int32) searcher) error {
	for {
		var found []link
		left, large := 0, false
		for _, g := range groups {
			among := slices.DeleteFunc(slices.Clone(g), func(i int32) bool { return !b.hasCapacity(i) })
			ls, err := b.searchLinks(ctx, among, len(groups) == 1, least, index)
			if err != nil {
				return err
			}
			found = append(found, ls...)
			left, large = left+len(among), large || len(among) > exact
		}
		made := b.acceptLinks(found)
		if made == 0 || large && made < left/minLinksPerRound {
			return nil
		}
	}
}

// link is a possible pair of a block, i < j.
type link struct {
	similarity float64
	tie        uint64
	i, j       int32
}

func compareLink(x, y link) int {
	return cmp.Or(cmp.Compare(y.similarity, x.similarity), cmp.Compare(x.tie, y.tie), cmp.Compare(x.i, y.i), cmp.Compare(x.j, y.j))
}

// searchLinks lists the possible links among some videos: all of a small group
// when it is the only one, else those of nearest neighbours.
func (b *block) searchLinks(ctx context.Context, among []int32, only bool, least float64, index func([]int32) searcher) ([]link, error) {
	if len(among) < 2 {
		return nil, nil
	}
	k, s := b.lim.Neighbours, searcher(exhaustive(among))
	switch {
	case len(among) > exact:
		s = index(among)
	case only:
		k = len(among) - 1
	}
	lists, err := b.findNeighbours(ctx, s, among, k, least)
	if err != nil {
		return nil, err
	}
	if o, ok := s.(*sketchOrders); ok {
		if lists, err = b.refineNeighbours(ctx, o.dense, among, lists, k, least); err != nil {
			return nil, err
		}
	}
	var out []link
	for n, list := range lists {
		for _, c := range list {
			out = append(out, link{c.score, c.tie, min(among[n], c.other), max(among[n], c.other)})
		}
	}
	return out, nil
}

func (b *block) acceptLinks(ls []link) int {
	slices.SortFunc(ls, compareLink)
	before := len(b.links)
	for _, l := range ls {
		if !b.allowed(l.i, l.j) {
			continue
		}
		b.partners[l.i] = append(b.partners[l.i], l.j)
		b.partners[l.j] = append(b.partners[l.j], l.i)
		b.links = append(b.links, Link{A: b.members[l.i], B: b.members[l.j], Similarity: l.similarity})
	}
	return len(b.links) - before
}

// window is how many others, to each side, a stroll looks at.
const window = 128

// seededOrder searches along an order that only the seed decides.
type seededOrder struct {
	order []int32
	at    map[int32]int
}

func (b *block) newSeededOrder(among []int32) searcher {
	s := seededOrder{slices.Clone(among), make(map[int32]int, len(among))}
	slices.SortFunc(s.order, func(i, j int32) int { return cmp.Or(cmp.Compare(b.keys[i], b.keys[j]), cmp.Compare(i, j)) })
	for n, i := range s.order {
		s.at[i] = n
	}
	return s
}

func (s seededOrder) worker() func(int32, *picker) {
	return func(i int32, pick *picker) {
		n := len(s.order)
		for step := 1; step <= min(window, n/2); step++ {
			pick.offer(s.order[(s.at[i]+step)%n], 0)
			pick.offer(s.order[(s.at[i]+n-step)%n], 0)
		}
	}
}

// exclusion holds what forbids a pair: footage in common, or titles or labels
// that cannot be told apart.
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

// distinguishable reports whether a question can tell the two apart: no footage
// in common, and titles and labels of which neither contains the other.
func (g exclusion) distinguishable(other exclusion) bool {
	for i, label := range g.labels {
		if label.clashes(other.labels[i]) {
			return false
		}
	}
	return !intersect(g.footage, other.footage) && !g.title.clashes(other.title)
}

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

func newWordSet(value string) wordSet {
	list := groundtruth.Words(value)
	s := make(wordSet, len(list))
	for i, w := range list {
		s[i] = words.Hash(w)
	}
	slices.Sort(s)
	return slices.Compact(s)
}

// clashes is groundtruth.Clash for values that were split before.
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
