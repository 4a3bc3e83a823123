package question

import (
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// conflictQuestions asks what holds where something else was said that does not count, of what two
// hold first: that comes up seldom.
func (b *history) conflictQuestions() []Draft {
	var out []Draft
	for _, k := range b.keys {
		last, _ := b.currentValue(k)
		pieces := b.currentPieces(k)
		told := len(pieces)
		for _, e := range b.noise[k] {
			if e.Op != simulate.OpAffair {
				pieces = append(pieces, Piece{e, schemas.RoleDistractor})
			}
		}
		if last.Op == simulate.OpDelete || len(pieces) == told {
			continue
		}
		d := Draft{
			Type: MC, Text: fmt.Sprintf("Different things were said about the %s of %s. What of it holds, as of %s?", k.Aspect, k.Entity, b.checkpointDay()), Right: valueAfter(last),
			Pieces: sortByTime(pieces), Fact: k.String() + "/" + valueAfter(last) + "/conflict", Updates: len(b.chains[k]) - 1, Key: k, twoHolders: last.Also != "",
		}
		d.Wrong = b.conflictingValues(k, d.Right)
		d.rank = b.countTold(k, d.Wrong)
		if d.twoHolders {
			d.rank += Options
		} else {
			b.addPairOption(&d)
		}
		out = append(out, d)
	}
	return out
}

// paired is in how many of a hundred conflicts about people two of them are a wrong answer:
// three times as often as they are the right one, about.
const paired = 33

// addPairOption has the last wrong answer of some conflicts about people name two of them.
func (b *history) addPairOption(d *Draft) {
	if two := b.pairOption(*d); two != "" && b.rnd.IntN(100) < paired {
		d.Wrong[len(d.Wrong)-1] = two
	}
}

// conflictingValues are wrong values where different things were said: one that did not count, one
// that held, and whatever else was said of the same key. None is one of two that hold.
func (b *history) conflictingValues(k simulation.Key, right string) []string {
	last, _ := b.currentValue(k)
	o := wrongOptions{right: right}
	var unmeant, old []string
	for _, e := range slices.Backward(b.noise[k]) {
		unmeant = append(unmeant, e.Value)
	}
	for _, e := range slices.Backward(b.chains[k]) {
		if v := valueAfter(e); v != right {
			old = append(old, v)
		}
	}
	other := func(values []string) []string {
		return slices.DeleteFunc(values, func(v string) bool { return last.Also != "" && (v == last.Value || v == last.Also) })
	}
	unmeant, old = other(unmeant), other(old)
	o.add(unmeant[:1]...)
	o.add(old[:min(1, len(old))]...)
	o.add(unmeant...)
	o.add(old...)
	o.add(other(b.wrongValues(k, right, false))...)
	return o.values
}
