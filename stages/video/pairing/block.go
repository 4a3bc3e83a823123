package pairing

import (
	"cmp"
	"context"
	"slices"

	"github.com/memforge/memforge/pipeline/kit/words"
)

// block is a group of candidates that may be paired with each other, and how
// far that has come. Its videos are numbered from 0.
type block struct {
	lim      Limits
	members  []int // of the candidates
	space    space
	guards   []guard
	keys     []uint64
	clusters [][]int32
	partners [][]int32
	links    []Link
}

func newBlock(ctx context.Context, cs []Candidate, members []int, lim Limits, seed uint64) (*block, error) {
	n := len(members)
	b := &block{
		lim: lim, members: members,
		guards: make([]guard, n), keys: make([]uint64, n), partners: make([][]int32, n),
	}
	clusters := map[string][]int32{}
	for i, m := range members {
		b.guards[i] = guardOf(&cs[m].Video, lim.Apart)
		b.keys[i] = words.Mix(seed ^ words.Hash(cs[m].ID))
		names := slices.Clone(cs[m].Video.Clusters)
		slices.Sort(names)
		for _, c := range slices.Compact(names) {
			clusters[c] = append(clusters[c], int32(i))
		}
	}
	b.clusters = sortedGroups(clusters)
	var err error
	b.space, err = spaceOf(ctx, cs, members, lim)
	return b, err
}

// spaceOf compares by vectors where there are any, else by words.
func spaceOf(ctx context.Context, cs []Candidate, members []int, lim Limits) (space, error) {
	if cs[members[0]].Vector != nil {
		vectors := make([]Vector, len(members))
		for i, m := range members {
			vectors[i] = cs[m].Vector
		}
		return embedded(ctx, vectors)
	}
	rule := words.Rule{Compatible: true, Pairs: true}
	category := !slices.Contains(lim.Within, Category)
	return weigh(ctx, len(members), func(i int, yield func(uint64)) {
		for text := range texts(&cs[members[i]].Video, category) {
			for w := range rule.Each(text) {
				yield(words.Hash(w))
			}
		}
	})
}

// tie orders pairs of equal similarity: by seed and ids, whoever asks.
func (b *block) tie(i, j int32) uint64 { return words.Mix(b.keys[i] + b.keys[j]) }

// allowed reports whether i and j may become a pair now.
func (b *block) allowed(i, j int32) bool {
	return i != j && b.free(i) && b.free(j) && !slices.Contains(b.partners[i], j) && b.guards[i].tellable(b.guards[j])
}

func (b *block) free(i int32) bool { return len(b.partners[i]) < b.lim.MaxUse }

// match makes all pairs of the block.
func (b *block) match(ctx context.Context) error {
	if b.lim.Clusters != Ignore {
		if err := b.exhaust(ctx, b.clusters, 0); err != nil {
			return err
		}
	}
	if b.lim.Clusters == Require {
		return nil
	}
	return b.exhaust(ctx, [][]int32{everybody(len(b.members))}, b.lim.MinSimilarity)
}

func everybody(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// exhaust pairs within groups until hardly anybody finds a partner: those whose
// neighbours were all taken by others look again among who is left. Where no
// similarity is asked for, those that share nothing are paired last.
func (b *block) exhaust(ctx context.Context, groups [][]int32, least float64) error {
	if err := b.rounds(ctx, groups, least, b.space.index); err != nil || least > 0 {
		return err
	}
	return b.rounds(ctx, groups, least, b.stroll)
}

// few is the share of the videos that are left (1 of few) that a round must
// pair for another one to follow.
const few = 100

func (b *block) rounds(ctx context.Context, groups [][]int32, least float64, index func([]int32) searcher) error {
	for {
		var found []link
		left, large := 0, false
		for _, g := range groups {
			among := slices.DeleteFunc(slices.Clone(g), func(i int32) bool { return !b.free(i) })
			ls, err := b.search(ctx, among, len(groups) == 1, least, index)
			if err != nil {
				return err
			}
			found = append(found, ls...)
			left, large = left+len(among), large || len(among) > exact
		}
		made := b.take(found)
		if made == 0 || large && made < left/few {
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

// search lists the possible links among some videos: all of a small only group,
// else those of nearest neighbours.
func (b *block) search(ctx context.Context, among []int32, only bool, least float64, index func([]int32) searcher) ([]link, error) {
	if len(among) < 2 {
		return nil, nil
	}
	k, s := b.lim.Neighbours, searcher(everyone(among))
	switch {
	case len(among) > exact:
		s = index(among)
	case only:
		k = len(among) - 1
	}
	lists, err := b.neighbours(ctx, s, among, k, least)
	if err != nil {
		return nil, err
	}
	if o, ok := s.(*orders); ok {
		if lists, err = b.refine(ctx, o.dense, among, lists, k, least); err != nil {
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

// take makes pairs of links, the best first, and returns how many.
func (b *block) take(ls []link) int {
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

// stroll searches along an order that only the seed decides.
type stroll struct {
	order []int32
	at    map[int32]int
}

func (b *block) stroll(among []int32) searcher {
	s := stroll{slices.Clone(among), make(map[int32]int, len(among))}
	slices.SortFunc(s.order, func(i, j int32) int { return cmp.Or(cmp.Compare(b.keys[i], b.keys[j]), cmp.Compare(i, j)) })
	for n, i := range s.order {
		s.at[i] = n
	}
	return s
}

func (s stroll) worker() func(int32, *picker) {
	return func(i int32, pick *picker) {
		n := len(s.order)
		for step := 1; step <= min(window, n/2); step++ {
			pick.show(s.order[(s.at[i]+step)%n], 0)
			pick.show(s.order[(s.at[i]+n-step)%n], 0)
		}
	}
}
