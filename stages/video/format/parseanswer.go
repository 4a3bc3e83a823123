package format

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Skipped begins an answer that was never asked for because the video could
// not be read. It has no score and enters no mean.
const Skipped = "__VIDEO_INPUT_SKIPPED__"

// Space as M3Eval's regular expressions (Python's) understand it.
const space = `[\s\x0b\x1c-\x1f\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]`

// An answer is a line of its own: "The final answer is X", then at most one run
// of full stops, exclamation and question marks, Chinese ones included.
const lineEnd = `(?:` + space + `*[.!?。！？]+)?` + space + `*$`

var (
	finalLetter = regexp.MustCompile(`(?m)^` + space + `*The final answer is ([A-Z])` + lineEnd)
	finalYesNo  = regexp.MustCompile(`(?mi)^` + space + `*The final answer is (Yes|No)` + lineEnd)
	bareLetter  = regexp.MustCompile(`^[A-Z]$`)
	optionStart = regexp.MustCompile(`^` + space + `*([A-Z])[.)]` + space)
)

// Reading says how an answer was read.
type Reading string

// The readings.
const (
	ReadFinal   Reading = "final answer line"
	ReadKey     Reading = "key of an option"
	ReadBare    Reading = "bare answer"
	NotAnOption Reading = "letter is no option"
	NoAnswer    Reading = "no answer in the required form"
)

// ParseChoice reads the letter that a text answers with, or returns an empty
// string. The last line of the form "The final answer is X" counts wherever it
// stands, phrase and letter in exactly this case; without such a line the whole
// text must be one upper-case letter. A letter that is not allowed is no
// answer, and an earlier line does not replace it. No allowed letters allow
// all.
func ParseChoice(text string, allowed []string) (string, Reading) {
	text = stripSpace(text)
	letter, how := "", ReadFinal
	if lines := finalLetter.FindAllStringSubmatch(text, -1); len(lines) > 0 {
		letter = lines[len(lines)-1][1]
	} else if bareLetter.MatchString(text) {
		letter, how = text, ReadBare
	} else {
		return "", NoAnswer
	}
	if len(allowed) > 0 && !slices.Contains(allowed, letter) {
		return "", NotAnOption
	}
	return letter, how
}

// ParseYesNo reads Yes or No, or returns an empty string. Unlike letters, the
// words and the phrase before them may have any case.
func ParseYesNo(text string) (string, Reading) {
	text = stripSpace(text)
	word, how := text, ReadBare
	if lines := finalYesNo.FindAllStringSubmatch(text, -1); len(lines) > 0 {
		word, how = lines[len(lines)-1][1], ReadFinal
	}
	// The expressions fold case as Unicode does, so that a long s passes them.
	switch strings.ToLower(word) {
	case "yes":
		return "Yes", how
	case "no":
		return "No", how
	}
	return "", NoAnswer
}

// Letters are the letters that options begin with ("A. text" or "A) text").
// Options without letters allow A to E, however many there are.
func Letters(options []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, o := range options {
		if m := optionStart.FindStringSubmatch(o); m != nil && !seen[m[1]] {
			seen[m[1]] = true
			out = append(out, m[1])
		}
	}
	if out == nil {
		return []string{"A", "B", "C", "D", "E"}
	}
	return out
}

// stripSpace removes space as Python's str.strip does.
func stripSpace(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f })
}
