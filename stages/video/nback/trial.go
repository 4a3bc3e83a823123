package nback

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// history remembers what earlier sequences hold, so that labels end trials
// equally often and no two trials are the same video where that can be avoided.
type history struct {
	ended map[[2]int]int // by length and label
	built map[string]bool
}

// attempts to build a trial that no sequence holds yet, for each last label.
const attempts = 8

// buildTrial arranges k cards of a hand so that exactly the lags of the pattern
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

// arrangeCards arranges one trial that ends in a label. Positions that no lag
// asks about keep the order of the hand, so that longer trials of a sequence
// begin alike.
func arrangeCards(h hand, lags []int, p pattern, k, last int, rnd *rand.Rand) []card {
	own, others := splitHand(h, last, rnd)
	row := make([]card, k)
	filled := make([]bool, k)
	place := func(at int, c card) { row[at], filled[at] = c, true }
	place(k-1, own[0])
	own = own[1:]
	for i, n := range lags {
		if p[i] {
			place(k-1-n, own[0])
			own = append(own[1:], own[0])
		}
	}
	open := openPositions(filled)
	// Where the other labels do not suffice, the last one also stands where
	// no lag asks, as far from the asked positions as there is room.
	for _, at := range sortByDistance(open, lags, k)[:max(0, len(open)-len(others))] {
		place(at, own[0])
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
		place(at, others[i])
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

// sortByDistance sorts positions: those that no lag asks about come first, and
// among them those that are not beside an asked one, the earliest first.
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

// splitHand takes the cards of a label out of a hand, shuffled. The first one
// ends the trial, so no other card shows its clip again unless the label has
// but this clip.
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

type deck struct {
	design Design
	names  []string // labels, sorted
	clips  [][]int  // clips of each label
	dealt  []int    // in how many sequences each label is
	used   []int    // in how many sequences each clip is
}

func newDeck(labels []string, design Design) *deck {
	d := &deck{design: design, names: slices.Compact(slices.Sorted(slices.Values(labels))), used: make([]int, len(labels))}
	d.clips = make([][]int, len(d.names))
	d.dealt = make([]int, len(d.names))
	for i, name := range labels {
		at, _ := slices.BinarySearch(d.names, name)
		d.clips[at] = append(d.clips[at], i)
	}
	return d
}

// minCards returns how many clips of a label a trial needs that ends in it.
func (d *deck) minCards() int { return d.design.matches() + 1 }

func (d *deck) maxCards(label int) int {
	if d.design.AllowRepeat {
		return d.design.Length + d.minCards()
	}
	return len(d.clips[label])
}

// usableLabels lists the labels that may stand in a sequence: one with too few
// clips to end a trial would give the answer away wherever it is asked about.
func (d *deck) usableLabels() []int {
	var out []int
	for l := range d.names {
		if d.maxCards(l) >= d.minCards() {
			out = append(out, l)
		}
	}
	return out
}

func (d *deck) checkEnough() error {
	usable, room := d.usableLabels(), 0
	for _, l := range usable {
		room += d.maxCards(l)
	}
	switch {
	case len(d.names) < 2:
		return d.shortage("yes and no need clips of at least two labels")
	case len(usable) < 2:
		return d.shortage(fmt.Sprintf("half of the lags of a video must match, which takes %d clips of its last label; two labels need as many: add clips or set allow_repeat", d.minCards()))
	case room < d.design.Length:
		return d.shortage(fmt.Sprintf("sequences need %d clips of labels with at least %d, and there are %d; add clips, shorten clips_per_sequence or set allow_repeat", d.design.Length, d.minCards(), room))
	}
	return nil
}

func (d *deck) shortage(reason string) error {
	e := &ShortageError{Reason: reason}
	for l, name := range d.names {
		e.Counts = append(e.Counts, fmt.Sprintf("%s: %d", name, len(d.clips[l])))
	}
	return e
}

// pickLabels picks the labels of one sequence: as many as configured, and more
// where they have fewer clips than its length. Labels dealt least come first.
func (d *deck) pickLabels(rnd *rand.Rand) []int {
	ties := rnd.Perm(len(d.names))
	order := d.usableLabels()
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(d.dealt[a], d.dealt[b]), cmp.Compare(ties[a], ties[b]))
	})
	var out []int
	room := 0
	for _, l := range order {
		if len(out) >= d.design.LabelsPerSequence && room >= d.design.Length {
			break
		}
		out = append(out, l)
		room += d.maxCards(l)
		d.dealt[l]++
	}
	return out
}

type card struct{ label, clip int }

// hand holds the clips of one sequence's trials, in the order in which trials
// begin: some cards of each label, at least as many as a trial that ends in it
// needs. Cards repeat only where a label has fewer clips.
type hand struct {
	labels []int
	cards  []card
}

// dealHand picks the hand of a sequence. Clips of videos not yet in it come
// first, then clips dealt least.
func (d *deck) dealHand(rnd *rand.Rand) hand {
	h := hand{labels: d.pickLabels(rnd)}
	held := map[string]int{} // cards by source
	for n, quota := range d.quotas(h.labels) {
		l := h.labels[n]
		left := slices.Clone(d.clips[l])
		rnd.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		var taken []int
		for len(taken) < quota && len(left) > 0 {
			best := slices.MinFunc(left, func(a, b int) int {
				return cmp.Or(cmp.Compare(held[d.sourceOf(a)], held[d.sourceOf(b)]), cmp.Compare(d.used[a], d.used[b]))
			})
			held[d.sourceOf(best)]++
			taken = append(taken, best)
			left = slices.DeleteFunc(left, func(c int) bool { return c == best })
		}
		for i := range quota {
			clip := taken[i%len(taken)]
			h.cards = append(h.cards, card{l, clip})
			d.used[clip]++
		}
	}
	rnd.Shuffle(len(h.cards), func(i, j int) { h.cards[i], h.cards[j] = h.cards[j], h.cards[i] })
	return h
}

func (d *deck) sourceOf(clip int) string {
	if d.design.Sources == nil {
		return fmt.Sprint(clip)
	}
	return d.design.Sources[clip]
}

// quotas returns how many cards each label gives: what a trial that ends in it
// needs, and then one more each in turn up to the length of the sequence.
func (d *deck) quotas(labels []int) []int {
	quota := make([]int, len(labels))
	sum := 0
	for i := range labels {
		quota[i] = d.minCards()
		sum += quota[i]
	}
	for i := 0; sum < d.design.Length; i = (i + 1) % len(labels) {
		if quota[i] < d.maxCards(labels[i]) {
			quota[i]++
			sum++
		}
	}
	return quota
}
