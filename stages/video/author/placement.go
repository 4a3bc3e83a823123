package author

import (
	"regexp"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/schemas"
)

// The patterns below find wording that names a video, or a moment of one, by its
// place or time, in any words: the same question is asked while the videos
// are shown in other orders and on other sides, and a solver who is told the moment
// need not remember it.

const (
	// theVideo stands for the name of the target, see replaceName.
	theVideo = "thisvideo"
	screens  = `screen|picture|frame|image|view|display|shot|monitor`
	footages = theVideo + `|videos?|clips?|films?|footage|recordings?|movies?|stream|scenes?|segments?|playback`
	ordinals = `first|second|third|fourth|last|final|initial|earlier|earliest|later|latest|previous|preceding|following|next|former|latter|opening|closing|beginning|ending|middle|starting|concluding|introductory`
	amounts  = `[0-9]+(?:[.:][0-9]+)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|half an?|few|some|several|couple of|` +
		`first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|last|final|opening|closing|initial|[0-9]+(?:st|nd|rd|th)`
)

// moments are refused wherever they stand.
var moments = compileAll(
	// five seconds in; by the twelfth second; the 0:35 mark
	`(?:\bfor (?:about |only |at least |nearly )?)?\b(?:`+amounts+`)[ -](?:s|secs?|seconds?|mins?|minutes?)\b`,
	`\b[0-9]{1,2}:[0-9]{2} (?:mark|minutes?|into|in)\b|\b(?:second|minute|time)[- ]?(?:mark|stamp|code)\b|\btime[- ]?(?:stamp|code)s?\b`,
	`\b(?:second|minute|time) [0-9]+\b|\b(?:at|after|before|by|until|from|past|around|between) (?:the )?[0-9]{1,2}:[0-9]{2}\b|\b[0-9.]+(?:s|secs?|mins?)\b`,
	// halfway through; early on; late in the video
	`\b(?:half|mid|part)[- ]?way\b|\bof the way (?:in|into|through)\b|\b(?:right|straight) away\b|\bits turn\b|\bearly on\b|\b(?:early|late|later|earlier) (?:in|into|during) (?:the |this )?(?:`+footages+`)\b`,
	`\b(?:`+ordinals+`|early|late)[ -](?:(?:few|couple of|two|three|several) )?(?:`+footages+`|acts?|shots?|moments?|frames?|seconds?|minutes?|sections?|stretch|chapters?)\b`,
	`\bas soon as (?:the |this |that |it )?(?:`+footages+`|starts|begins)\b`,
	`\b(?:when|once|before|after|until|while|as|till) (?:the |this |that |its |either |other |one |both |two |first |second )*(?:`+footages+`) (?:has |have |is |are )?(?:starts?|begins?|ends?|ended|stops?|finish(?:es|ed)?|over|changes?|switch(?:es)?|swaps?|shown|played|comes?|appears?|opens?|closes?|cuts?|moves?|jumps?|turns?)\b`,
	// what the video ends with; the last thing we see
	`\b(?:`+footages+`) (?:opens?|begins?|starts?|ends?|closes?|concludes?|finish(?:es)?|cuts?|switch(?:es)?|changes?)\b|\b(?:opens?|opening|begins?|starts?|ends?|ending|closes?|concludes?|finish(?:es)?|precedes?|follows?) (?:the |this )?(?:`+footages+`)\b`,
	`\b(?:earliest|first|last|latest|final) (?:thing|event|action|object|detail)s? (?:(?:that|which) )?(?:we|you|one|is|are|shown|seen|visible|to be)\b`,
	`\b(?:`+theVideo+`)[ ,(]+(?:which is )?the (?:\w+ )?(?:`+ordinals+`|left|right|near|nearer|far|close|closer|upper|lower|top|bottom|other)(?:-hand)? one\b`,
	`\b(?:first|last|opening|closing|left|right|left-hand|right-hand|upper|lower) (?:images?|pictures?)\b|\b(?:during|in|after|before) the (?:intro|introduction|outro|finale|prologue|epilogue|credits|title)\b|\bit is over\b`,
	`\b(?:middle|centre|center|rest|remainder|half|quarter|third|parts?|portion|bulk|most|end|start|beginning|opening|close|side|course) of (?:the |this |its )?(?:`+footages+`)\b`,
	`\bsides? (?:(?:are|is|were|was|get|have been|has been) )?(?:swap|exchang|switch|chang)\w*|\b(?:swap|exchang|switch|chang)\w* (?:of )?(?:sides?|places)\b`,
	`\b(?:half|side|part|portion) (?:of (?:it|this) )?(?:where|on which|in which) (?:it|the|this)\b`,
	`\b(?:when|once|before|after|until|while|as|till) it (?:starts|begins|ends|finishes|is over|is (?:shown|played|seen|screened))\b`,
	`\b(?:before|after|during|at|until) the (?:break|cut|switch|swap|swaps|exchange|transition|change of sides?)\b`,
	// which ran second; shown before the other
	theVideo+`,? (?:(?:the )?(?:one|clip|film|video) )?(?:(?:that|which|we|you) ?)*(?:(?:is|was|were|has been|had been) )?(?:the one )?(?:(?:that|which|we|you) )*(?:played|shown|seen|saw|screened|presented|displayed|ran|runs|running|comes|came|coming|appears|appeared|starts|started|starting|begins|began|beginning|goes|went|follows|followed|precedes|preceded|is on|was on)\b`,
	`\b(?:played|screened|shown|seen|presented) (?:first|second|third|last|next|before|after|earlier|later|afterwards|beforehand|previously|twice|again|for the \w+ time)\b`,
	`\bfor the (?:first|second|third|last|final) time\b|\b(?:second|third|first|last) (?:showing|playing|viewing|run|pass)\b`,
	`\b(?:first|second|earlier|later|former|latter|last|left|right|other|upper|lower) of (?:the |these )?(?:two|both|pair)\b`,
	// another video than the one that is named
	`\b(?:other|another|both|either|neither|two|each|wrong|same|rival|target) (?:of (?:the |these )?(?:two )?)?(?:videos?|clips?|films?|footage|recordings?|movies?)\b`,
	`\b(?:first|second|third|last|left|right|left-hand|right-hand|upper|lower|top|bottom)[ -](?:videos?|clips?|films?|footage|panel|stream|window|pane)\b`,
	`\bvideos? (?:on|to|at) the (?:left|right|top|bottom)\b|\b(?:videos|footage|recordings?|movies?)\b|\bat first\b|\bvideos? (?:a|b|i|ii|one|two|[0-9]+)\b`,
	`\b(?:section|segment|part|frame|minute|scene|clip|chapter)s? (?:number |no\.? )?(?:[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten)\b`,
	`\b(?:located|placed|positioned|situated|shown|seen|displayed) (?:on|at|to) the (?:far )?(?:left|right)\b`,
	// screen left; the near side of the picture
	`\b(?:`+screens+`) (?:left|right)\b|\b(?:left|right|near|far|other|opposite|upper|lower|top|bottom|same|one)?[ -]?(?:hand )?(?:sides?|half|halves|edge|corner|part|third|quarter|portion|margin|area) of (?:the |this |our |your )?(?:`+screens+`)\b`,
	`\b(?:on|at|to|in) the (?:left|right|near|far|other|opposite|top|bottom|upper|lower)(?:[- ]hand)?(?: (?:side|half|edge|part))? of (?:the |this )?(?:`+screens+`|`+footages+`)\b`,
)

// loose find places and times that may be those of a thing, such as "the end of
// the rope" or "the left half of the loaf"; what follows is captured.
var loose = compileAll(
	`\b(?:towards?|near|at|by|in|until|till|from|since|before|after|around) (?:the |its |their |his |her )?(?:very )?(?:start|begin|beginning|end|ending|opening|close|closing|outset|finish|finale|conclusion|midpoint|tail end)\b`+following,
	`\b(?:`+ordinals+`|left|right|left-hand|right-hand|near|far|top|bottom|upper|lower) (?:half|halves|part|third|quarter|side|section|stretch|border|edge|corner|margin)\b`+following,
	`\b(?:on|to|onto|at|from) the other (?:side|half|end)\b`+following,
	theVideo+`,? (?:the (?:one|clip|film|video) )?(?:on|at|to) the (?:left|right|top|bottom)\b`+following,
)

// sides are refused where two videos stand side by side: of which of them?
var sides = compileAll(`\b(?:on|at|in) the (?:(?:far|very|extreme|upper|lower|top|bottom|near) )?(?:left|right)\b` + following)

// following captures the next words: "of the" and a noun, or any word.
const following = `((?: of)?(?: the| a| an| its| his| her| this| that| each| one)? ?[\w-]*)`

func compileAll(patterns ...string) []*regexp.Regexp {
	out := make([]*regexp.Regexp, len(patterns))
	for i, p := range patterns {
		out[i] = regexp.MustCompile(`(?i)` + p)
	}
	return out
}

// lasting are spans of time that name no moment, and hands of a clock.
var lasting = regexp.MustCompile(`(?i)^for |^(?:second|minute|hour)s?$`)

// inscription is what stands between quotation marks: it is seen, not said.
var inscription = regexp.MustCompile(`"[^"]*"|“[^”]*”`)

// findPlacement finds wording that names a video or moment by place or time, or
// returns "". Split says that videos are shown side by side.
func findPlacement(text string, split bool) string {
	text = inscription.ReplaceAllString(text, `""`)
	for _, p := range moments {
		for _, at := range p.FindAllStringIndex(text, -1) {
			m := text[at[0]:at[1]]
			if !lasting.MatchString(m) && !strings.HasPrefix(text[at[1]:], " hand") {
				return m
			}
		}
	}
	if m := findLoosePlace(text, loose); m != "" || !split {
		return m
	}
	return findLoosePlace(text, sides)
}

// findLoosePlace finds a place that is not said to be one of a thing.
func findLoosePlace(text string, patterns []*regexp.Regexp) string {
	for _, p := range patterns {
		for _, m := range p.FindAllStringSubmatch(text, -1) {
			if !followedByThing(m[1]) {
				return strings.TrimSuffix(m[0], m[1])
			}
		}
	}
	return ""
}

var isFootage = regexp.MustCompile(`(?i)^(?:` + screens + `|` + footages + `|time|day|show)$`)

// followedByThing reports whether the words after a place name the thing that
// it belongs to.
func followedByThing(after string) bool {
	w := answercues.Words(after)
	if len(w) == 0 {
		return false
	}
	last := w[len(w)-1]
	return !idleWords[last] && !isFootage.MatchString(last)
}

func withoutName(question, name string) string { return strings.Replace(question, name, "", 1) }

func replaceName(question, name string) string {
	if name == "" {
		return question
	}
	return strings.Replace(question, name, theVideo, 1)
}

func isSideBySide(shown string) bool { return shown == LayoutSentence(schemas.LayoutSplit) }
