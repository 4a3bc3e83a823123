package pairing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Vector is an embedding in steps of 1/127 of its largest element: a byte per
// dimension, and sums that are exact everywhere. Cosines are right to about
// three digits.
type Vector []int8

// Quantise makes a vector of an embedding. One that is not finite is an error;
// one of zeros is like nothing.
func Quantise(embedding []float32) (Vector, error) {
	var largest float64
	for _, x := range embedding {
		largest = max(largest, math.Abs(float64(x)))
	}
	if math.IsNaN(largest) || math.IsInf(largest, 0) {
		return nil, errors.New("the embedding is not finite")
	}
	v := make(Vector, len(embedding))
	if largest == 0 {
		return v, nil
	}
	for i, x := range embedding {
		v[i] = int8(math.Round(float64(x) / largest * 127))
	}
	return v, nil
}

func dot(x, y Vector) (sum int32) {
	y = y[:len(x)]
	for i, a := range x {
		sum += int32(a) * int32(y[i])
	}
	return sum
}

// sketchWords is the length of a sketch: 1,024 bits.
const sketchWords = 16

// sketch holds on which side of random planes a vector lies. The share of
// differing bits grows with the angle between two vectors.
type sketch [sketchWords]uint64

func (s *sketch) distance(t *sketch) (n int) {
	for i, w := range s {
		n += bits.OnesCount64(w ^ t[i])
	}
	return n
}

// dense compares videos by the cosine of their vectors.
type dense struct {
	vectors  []Vector
	length   []float64
	sketches []sketch // of blocks above the size that is compared all with all
}

func newDense(ctx context.Context, vectors []Vector) (*dense, error) {
	d := &dense{vectors: vectors, length: make([]float64, len(vectors))}
	for i, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("vectors of %d and %d dimensions cannot be compared; embed all videos with one model", len(vectors[0]), len(v))
		}
		d.length[i] = math.Sqrt(float64(dot(v, v)))
	}
	if len(vectors) <= exact {
		return d, nil
	}
	d.sketches = make([]sketch, len(vectors))
	mean, planes := d.mean(), planesFor(len(vectors[0]))
	err := parallelFor(ctx, len(vectors), func() func(int) {
		buffer := make([]float32, planes.size)
		return func(i int) { d.sketches[i] = planes.sketch(vectors[i], mean, d.length[i], buffer) }
	})
	return d, err
}

// mean returns the mean of the unit vectors. Embeddings share a direction that
// tells nothing; without it the planes divide them evenly.
func (d *dense) mean() []float32 {
	sums := make([]float64, len(d.vectors[0]))
	for i, v := range d.vectors {
		if d.length[i] == 0 {
			continue
		}
		for k, x := range v {
			sums[k] += float64(x) / d.length[i]
		}
	}
	mean := make([]float32, len(sums))
	for k, s := range sums {
		mean[k] = float32(s / float64(len(d.vectors)))
	}
	return mean
}

func (d *dense) similarity(i, j int32) float64 {
	if d.length[i] == 0 || d.length[j] == 0 {
		return 0
	}
	return max(0, float64(dot(d.vectors[i], d.vectors[j]))/(d.length[i]*d.length[j]))
}

// nearness returns the share of equal bits: a rough similarity.
func (d *dense) nearness(i, j int32) float64 {
	return 1 - float64(d.sketches[i].distance(&d.sketches[j]))/(64*sketchWords)
}

// planes are random planes through a space, as signs before two Hadamard
// transforms: a thousand planes cost some ten additions each.
type planes struct {
	size  int
	signs [][]float32
}

func planesFor(dim int) planes {
	p := planes{size: 1 << bits.Len(uint(dim-1))}
	rnd := rand.New(rand.NewPCG(1, uint64(dim)))
	for range 2 * ((64*sketchWords + p.size - 1) / p.size) {
		signs := make([]float32, p.size)
		for i := range signs {
			signs[i] = float32(1 - 2*rnd.IntN(2))
		}
		p.signs = append(p.signs, signs)
	}
	return p
}

func (p planes) sketch(v Vector, mean []float32, length float64, buffer []float32) (s sketch) {
	scale := float32(1 / max(length, 1))
	for r := 0; r < len(p.signs); r += 2 {
		clear(buffer)
		for i, x := range v {
			scaled := float32(x) * scale
			buffer[i] = (scaled - mean[i]) * p.signs[r][i]
		}
		hadamard(buffer)
		for i := range buffer {
			buffer[i] *= p.signs[r+1][i]
		}
		hadamard(buffer)
		for i, x := range buffer {
			if bit := r/2*p.size + i; x > 0 && bit < 64*sketchWords {
				s[bit/64] |= 1 << (bit % 64)
			}
		}
	}
	return s
}

// hadamard is the fast Walsh-Hadamard transform: sums and differences only.
func hadamard(x []float32) {
	for half := 1; half < len(x); half *= 2 {
		for i := 0; i < len(x); i += 2 * half {
			a, b := x[i:i+half], x[i+half:i+2*half]
			for k, y := range b {
				a[k], b[k] = a[k]+y, a[k]-y
			}
		}
	}
}

// windowPerOrder is how many others to each side a search looks at in each order.
const windowPerOrder = 32

// sketchOrders sorts a group by each word of the sketches: those that lie on one side
// of many planes stand together in some of the orders.
type sketchOrders struct {
	dense  *dense
	sorted [sketchWords][]int32
	at     [sketchWords][]int32
}

func (d *dense) index(among []int32) searcher {
	o := &sketchOrders{dense: d}
	for w := range o.sorted {
		order := slices.Clone(among)
		slices.SortFunc(order, func(i, j int32) int {
			return cmp.Or(cmp.Compare(d.sketches[i][w], d.sketches[j][w]), cmp.Compare(i, j))
		})
		o.sorted[w], o.at[w] = order, make([]int32, len(d.vectors))
		for n, i := range order {
			o.at[w][i] = int32(n)
		}
	}
	return o
}

func (o *sketchOrders) worker() func(int32, *picker) {
	seen := make([]int32, len(o.dense.vectors))
	return func(i int32, pick *picker) {
		for w, order := range o.sorted {
			at := int(o.at[w][i])
			for _, j := range order[max(0, at-windowPerOrder):min(len(order), at+windowPerOrder+1)] {
				if seen[j] == i+1 {
					continue
				}
				seen[j] = i + 1
				pick.offer(j, o.dense.nearness(i, j))
			}
		}
	}
}

// neighbourHops searches where neighbours of neighbours are: those of a video, those
// that have it as theirs, and the same of each of these.
type neighbourHops struct {
	space  *dense
	around [][]int32 // by video
}

// joins is how often neighbours are refined. Measured (BenchmarkMatchVectors):
// the orders alone find half of the nearest, two joins nearly all.
const joins = 2

// refineNeighbours looks for better neighbours than were found, among the
// neighbours of neighbours (NN-descent; Dong, Moses and Li, 2011).
func (b *block) refineNeighbours(ctx context.Context, d *dense, among []int32, lists [][]neighbour, k int, least float64) ([][]neighbour, error) {
	for range joins {
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
		var err error
		if lists, err = b.findNeighbours(ctx, h, among, k, least); err != nil {
			return nil, err
		}
	}
	return lists, nil
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
