package pairing

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// space tells how alike videos are.
type space interface {
	// similarity of two videos, 0 to 1.
	similarity(i, j int32) float64
	// index prepares to search among some videos, sorted.
	index(among []int32) searcher
}

// searcher finds alike videos without comparing all with all.
type searcher interface {
	// worker returns a search for one core: it shows the picker whatever may be
	// like i, with a rough score.
	worker() func(i int32, pick *picker)
}

// rough is how many of those that a search shows are compared exactly, for each
// neighbour wanted.
const rough = 4

// exact is the size up to which a group is compared all with all.
const exact = 256

// picker keeps the best of the partners that it is shown.
type picker struct {
	block *block
	own   int32
	best  topNeighbours
	// floor is the score below which no partner is kept.
	floor float64
}

func (p *picker) reset(own int32, limit int) {
	p.own, p.floor = own, 0
	p.best.reset(limit)
}

// offer considers j. It asks late whether the two may be paired: that costs
// more than the score.
func (p *picker) offer(j int32, score float64) {
	if score < p.floor {
		return
	}
	n := neighbour{score, p.block.tieBreak(p.own, j), j}
	if (len(p.best.heap) < p.best.limit || compareNeighbours(n, p.best.heap[0]) < 0) && p.block.allowed(p.own, j) {
		p.best.add(n)
		p.floor = p.best.floor()
	}
}

// exhaustive searches by looking at all.
type exhaustive []int32

func (e exhaustive) worker() func(int32, *picker) {
	return func(i int32, pick *picker) {
		for _, j := range e {
			if j != i {
				pick.offer(j, pick.block.space.similarity(i, j))
			}
		}
	}
}

// findNeighbours lists, for each video of among, up to k allowed partners of at
// least the similarity least, the best first.
func (b *block) findNeighbours(ctx context.Context, s searcher, among []int32, k int, least float64) ([][]neighbour, error) {
	out := make([][]neighbour, len(among))
	err := parallelFor(ctx, len(among), func() func(int) {
		search, pick, kept := s.worker(), picker{block: b}, topNeighbours{}
		return func(n int) {
			i := among[n]
			pick.reset(i, k*rough)
			search(i, &pick)
			kept.reset(k)
			for _, c := range pick.best.heap {
				c.score = roundToFour(b.space.similarity(i, c.other))
				if c.score >= least {
					kept.add(c)
				}
			}
			out[n] = append([]neighbour(nil), kept.sorted()...)
		}
	})
	return out, err
}

// roundToFour keeps four digits: what is recorded is what is compared.
func roundToFour(x float64) float64 { return math.Round(min(x, 1)*1e4) / 1e4 }

// neighbour is a possible partner of a candidate.
type neighbour struct {
	score float64
	tie   uint64
	other int32
}

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

// floor returns the score that a partner must reach to be kept; none is
// negative.
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

func (b *topNeighbours) sorted() []neighbour {
	slices.SortFunc(b.heap, compareNeighbours)
	return b.heap
}

// parallelFor calls do(0) ... do(n-1) on all cores; worker makes the do of one
// core, with what it needs to itself. Results belong in place i, so that which
// core did what leaves no trace.
func parallelFor(ctx context.Context, n int, worker func() func(i int)) error {
	const chunk = 64
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range min(runtime.GOMAXPROCS(0), n/chunk+1) {
		g.Go(func() error {
			do := worker()
			for {
				if err := ctx.Err(); err != nil {
					return err
				}
				from := int(next.Add(chunk)) - chunk
				if from >= n {
					return nil
				}
				for i := from; i < min(from+chunk, n); i++ {
					do(i)
				}
			}
		})
	}
	return g.Wait()
}
