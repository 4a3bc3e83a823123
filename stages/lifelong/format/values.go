package format

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/memforge/memforge/schemas"
)

// subject is what a point has a value for: an aspect of a thing, as words.
type subject struct{ thing, aspect string }

// valueOf returns the subject and value of a point, and false for a point that has none or
// whose own content does not say them, such as a rule.
func valueOf(p schemas.MemoryPoint) (of subject, value string, ok bool) {
	thing := p.Attributes[schemas.PointThing]
	of = subject{normalise(thing), normalise(p.Attributes[schemas.PointAspect])}
	value = normalise(p.Attributes[schemas.PointValue])
	said := normalise(p.Content)
	ok = value != "" && of.thing != "" && of.aspect != "" && containsWords(said, of.thing) && containsWords(said, of.aspect) && containsWords(said, value)
	return of, value, ok
}

// valuesByAspect returns the values that points of all tasks give an aspect.
func valuesByAspect(all []instance) map[string][]string {
	out := map[string][]string{}
	for _, i := range all {
		for _, s := range i.sessions {
			for _, p := range s.Points {
				if of, value, ok := valueOf(p); ok && !slices.Contains(out[of.aspect], value) {
					out[of.aspect] = append(out[of.aspect], value)
				}
			}
		}
	}
	return out
}

// valueState is what holds and what held of each subject of a task at one time, and the words
// that its sessions said.
type valueState struct {
	now, before map[subject][]string
	subjects    []subject
	points      map[string]schemas.MemoryPoint
	said        map[string]bool
	byAspect    map[string][]string
}

func newValueState(byAspect map[string][]string) *valueState {
	return &valueState{map[subject][]string{}, map[subject][]string{}, nil, map[string]schemas.MemoryPoint{}, map[string]bool{}, byAspect}
}

// add adds a session: its words, and its points in their order.
func (v *valueState) add(s schemas.Session) {
	hear := func(texts ...string) {
		for _, w := range strings.Fields(normalise(strings.Join(texts, "\n"))) {
			v.said[w] = true
		}
	}
	hear(s.Title)
	for _, t := range s.Turns {
		hear(t.Speaker, t.Text, t.Observation, t.Reasoning, t.Action, t.Feedback)
		for _, a := range t.Attachments {
			hear(a.Caption)
		}
	}
	for _, p := range s.Points {
		v.points[p.MemoryID] = p
		if p.IsInterference {
			continue
		}
		for _, id := range p.Supersedes {
			if of, old, ok := valueOf(v.points[id]); ok {
				v.now[of] = slices.DeleteFunc(slices.Clone(v.now[of]), func(s string) bool { return s == old })
				v.before[of] = append(v.before[of], old)
			}
		}
		if of, value, ok := valueOf(p); ok {
			if !slices.Contains(v.subjects, of) {
				v.subjects = append(v.subjects, of)
			}
			v.now[of] = append(v.now[of], value)
		}
	}
}

// claim is what statements say of a subject.
type claim int

// The claims, from the weakest.
const (
	claimsNothing claim = iota
	claimsFalse         // another value: one of the same aspect, or a name or number never said
	claimsStale         // a value that held before
	claimsRight         // a value that holds
)

// judge returns what one statement claims of a subject. A statement that names what held
// beside what holds ("X replaces Y") is right.
func (v *valueState) judge(made statement, of subject) claim {
	if !containsWords(made.words, of.thing) || !containsWords(made.words, of.aspect) {
		return claimsNothing
	}
	says := func(value string) bool { return containsWords(made.words, value) }
	isNew := func(name string) bool {
		return !v.said[name] && !containsWords(of.thing, name) && !containsWords(of.aspect, name)
	}
	switch {
	case slices.ContainsFunc(v.now[of], says):
		return claimsRight
	case slices.ContainsFunc(v.before[of], says):
		return claimsStale
	case slices.ContainsFunc(made.names, isNew), slices.ContainsFunc(v.byAspect[of.aspect], func(value string) bool {
		return says(value) && !containsWords(of.thing, value) && !containsWords(of.aspect, value)
	}):
		return claimsFalse
	}
	return claimsNothing // it names the subject, and no value
}

// statementEnd ends a sentence: a point stands between digits too.
var statementEnd = regexp.MustCompile(`([.!?])\s+|\n+`)

// statement is a sentence as words, with those that are names or numbers: they begin with a
// capital behind the first word, or have a digit.
type statement struct {
	words string
	names []string
}

func newStatement(sentence string) statement {
	out := statement{words: normalise(sentence)}
	for n, w := range strings.Fields(sentence) {
		isName := n > 0 && unicode.IsUpper([]rune(strings.TrimLeft(w, "\"'(*_") + " ")[0])
		if isName || strings.ContainsAny(w, "0123456789") {
			out.names = append(out.names, strings.Fields(normalise(w))...)
		}
	}
	return out
}

// statementsOf returns the sentences of a text. A question states nothing.
func statementsOf(text string) (out []statement) {
	for {
		sentence, rest := text, ""
		if at := statementEnd.FindStringIndex(text); at != nil {
			sentence, rest = text[:at[1]], text[at[1]:]
		}
		if said := newStatement(sentence); said.words != "" && !strings.HasSuffix(strings.TrimSpace(sentence), "?") {
			out = append(out, said)
		}
		if rest == "" {
			return out
		}
		text = rest
	}
}

// statements keeps the sentences of texts, which stay in memories over many sessions.
type statements map[string][]statement

func (s statements) of(text string) []statement {
	if _, known := s[text]; !known {
		s[text] = statementsOf(text)
	}
	return s[text]
}

// valueScores counts points by what a memory claims of them after their session, and stored
// texts by what they claim of any point so far.
type valueScores struct {
	points [claimsRight + 1]means
	texts  [claimsRight + 1]means
	none   int // points without values
}

// valueTallies are those of one task.
type valueTallies struct{ points, texts [claimsRight + 1]tally }

// addSession adds what is held after a session, and what it stored.
func (t *valueTallies) addSession(v *valueState, said statements, s schemas.Session, held []memory, stored []string) (without int) {
	for _, p := range s.Points {
		of, value, ok := valueOf(p)
		switch {
		case p.IsInterference:
			continue
		case !ok:
			without++
			continue
		case !slices.Contains(v.now[of], value):
			continue // replaced in the same session
		}
		best := claimsNothing
		for _, m := range held {
			for _, statement := range said.of(m.Text) {
				best = max(best, v.judge(statement, of))
			}
		}
		countClaim(&t.points, best)
	}
	for _, text := range stored {
		seen := map[claim]bool{}
		for _, statement := range said.of(text) {
			for _, of := range v.subjects {
				seen[v.judge(statement, of)] = true
			}
		}
		countClaim(&t.texts, worstOf(seen))
	}
	return without
}

// worstOf returns the claim that counts for a text: one false value makes it false.
func worstOf(seen map[claim]bool) claim {
	for _, c := range []claim{claimsFalse, claimsStale, claimsRight} {
		if seen[c] {
			return c
		}
	}
	return claimsNothing
}

func countClaim(into *[claimsRight + 1]tally, c claim) {
	for k := range into {
		into[k].add(map[bool]float64{true: 1}[claim(k) == c])
	}
}

// add adds the tallies of a task.
func (s *valueScores) add(t valueTallies) {
	for k := range s.points {
		s.points[k].per = append(s.points[k].per, t.points[k])
		s.texts[k].per = append(s.texts[k].per, t.texts[k])
	}
}

func (s *valueScores) writeTo(out *figures) {
	for _, l := range []struct {
		name string
		of   claim
	}{{"right", claimsRight}, {"false", claimsFalse}, {"stale", claimsStale}, {"missing", claimsNothing}} {
		out.add("values "+l.name, s.points[l.of])
	}
	for _, l := range []struct {
		name string
		of   claim
	}{{"right", claimsRight}, {"false", claimsFalse}, {"stale", claimsStale}, {"of no point", claimsNothing}} {
		out.add("stored texts "+l.name, s.texts[l.of])
	}
	if s.none > 0 {
		out.warn("%d memory points carry no value to compare, and are in no figure of values", s.none)
	}
}
