package question

import (
	_ "embed"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/pipeline/kit/grammar"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// offersPerRight is how many wrong offers of an answer of absence there are for each right one.
// With four options who takes it wherever it is offered is right as often as who guesses.
const offersPerRight = 3

// absences are the answers that no value is, by what makes one of them right.
const (
	absenceNone = iota
	absenceEnded
	absenceTwo
	absenceCount
)

// wrongOffersPerRight returns how many wrong offers of an absence answer balance one
// right offer; an answer of two holders always has another pair beside it.
func wrongOffersPerRight(of int) int {
	if of == absenceTwo {
		return offersPerRight - 1
	}
	return offersPerRight
}

// Choose picks the questions asked after the given sessions of a world, at most perType
// of each type and no fact twice. Absence answers are right in no more questions than
// offers of them as wrong options balance.
func Choose(rnd *rand.Rand, w simulate.World, ends []int, perType int) ([][]Draft, error) {
	var drafts []map[string][]Draft
	l := &lessons{}
	for _, end := range ends {
		drafts = append(drafts, draftsWith(rnd, w, end, l))
	}
	done := map[string]bool{}
	out, room := takeValueDrafts(drafts, perType, done)
	for banned := map[string]bool{}; ; {
		fact := room.overdrawnFact(out)
		if fact == "" {
			break
		}
		banned[fact] = true
		done = maps.Clone(banned)
		out, room = takeValueDrafts(drafts, perType, done)
	}
	taken := 0
	for _, least := range []int{offersPerRight, 1} { // a small task has one, if it has room for any
		for _, c := range rnd.Perm(len(ends)) { // else the last checkpoints would have the fewest
			for range perType {
				if at := room.draftWithMostRoom(drafts[c][MB], done, least); at >= 0 && (least > 1 || taken == 0) {
					d := drafts[c][MB][at]
					done[d.Fact] = true
					room.add(d)
					out[c] = append(out[c], d)
					taken++
				}
			}
		}
	}
	for c := range ends {
		slices.SortStableFunc(out[c], func(a, b Draft) int { return slices.Index(Types(), a.Type) - slices.Index(Types(), b.Type) })
	}
	offerAbsences(rnd, out)
	return out, finish(rnd, out)
}

// wordings are the ways to ask.
//
//go:embed wordings.txt
var wordings string

// finish cites what options rest on and words the drafts: the ways of a rule are dealt out
// evenly, in random order.
func finish(rnd *rand.Rand, rounds [][]Draft) error {
	g, err := grammar.Parse(wordings)
	if err != nil {
		return fmt.Errorf("read the wordings of questions: %w", err)
	}
	decks := map[string][]int{}
	for _, round := range rounds {
		for i := range round {
			d := &round[i]
			d.of.citeOptions(d)
			if len(decks[d.wording]) == 0 {
				decks[d.wording] = rnd.Perm(g.CountWays(d.wording))
			}
			way := decks[d.wording][0]
			decks[d.wording] = decks[d.wording][1:]
			if d.Text, err = g.SayWay(rnd, d.wording, way, d.slots); err != nil {
				return fmt.Errorf("word a question of type %s: %w", d.Type, err)
			}
		}
	}
	return nil
}

// byScarcity lists the types in the order in which they take facts: those first that ask for
// a few of the values that others ask for, too.
func byScarcity() []string { return []string{MC, VS, CMR, FR, DU, VFR, VU, MB, TR, KR, TTL} }

// takeValueDrafts takes the first drafts of each type except the boundary type, skipping
// facts already asked.
func takeValueDrafts(drafts []map[string][]Draft, perType int, done map[string]bool) ([][]Draft, offerBudget) {
	out, l := make([][]Draft, len(drafts)), offerBudget{}
	for c, of := range drafts {
		for _, t := range byScarcity() {
			taken := 0
			for _, d := range of[t] {
				if t != MB && taken < perType && !done[d.Fact] {
					done[d.Fact] = true
					taken++
					l.add(d)
					out[c] = append(out[c], d)
				}
			}
		}
	}
	return out, l
}

// absenceSlot is an absence answer in a group of questions.
type absenceSlot struct {
	group string
	of    int
}

// offerBudget counts how many wrong offers of an absence answer exceed the required
// number.
type offerBudget map[absenceSlot]int

func (l offerBudget) add(d Draft) {
	for of := range absenceCount {
		switch {
		case d.group == "":
		case d.rightAbsence() == of:
			l[absenceSlot{d.group, of}] -= wrongOffersPerRight(of)
		case d.answers[of] != "":
			l[absenceSlot{d.group, of}]++
		}
	}
}

// overdrawnFact returns the last fact whose absence answer is right too often, or "".
func (l offerBudget) overdrawnFact(rounds [][]Draft) string {
	for _, round := range slices.Backward(rounds) {
		for _, d := range slices.Backward(round) {
			if of := d.rightAbsence(); of != absenceCount && l[absenceSlot{d.group, of}] < 0 {
				return d.Fact
			}
		}
	}
	return ""
}

// draftWithMostRoom returns the first draft of the group with most room, or -1 where none
// has so much at least.
func (l offerBudget) draftWithMostRoom(drafts []Draft, done map[string]bool, least int) int {
	at, most := -1, least-1
	for i, d := range drafts {
		if room := l[absenceSlot{d.group, absenceNone}]; !done[d.Fact] && room > most {
			at, most = i, room
		}
	}
	return at
}

// offerAbsences puts absence answers among wrong options: in each group every offered one
// is right in a quarter of the questions that offer it, and one that is never right is
// not offered.
func offerAbsences(rnd *rand.Rand, rounds [][]Draft) {
	groups, names := map[string][]*Draft{}, []string{}
	for _, round := range rounds {
		for i := range round {
			d := &round[i]
			if d.group == "" {
				continue
			}
			if groups[d.group] == nil {
				names = append(names, d.group)
			}
			groups[d.group] = append(groups[d.group], d)
		}
	}
	for _, g := range names {
		for of := range absenceCount {
			want := 0
			for _, d := range groups[g] {
				if d.rightAbsence() == of {
					want += wrongOffersPerRight(of)
				}
			}
			for _, i := range rnd.Perm(len(groups[g])) {
				if want > 0 && groups[g][i].offerAbsence(rnd, of) {
					want--
				}
			}
		}
	}
}

// rightAbsence returns which absence answer is right, or absenceCount.
func (d *Draft) rightAbsence() int {
	switch {
	case d.Right == schemas.AnswerNone:
		return absenceNone
	case d.Right == d.answers[absenceEnded]:
		return absenceEnded
	case d.twoHolders:
		return absenceTwo
	}
	return absenceCount
}

// offerAbsence replaces a wrong option by an absence answer, never the first one, which
// was told, nor another absence answer. It reports whether there was room.
func (d *Draft) offerAbsence(rnd *rand.Rand, of int) bool {
	if d.rightAbsence() == of || d.answers[of] == "" || d.absenceOffered >= len(d.Wrong)-1 {
		return false
	}
	at := 1 + d.absenceOffered + rnd.IntN(len(d.Wrong)-1-d.absenceOffered)
	d.Wrong[at], d.Wrong[1+d.absenceOffered] = d.Wrong[1+d.absenceOffered], d.answers[of]
	d.absenceOffered++
	return true
}
