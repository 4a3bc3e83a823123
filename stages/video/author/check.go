package author

import (
	"fmt"
	"regexp"
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

func checkAgainst(index storyIndex, typ string, in Input, d Draft) []string {
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
		checkMemory(typ, in, index, d, say)
		return why
	}
	checkOptions(typ, in, d, say)
	checkLengths(d, say)
	checkGiveaway(in, d, say)
	checkTruth(typ, in, index, d, say)
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

// checkLengths demands options of comparable length, and a right one that does
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

// checkGiveaway refuses options of which the right one can be guessed by words
// alone: it takes up a word of the question that no wrong option has, or all
// wrong ones have something in common that it does not have.
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

// pronounGenders returns those that the pronouns of a text name: 1 female, 2
// male.
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

// CheckSameFact wants the right option of a rewrite to claim what the old one
// did: some of its words must stay, in whatever form.
func CheckSameFact(old, next Draft) []string {
	for i, o := range next.Options {
		if o.Role != schemas.RoleCorrect || i >= len(old.Options) {
			continue
		}
		if was := claimGist(old.Options[i].Text); len(sharedMeanings(was, claimGist(o.Text))) == 0 && len(was) > 0 {
			return []string{"the correct option " + quote(old.Options[i].Text) + " has become " + quote(o.Text) + "; it may be put in other words and must stay the same fact"}
		}
	}
	return nil
}

// AddSections adds all sections of a video to evidence that are not cut.
func (in Input) AddSections(of string, evidence []Evidence) []Evidence {
	out := slices.Clone(evidence)
	for _, p := range in.story(of).Sections {
		if e := (Evidence{of, p.Section}); !p.Cut && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

func quote(s string) string { return `"` + s + `"` }

// names of videos that questions by rule use: by title, or by what they begin
// with.
var naming = regexp.MustCompile(`the video (?:titled "[^"]*"|that [^,?]*)`)

// NamesIn are the names of videos in a question that was written by rule.
func NamesIn(question string) []string {
	out := naming.FindAllString(question, -1)
	slices.Sort(out)
	return slices.Compact(out)
}

// FindMoment finds wording that names a video or a moment of one by its place or
// time; nothing when there is none. Names of videos are left out.
func FindMoment(question string) string {
	return findPlacement(naming.ReplaceAllString(question, theVideo), false)
}
