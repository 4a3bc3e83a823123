package author

import (
	"slices"

	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/schemas"
)

// checkLengths wants options of comparable length, and a right one that does
// not stand out among them.
func checkLengths(d Draft, say report) {
	right := ""
	var wrong []string
	for _, o := range d.Options {
		if o.Role == schemas.RoleCorrect {
			right = o.Text
			continue
		}
		wrong = append(wrong, o.Text)
	}
	for _, why := range answercues.CheckLengths(right, wrong) {
		say("%s", why)
	}
}

// particles belong to their verbs: a block that is picked up has nothing to do
// with one that is turned up.
var particles = wordSet(`up out away over back`)

// checkGiveaway refuses options of which the right one can be told by words
// alone: it takes up a word of the question that no wrong option has, or all
// wrong ones have something in common that it lacks.
func checkGiveaway(in Input, d Draft, say report) {
	var right string
	var wrong [][]string
	var all []string
	for _, o := range d.Options {
		if o.Role == schemas.RoleCorrect {
			right = o.Text
			continue
		}
		wrong = append(wrong, gist(o.Text))
		all = append(all, gist(o.Text)...)
	}
	mine := gist(right)
	asked := append(gistOf(withoutName(d.Question, in.Target.Name), idleWords, vagueWords, particles), gistOf(in.Target.Name, idleWords, vagueWords, particles)...)
	if shared := missingMeanings(sharedMeanings(mine, asked), all); len(shared) > 0 {
		say("the question gives the correct option away: both, and no other option, say %q", shared)
	}
	if len(wrong) < 2 || len(mine) == 0 {
		return
	}
	joint := wrong[0]
	for _, w := range wrong[1:] {
		joint = sharedMeanings(joint, w)
	}
	if odd := missingMeanings(joint, mine); len(odd) > 0 {
		say("the correct option is the only one that does not say %q", odd)
	}
	if odd := pronounGenders(right); odd != 0 && !slices.ContainsFunc(d.Options, func(o Option) bool { return o.Role != schemas.RoleCorrect && pronounGenders(o.Text)&odd != 0 }) {
		if slices.ContainsFunc(d.Options, func(o Option) bool { return o.Role != schemas.RoleCorrect && pronounGenders(o.Text) != 0 }) {
			say("the pronoun of the correct option stands in no other and tells it; leave out who does it")
		}
	}
}

// pronounGenders are those that the pronouns of a text name: 1 female, 2 male.
func pronounGenders(text string) int {
	out := 0
	for _, w := range answercues.Words(text) {
		switch w {
		case "she", "her", "hers", "herself":
			out |= 1
		case "he", "him", "his", "himself":
			out |= 2
		}
	}
	return out
}
