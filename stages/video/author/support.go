package author

import (
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// leastUnsupported is the share of an option's words that refuses it when they
// stand in no section it rests on. Authors use words of their own.
const leastUnsupported = 1.0 / 3

// checkTruth compares the options with the descriptions: what is to be true of
// a video must be found in the sections that are cited, what is to be false of
// it in none.
func checkTruth(typ string, in Input, index storyIndex, d Draft, say report) {
	asked := topic(withoutName(d.Question, in.Target.Name))
	for _, o := range d.Options {
		of := trueVideo(typ, o.Role)
		if of != "" && len(index.gistOf(of)) > 0 {
			checkSupport(in, index, d, o, of, asked, say)
		}
		for _, not := range falseVideos(typ, o.Role) {
			if s := index.sectionClaiming(not, typ, o.Text, asked); s > 0 {
				say("option %q (%s) must be false of the %s video, and section %d of that video tells it", o.Text, o.Role, not, s)
			}
		}
	}
}

func trueVideo(typ, role string) string {
	switch {
	case role == schemas.RoleCorrect:
		return RoleTarget
	case role == schemas.RoleIntrusion || typ == schemas.TypeSourceIdentification:
		return RoleOther
	}
	return ""
}

func falseVideos(typ, role string) []string {
	switch {
	case typ == schemas.TypeOrderUnderstanding:
		return nil
	case role == schemas.RoleCorrect && typ == schemas.TypeContentRetention:
		return nil
	case role == schemas.RoleCorrect:
		return []string{RoleOther}
	case role == schemas.RoleUnrelated || typ == schemas.TypeContentRetention:
		return []string{RoleTarget, RoleOther}
	}
	return []string{RoleTarget}
}

// checkSupport demands an option in the sections that are cited of its video.
// Colours and numbers must occur there, and be said of what is asked for; most
// of the other words must occur as well.
func checkSupport(in Input, index storyIndex, d Draft, o Option, of string, asked []string, say report) {
	cited := slices.DeleteFunc(slices.Clone(in.story(of).Sections), func(p Part) bool {
		return !slices.Contains(d.Evidence, Evidence{of, p.Section})
	})
	if (Story{Sections: cited}).hasText(o.Text) {
		return
	}
	var sections []int
	for _, p := range cited {
		sections = append(sections, p.Section)
	}
	claim := missingMeanings(claimGist(o.Text), asked)
	missing := claim
	if len(sections) > 0 {
		missing = missingMeanings(claim, index.gistOf(of, sections...))
	}
	if !slices.ContainsFunc(missing, mustMatchExactly) && float64(len(missing)) < leastUnsupported*float64(len(claim)) {
		if w := index.findUnbound(of, sections, claim, asked); w != "" {
			say("option %q (%s) says %q, which the sections that evidence names tell of something else", o.Text, o.Role, w)
		}
		return
	}
	if len(claim) == 0 {
		return
	}
	if len(missingMeanings(missing, index.gistOf(of))) == 0 {
		say("option %q (%s) is told in a section of the %s video that evidence does not name", o.Text, o.Role, of)
		return
	}
	say("option %q (%s) must be true of the %s video, and no section that evidence names tells of %q; keep to what the descriptions say, in their words", o.Text, o.Role, of, missing)
}

func mustMatchExactly(w string) bool { return decisive[w] || strings.ContainsAny(w, "0123456789") }

// findUnbound returns a colour or number of a claim that no statement of the
// sections makes of anything else that the claim or the question names.
func (t storyIndex) findUnbound(of string, sections []int, claim, asked []string) string {
	rest := append(slices.DeleteFunc(slices.Clone(claim), mustMatchExactly), asked...)
	for _, w := range claim {
		if !mustMatchExactly(w) || len(rest) == 0 {
			continue
		}
		states := func(s statement) bool {
			others := slices.DeleteFunc(slices.Clone(s.topic), mustMatchExactly)
			return !s.whole && slices.Contains(sections, s.section) && slices.Contains(s.gist, w) && (len(others) == 0 || len(sharedMeanings(rest, s.gist)) > 0)
		}
		if !slices.ContainsFunc(t[of], states) {
			return w
		}
	}
	return ""
}

// claimGist returns the gist of an option; where it has idle words only, these.
func claimGist(text string) []string {
	if g := topic(text); len(g) > 0 {
		return g
	}
	if g := gist(text); len(g) > 0 {
		return g
	}
	return gistOf(text)
}

// decisive are meanings that cannot be another's: colours.
var decisive = func() map[string]bool {
	out := map[string]bool{}
	for _, table := range tables[:1] {
		for _, w := range table {
			out[wordMeanings.meaningOf(w.name)] = true
		}
	}
	for _, w := range []string{"turquoise", "beige", "golden", "silver", "crimson"} {
		out[wordMeanings.meaningOf(w)] = true
	}
	return out
}()

// longClaim is how many meanings a claim has that is found by itself. A shorter
// one must be told of what the question asks for.
const longClaim = 3

// statement is a text of a section, or a clause of one, with what it says.
type statement struct {
	section int
	// text is the whole text that it is one of; whole says that it is all of it.
	text  string
	whole bool
	gist  []string
	// topic is the gist without vague words.
	topic []string
}

// storyIndex holds the statements of both videos, made once for all checks.
type storyIndex map[string][]statement

func indexStories(in Input) storyIndex {
	out := storyIndex{}
	for _, of := range []string{RoleTarget, RoleOther} {
		for _, p := range in.story(of).Sections {
			for _, t := range groundtruth.DescriptionTexts(p.Description) {
				out[of] = append(out[of], statement{p.Section, t, true, gist(t), topic(t)})
				for _, c := range strings.FieldsFunc(t, func(r rune) bool { return strings.ContainsRune(".,;", r) }) {
					out[of] = append(out[of], statement{p.Section, t, false, gist(c), topic(c)})
				}
			}
		}
	}
	return out
}

// gistOf returns what the given sections of a video say, all sections where
// none is given.
func (t storyIndex) gistOf(of string, sections ...int) []string {
	var out []string
	for _, s := range t[of] {
		if s.whole && (len(sections) == 0 || slices.Contains(sections, s.section)) {
			out = append(out, s.gist...)
		}
	}
	return out
}

// sectionClaiming returns the number of the section that states a text in one
// statement, 0 when none does. Where the question narrows down what it asks
// for, a short text must be stated of that.
func (t storyIndex) sectionClaiming(of, typ, text string, asked []string) int {
	claim := gist(text)
	alone := len(claim) >= longClaim || len(asked) == 0 || typ != schemas.TypeContentRetention && len(claim) > 1
	for _, s := range t[of] {
		if !covers(s.gist, claim) || s.whole && !answercues.ContainsWords(s.text, text) {
			continue
		}
		if alone || 2*len(sharedMeanings(s.gist, asked)) > len(asked) {
			return s.section
		}
	}
	return 0
}

// checkMemory checks questions whose options are the videos: what is asked for
// must occur where the answer says, and no word may reveal the video.
func checkMemory(typ string, in Input, index storyIndex, d Draft, say report) {
	asked := strings.TrimPrefix(d.Question, memoryOpening)
	if hint := nameHints(in.Target.Name, in.Other.Name, asked); len(hint) > 0 {
		say("the question says %q, which the name of one of the videos says and that of the other does not; it must not tell the video", hint)
	}
	claim := topic(asked)
	if len(claim) == 0 {
		say("the question says nothing that could happen in a video")
		return
	}
	if typ == schemas.TypeSourceMemory {
		if len(index.gistOf(RoleTarget)) > 0 {
			checkSupport(in, index, d, Option{strings.TrimSuffix(asked, "?"), schemas.RoleCorrect}, RoleTarget, nil, say)
		}
	} else if s := index.sectionShowing(RoleTarget, claim); s > 0 {
		say("what is asked for must happen in neither video, and section %d of the target video tells it", s)
	}
	if s := index.sectionShowing(RoleOther, claim); s > 0 {
		say("what is asked for must not happen in the other video, and section %d of it tells it", s)
	}
}

// sectionShowing returns the number of the section of which one text holds all
// of a claim.
func (t storyIndex) sectionShowing(of string, claim []string) int {
	for _, s := range t[of] {
		if s.whole && covers(s.gist, claim) {
			return s.section
		}
	}
	return 0
}

// nameHints returns the words of a text that the name of one video says and
// that of the other does not.
func nameHints(target, other, text string) []string {
	a, b := topic(target), topic(other)
	var out []string
	for _, w := range answercues.Words(text) {
		if idleWords[w] || vagueWords[w] {
			continue
		}
		m := wordMeanings.meaningOf(w)
		if slices.Contains(a, m) != slices.Contains(b, m) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
