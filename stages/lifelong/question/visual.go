package question

import (
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// searchQuestions asks which of the things on pictures has a value. All that are offered have
// another one on theirs, so that only who knows the value can tell.
func (b *history) searchQuestions() []Draft {
	var out []Draft
	for _, k := range b.keys {
		last, one := b.currentValue(k)
		if !one || last.Picture < 0 || !b.isUnique(k, last.Value) {
			continue
		}
		wrong := b.otherThings(k)
		if len(wrong) < 3 {
			continue
		}
		has := fmt.Sprintf("%s as its %s", last.Value, k.Aspect)
		if simulate.Verb(k.Aspect) == "are" {
			has = last.Value + " " + k.Aspect
		}
		out = append(out, Draft{
			Type: VS, Text: fmt.Sprintf("As of %s, of all that the pictures so far are about, what has %s?", b.checkpointDay(), has), Right: k.Entity, Wrong: wrong[:3],
			Pieces: b.currentPieces(k), Fact: k.String() + "/" + last.Value + "/search", Updates: len(b.chains[k]) - 1, Key: k,
		})
	}
	return out
}

// isUnique reports whether of all things one alone ever had a value of an aspect, once.
func (b *history) isUnique(k simulation.Key, value string) bool {
	for _, other := range b.keys {
		for _, e := range b.chains[other] {
			if other != k && other.Aspect == k.Aspect && (e.Value == value || e.Also == value) {
				return false
			}
		}
	}
	return !b.recurs(k, value)
}

// otherThings are the other things whose pictures show an aspect, in drawn order.
func (b *history) otherThings(k simulation.Key) []string {
	var out []string
	for _, i := range b.rnd.Perm(len(b.keys)) {
		other := b.keys[i]
		if last, one := b.currentValue(other); other != k && other.Aspect == k.Aspect && one && last.Picture >= 0 {
			out = append(out, other.Entity)
		}
	}
	return out
}

// crossModalQuestions asks for what a picture shows of a thing that words identify. No picture shows
// what identifies it, and pictures of two other things at least show the same aspect.
func (b *history) crossModalQuestions() []Draft {
	var out []Draft
	for _, said := range b.keys {
		told, one := b.currentValue(said)
		if !one || told.Picture >= 0 || !b.isUnique(said, told.Value) || len(b.picturesShowing(said, told.Value)) > 0 {
			continue
		}
		for _, seen := range b.keys {
			shown, one := b.currentValue(seen)
			if seen.Entity != said.Entity || !one || shown.Picture < 0 {
				continue
			}
			own, others, things := b.shownValues(seen)
			o := wrongOptions{right: shown.Value}
			o.add(own[:min(2, len(own))]...)
			o.add(others...)
			if things < 2 || len(o.values) < 3 {
				continue
			}
			inquiry, _ := strings.CutSuffix(simulate.Inquiry(b.world.Domain, seen.Aspect, "it"), " of it")
			inquiry = strings.Replace(inquiry, "what is the ", "what is its ", 1)
			out = append(out, Draft{
				Type: CMR, Text: fmt.Sprintf("As of %s, %s is the %s of one of the things talked about. %s?", b.checkpointDay(), told.Value, said.Aspect, capital(inquiry)), Right: shown.Value,
				Wrong: o.values, Pieces: sortByTime(append(b.currentPieces(said), b.currentPieces(seen)...)), Fact: said.String() + "/" + seen.String() + "/" + shown.Value,
				Updates: len(b.chains[said]) + len(b.chains[seen]) - 2, Key: seen,
			})
		}
	}
	return out
}
