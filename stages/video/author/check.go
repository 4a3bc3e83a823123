package author

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/schemas"
)

// CheckDraft says what is wrong with a draft, in words that its author can act on;
// nothing when it can stand. It sees form and the wording of the descriptions,
// not truth.
func CheckDraft(typ string, in Input, d Draft) []string {
	return checkAgainst(indexStories(in), typ, in, d)
}

func checkAgainst(told storyIndex, typ string, in Input, d Draft) []string {
	k, known := kinds[typ]
	if !known {
		return []string{fmt.Sprintf("%q is no question type", typ)}
	}
	var why []string
	say := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	checkQuestion(k, in, d, say)
	checkRoles(k, d, say)
	checkEvidence(typ, in, d, say)
	if m := answercues.FindOptionLetter(d.Explanation); m != "" {
		say("the explanation says %q; options are shuffled, so name them by what they say", m)
	}
	if k.fixed {
		checkMemory(typ, in, told, d, say)
		return why
	}
	checkOptions(typ, in, d, say)
	checkLengths(d, say)
	checkGiveaway(in, d, say)
	checkTruth(typ, in, told, d, say)
	return why
}

type report func(format string, args ...any)

// memoryOpening begins questions whose options are the videos.
const memoryOpening = "In which of the two videos "

func checkQuestion(k kind, in Input, d Draft, say report) {
	q := d.Question
	rest := replaceName(q, in.Target.Name)
	if k.fixed {
		if !strings.HasPrefix(q, memoryOpening) || answercues.ContainsWords(q, in.Target.Name) || answercues.ContainsWords(q, in.Other.Name) {
			say("the question must begin with %q and name neither video", memoryOpening)
		}
		rest = strings.TrimPrefix(q, memoryOpening)
	} else if strings.Count(q, in.Target.Name) != 1 || answercues.ContainsWords(q, in.Other.Name) {
		say("the question must hold %q once, letter by letter, and not the name of the other video", in.Target.Name)
	}
	if !strings.HasSuffix(strings.TrimSpace(q), "?") {
		say("the question must end with a question mark")
	}
	if answercues.HasControl(q) {
		say("the question must be one line of plain text")
	}
	for _, asked := range in.Asked {
		if slices.Equal(answercues.Words(asked), answercues.Words(q)) || slices.Equal(gist(asked), gist(q)) {
			say("the question was asked already: %q", asked)
		}
	}
	if m := findPlacement(rest, isSideBySide(in.Shown)); m != "" {
		say("the question says %q; a video or moment must not be named by its place, time or number", strings.ReplaceAll(m, theVideo, "..."))
	}
}

func checkRoles(k kind, d Draft, say report) {
	got := map[string]int{}
	for _, o := range d.Options {
		got[o.Role]++
	}
	for _, role := range []string{schemas.RoleCorrect, schemas.RoleIntrusion, schemas.RoleUnrelated, schemas.RoleDistractor} {
		if got[role] != k.roles[role] {
			say("%d options have the role %q; %d must", got[role], role, k.roles[role])
		}
	}
}

func checkEvidence(typ string, in Input, d Draft, say report) {
	has := map[string]bool{}
	for _, e := range d.Evidence {
		p, ok := in.findPart(e)
		switch {
		case !ok:
			say("evidence names section %d of the %s video, which has no such section", e.Section, e.Video)
			continue
		case p.Cut && typ != schemas.TypeFalseMemory:
			say("section %d of the %s video is cut: a part of it is not shown; ask about sections that are not cut", e.Section, e.Video)
		}
		has[e.Video] = true
	}
	for _, need := range kinds[typ].needs {
		if !has[need] {
			say("evidence must name at least one section of the %s video", need)
		}
	}
}

// findPart is the section that a piece of evidence names.
func (in Input) findPart(e Evidence) (Part, bool) {
	sections := in.story(e.Video).Sections
	i := slices.IndexFunc(sections, func(p Part) bool { return p.Section == e.Section })
	if i < 0 {
		return Part{}, false
	}
	return sections[i], true
}

func checkOptions(typ string, in Input, d Draft, say report) {
	for i, o := range d.Options {
		if len(answercues.Words(o.Text)) == 0 || answercues.HasControl(o.Text) {
			say("option %q has no word, or is not one line of plain text", o.Text)
		}
		for _, other := range d.Options[:i] {
			if answercues.Overlap(o.Text, other.Text) || typ != schemas.TypeOrderUnderstanding && sameMeaning(o.Text, other.Text) {
				say("options %q and %q hold one another or say the same; each must exclude the others", other.Text, o.Text)
			}
		}
		if m := findPlacement(o.Text, isSideBySide(in.Shown)); m != "" {
			say("option %q says %q; a video or moment must not be named by its place, time or number", o.Text, m)
		}
		if answercues.HasOwnLetter(o.Text) || answercues.FindOptionLetter(o.Text) != "" || answercues.RefersToOptions(o.Text) {
			say("option %q carries a letter or speaks of other options", o.Text)
		}
		if m := answercues.FindNoAnswer(inscription.ReplaceAllString(o.Text, `""`)); m != "" {
			say("option %q says %q, which is no answer; each option must say something that can be seen", o.Text, m)
		}
		if m := answercues.FindHedge(o.Text); m != "" {
			say("option %q says %q; options must not differ in how certain they sound", o.Text, m)
		}
	}
}

// sameMeaning reports whether two options can only be true together.
func sameMeaning(a, b string) bool {
	if answercues.Alike(a, b) {
		return true
	}
	x, y := gist(a), gist(b)
	return len(x) > 0 && slices.Equal(x, y)
}
