package nback

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// history remembers what earlier sequences hold, so that labels end trials equally
// often and no two trials are the same video where that can be avoided.
type history struct {
	ended map[[2]int]int // by length and label
	built map[string]bool
}

func newHistory() *history { return &history{map[[2]int]int{}, map[string]bool{}} }

// attempts to lay a trial that no sequence holds yet, for each last label.
const attempts = 8

// buildTrial puts k cards of a hand in a row so that exactly the lags of the pattern
// match.
func (b *history) buildTrial(h hand, lags []int, p pattern, k int, rnd *rand.Rand) Trial {
	labels := b.sortByUse(h.labels, k, rnd)
	var row []card
	for n := range attempts * len(labels) {
		last := labels[n/attempts]
		try := arrangeCards(h, lags, p, k, last, rnd)
		if n == 0 {
			row = try
		}
		if !b.built[fmt.Sprint(try)] {
			row = try
			break
		}
	}
	b.built[fmt.Sprint(row)] = true
	b.ended[[2]int{k, row[k-1].label}]++
	return newTrial(row, lags)
}

// sortByUse sorts labels by how often they ended a trial of k clips.
func (b *history) sortByUse(labels []int, k int, rnd *rand.Rand) []int {
	ties := rnd.Perm(len(labels))
	order := slices.Clone(ties)
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(b.ended[[2]int{k, labels[i]}], b.ended[[2]int{k, labels[j]}]), cmp.Compare(ties[i], ties[j]))
	})
	for n, i := range order {
		order[n] = labels[i]
	}
	return order
}

// arrangeCards lays out one trial that ends in a label. What is not asked about
// keeps the order of the hand, so that longer trials of a sequence begin alike.
func arrangeCards(h hand, lags []int, p pattern, k, last int, rnd *rand.Rand) []card {
	own, others := splitHand(h, last, rnd)
	row := make([]card, k)
	filled := make([]bool, k)
	put := func(at int, c card) { row[at], filled[at] = c, true }
	put(k-1, own[0])
	own = own[1:]
	for i, n := range lags {
		if p[i] {
			put(k-1-n, own[0])
			own = append(own[1:], own[0])
		}
	}
	open := openPositions(filled)
	// Where the other labels do not suffice, the last one also stands where
	// nobody asks, as far from the asked positions as there is room.
	for _, at := range sortByDistance(open, lags, k)[:max(0, len(open)-len(others))] {
		put(at, own[0])
		own = append(own[1:], own[0])
	}
	open = openPositions(filled)
	head := len(open)
	for head > 0 && open[head-1] >= k-1-slices.Max(lags) {
		head--
	}
	tail := others[head:]
	rnd.Shuffle(len(tail), func(i, j int) { tail[i], tail[j] = tail[j], tail[i] })
	for i, at := range open {
		put(at, others[i])
	}
	return row
}

func openPositions(filled []bool) (open []int) {
	for at, done := range filled {
		if !done {
			open = append(open, at)
		}
	}
	return open
}

// sortByDistance sorts positions: those that no lag asks about come first, and among
// them those that are not beside an asked one, the earliest first.
func sortByDistance(open, lags []int, k int) []int {
	rank := func(at int) int {
		n := k - 1 - at
		switch {
		case slices.Contains(lags, n):
			return 2
		case slices.Contains(lags, n-1) || slices.Contains(lags, n+1):
			return 1
		}
		return 0
	}
	out := slices.Clone(open)
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

// splitHand takes the cards of a label out of a hand, shuffled. The first one ends
// the trial, so no other card shows its clip again unless the label has but
// this clip.
func splitHand(h hand, label int, rnd *rand.Rand) (own, others []card) {
	for _, c := range h.cards {
		if c.label == label {
			own = append(own, c)
		} else {
			others = append(others, c)
		}
	}
	rnd.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
	rest := slices.DeleteFunc(slices.Clone(own[1:]), func(c card) bool { return c == own[0] })
	if len(rest) == 0 {
		rest = own[1:]
	}
	return append(own[:1:1], rest...), others
}

// newTrial tells what a row of cards asks.
func newTrial(row []card, lags []int) Trial {
	k := len(row)
	t := Trial{K: k}
	for _, c := range row {
		t.Clips = append(t.Clips, c.clip)
	}
	last := row[k-1]
	is := func(at int) bool { return at >= 0 && at < k-1 && row[at].label == last.label }
	for _, n := range lags {
		at := k - 1 - n
		q := Lag{N: n, Match: is(at), Kind: NoMatch, Near: is(at-1) || is(at+1)}
		switch {
		case q.Match && row[at].clip == last.clip:
			q.Kind = SameClip
		case q.Match:
			q.Kind = OtherClip
		}
		t.Lags = append(t.Lags, q)
	}
	return t
}
