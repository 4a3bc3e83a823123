// Package nback plans N-Back trials over labelled clips (M3Eval 3.1.4 and C.2):
// K clips in a row, and for each lag N the question whether the last one has
// the same label as the clip N positions earlier.
//
// A trial is one video that serves all lags below K, so that the same file is
// asked about with yes and with no. A sequence is a hand of clips, some of each
// of a few labels, and has one trial per K, laid out of that hand. Sequences
// come in twos with opposite answers, which makes each cell (N, K) exactly even
// over the sequences; which lags of a trial match is chosen so that
//
//   - about half of them do (of four, two), so that neither having seen the
//     last label before nor how often says anything, where K allows;
//   - a last label that stands beside the asked position (a near lure) is as
//     frequent among yes as among no;
//   - each sequence has as many yes as no, or one more.
//
// Where answers are independent, none of the three is made so; each is so by chance.
//
// Half of four lags is two matches, and three clips with one label: a label
// with fewer clips cannot serve unless clips may repeat.
package nback

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// How the last clip relates to the one asked about.
const (
	// OtherClip: it matches, and is another clip with the same label.
	OtherClip = "different-clip"
	// SameClip: it matches, and is the same clip again, for want of another.
	SameClip = "same-clip"
	// NoMatch: it does not match.
	NoMatch = "none"
)

// Trial is one planned video; Clips index the clips that were given, K of them.
type Trial struct {
	K     int
	Clips []int
	// Lags are the questions, sorted by N.
	Lags []Lag
}

// Lag is the question whether the last clip matches the one N before it.
type Lag struct {
	N     int
	Match bool
	Kind  string // OtherClip, SameClip or NoMatch
	// Near tells whether the last label also stands one position before or
	// after the asked one.
	Near bool
}

// Design configures a plan.
type Design struct {
	Sequences int // even
	// Length is how many clips the trials of a sequence are made of, at least
	// the largest K; more when LabelsPerSequence asks for them.
	Length int
	// LabelsPerSequence is how many labels a sequence is made of, where their
	// clips suffice.
	LabelsPerSequence int
	// N are the lags and K the lengths, both distinct and from 1.
	N, K []int
	// Sources names the video that each clip was cut from; nil means that all
	// are different. A sequence takes its clips from as many as it can: clips of
	// one video look alike, and a label should be all that a match shares.
	Sources []string
	// Independent draws each answer of a sequence by itself, so that no questions of it tell
	// another's; then as many lags of a trial may match as there are.
	Independent bool
	// AllowRepeat lets a clip come twice in a trial where its label has too few.
	AllowRepeat bool
}

func (d Design) lags(k int) []int {
	out := slices.DeleteFunc(slices.Sorted(slices.Values(d.N)), func(n int) bool { return n >= k })
	return out
}

func (d Design) lengths() []int {
	return slices.DeleteFunc(slices.Sorted(slices.Values(d.K)), func(k int) bool { return len(d.lags(k)) == 0 })
}

// Questions returns how many questions each sequence has: M3Eval's lags 1 to 4
// and lengths 2, 3, 4, 5, 6, 8, 10, 12 give 26.
func (d Design) Questions() (n int) {
	for _, k := range d.lengths() {
		n += len(d.lags(k))
	}
	return n
}

// matches returns how many lags of one trial may match: half of them, so that
// opposite answers need no more clips than these, or all.
func (d Design) matches() int {
	most := 0
	for _, k := range d.K {
		most = max(most, len(d.lags(k)))
	}
	if d.Independent {
		return most
	}
	return (most + 1) / 2
}

// LeastClips returns how many clips are needed, however they are labelled.
func (d Design) LeastClips() int {
	if d.AllowRepeat {
		return 2 // of two labels
	}
	return max(d.Length, 2*(d.matches()+1))
}

// ShortageError says why no balanced plan exists.
type ShortageError struct {
	Reason string
	Counts []string // "label: n"
}

func (e *ShortageError) Error() string {
	shown, more := e.Counts, ""
	if len(shown) > 20 {
		shown, more = shown[:20], fmt.Sprintf(" and %d more", len(shown)-20)
	}
	return fmt.Sprintf("%s; labels and their clips: %s%s", e.Reason, strings.Join(shown, ", "), more)
}

// Plan returns, for each sequence, one trial per K in ascending order. labels
// holds the label of each clip, in a fixed order of clips. The error is a
// *ShortageError.
func Plan(labels []string, d Design, rnd func(labels ...string) *rand.Rand) ([][]Trial, error) {
	deck := newDeck(labels, d)
	if err := deck.checkEnough(); err != nil {
		return nil, err
	}
	answers := planPatterns(d, rnd)
	order := rnd("labels")
	history := &history{map[[2]int]int{}, map[string]bool{}}
	out := make([][]Trial, d.Sequences)
	for i := range out {
		h := deck.dealHand(order)
		seq := rnd("sequence", fmt.Sprint(i))
		for j, k := range d.lengths() {
			out[i] = append(out[i], history.buildTrial(h, d.lags(k), answers[i][j], k, seq))
		}
	}
	return out, nil
}
