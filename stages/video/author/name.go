package author

import (
	"fmt"
	"slices"
	"strings"
)

// NameInput is what the name of a video is written from.
type NameInput struct {
	Target  []Part        `json:"target"`
	Other   []Part        `json:"other"`
	Refused []NameRefusal `json:"refused"`
}

// NameRefusal is a name that did not pass CheckName, and why.
type NameRefusal struct {
	Answer  Name     `json:"answer"`
	Reasons []string `json:"reasons"`
}

// Name is a phrase that names a video, and the sections that show it.
type Name struct {
	Phrase   string `json:"phrase"`
	Sections []int  `json:"sections"`
}

// NameTask is the prompt for the name of a video.
const NameTask = "video.identify"

// A name's words.
const (
	minNameWords = 4
	maxNameWords = 25
)

// CheckName says what is wrong with a name.
func CheckName(in NameInput, n Name) []string {
	var why []string
	say := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	if !strings.HasPrefix(n.Phrase, "the video ") || strings.ContainsAny(n.Phrase, "?\n") {
		say(`the phrase must begin with "the video " and complete "In ..., what happens?"`)
	}
	if w := len(words(n.Phrase)); w < minNameWords || w > maxNameWords {
		say("the phrase has %d words; use %d to %d", w, minNameWords, maxNameWords)
	}
	if m := place.FindString(n.Phrase); m != "" {
		say("the phrase says %q; a video must not be named by its place or number", m)
	}
	for _, s := range n.Sections {
		if !slices.ContainsFunc(in.Target, func(p Part) bool { return p.Section == s }) {
			say("the target video has no section %d", s)
		}
	}
	return why
}
