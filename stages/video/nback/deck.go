package nback

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// deck knows the clips of each label.
type deck struct {
	repeat bool
	names  []string // labels, sorted
	clips  [][]int  // clips of each label
	dealt  []int    // in how many sequences each label is
}

func newDeck(labels []string, repeat bool) *deck {
	d := &deck{repeat: repeat, names: slices.Compact(slices.Sorted(slices.Values(labels)))}
	d.clips = make([][]int, len(d.names))
	d.dealt = make([]int, len(d.names))
	for i, name := range labels {
		at, _ := slices.BinarySearch(d.names, name)
		d.clips[at] = append(d.clips[at], i)
	}
	return d
}

// room is how many positions of a prefix a label may fill. One clip of each
// label is kept for the end of the trials, so that a match can be another clip.
func (d *deck) room(label int) int {
	if d.repeat {
		return 1 << 20
	}
	return len(d.clips[label]) - 1
}

// usable lists the labels that may stand in a sequence. A label without room
// would only ever end a trial that does not match, and so give the answer away.
func (d *deck) usable() []int {
	var out []int
	for l := range d.names {
		if d.room(l) > 0 {
			out = append(out, l)
		}
	}
	return out
}

// enough reports a shortage of clips for prefixes of the given length.
func (d *deck) enough(prefix int) error {
	if len(d.names) < 2 {
		return d.shortage("yes and no need clips of at least two labels")
	}
	usable, room := d.usable(), 0
	for _, l := range usable {
		room += min(d.room(l), prefix)
	}
	if len(usable) < 2 {
		return d.shortage("yes and no need two labels with at least two clips each, so that a match can be another clip; add clips or set allow_repeat")
	}
	if room < prefix {
		return d.shortage(fmt.Sprintf("sequences need %d clips besides one of each label kept for the end, and there are %d; add clips, shorten clips_per_sequence or set allow_repeat", prefix, room))
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

// choose picks the labels of one sequence: want of them, and more where their
// room is less than the prefix. Labels dealt least come first.
func (d *deck) choose(want, prefix int, rnd *rand.Rand) []int {
	ties := rnd.Perm(len(d.names))
	order := d.usable()
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(d.dealt[a], d.dealt[b]), cmp.Compare(ties[a], ties[b]))
	})
	var out []int
	room := 0
	for _, l := range order {
		if len(out) >= want && room >= prefix {
			break
		}
		out = append(out, l)
		room += d.room(l)
		d.dealt[l]++
	}
	return out
}
