package author

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// NameInput is what the name of a video is written from.
type NameInput struct {
	Target  []Part        `json:"target"`
	Other   []Part        `json:"other"`
	Refused []NameRefusal `json:"refused"`
}

// NameRefusal is a name that did not pass CheckName, and why.
type NameRefusal = model.RejectedAnswer[Name]

// Name is a phrase that names a video, and the sections that show it.
type Name struct {
	// Cannot says why there is none.
	Cannot   string `json:"cannot"`
	Phrase   string `json:"phrase"`
	Sections []int  `json:"sections"`
}

// NameJob is the prompt for the name of a video.
const NameJob = "video.identify"

// A name's words.
const (
	minNameWords = 4
	maxNameWords = 25
)

// Bounds of a title that a question can call a video by.
const (
	maxTitleChars = 80
	maxTitleWords = 12
)

// TitleName is how questions call a video by the title that is seen in it; false
// where the title is no name: empty, long, of several lines, with control
// characters or quotation marks.
func TitleName(title string) (string, bool) {
	t := strings.Join(strings.Fields(title), " ")
	n := len(answercues.Words(t))
	if n == 0 || n > maxTitleWords || utf8.RuneCountInString(t) > maxTitleChars || !utf8.ValidString(t) || answercues.HasControl(title) || strings.ContainsAny(t, "\"“”?") {
		return "", false
	}
	return `the video titled "` + t + `"`, true
}

// CheckName says what is wrong with a name.
func CheckName(in NameInput, n Name) []string {
	var why []string
	say := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	if !strings.HasPrefix(n.Phrase, "the video ") || strings.Contains(n.Phrase, "?") || answercues.HasControl(n.Phrase) {
		say(`the phrase must begin with "the video " and complete "In ..., what happens?"`)
	}
	if w := len(answercues.Words(n.Phrase)); w < minNameWords || w > maxNameWords {
		say("the phrase has %d words; use %d to %d", w, minNameWords, maxNameWords)
	}
	if m := findPlacement(n.Phrase, true); m != "" {
		say("the phrase says %q; a video must not be named by its place, time or number", m)
	}
	for _, s := range n.Sections {
		i := slices.IndexFunc(in.Target, func(p Part) bool { return p.Section == s })
		switch {
		case i < 0:
			say("the target video has no section %d", s)
		case in.Target[i].Cut:
			say("section %d is cut: a part of it is not shown; name the video by what other sections show", s)
		}
	}
	return why
}

// telling are the keys whose texts name a video, the best first: what goes on,
// things and writing. How things look comes late, because questions need it.
var telling = [6]int{0, 3, 5, 1, 4, 2}

// ChooseName names the target as the built-in model: by a text that it alone
// has, of the most telling key, the shortest of these. False when there is
// none.
func ChooseName(in NameInput) (Name, bool) {
	for _, key := range telling {
		var best Name
		shortest := maxText + 1
		for _, p := range in.Target {
			t := strings.TrimSuffix(strings.TrimSpace(groundtruth.DescriptionTexts(p.Description)[key]), ".")
			if p.Cut || t == "" || len(t) >= shortest || slices.ContainsFunc(in.Other, func(o Part) bool { return o.hasText(t) }) {
				continue
			}
			if n := (Name{Phrase: named(t), Sections: []int{p.Section}}); len(CheckName(in, n)) == 0 {
				best, shortest = n, len(t)
			}
		}
		if best.Phrase != "" {
			return best, true
		}
	}
	return Name{}, false
}

func (p Part) hasText(t string) bool {
	for _, own := range groundtruth.DescriptionTexts(p.Description) {
		if answercues.Alike(own, t) {
			return true
		}
	}
	return false
}
