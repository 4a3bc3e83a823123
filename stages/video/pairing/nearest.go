package pairing

import (
	"cmp"
	"slices"
)

// near is a possible partner of a candidate.
type near struct {
	score float64
	tie   uint64
	other int32
}

// compareNear orders partners, the best first.
func compareNear(a, b near) int {
	switch {
	case a.score != b.score:
		return cmp.Compare(b.score, a.score)
	case a.tie != b.tie:
		return cmp.Compare(a.tie, b.tie)
	}
	return cmp.Compare(a.other, b.other)
}

// best keeps the limit best partners it is shown: a heap with the worst kept
// one at its root. The order of showing does not matter.
type best struct {
	limit int
	heap  []near
}

func (b *best) reset(limit int) { b.limit, b.heap = limit, b.heap[:0] }

// floor is the score that a partner must reach to be kept; none is negative.
func (b *best) floor() float64 {
	if len(b.heap) < b.limit {
		return 0
	}
	return b.heap[0].score
}

func (b *best) add(n near) {
	if len(b.heap) < b.limit {
		b.heap = append(b.heap, n)
		b.up(len(b.heap) - 1)
		return
	}
	if compareNear(n, b.heap[0]) < 0 {
		b.heap[0] = n
		b.down()
	}
}

// beats reports whether add would keep the partner.
func (b *best) beats(n near) bool {
	return len(b.heap) < b.limit || compareNear(n, b.heap[0]) < 0
}

func (b *best) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if compareNear(b.heap[i], b.heap[parent]) <= 0 {
			return
		}
		b.heap[i], b.heap[parent] = b.heap[parent], b.heap[i]
		i = parent
	}
}

func (b *best) down() {
	for i := 0; ; {
		worst, left := i, 2*i+1
		for c := left; c < min(left+2, len(b.heap)); c++ {
			if compareNear(b.heap[c], b.heap[worst]) > 0 {
				worst = c
			}
		}
		if worst == i {
			return
		}
		b.heap[i], b.heap[worst] = b.heap[worst], b.heap[i]
		i = worst
	}
}

// sorted lists what was kept, the best first; the heap is used up.
func (b *best) sorted() []near {
	slices.SortFunc(b.heap, compareNear)
	return b.heap
}
