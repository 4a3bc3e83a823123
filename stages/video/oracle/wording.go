package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/memforge/memforge/pipeline/kit/phrasebook"
	"github.com/memforge/memforge/stages/video/wordings"
)

// The forms of questions about two films.
const (
	formOnly    = "only"    // which of four things happens
	formNth     = "nth"     // the n-th of a kind
	formOrder   = "order"   // in which order
	formGap     = "gap"     // what a sentence leaves out
	formHandled = "handled" // what somebody handles
	formDeed    = "deed"    // which of four things somebody does
	formSign    = "sign"    // what the sign says meanwhile
	formPlace   = "place"   // which video, and where
	formWhich   = "which"   // in which of the two
)

type wording struct {
	layout, form string
	// sentence is the one of its form that asks, phrase what it asks for, said what
	// both take in.
	sentence, phrase string
	said             map[string]string
	// name is the phrase for the video that is asked about, kind the kind of event,
	// n its number, noun what is shown where something is.
	name, kind, noun string
	n                int
}

var openings = map[string]string{
	layoutSplit:       "Two videos are played side by side, each in one half of the picture. ",
	layoutConcat:      "Two videos are played one after the other. ",
	layoutInterleaved: "Two videos are cut into segments, which are played in turn as one stream. ",
}

// kinds are the kinds of events that are asked about.
var kinds = []string{"picks up", "puts down", "opens", "sign changes", "enters", "leaves", "shows"}

var ordinals = []string{"first", "second", "third", "fourth", "fifth", "sixth"}

// hole stands for what a sentence leaves out.
const hole = "____"

// pattern is a sentence, with a phrase in it where it asks for one, as a regular
// expression.
type pattern struct {
	form, kind, sentence, phrase string
	match                        *regexp.Regexp
}

// compilePatterns returns the patterns of all questions about two videos; those of
// trials are apart.
var compilePatterns = sync.OnceValue(func() []pattern {
	var out []pattern
	add := func(p pattern) {
		text := p.sentence
		if p.phrase != "" {
			text = phrasebook.Fill(text, map[string]string{"ask": p.phrase})
		}
		p.match = phrasebook.Pattern(text, takes)
		out = append(out, p)
	}
	for _, f := range [][2]string{{formPlace, wordings.Space}, {formPlace, wordings.Time}, {formWhich, wordings.Which}, {formGap, wordings.Gap}} {
		for _, s := range wordings.Sentences(f[1]) {
			add(pattern{form: f[0], sentence: s})
		}
	}
	for _, s := range wordings.Sentences(wordings.Ask) {
		for _, form := range []string{formOnly, formNth, formOrder, formHandled, formDeed, formSign} {
			for _, kind := range append(slices.Clone(kinds), wordings.OfVideo) {
				if phrase := wordings.Phrase(kind, form); phrase != "" {
					add(pattern{form: form, kind: kind, sentence: s, phrase: phrase})
				}
			}
		}
	}
	return out
})

// takes says what may stand in a blank, where not anything may.
var takes = map[string]string{
	"nth": strings.Join(ordinals, "|"), "shown": `[^,?\n]+?`, "k": "[0-9]{1,4}", "back": "[0-9]{1,4} positions?",
}

// parseWording splits a question about two videos into its parts. String
// returns it again, letter by letter.
func parseWording(layout, text string) (wording, error) {
	opening, known := openings[layout]
	rest, ok := strings.CutPrefix(text, opening)
	if !ok || !known {
		return wording{}, fmt.Errorf("it does not begin by saying that its videos are %s", layout)
	}
	for _, p := range compilePatterns() {
		said, ok := phrasebook.Blanks(p.match, rest)
		if !ok || p.form == formPlace && !slices.Contains(wordings.Sentences(placeForm(layout)), p.sentence) {
			continue
		}
		w := wording{layout: layout, form: p.form, kind: p.kind, sentence: p.sentence, phrase: p.phrase, said: said, name: said["video"], noun: said["shown"]}
		if nth := said["nth"]; nth != "" {
			w.n = slices.Index(ordinals, nth) + 1
		}
		if w.form == formGap && strings.Count(said["clause"], hole) != 1 {
			continue
		}
		if w.String() == text {
			return w, nil
		}
	}
	return wording{}, fmt.Errorf("it has no known form")
}

// placeForm returns the form of questions for a place in a layout.
func placeForm(layout string) string {
	return map[string]string{layoutSplit: wordings.Space, layoutInterleaved: wordings.Time}[layout]
}

// String returns the question.
func (w wording) String() string { return w.withClauses(nil) }

// withClauses returns the question with other clauses.
func (w wording) withClauses(clauses map[string]string) string {
	said := map[string]string{}
	for name, text := range w.said {
		said[name] = text
	}
	for name, text := range clauses {
		said[name] = text
		delete(said, phrasebook.Capitalise(name))
	}
	sentence := w.sentence
	if w.phrase != "" {
		sentence = phrasebook.Fill(sentence, map[string]string{"ask": w.phrase})
	}
	return openings[w.layout] + phrasebook.Fill(sentence, said)
}

// says reports whether the question is asked of an event, in its words.
func (w wording) says(kind, value, noun string) bool {
	return w.withClauses(map[string]string{"clause": statement(kind, value, noun), "whether": askWhether(kind, value, noun)}) == w.String()
}

// statement says that something of a kind happens, askWhether asks whether it
// does, deed says who does it.
func statement(kind, value, noun string) string  { return clause("happens", kind, "", value, noun) }
func askWhether(kind, value, noun string) string { return clause("whether", kind, "", value, noun) }
func deed(kind, who, value string) string        { return clause("does", kind, who, value, "") }

func clause(phrase, kind, who, value, noun string) string {
	return phrasebook.Fill(wordings.Phrase(kind, phrase), map[string]string{"thing": thingText(kind, value, noun), "who": who})
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

// placeKind is what questions call the attribute scene.
const placeKind = "kind of place"

type trialWording struct {
	k, n      int
	attribute string
	sentence  string
}

func parseTrial(text string) (trialWording, error) {
	for _, s := range wordings.Sentences(wordings.Trial) {
		said, ok := phrasebook.Blanks(phrasebook.Pattern(s, takes), text)
		if !ok {
			continue
		}
		t := trialWording{attribute: said["attribute"], sentence: s}
		t.k, _ = strconv.Atoi(said["k"])
		t.n, _ = strconv.Atoi(strings.Fields(said["back"])[0])
		if t.attribute == placeKind {
			t.attribute = "scene"
		}
		if t.String() == text && t.n >= 1 && t.n < t.k {
			return t, nil
		}
	}
	return trialWording{}, fmt.Errorf("%q is no N-Back question", text)
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
	return phrasebook.Fill(t.sentence, map[string]string{"k": strconv.Itoa(t.k), "attribute": attribute, "back": fmt.Sprintf("%d %s", t.n, positions)})
}
