package question

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// ratio is how many wrong offers of an answer of absence there are for each right one.
// With four options who takes it wherever it is offered is right as often as who guesses.
const ratio = 3

// absences are the answers that no value is, by what makes one of them right.
const (
	isNone = iota
	isEnded
	isTwo
	absences
)

// wanted is in how many questions an answer is to be offered wrong for each in which it is
// right; beside two holders that are right another two stand always.
func wanted(of int) int {
	if of == isTwo {
		return ratio - 1
	}
	return ratio
}

// Choose draws what is asked after some sessions of a world, so many questions of each type
// at most: no fact twice in a task. An answer of absence is right in no more questions than
// allow to offer it three times as often where it is wrong. What nobody said is chosen
// last, of the attributes of which enough else is asked.
func Choose(rnd *rand.Rand, w simulate.World, ends []int, perType int) [][]Draft {
	var drafts []map[string][]Draft
	for _, end := range ends {
		drafts = append(drafts, Drafts(rnd, w, end))
	}
	done := map[string]bool{}
	out, l := values(drafts, perType, done)
	for banned := map[string]bool{}; ; {
		fact := l.overdrawn(out)
		if fact == "" {
			break
		}
		banned[fact] = true
		done = maps.Clone(banned)
		out, l = values(drafts, perType, done)
	}
	for _, c := range rnd.Perm(len(ends)) { // else the last checkpoints would have the fewest
		for range perType {
			if at := l.roomiest(drafts[c][MB], done); at >= 0 {
				d := drafts[c][MB][at]
				done[d.Fact] = true
				l.take(d)
				out[c] = append(out[c], d)
			}
		}
	}
	for c := range ends {
		slices.SortStableFunc(out[c], func(a, b Draft) int { return slices.Index(Types(), a.Type) - slices.Index(Types(), b.Type) })
	}
	offer(rnd, out)
	return out
}

// values takes the first drafts of each type but for what nobody said, and none of what is
// done.
func values(drafts []map[string][]Draft, perType int, done map[string]bool) ([][]Draft, ledger) {
	out, l := make([][]Draft, len(drafts)), ledger{}
	for c, of := range drafts {
		for _, t := range Types() {
			taken := 0
			for _, d := range of[t] {
				if t != MB && taken < perType && !done[d.Fact] {
					done[d.Fact] = true
					taken++
					l.take(d)
					out[c] = append(out[c], d)
				}
			}
		}
	}
	return out, l
}

// seat is an answer of absence in a group of questions.
type seat struct {
	group string
	of    int
}

// ledger keeps in how many more questions an answer of absence can be offered where it is
// wrong than it must.
type ledger map[seat]int

func (l ledger) take(d Draft) {
	for of := range absences {
		switch {
		case d.group == "":
		case d.absent() == of:
			l[seat{d.group, of}] -= wanted(of)
		case d.answers[of] != "":
			l[seat{d.group, of}]++
		}
	}
}

// overdrawn is the last fact of which an answer of absence is right too often; empty where
// there is none.
func (l ledger) overdrawn(rounds [][]Draft) string {
	for _, round := range slices.Backward(rounds) {
		for _, d := range slices.Backward(round) {
			if of := d.absent(); of != absences && l[seat{d.group, of}] < 0 {
				return d.Fact
			}
		}
	}
	return ""
}

// roomiest is the first draft of those whose group has most room; -1 where none has
// enough.
func (l ledger) roomiest(drafts []Draft, done map[string]bool) int {
	at, most := -1, ratio-1
	for i, d := range drafts {
		if room := l[seat{d.group, isNone}]; !done[d.Fact] && room > most {
			at, most = i, room
		}
	}
	return at
}

// offer puts answers of absence among wrong options: in each group of questions so that
// each is right in a quarter of the questions that offer it, and in none where it is
// never right.
func offer(rnd *rand.Rand, rounds [][]Draft) {
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
		for of := range absences {
			want := 0
			for _, d := range groups[g] {
				if d.absent() == of {
					want += wanted(of)
				}
			}
			for _, i := range rnd.Perm(len(groups[g])) {
				if want > 0 && groups[g][i].offer(rnd, of) {
					want--
				}
			}
		}
	}
}

// absent is which answer of absence is right; absences where a value is.
func (d *Draft) absent() int {
	switch {
	case d.Right == schemas.AnswerNone:
		return isNone
	case d.Right == d.answers[isEnded]:
		return isEnded
	case d.both:
		return isTwo
	}
	return absences
}

// offer puts an answer of absence in the place of a wrong option, but never of the first
// one, which was told, nor of another such answer, and reports whether there was a place.
func (d *Draft) offer(rnd *rand.Rand, of int) bool {
	if d.absent() == of || d.answers[of] == "" || d.offered >= len(d.Wrong)-1 {
		return false
	}
	at := 1 + d.offered + rnd.IntN(len(d.Wrong)-1-d.offered)
	d.Wrong[at], d.Wrong[1+d.offered] = d.Wrong[1+d.offered], d.answers[of]
	d.offered++
	return true
}
