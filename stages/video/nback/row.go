package nback

import (
	"math/rand/v2"
	"slices"
)

// row is one sequence: its labels, the clips its trials begin with, and for
// each label the clip that stands last in trials ending in that label.
type row struct {
	labels  []int
	prefix  []int // label at each position
	clips   []int // clip at each position
	last    map[int]int
	answers []bool
	taken   map[int][]int // labels that already end a trial of K clips
}

func newRow(d *deck, design Design, labels []int, rnd *rand.Rand) row {
	r := row{labels: labels, last: map[int]int{}, taken: map[int][]int{}}
	r.prefix = arrange(d, labels, design.Length-1, rnd)
	pools := map[int][]int{}
	for _, l := range labels {
		pool := slices.Clone(d.clips[l])
		rnd.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
		r.last[l] = pool[0]
		if len(pool) > 1 {
			pool = pool[1:]
		}
		pools[l] = pool
	}
	used := map[int]int{}
	for _, l := range r.prefix {
		r.clips = append(r.clips, pools[l][used[l]%len(pools[l])])
		used[l]++
	}
	return r
}

// arrange spreads the labels over the positions as evenly as their room
// allows, in random order.
func arrange(d *deck, labels []int, length int, rnd *rand.Rand) []int {
	var out []int
	for round := 0; len(out) < length; round++ {
		for _, i := range rnd.Perm(len(labels)) {
			if len(out) < length && round < d.room(labels[i]) {
				out = append(out, labels[i])
			}
		}
	}
	rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// asked is the label at the position a cell asks about.
func (r *row) asked(c Cell) int { return r.prefix[c.K-1-c.N] }

// near reports whether a label stands one position before or after the asked
// one, the last position itself aside.
func (r *row) near(c Cell, label int) bool {
	at := c.K - 1 - c.N
	return (at > 0 && r.prefix[at-1] == label) || (at+1 < c.K-1 && r.prefix[at+1] == label)
}

// seen reports whether a label stands among the first K-1.
func (r *row) seen(c Cell, label int) bool { return slices.Contains(r.prefix[:c.K-1], label) }

// trial builds the trial of a cell that ends in a label.
func (r *row) trial(c Cell, match bool, label int) Trial {
	clip := r.last[label]
	t := Trial{Cell: c, Match: match, Kind: NoMatch, Near: r.near(c, label)}
	t.Clips = append(slices.Clone(r.clips[:c.K-1]), clip)
	if match {
		t.Kind = OtherClip
		if clip == r.clips[c.K-1-c.N] {
			t.Kind = SameClip
		}
	}
	return t
}

// lastLabels decides the label that ends each row's trial of a cell. A match
// has no choice. Among the others, as many get a near lure (their label stands
// beside the asked position) as matches happen to have one, where the rows
// permit; the rest end in a label seen elsewhere before, or else in a new one,
// so that neither familiarity nor nearness tells the answer.
func lastLabels(rows []row, column int, c Cell, rnd *rand.Rand) []int {
	out := make([]int, len(rows))
	lures := 0
	var free []int
	for _, i := range rnd.Perm(len(rows)) {
		r := &rows[i]
		switch near, far := r.others(c); {
		case r.answers[column]:
			out[i] = r.asked(c)
			if r.near(c, out[i]) {
				lures++
			}
		case len(far) == 0:
			out[i] = r.pick(c, near, rnd)
			lures--
		case len(near) == 0:
			out[i] = r.pick(c, far, rnd)
		default:
			free = append(free, i)
		}
	}
	for _, i := range free {
		near, far := rows[i].others(c)
		if lures > 0 {
			out[i] = rows[i].pick(c, near, rnd)
			lures--
			continue
		}
		out[i] = rows[i].pick(c, far, rnd)
	}
	for i := range rows {
		rows[i].taken[c.K] = append(rows[i].taken[c.K], out[i])
	}
	return out
}

// others lists the labels that do not match: those near the asked position,
// and the rest.
func (r *row) others(c Cell) (near, far []int) {
	for _, l := range r.labels {
		switch {
		case l == r.asked(c):
		case r.near(c, l):
			near = append(near, l)
		default:
			far = append(far, l)
		}
	}
	return near, far
}

// pick chooses among labels: seen ones before new ones, and among those one
// that already ends a trial of as many clips, which is then the same video.
func (r *row) pick(c Cell, labels []int, rnd *rand.Rand) int {
	for _, keep := range []func(int) bool{
		func(l int) bool { return r.seen(c, l) },
		func(l int) bool { return slices.Contains(r.taken[c.K], l) },
	} {
		var some []int
		for _, l := range labels {
			if keep(l) {
				some = append(some, l)
			}
		}
		if len(some) > 0 {
			labels = some
		}
	}
	return labels[rnd.IntN(len(labels))]
}
