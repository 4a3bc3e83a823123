package question

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/memforge/memforge/pipeline/kit/phrasebook"
	"github.com/memforge/memforge/stages/video/groundtruth"
	"github.com/memforge/memforge/stages/video/wordings"
)

// Style is the wording for videos whose events only show something, one after
// the other: what a shown thing is called, and how such a video is identified.
type Style struct {
	Shown string // noun for what is shown: "sign", "exercise"
	// Identify names a video without a title: {shown} stands for the noun,
	// {first} and {last} for the first and last thing shown, and any other name
	// in braces for the video's label of that name.
	Identify string
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

func (s Style) labels() []string {
	var out []string
	for _, p := range placeholder.FindAllString(s.Identify, -1) {
		if name := strings.Trim(p, "{}"); name != "shown" && name != "first" && name != "last" {
			out = append(out, name)
		}
	}
	return out
}

// Check reports what is wrong with a style.
func (s Style) Check() error {
	if strings.TrimSpace(s.Shown) == "" {
		return fmt.Errorf("shown is empty: say in a noun what a clip shows, for example sign")
	}
	if !strings.Contains(s.Identify, "{first}") && len(s.labels()) == 0 {
		return fmt.Errorf("identify %q has neither {first} nor a label such as {signer}: a video without a title is known by what it shows first or by a label", s.Identify)
	}
	return nil
}

// identify names the target by its title, or by its labels and what it shows
// first and last. used are the values that this gives away. The name is empty
// when it could mean the rival as well.
func (s Style) identify(target, rival videoView) (name string, used []string) {
	if target.title != "" {
		if groundtruth.Clash(target.title, rival.title) {
			return "", nil
		}
		return "the video titled " + quote(target.title), []string{target.title}
	}
	words := []string{"{shown}", s.Shown}
	distinct := false
	for _, name := range s.labels() {
		label := target.labels[name]
		if label == "" {
			return "", nil
		}
		distinct = distinct || rival.labels[name] != "" && !groundtruth.Clash(label, rival.labels[name])
		words, used = append(words, "{"+name+"}", label), append(used, label)
	}
	if strings.Contains(s.Identify, "{first}") || strings.Contains(s.Identify, "{last}") {
		ends, ok := s.endValues(target, rival)
		if !ok {
			return "", nil
		}
		distinct = true
		words, used = append(words, "{first}", quote(ends[0]), "{last}", quote(ends[len(ends)-1])), append(used, ends...)
	}
	if !distinct {
		return "", nil
	}
	return strings.NewReplacer(words...).Replace(s.Identify), used
}

// endValues returns what the target shows first and, where the name says it,
// last; not ok when they are not known, or the rival shows them too.
func (s Style) endValues(target, rival videoView) (ends []string, ok bool) {
	shown := target.events(groundtruth.Shows)
	if len(shown) == 0 || (len(shown) > 1 && shown[0].Start >= shown[1].Start) {
		return nil, false
	}
	ends = []string{groundtruth.Value(shown[0])}
	if strings.Contains(s.Identify, "{last}") {
		last := shown[len(shown)-1]
		if !target.line.ShowsAll(last.Start, last.End) {
			return nil, false
		}
		ends = append(ends, groundtruth.Value(last))
	}
	return ends, !slices.ContainsFunc(ends, rival.mentions)
}

func quote(s string) string { return `"` + s + `"` }

// ordinals count events; a question counts to the last of them at most, since all
// that it counts is its evidence.
var ordinals = []string{"first", "second", "third", "fourth", "fifth", "sixth"}

// phrase fills in a phrase of a kind of event, or of wordings.OfVideo.
func (s Style) phrase(kind, name string, say map[string]string) string {
	words := map[string]string{"shown": s.Shown}
	maps.Copy(words, say)
	return phrasebook.Fill(wordings.Phrase(kind, name), words)
}

func (s Style) statement(kind, value string) string {
	return s.phrase(kind, "happens", map[string]string{"thing": s.namedValue(kind, value)})
}

func (s Style) askWhether(kind, value string) string {
	return s.phrase(kind, "whether", map[string]string{"thing": s.namedValue(kind, value)})
}

// deed says who does something to a thing.
func (s Style) deed(kind, who, value string) string {
	return s.phrase(kind, "does", map[string]string{"who": who, "thing": s.namedValue(kind, value)})
}

// plainValue returns a value without a sentence around it: texts stand in
// quotes.
func plainValue(kind, value string) string {
	if kind == groundtruth.SignChanges || kind == groundtruth.Shows {
		return quote(value)
	}
	return value
}

// namedValue returns a value as a sentence names it: "the red kettle".
func (s Style) namedValue(kind, value string) string {
	first := strings.ToLower(strings.Fields(value)[0])
	switch {
	case kind == groundtruth.SignChanges:
		return quote(value)
	case kind == groundtruth.Shows:
		return "the " + s.Shown + " " + quote(value)
	case first == "the" || first == "a" || first == "an" || unicode.IsUpper([]rune(value)[0]):
		return value
	}
	return "the " + value
}
