package oracle

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// pattern is one way to tell something: A and B are aspects, T a thing, V the value, W a
// second one, O the old one, P a person.
type pattern struct {
	kind string
	form *regexp.Regexp
	// fixed are the words that stand in every sentence of the form, in their order: to look
	// for them takes a small part of the time that the form takes.
	fixed []string
}

func newPattern(kind, way string) pattern {
	form := compilePattern(way)
	return pattern{kind, form, literalParts(form)}
}

func (p pattern) mayMatch(sentence string) bool {
	for _, part := range p.fixed {
		at := strings.Index(sentence, part)
		if at < 0 {
			return false
		}
		sentence = sentence[at+len(part):]
	}
	return true
}

// literalParts returns the literal parts of an expression, all of which a match contains.
func literalParts(form *regexp.Regexp) (out []string) {
	tree, err := syntax.Parse(form.String(), syntax.Perl)
	if err != nil || tree.Op != syntax.OpConcat {
		return nil
	}
	for _, part := range tree.Sub {
		if part.Op == syntax.OpLiteral && part.Flags&syntax.FoldCase == 0 {
			out = append(out, string(part.Rune))
		}
	}
	return out
}

func patterns() []pattern {
	var out []pattern
	for _, p := range [][2]string{
		{"split", `From now on V has the first half as the A of T and W the second, and O does neither`},
		{"revise", `It is no longer O: the A of T is V from here on`},
		{"revise", `We had to drop O, so V is now the A of T`},
		{"revise", `O did not work out as the A of T, and we took V instead`},
		{"revise", `You will remember O as the A of T, but it is V these days`},
		{"merge", `After all of that V is the A of T alone again, first half and second`},
		{"delete", `We do without any A of T from now on, so you can strike out O`},
		{"append", `V is going to be the A of T`},
		{"append", `We are going with V for the A of T`},
		{"append", `They confirmed V as the A of T`},
		{"append", `If anybody asks for the A of T, it is V`},
		{"append", `It took a while, but V will do as the A of T`},
		{"split", `The A of T is split: V takes the first half and W the second, where O did both`},
		{"revise", `The A of T has changed from O to V`},
		{"revise", `V replaces O as the A of T`},
		{"revise", `Forget O as the A of T, for it is V now`},
		{"merge", `V is the only A of T again, for both halves`},
		{"delete", `There is no A of T any more, and O is off the list`},
		{"revise", `The A of T is V now, after O`},
		{"append", `For T we settled on V as the A`},
		{"append", `We have the A of T at last: V`},
		{"append", `Nobody expected it, but V is the A of T now`},
		{"append", `We nearly made another choice, but V is the A of T`},
		{"revise", `We had O as the A of T, but that fell through, and we took V instead`},
		{"revise", `We have V as the A of T in place of O`},
		{"revise", `We thought better of O as the A of T, and V it is`},
		{"append", `The A of T is V`},
		{"tag", `A rule for you to keep: a tag is V`},
		{"hours", `A rule for you to keep: quoted hours are rounded up to the next multiple of V, and then W is added`},
	} {
		out = append(out, newPattern(p[0], p[1]))
	}
	return append(out, doubtfulPatterns()...)
}

var slot = regexp.MustCompile(`\b[ABDTVWOP]\b`)

// compilePattern compiles a way of telling: single letters are slots, except the article
// that begins a sentence.
func compilePattern(way string) *regexp.Regexp {
	forms := map[string]string{
		"A": `(?P<A>[a-z][A-Za-z -]*?)`, "B": `(?P<B>[a-z][A-Za-z -]*?)`, "T": `(?P<T>the [A-Z][a-z]+ [a-z -]+?|[A-Z][a-z]+ [A-Z][a-z]+)`,
		"D": `(?P<D>\d{1,2} [A-Z][a-z]+ \d{4})`, "V": `(?P<V>.+?)`, "W": `(?P<W>.+?)`, "O": `(?P<O>.+?)`, "P": `(?P<P>[A-Z]\w+ [A-Z]\w+)`,
	}
	rule, cut := strings.CutPrefix(way, "A rule")
	expr := slot.ReplaceAllStringFunc(rule, func(s string) string { return forms[s] })
	if cut {
		expr = "A rule" + expr
	}
	return regexp.MustCompile("^" + expr + "$")
}

var turnPatterns = sync.OnceValue(patterns)

// sentences splits a text at the marks that end sentences and the space after them.
func sentences(text string) (out []string) {
	begin := 0
	for i := 0; i < len(text); i++ {
		if !strings.ContainsRune(".!?", rune(text[i])) {
			continue
		}
		rest := strings.TrimLeft(text[i+1:], " \t\n\f\r")
		if next := len(text) - len(rest); rest == "" || next > i+1 {
			out, begin, i = append(out, text[begin:i]), next, next-1
		}
	}
	return append(out, text[begin:])
}

func readSentences(text string, ways []pattern) []statement {
	var out []statement
	for _, sentence := range sentences(text) {
		for _, p := range ways {
			if !p.mayMatch(sentence) {
				continue
			}
			if m := p.form.FindStringSubmatch(sentence); m != nil {
				of := namedGroups(p.form, m)
				one := statement{kind: p.kind, thing: of["T"], aspect: of["A"], value: of["V"], also: of["W"], old: of["O"], who: of["P"]}
				if one.kind == "append" && one.old != "" {
					one.kind = "revise"
				}
				out = append(out, one)
				break
			}
		}
	}
	return out
}

func namedGroups(form *regexp.Regexp, m []string) map[string]string {
	out := map[string]string{}
	for i, name := range form.SubexpNames() {
		if name != "" {
			out[name] = m[i]
		}
	}
	return out
}

// doubtfulPatterns are ways to tell facts whose words are also used for statements that
// do not hold: a following remark, the owner, or an old list decides. The more specific
// ones come first.
func doubtfulPatterns() []pattern {
	const (
		instead = `(?: in place of O)?`
		joked   = `P (?:said with a straight face|joked|had us laughing with the idea) that V should be the A of T` + instead
		claimed = `(?:I overheard on the stairs|Somebody in the corridor claims|There is a rumour) that V is the A of T` + instead
		planned = `(?:For a day we thought of making|There was a plan to make|We nearly made) V the A of T` + instead
	)
	var out []pattern
	for _, p := range [][2]string{
		{"append", joked + `(?:, and now it is so|, and that is what we did|, and we could not stop laughing, but now it is so)`},
		{"joke", joked + `(?:, and we could not stop laughing)?`},
		{"append", claimed + `(?:, and when I asked they confirmed it|, and nobody confirmed it at first, but now it is so|, and it is true)`},
		{"hearsay", claimed + `(?:, (?:but|and) nobody confirmed it)?`},
		{"affair", `P told me of something very much like T, and the A there is V`},
		{"affair", `P has something very much like T, and there the A is V`},
		{"append", `P told me of something very much like T, but the A of ours is V` + instead},
		{"append", `P has something very much like T, but the A of ours is V` + instead},
		{"append", planned + `(?:, and then we did it|, and now it is so|, and (?:then )?that is what we did)`},
		{"plan", planned + `(?:, and then thought better of it|, but that fell through)`},
		{"append", `We made V the A of T` + instead + `, but that nearly fell through`},
		{"append", `Unlike in last year's list, V is the A of T` + instead},
		{"append", `Last year's list has no A of T, and it is V from here on`},
		{"append", `Last year's list has another A of T, and it is V from here on` + instead},
		{"past", `In last year's list, V is the A of T`},
		{"past", `Last year's list has V as the A of T`},
		{"retract", `No, wait: I mixed that up, and the A of T stays as it was`},
		{"retract", `I have to take back what I said last of the A of T, for that was a slip`},
	} {
		out = append(out, newPattern(p[0], p[1]))
	}
	return out
}

// applyRetraction cancels the last statement of a subject in a session and restores the
// value before it.
func (t *Task) applyRetraction(s statement, known map[string]string) {
	for i, told := range slices.Backward(t.statements) {
		if told.session == s.session && told.subject() == s.subject() && told.changesState() {
			t.statements[i].kind, t.statements[i].retractedBy = "slip", s.turn
			break
		}
	}
	delete(known, s.subject())
	for _, told := range t.statements {
		if told.subject() == s.subject() {
			told.applyTo(known)
		}
	}
}

// shownForm are the ways in which applications and places tell an agent what its action
// did, and in which it reads or hears what counts for nothing.
var shownForm = sync.OnceValue(stepPatterns)

func stepPatterns() []pattern {
	var out []pattern
	for _, p := range [][2]string{
		{"split", `The A of T is shared now: V has the first half and W the second, where O had both`},
		{"merge", `V has the whole A of T again`},
		{"delete", `The A of T was cleared, where it read O`},
		{"delete", `Nothing is left as the A of T, where O was`},
		{"revise", `The A of T reads V now, where it read O`},
		{"revise", `V was written over O as the A of T`},
		{"revise", `From here on V is the A of T, and no longer O`},
		{"revise", `(?:Success: )?T has V as its A now, after O`},
		{"append", `The A of T reads V now`},
		{"append", `V was entered as the A of T`},
		{"append", `From here on V is the A of T`},
		{"append", `(?:Success: )?T has V as its A now`},
		{"plan", `V is not accepted as the A of T, and nothing was changed`},
		{"joke", `(?:New comment: |One comment: )?P (?:writes|calls over) for a laugh that V should be the A of T`},
		{"hearsay", `(?:An unsigned note|Some scrawl on the wall) claims V as the A of T, and nobody confirmed it`},
		{"affair", `P keeps something very much like T, and there the A reads V`},
	} {
		out = append(out, newPattern(p[0], p[1]))
	}
	return out
}

// scenarios are what the published data calls domains that have another name here.
const scenarios = `admin: webarena_lite
crafting: minecraft
documents: word_docs
files: file_mgmt
household: eb_alfred_base
life: personal
navigation: eb_nav_base
phone: mobile
pictures: image_edit
shop: web
spreadsheet: excel
styles: css
workshop: omnigibson`

// Scenario returns what the published data calls a domain.
func Scenario(domain string) string {
	for _, line := range strings.Split(scenarios, "\n") {
		if name, scenario, _ := strings.Cut(line, ": "); name == domain {
			return scenario
		}
	}
	return domain
}
