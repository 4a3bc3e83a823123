package pairing

import "slices"

// postings lists, by word, which members of a group have it: the search for
// alike videos looks at those that share a word, the rarest words first.
type postings struct {
	bags   *bags
	start  []uint32 // of a word's members in member
	member []uint32 // position in among
	weight []uint16
	among  []int32
	at     []int32   // position of a video in among, -1 for others
	scale  []float64 // 1 / squared length of a member
}

// maxListReach is how many postings a search of one video reads. Measured (see
// BenchmarkMatchWords): 16,384 finds what brute force finds.
const maxListReach = 1 << 14

func (b *bags) index(among []int32) searcher {
	p := &postings{bags: b, among: among, start: make([]uint32, b.words+2), at: make([]int32, len(b.terms)), scale: make([]float64, len(among))}
	for i := range p.at {
		p.at[i] = -1
	}
	total := uint32(0)
	for n, i := range among {
		p.at[i], p.scale[n] = int32(n), 1/float64(b.square[i])
		for _, t := range b.terms[i] {
			p.start[t.word+2]++
			total++
		}
	}
	for w := 2; w < len(p.start); w++ {
		p.start[w] += p.start[w-1]
	}
	p.member, p.weight = make([]uint32, total), make([]uint16, total)
	for n, i := range among {
		for _, t := range b.terms[i] {
			at := p.start[t.word+1]
			p.member[at], p.weight[at] = uint32(n), uint16(t.weight)
			p.start[t.word+1]++
		}
	}
	return p
}

func (p *postings) worker() func(i int32, pick *picker) {
	score := make([]uint32, len(p.among))
	var touched []uint32
	return func(i int32, pick *picker) {
		touched = p.gather(i, score, touched[:0])
		for _, n := range touched {
			// The square of the cosine, as far as it was read, times a constant.
			dot := float64(score[n])
			score[n] = 0
			if s := dot * dot * p.scale[n]; s >= pick.floor {
				pick.offer(p.among[n], s)
			}
		}
	}
}

// gather adds up, in score, what the members share with i, and returns who
// shares anything.
func (p *postings) gather(i int32, score, touched []uint32) []uint32 {
	left := maxListReach
	for _, t := range p.bags.terms[i] {
		from, to := int(p.start[t.word]), int(p.start[t.word+1])
		if to-from > left {
			from, to = p.windowAround(i, from, to, left)
		}
		for at := from; at < to; at++ {
			n := p.member[at]
			if score[n] == 0 {
				touched = append(touched, n)
			}
			score[n] += t.weight * uint32(p.weight[at])
		}
		if left -= to - from; left <= 0 {
			break
		}
	}
	return touched
}

// windowAround cuts a long list to size members around i.
func (p *postings) windowAround(i int32, from, to, size int) (int, int) {
	own, _ := slices.BinarySearch(p.member[from:to], uint32(p.at[i]))
	low := min(max(from+own-size/2, from), to-size)
	return low, low + size
}
