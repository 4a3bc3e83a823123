package question

import (
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// searches asks which of the things on pictures has a value. All that are offered have
// another one on theirs, so that only who knows the value can tell.
func (b *book) searches() []Draft {
	var out []Draft
	for _, k := range b.keys {
		last, one := b.now(k)
		if !one || last.Picture < 0 || !b.only(k, last.Value) {
			continue
		}
		wrong := b.beside(k)
		if len(wrong) < 3 {
			continue
		}
		has := fmt.Sprintf("%s as its %s", last.Value, k.Aspect)
		if simulate.Verb(k.Aspect) == "are" {
			has = last.Value + " " + k.Aspect
		}
		out = append(out, Draft{
			Type: VS, Text: fmt.Sprintf("As of %s, of all that the pictures so far are about, what has %s?", b.day(), has), Right: k.Entity, Wrong: wrong[:3],
			Pieces: b.current(k), Fact: k.String() + "/" + last.Value + "/search", Updates: len(b.chains[k]) - 1, Key: k,
		})
	}
	return out
}

// only reports whether of all things one alone ever had a value of an aspect, once.
func (b *book) only(k simulation.Key, value string) bool {
	for _, other := range b.keys {
		for _, e := range b.chains[other] {
			if other != k && other.Aspect == k.Aspect && (e.Value == value || e.Also == value) {
				return false
			}
		}
	}
	return !b.recurs(k, value)
}

// beside are the other things whose pictures show an aspect, in drawn order.
func (b *book) beside(k simulation.Key) []string {
	var out []string
	for _, i := range b.rnd.Perm(len(b.keys)) {
		other := b.keys[i]
		if last, one := b.now(other); other != k && other.Aspect == k.Aspect && one && last.Picture >= 0 {
			out = append(out, other.Entity)
		}
	}
	return out
}

// crossings asks for what a picture shows of a thing that words identify. No picture shows
// what identifies it, and pictures of two other things at least show the same aspect.
func (b *book) crossings() []Draft {
	var out []Draft
	for _, said := range b.keys {
		told, one := b.now(said)
		if !one || told.Picture >= 0 || !b.only(said, told.Value) || len(b.printed(said, told.Value)) > 0 {
			continue
		}
		for _, seen := range b.keys {
			shown, one := b.now(seen)
			if seen.Entity != said.Entity || !one || shown.Picture < 0 {
				continue
			}
			own, others, things := b.shown(seen)
			o := options{right: shown.Value}
			o.add(own[:min(2, len(own))]...)
			o.add(others...)
			if things < 2 || len(o.list) < 3 {
				continue
			}
			inquiry, _ := strings.CutSuffix(simulate.Inquiry(b.w.Domain, seen.Aspect, "it"), " of it")
			inquiry = strings.Replace(inquiry, "what is the ", "what is its ", 1)
			out = append(out, Draft{
				Type: CMR, Text: fmt.Sprintf("As of %s, %s is the %s of one of the things talked about. %s?", b.day(), told.Value, said.Aspect, capital(inquiry)), Right: shown.Value,
				Wrong: o.list, Pieces: byTime(append(b.current(said), b.current(seen)...)), Fact: said.String() + "/" + seen.String() + "/" + shown.Value,
				Updates: len(b.chains[said]) + len(b.chains[seen]) - 2, Key: seen,
			})
		}
	}
	return out
}
