// Package nback plans N-Back trials over labelled clips (M3Eval 3.1.4): K clips
// in a row, and the question whether the last one has the same label as the
// clip N positions earlier.
//
// A sequence is a row of clips that all its trials begin with. A trial takes
// the first K-1 of them and a last clip of its own, chosen so that the answer
// is what the design asks for; trials with the same K and the same last clip
// are the same video. Rows of answers come in complementary twos, so each cell
// (N, K) has exactly as many yes as no over the sequences, and each sequence as
// many yes as no over its cells (one apart when their number is odd): neither
// K, nor N, nor the first clip says anything about the answer.
package nback

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Cell is one difficulty: lag N in a trial of K clips.
type Cell struct{ N, K int }

// Grid lists the cells with N < K, sorted by K and N. N in 1..4 and K in
// {2, 3, 4, 5, 6, 8, 10, 12} give the paper's 26.
func Grid(ns, ks []int) []Cell {
	var out []Cell
	for _, k := range ks {
		for _, n := range ns {
			if n < k {
				out = append(out, Cell{n, k})
			}
		}
	}
	slices.SortFunc(out, func(a, b Cell) int { return (a.K-b.K)*1000 + a.N - b.N })
	return out
}

// How the last clip relates to the earlier ones.
const (
	// OtherClip: it matches, and is another clip with the same label.
	OtherClip = "different-clip"
	// SameClip: it matches, and is the same clip again, for want of another.
	SameClip = "same-clip"
	// NoMatch: it does not match.
	NoMatch = "none"
)

// Trial is one planned trial; Clips index the deck's clips.
type Trial struct {
	Cell
	Clips []int
	Match bool
	Kind  string // OtherClip, SameClip or NoMatch
	// Near tells whether the last clip's label also stands one position before
	// or after the asked one.
	Near bool
}

// Design is what to plan.
type Design struct {
	Sequences int // even
	// Length is the number of clips of a sequence, at least the largest K.
	Length int
	// LabelsPerSequence is how many labels a sequence is made of, where their
	// clips suffice.
	LabelsPerSequence int
	Cells             []Cell
	// AllowRepeat lets a clip come twice in a trial where its label has too few.
	AllowRepeat bool
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

// Plan returns, for each sequence, one trial per cell in the order of the
// cells. labels holds the label of each clip, in a fixed order of clips.
func Plan(labels []string, d Design, rnd func(labels ...string) *rand.Rand) ([][]Trial, error) {
	deck := newDeck(labels, d.AllowRepeat)
	if err := deck.enough(d.Length - 1); err != nil {
		return nil, err
	}
	rows := make([]row, d.Sequences)
	answers := balanced(d.Sequences, len(d.Cells), rnd("answers"))
	order := rnd("labels")
	for i := range rows {
		rows[i] = newRow(deck, d, deck.choose(d.LabelsPerSequence, d.Length-1, order), rnd("sequence", fmt.Sprint(i)))
		rows[i].answers = answers[i]
	}
	plan := make([][]Trial, d.Sequences)
	for c, cell := range d.Cells {
		pick := rnd("cell", fmt.Sprint(cell.N), fmt.Sprint(cell.K))
		for i, last := range lastLabels(rows, c, cell, pick) {
			plan[i] = append(plan[i], rows[i].trial(cell, answers[i][c], last))
		}
	}
	return plan, nil
}

// balanced returns a matrix of answers: half of each column is true, and half
// of each row (one off when the width is odd). rows must be even.
func balanced(rows, width int, rnd *rand.Rand) [][]bool {
	out := make([][]bool, rows)
	for i := 0; i < rows; i += 2 {
		yes, no := make([]bool, width), make([]bool, width)
		for n, c := range rnd.Perm(width) {
			yes[c] = n < (width+i/2%2)/2
			no[c] = !yes[c]
		}
		out[i], out[i+1] = yes, no
	}
	return out
}
