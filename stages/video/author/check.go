package author

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// place finds wording that names a video or moment by its place, which differs
// between the compositions that a question is asked over.
var place = regexp.MustCompile(`(?i)\b(first|second|third|left|right|left-hand|right-hand|upper|lower|top|bottom|earlier|later|previous|preceding|following|former|latter|next|last|target|rival)[ -](of the (two )?videos?|videos?\b|clips?\b|films?\b|footage|half\b|halves|panel|stream)` +
	`|\bvideos? (on|to|at) the (left|right|top|bottom)\b|\bvideos? (a|b|i|ii|one|two|[0-9]+)\b|\b(section|segment|part|frame|minute)s? (number )?[0-9]+\b|\b(at|after|before|around) (second|[0-9]+:[0-9]{2}|[0-9.]+ ?(s|sec|seconds)\b)`)

// lettered finds an option's own letter, letters a letter of another; sweeping
// finds options about options.
var (
	lettered = regexp.MustCompile(`^\s*\(?[A-Da-d][.):]\s`)
	sweeping = regexp.MustCompile(`(?i)\b(all|none|both|neither|any) of (the )?(above|these|options|others)`)
	letters  = regexp.MustCompile(`\b([Oo]ptions?|[Aa]nswers?|[Cc]hoices?) \(?[A-D]\b`)
)

// Check says what is wrong with a draft, in words that its author can act on;
// nothing when it can stand. It sees form and the wording of the descriptions,
// not truth.
func Check(typ string, in Input, d Draft) []string {
	k, known := kinds[typ]
	if !known {
		return []string{fmt.Sprintf("%q is no question type", typ)}
	}
	var why []string
	say := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	checkQuestion(k, in, d, say)
	checkRoles(k, d, say)
	checkEvidence(k, in, d, say)
	if m := letters.FindString(d.Explanation); m != "" {
		say("the explanation says %q; options are shuffled, so name them by what they say", m)
	}
	if k.fixed {
		return why
	}
	checkOptions(typ, d, say)
	checkLengths(d, say)
	checkGiveaway(d, say)
	checkTruth(typ, in, d, say)
	return why
}

type report func(format string, args ...any)

func checkQuestion(k kind, in Input, d Draft, say report) {
	q := d.Question
	if k.fixed {
		if !strings.HasPrefix(q, "In which of the two videos ") || holds(q, in.Target.Name) || holds(q, in.Other.Name) {
			say(`the question must begin with "In which of the two videos " and name neither video`)
		}
	} else if strings.Count(q, in.Target.Name) != 1 || holds(q, in.Other.Name) {
		say("the question must hold %q once, letter by letter, and not the name of the other video", in.Target.Name)
	}
	if !strings.HasSuffix(strings.TrimSpace(q), "?") {
		say("the question must end with a question mark")
	}
	for _, asked := range in.Asked {
		if slices.Equal(words(asked), words(q)) {
			say("the question was asked already")
		}
	}
	rest := without(q, in.Target.Name)
	if m := place.FindString(rest); m != "" {
		say("the question says %q; a video or moment must not be named by its place or number", m)
	}
}

// without cuts the name out of a question.
func without(q, name string) string {
	if name == "" {
		return q
	}
	return strings.Replace(q, name, "", 1)
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

func checkEvidence(k kind, in Input, d Draft, say report) {
	has := map[string]bool{}
	for _, e := range d.Evidence {
		story := in.Target
		if e.Video == OfOther {
			story = in.Other
		}
		if !slices.ContainsFunc(story.Sections, func(p Part) bool { return p.Section == e.Section }) {
			say("evidence names section %d of the %s video, which has no such section", e.Section, e.Video)
			continue
		}
		has[e.Video] = true
	}
	for _, need := range k.needs {
		if !has[need] {
			say("evidence must name at least one section of the %s video", need)
		}
	}
}

func checkOptions(typ string, d Draft, say report) {
	for i, o := range d.Options {
		if len(words(o.Text)) == 0 {
			say("option %q has no word", o.Text)
		}
		for _, other := range d.Options[:i] {
			same := overlap(o.Text, other.Text) || typ != schemas.TypeOrderUnderstanding && alike(o.Text, other.Text)
			if same {
				say("options %q and %q hold one another or say the same; each must exclude the others", other.Text, o.Text)
			}
		}
		if m := place.FindString(o.Text); m != "" {
			say("option %q says %q; a video or moment must not be named by its place or number", o.Text, m)
		}
		if lettered.MatchString(o.Text) || letters.MatchString(o.Text) || sweeping.MatchString(o.Text) {
			say("option %q carries a letter or speaks of other options", o.Text)
		}
	}
}

// checkTruth holds the options against the wording of the descriptions. Short
// options are left out: their few words occur in many places.
func checkTruth(typ string, in Input, d Draft, say report) {
	for _, o := range d.Options {
		if len(words(o.Text)) < 3 {
			continue
		}
		inTarget, inOther := in.Target.tells(o.Text), in.Other.tells(o.Text)
		switch {
		case o.Role == schemas.RoleCorrect:
			if inOther && (typ == schemas.TypeSourceIdentification || typ == schemas.TypeInterference) {
				say("option %q is called correct and stands in the descriptions of the other video too", o.Text)
			}
		case o.Role == schemas.RoleUnrelated || typ == schemas.TypeContentRetention:
			if inTarget || inOther {
				say("option %q must be true of neither video and stands in the descriptions", o.Text)
			}
		case typ == schemas.TypeSourceIdentification || o.Role == schemas.RoleIntrusion:
			if inTarget {
				say("option %q must be false of the target video and stands in its descriptions", o.Text)
			}
		}
	}
}
