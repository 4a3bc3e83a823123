package defects

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What parcels can look like: a colour and a form each. The lists are as long
// as each other, so a look is two numbers.
var (
	colours = []string{"amber", "azure", "beige", "bronze", "coral", "crimson", "ebony", "ivory", "khaki", "lilac", "maroon", "ochre", "olive", "pearl", "scarlet", "teal"}
	forms   = []string{"barrel", "basket", "bottle", "bucket", "case", "chest", "cone", "crate", "cube", "jar", "pouch", "pyramid", "roll", "sack", "tin", "tube"}
)

// nonsense is what no parcel can look like: a model that knows the world needs no
// evidence to rule it out.
var nonsense = []string{"noon", "silence", "arithmetic", "yesterday", "gratitude", "loudness", "echo", "grammar", "boredom", "Tuesday", "rumour", "applause"}

// Look is what is known of one parcel; an empty field is not known.
type Look struct {
	Parcel       int
	Colour, Form string
}

// Sentences tells a look, one sentence for each property.
func (l Look) Sentences() string {
	var out []string
	if l.Colour != "" {
		out = append(out, fmt.Sprintf("Parcel %d is %s.", l.Parcel, l.Colour))
	}
	if l.Form != "" {
		out = append(out, fmt.Sprintf("Parcel %d is a %s.", l.Parcel, l.Form))
	}
	return strings.Join(out, " ")
}

// sent says whose parcel it is.
func sent(owner string, parcel int) string {
	return fmt.Sprintf("%s sent parcel %d.", owner, parcel)
}

// knowledge is what somebody has read so far, the last word on everything.
type knowledge struct {
	parcels map[string]int // by owner
	looks   map[int]map[string][]string
}

func newKnowledge() *knowledge {
	return &knowledge{parcels: map[string]int{}, looks: map[int]map[string][]string{}}
}

// The properties of a look.
const (
	colour = "colour"
	form   = "form"
)

// propertyOf says which property a word is a value of.
func propertyOf(word string) (string, bool) {
	switch {
	case slices.Contains(colours, word):
		return colour, true
	case slices.Contains(forms, word):
		return form, true
	}
	return "", false
}

var (
	isSentence   = regexp.MustCompile(`Parcel (\d+) is (?:now )?(?:a )?(\w+)(?: or (\w+))?\.`)
	sentSentence = regexp.MustCompile(`(\w+) sent parcel (\d+)\.`)
)

// read takes in a text, sentence by sentence.
func (k *knowledge) read(text string) {
	for _, m := range sentSentence.FindAllStringSubmatch(text, -1) {
		k.parcels[m[1]], _ = strconv.Atoi(m[2])
	}
	for _, m := range isSentence.FindAllStringSubmatch(text, -1) {
		parcel, _ := strconv.Atoi(m[1])
		k.learn(parcel, slices.DeleteFunc(m[2:], func(w string) bool { return w == "" })...)
	}
}

// see takes in what a picture shows.
func (k *knowledge) see(l Look) {
	for _, word := range []string{l.Colour, l.Form} {
		if word != "" {
			k.learn(l.Parcel, word)
		}
	}
}

// learn replaces what was known of the property that the words are values of.
func (k *knowledge) learn(parcel int, words ...string) {
	property, ok := propertyOf(words[0])
	if !ok {
		return
	}
	if k.looks[parcel] == nil {
		k.looks[parcel] = map[string][]string{}
	}
	k.looks[parcel][property] = words
}

var (
	asksNumber = regexp.MustCompile(`\bparcel (\d+)\b`)
	asksOwner  = regexp.MustCompile(`\bparcel that (\w+) sent\b`)
)

// about is what is known of the parcel that a question asks about: nothing
// where the text does not say which one it is.
func (k *knowledge) about(question string) map[string][]string {
	if m := asksNumber.FindStringSubmatch(question); m != nil {
		parcel, _ := strconv.Atoi(m[1])
		return k.looks[parcel]
	}
	if m := asksOwner.FindStringSubmatch(question); m != nil {
		return k.looks[k.parcels[m[1]]]
	}
	return nil
}
