package nback

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// deck knows the clips of each label.
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

// minCards is how many clips of a label a trial may hold that ends in it.
func (d *deck) minCards() int { return d.design.matches() + 1 }

// maxCards is how many clips of a label a trial may hold at most.
func (d *deck) maxCards(label int) int {
	if d.design.AllowRepeat {
		return d.design.Length + d.minCards()
	}
	return len(d.clips[label])
}

// usableLabels lists the labels that may stand in a sequence: one with too few clips
// to end a trial would give the answer away wherever it is asked about.
func (d *deck) usableLabels() []int {
	var out []int
	for l := range d.names {
		if d.maxCards(l) >= d.minCards() {
			out = append(out, l)
		}
	}
	return out
}

// checkEnough reports a shortage of clips.
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

// pickLabels picks the labels of one sequence: as many as asked for, and more where
// their room is less than its length. Labels dealt least come first.
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

// card is one clip in a hand.
type card struct{ label, clip int }

// hand is what the trials of one sequence are laid out of, in the order in
// which trials begin: some cards of each label, at least as many as a trial
// that ends in it needs. Only where a label has fewer clips do cards repeat.
type hand struct {
	labels []int
	cards  []card
}

// dealHand draws the hand of a sequence. Clips of videos not yet in it come first,
// then clips dealt least.
func (d *deck) dealHand(rnd *rand.Rand) hand {
	h := hand{labels: d.pickLabels(rnd)}
	held := map[string]int{} // cards by source
	for l, quota := range d.quotas(h.labels) {
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

// sourceOf names the video that a clip was cut from.
func (d *deck) sourceOf(clip int) string {
	if d.design.Sources == nil {
		return fmt.Sprint(clip)
	}
	return d.design.Sources[clip]
}

// quotas yields how many cards each label gives: what a trial that ends in it
// needs, and then one more each in turn up to the length of the sequence.
func (d *deck) quotas(labels []int) func(yield func(label, quota int) bool) {
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
	return func(yield func(label, quota int) bool) {
		for i, l := range labels {
			if !yield(l, quota[i]) {
				return
			}
		}
	}
}
