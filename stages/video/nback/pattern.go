package nback

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// pattern says which lags of a trial match, in the order of the lags.
type pattern []bool

func (p pattern) size() (n int) {
	for _, yes := range p {
		if yes {
			n++
		}
	}
	return n
}

func (p pattern) opposite() pattern {
	out := make(pattern, len(p))
	for i, yes := range p {
		out[i] = !yes
	}
	return out
}

func (p pattern) nearLures(lags []int) []bool {
	out := make([]bool, len(p))
	for i, n := range lags {
		for j, other := range lags {
			if p[j] && (other == n-1 || other == n+1) {
				out[i] = true
			}
		}
	}
	return out
}

// nearExcess counts, per lag, near lures among yes less those among no, over a
// pattern and its opposite.
func (p pattern) nearExcess(lags []int) []int {
	out := make([]int, len(p))
	for _, q := range []pattern{p, p.opposite()} {
		for i, near := range q.nearLures(lags) {
			switch {
			case near && q[i]:
				out[i]++
			case near:
				out[i]--
			}
		}
	}
	return out
}

// planPatterns returns the answers of each sequence, a pattern per length.
// Sequences 2i and 2i+1 have opposite answers everywhere.
func planPatterns(d Design, rnd func(...string) *rand.Rand) [][]pattern {
	out := make([][]pattern, d.Sequences)
	if d.Independent {
		drawPatterns(d, out, rnd("answers"))
		return out
	}
	total := map[int]int{}
	for _, k := range d.lengths() {
		column := pickPatterns(d.lags(k), d.matches(), d.Sequences/2, total, rnd("answers", fmt.Sprint(k)))
		for i, p := range column {
			out[2*i] = append(out[2*i], p)
		}
	}
	turns := rnd("turns")
	for i := 0; i < d.Sequences; i += 2 {
		out[i], out[i+1] = balancePatterns(out[i], turns)
	}
	return out
}

func drawPatterns(d Design, out [][]pattern, rnd *rand.Rand) {
	for i := 0; i < d.Sequences; i += 2 {
		for _, k := range d.lengths() {
			p := make(pattern, len(d.lags(k)))
			for n := range p {
				p[n] = rnd.IntN(2) == 0
			}
			out[i], out[i+1] = append(out[i], p), append(out[i+1], p.opposite())
		}
	}
}

// pickPatterns picks one pattern for each of so many twos of sequences, such
// that near lures are even for each lag, then over all lengths (total collects
// them), then that patterns and their opposites are of one size.
func pickPatterns(lags []int, matches, twos int, total map[int]int, rnd *rand.Rand) []pattern {
	candidates := listPatterns(len(lags), matches, rnd)
	sum := make([]int, len(lags))
	var out []pattern
	for range twos {
		best := slices.MinFunc(candidates, func(p, q pattern) int {
			return cmp.Compare(patternCost(p, lags, sum, total), patternCost(q, lags, sum, total))
		})
		out = append(out, best)
		for i, e := range best.nearExcess(lags) {
			sum[i] += e
			total[lags[i]] += e
		}
		rnd.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
	}
	rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func patternCost(p pattern, lags, sum []int, total map[int]int) int {
	out := 0
	for i, e := range p.nearExcess(lags) {
		out += 100 * (sum[i] + e) * (sum[i] + e)
		out += 10 * (total[lags[i]] + e) * (total[lags[i]] + e)
	}
	odd := p.size() - p.opposite().size()
	return out + odd*odd
}

// Where a trial has more lags than enumerable, so many patterns are drawn.
const (
	enumerable = 10
	maxPicked  = 256
)

// listPatterns lists, in random order, one of each two opposite patterns of
// which neither has more than so many matches.
func listPatterns(lags, matches int, rnd *rand.Rand) []pattern {
	var out []pattern
	if lags > enumerable {
		for range maxPicked {
			p := make(pattern, lags)
			for _, i := range rnd.Perm(lags)[:lags/2] {
				p[i] = true
			}
			out = append(out, p)
		}
		return out
	}
	for bits := range 1 << (lags - 1) {
		p := make(pattern, lags)
		for i := range p {
			p[i] = bits>>i&1 == 1
		}
		if p.size() <= matches && lags-p.size() <= matches {
			out = append(out, p)
		}
	}
	rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// balancePatterns gives each of two sequences the pattern or its opposite for
// every length, so that both have as many yes as no, or nearly.
func balancePatterns(row []pattern, rnd *rand.Rand) (a, b []pattern) {
	a, b = make([]pattern, len(row)), make([]pattern, len(row))
	order := rnd.Perm(len(row))
	odd := func(i int) int { return row[i].size() - row[i].opposite().size() }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(abs(odd(j)), abs(odd(i))) })
	ahead := 0 // yes of a less yes of b
	for _, i := range order {
		p, q := row[i], row[i].opposite()
		swap := ahead*odd(i) > 0
		if ahead*odd(i) == 0 {
			swap = rnd.IntN(2) == 0
		}
		if swap {
			p, q = q, p
		}
		a[i], b[i] = p, q
		ahead += p.size() - q.size()
	}
	return a, b
}

func abs(n int) int { return max(n, -n) }
