// Package phrasebook reads the sentences that questions are worded in, which a family
// keeps as data. A file has sections, each headed by its name in square brackets; a line is
// a sentence, or a phrase with a name before a colon. Lines that begin with # are comments.
// A sentence has blanks: {thing} is filled in as it is, {Thing} with a capital letter.
package phrasebook

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Book is a file: the lines of each section, in order.
type Book map[string][]string

// Parse reads a file.
func Parse(text string) Book {
	out := Book{}
	section := ""
	for _, line := range strings.Split(text, "\n") {
		switch name, heads := strings.CutPrefix(line, "["); {
		case line == "" || strings.HasPrefix(line, "#"):
		case heads:
			section = strings.TrimSuffix(name, "]")
		default:
			out[section] = append(out[section], line)
		}
	}
	return out
}

// Phrase returns a phrase of a section by its name; empty where it has none.
func (b Book) Phrase(section, name string) string {
	for _, line := range b[section] {
		if phrase, ok := strings.CutPrefix(line, name+": "); ok {
			return phrase
		}
	}
	return ""
}

// Fill returns a sentence with words in its blanks.
func Fill(sentence string, say map[string]string) string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(say)) {
		pairs = append(pairs, "{"+name+"}", say[name], "{"+Capitalise(name)+"}", Capitalise(say[name]))
	}
	return strings.NewReplacer(pairs...).Replace(sentence)
}

// Capitalise returns words as they begin a sentence.
func Capitalise(s string) string {
	r := []rune(s)
	if len(r) == 0 {
		return s
	}
	return string(unicode.ToUpper(r[0])) + string(r[1:])
}

var blank = regexp.MustCompile(`\\\{(\w+)\\\}`)

// Pattern compiles a sentence to an expression that has a group for each blank, by its
// name. What a blank may hold is given by its name in small letters; else it is anything.
func Pattern(sentence string, holds map[string]string) *regexp.Regexp {
	return regexp.MustCompile("^" + blank.ReplaceAllStringFunc(regexp.QuoteMeta(sentence), func(m string) string {
		name := blank.FindStringSubmatch(m)[1]
		what := holds[strings.ToLower(name)]
		if what == "" {
			what = ".+"
		}
		return "(?P<" + name + ">" + what + ")"
	}) + "$")
}

// Blanks returns what stands in the blanks of a text; false where the text does not match.
func Blanks(pattern *regexp.Regexp, text string) (map[string]string, bool) {
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	said := map[string]string{}
	for i, name := range pattern.SubexpNames() {
		if name != "" {
			said[name] = m[i]
		}
	}
	return said, true
}
