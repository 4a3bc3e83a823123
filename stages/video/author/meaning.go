package author

import (
	"slices"
	"strings"

	"github.com/kljensen/snowball/english"

	"github.com/memforge/memforge/pipeline/kit/answercues"
)

// wordMeanings compares texts by what they say: words by their stems, and those that
// say the same as one. It is a comparison of wording still, and knows nothing.
var wordMeanings = newMeanings()

// idleWords are words that add nothing to what is claimed.
var idleWords = wordSet(`a an the this that these those it its he she his her him hers they them their there i we you one ones
 is are was were be been being am has have had having do does did done doing can could will would may might shall should must
 of in on at to with and or but for from by as than then so also too very just only into onto upon per via about around
 who whom whose which what when where why how while if not`)

// vagueWords are words of questions that do not narrow down what is asked for.
var vagueWords = wordSet(`somebody someone something anybody anyone anything nobody thing things object objects item items kind sort type form part parts piece
 happen happens happening occur occurs event seen see sees saw visible appear appears look looks looking like shown show shows use uses used using
 colour color coloured number numbers many much time times name called word words writing written print printed text read way matter
 video videos clip clips film films footage true described description descriptions statement statements right correct following sequence order
 stand stands standing lie lies lying place placed put set get gets got give gives given directly next first last before after once
 state change changes some most mostly goes go going tool tools symbol symbols picture`)

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// baseForm is a word without its irregular inflection, numbers as digits.
func (m meanings) baseForm(w string) string {
	if base, ok := m.forms[w]; ok {
		return base
	}
	return w
}

func stem(w string) string { return english.Stem(w, true) }

// meaningOf is what one word says.
func (m meanings) meaningOf(w string) string {
	s := stem(m.baseForm(w))
	if t, ok := m.stems[s]; ok {
		return t
	}
	return s
}

// gist is what a text says: the distinct meanings of its words, sorted, without
// idle ones.
func gist(text string) []string { return gistOf(text, idleWords) }

// topic is what a text is about: its gist without vague words.
func topic(text string) []string { return gistOf(text, idleWords, vagueWords) }

func gistOf(text string, without ...map[string]bool) []string {
	var out []string
	for _, w := range answercues.Words(strings.ReplaceAll(strings.ReplaceAll(text, "'s ", " "), "’s ", " ")) {
		if !slices.ContainsFunc(without, func(s map[string]bool) bool { return s[w] }) {
			out = append(out, wordMeanings.meaningOf(w))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// covers reports whether one gist holds all of another that says something.
func covers(all, part []string) bool {
	return len(part) > 0 && len(sharedMeanings(all, part)) == len(part)
}

// sharedMeanings are the meanings that two gists share.
func sharedMeanings(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(w string) bool { return !slices.Contains(b, w) })
}

// missingMeanings are the meanings of a that b has not.
func missingMeanings(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(w string) bool { return slices.Contains(b, w) })
}

// clauses are the statements of a text, so that "a red cup, a blue plate" does
// not say that the plate is red.
func clauses(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".,;", r) })
}
