package pairing

import (
	"context"
	"math"
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
	// floor is the score below which nobody is kept any more.
	floor float64
}

func (p *picker) reset(own int32, limit int) {
	p.own, p.floor = own, 0
	p.best.reset(limit)
}

// offer offers j. Whether the two may be paired is asked late: it costs more
// than the score.
func (p *picker) offer(j int32, score float64) {
	if score < p.floor {
		return
	}
	n := neighbour{score, p.block.tieBreak(p.own, j), j}
	if p.best.beats(n) && p.block.allowed(p.own, j) {
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
