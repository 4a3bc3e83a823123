package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// The forms of questions about two films.
const (
	formOnly  = "only"  // what happens, where one thing of the kind does
	formNth   = "nth"   // the n-th of a kind
	formOrder = "order" // in which order
	formGap   = "gap"   // the colour that a sentence leaves out
	formPlace = "place" // which video, and where
	formWhich = "which" // in which of the two
)

type wording struct {
	layout, form string
	// name is the phrase for the video that is asked about, kind the kind of event,
	// n its number, noun what is shown where something is.
	name, kind, noun string
	n                int
	// quoted is the sentence or clause of a question that quotes one.
	quoted string
}

var openings = map[string]string{
	layoutSplit:       "Two videos are played side by side, each in one half of the picture. ",
	layoutConcat:      "Two videos are played one after the other. ",
	layoutInterleaved: "Two videos are cut into segments, which are played in turn as one stream. ",
}

// phrases of a kind of event: what is asked of the only one, of the n-th ("#"),
// of the order; how it is told and wondered about. "@" is the noun for what is
// shown, "$" the thing.
var phrases = []struct{ kind, only, nth, order, happens, whether string }{
	{"picks up", "which object is picked up", "what is the # object to be picked up", "in which order are these things picked up", "$ is picked up", "is $ picked up"},
	{"puts down", "which object is put down", "what is the # object to be put down", "in which order are these things put down", "$ is put down", "is $ put down"},
	{"opens", "what is opened", "what is the # thing to be opened", "in which order are these things opened", "$ is opened", "is $ opened"},
	{"sign changes", "what does the sign change to", "what is the # text that the sign changes to", "in which order does the sign change to these texts", "the sign changes to $", "does the sign change to $"},
	{"enters", "who enters", "who is the # to enter", "in which order do these people enter", "$ enters", "does $ enter"},
	{"leaves", "who leaves", "who is the # to leave", "in which order do these people leave", "$ leaves", "does $ leave"},
	{"shows", "which @ is shown", "which @ is the # to be shown", "in which order are these shown, each of them a @", "$ is shown", "is $ shown"},
}

var ordinals = []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}

// Ends and beginnings of the other forms.
const (
	gapHead   = "Which colour is left out in this sentence about "
	whichHead = "In which of the two videos "
	spaceTail = ": which video is that part of, and on which side of the picture is that video at that moment?"
	timeTail  = ": which video is that part of, and in which half of the whole stream does it happen?"
	hole      = "____"
)

// parseWording splits a question about two videos into its parts. String
// returns it again, letter by letter.
func parseWording(layout, text string) (wording, error) {
	w := wording{layout: layout}
	opening, known := openings[layout]
	rest, ok := strings.CutPrefix(text, opening)
	if !ok || !known {
		return w, fmt.Errorf("it does not begin by saying that its videos are %s", layout)
	}
	tail := map[string]string{layoutSplit: spaceTail, layoutInterleaved: timeTail}[layout]
	if quoted, ok := strings.CutSuffix(rest, tail); ok && tail != "" && quoted != "" {
		w.form, w.quoted = formPlace, quoted
		return w, w.checkSame(text)
	}
	rest, ok = strings.CutSuffix(rest, "?")
	if !ok {
		return w, fmt.Errorf("it has no known form")
	}
	if quoted, ok := strings.CutPrefix(rest, whichHead); ok {
		w.form, w.quoted = formWhich, quoted
		return w, w.checkSame(text)
	}
	if about, ok := strings.CutPrefix(rest, gapHead); ok {
		about, quoted := strings.CutSuffix(about, `"`)
		at := strings.Index(about, `: "`)
		if quoted && at >= 0 && strings.Count(about[at+3:], hole) == 1 {
			w.form, w.name, w.quoted = formGap, about[:at], about[at+3:]
			return w, w.checkSame(text)
		}
	}
	if about, ok := strings.CutPrefix(rest, "In "); ok && w.parseAsk(about) {
		return w, w.checkSame(text)
	}
	return w, fmt.Errorf("it has no known form")
}

// parseAsk parses "NAME, which object is picked up" and the like.
func (w *wording) parseAsk(about string) bool {
	for _, p := range askPatterns {
		m := p.match.FindStringSubmatch(about)
		if m == nil {
			continue
		}
		w.form, w.kind, w.name = p.form, p.kind, m[1]
		if i := p.match.SubexpIndex("nth"); i > 0 {
			w.n = slices.Index(ordinals, m[i]) + 1
		}
		if i := p.match.SubexpIndex("noun"); i > 0 {
			w.noun = m[i]
		}
		return true
	}
	return false
}

// askPattern is a phrase for a kind of event as a regular expression.
type askPattern struct {
	form, kind string
	match      *regexp.Regexp
}

var askPatterns = compilePatterns()

func compilePatterns() []askPattern {
	var out []askPattern
	for _, p := range phrases {
		for _, f := range [][2]string{{formOnly, p.only}, {formNth, p.nth}, {formOrder, p.order}} {
			text := regexp.QuoteMeta(f[1])
			text = strings.Replace(text, "#", "(?P<nth>"+strings.Join(ordinals, "|")+")", 1)
			text = strings.Replace(text, "@", `(?P<noun>[^,?\n]+?)`, 1)
			out = append(out, askPattern{f[0], p.kind, regexp.MustCompile(`^(.+), ` + text + `$`)})
		}
	}
	return out
}

func (w wording) checkSame(text string) error {
	if made := w.String(); made != text {
		return fmt.Errorf("read as %q", made)
	}
	return nil
}

// String returns the question.
func (w wording) String() string {
	head := openings[w.layout]
	switch w.form {
	case formPlace:
		return head + w.quoted + map[string]string{layoutSplit: spaceTail, layoutInterleaved: timeTail}[w.layout]
	case formWhich:
		return head + whichHead + w.quoted + "?"
	case formGap:
		return head + gapHead + w.name + `: "` + w.quoted + `"?`
	}
	for _, p := range phrases {
		if p.kind == w.kind {
			phrase := map[string]string{formOnly: p.only, formNth: p.nth, formOrder: p.order}[w.form]
			if w.n > 0 {
				phrase = strings.Replace(phrase, "#", ordinals[w.n-1], 1)
			}
			return head + "In " + w.name + ", " + strings.Replace(phrase, "@", w.noun, 1) + "?"
		}
	}
	return ""
}

// statement says that something of a kind happens, askWhether asks whether it
// does.
func statement(kind, value, noun string) string  { return clause(kind, value, noun, false) }
func askWhether(kind, value, noun string) string { return clause(kind, value, noun, true) }

func clause(kind, value, noun string, asks bool) string {
	for _, p := range phrases {
		if p.kind != kind {
			continue
		}
		text := p.happens
		if asks {
			text = p.whether
		}
		return strings.Replace(text, "$", thingText(kind, value, noun), 1)
	}
	return ""
}

func thingText(kind, value, noun string) string {
	switch kind {
	case "sign changes":
		return `"` + value + `"`
	case "shows":
		return "the " + noun + ` "` + value + `"`
	}
	if value == "" || unicode.IsUpper([]rune(value)[0]) {
		return value
	}
	if first, _, _ := strings.Cut(strings.ToLower(value), " "); first == "the" || first == "a" || first == "an" {
		return value
	}
	return "the " + value
}

func capitalise(s string) string {
	r := []rune(s)
	if len(r) == 0 {
		return s
	}
	return string(unicode.ToUpper(r[0])) + string(r[1:])
}

var trialForm = regexp.MustCompile(`^You see ([0-9]{1,4}) clips, one after the other\. Does the last clip show the same (.+) as the clip ([0-9]{1,4}) (positions?) before it\?$`)

// placeKind is what questions call the attribute scene.
const placeKind = "kind of place"

type trialWording struct {
	k, n      int
	attribute string
}

func parseTrial(text string) (trialWording, error) {
	m := trialForm.FindStringSubmatch(text)
	if m == nil {
		return trialWording{}, fmt.Errorf("%q is no N-Back question", text)
	}
	k, _ := strconv.Atoi(m[1])
	n, _ := strconv.Atoi(m[3])
	t := trialWording{k, n, m[2]}
	if t.attribute == placeKind {
		t.attribute = "scene"
	}
	if t.String() != text || n < 1 || n >= k {
		return t, fmt.Errorf("%q is no N-Back question", text)
	}
	return t, nil
}

// String returns the question.
func (t trialWording) String() string {
	positions := "positions"
	if t.n == 1 {
		positions = "position"
	}
	attribute := t.attribute
	if attribute == "scene" {
		attribute = placeKind
	}
	return fmt.Sprintf("You see %d clips, one after the other. Does the last clip show the same %s as the clip %d %s before it?", t.k, attribute, t.n, positions)
}
