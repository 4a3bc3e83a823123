package pairing

import "context"

// neighbourHops searches where neighbours of neighbours are: those of a video, those
// that have it as theirs, and the same of each of these.
type neighbourHops struct {
	space  *dense
	around [][]int32 // by video
}

// joins is how often neighbours are refined. Measured (BenchmarkMatchVectors):
// the orders alone find half of the nearest, two joins nearly all.
const joins = 2

// refineNeighbours looks for better neighbours than were found, among the neighbours of
// neighbours (NN-descent; Dong, Moses and Li, 2011).
func (b *block) refineNeighbours(ctx context.Context, d *dense, among []int32, lists [][]neighbour, k int, least float64) (_ [][]neighbour, err error) {
	for range joins {
		if lists, err = b.joinNeighbours(ctx, d, among, lists, k, least); err != nil {
			return nil, err
		}
	}
	return lists, nil
}

func (b *block) joinNeighbours(ctx context.Context, d *dense, among []int32, lists [][]neighbour, k int, least float64) ([][]neighbour, error) {
	h := &neighbourHops{d, make([][]int32, len(b.members))}
	for n, i := range among {
		for _, c := range lists[n] {
			h.around[i] = append(h.around[i], c.other)
		}
	}
	for n, i := range among {
		for _, c := range lists[n] {
			if len(h.around[c.other]) < 2*k {
				h.around[c.other] = append(h.around[c.other], i)
			}
		}
	}
	return b.findNeighbours(ctx, h, among, k, least)
}

func (h *neighbourHops) worker() func(int32, *picker) {
	seen := make([]int32, len(h.around))
	return func(i int32, pick *picker) {
		seen[i] = i + 1
		show := func(j int32) {
			if seen[j] != i+1 {
				seen[j] = i + 1
				pick.offer(j, h.space.nearness(i, j))
			}
		}
		for _, j := range h.around[i] {
			show(j)
			for _, l := range h.around[j] {
				show(l)
			}
		}
	}
}
