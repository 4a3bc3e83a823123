package pairing

import (
	"cmp"
	"slices"
)

// neighbour is a possible partner of a candidate.
type neighbour struct {
	score float64
	tie   uint64
	other int32
}

// compareNeighbours orders partners, the best first.
func compareNeighbours(a, b neighbour) int {
	switch {
	case a.score != b.score:
		return cmp.Compare(b.score, a.score)
	case a.tie != b.tie:
		return cmp.Compare(a.tie, b.tie)
	}
	return cmp.Compare(a.other, b.other)
}

// topNeighbours keeps the limit best partners it is shown: a heap with the worst kept
// one at its root. The order of showing does not matter.
type topNeighbours struct {
	limit int
	heap  []neighbour
}

func (b *topNeighbours) reset(limit int) { b.limit, b.heap = limit, b.heap[:0] }

// floor is the score that a partner must reach to be kept; none is negative.
func (b *topNeighbours) floor() float64 {
	if len(b.heap) < b.limit {
		return 0
	}
	return b.heap[0].score
}

func (b *topNeighbours) add(n neighbour) {
	if len(b.heap) < b.limit {
		b.heap = append(b.heap, n)
		b.siftUp(len(b.heap) - 1)
		return
	}
	if compareNeighbours(n, b.heap[0]) < 0 {
		b.heap[0] = n
		b.siftDown()
	}
}

// beats reports whether add would keep the partner.
func (b *topNeighbours) beats(n neighbour) bool {
	return len(b.heap) < b.limit || compareNeighbours(n, b.heap[0]) < 0
}

func (b *topNeighbours) siftUp(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if compareNeighbours(b.heap[i], b.heap[parent]) <= 0 {
			return
		}
		b.heap[i], b.heap[parent] = b.heap[parent], b.heap[i]
		i = parent
	}
}

func (b *topNeighbours) siftDown() {
	for i := 0; ; {
		worst, left := i, 2*i+1
		for c := left; c < min(left+2, len(b.heap)); c++ {
			if compareNeighbours(b.heap[c], b.heap[worst]) > 0 {
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
func (b *topNeighbours) sorted() []neighbour {
	slices.SortFunc(b.heap, compareNeighbours)
	return b.heap
}
