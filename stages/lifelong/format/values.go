package format

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/schemas"
)

// subject is what a point has a value for: an aspect of a thing, as words.
type subject struct{ thing, aspect string }

// valueOf returns the subject and value of a point, its terms parted by spaces, and false for
// a point that has none or whose own content does not say them, such as a rule.
func valueOf(p schemas.MemoryPoint) (of subject, value string, ok bool) {
	thing := p.Attributes[schemas.PointThing]
	of = subject{normalise(thing), normalise(p.Attributes[schemas.PointAspect])}
	var words []string
	for _, t := range termsOf(p.Attributes[schemas.PointValue]) {
		words = append(words, t.words...)
	}
	value = strings.Join(words, " ")
	said := normalise(p.Content)
	ok = value != "" && of.thing != "" && of.aspect != "" && containsWords(said, of.thing) && containsWords(said, of.aspect) && containsWords(said, normalise(p.Attributes[schemas.PointValue]))
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
		for _, t := range termsOf(strings.Join(texts, "\n")) {
			v.said[t.text] = true
			for _, w := range t.words {
				v.said[w] = true
			}
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

// mention is a value in a statement: one that holds, one that held, or another one.
type mention struct {
	is       claim
	from, to int // its terms
	denied   bool
}

// judge returns what one statement claims of a subject. A statement that names what held
// beside what holds ("X replaces Y") is right. One that denies what holds is false, and so is
// one that joins another value to it ("12 or 13").
func (v *valueState) judge(made statement, of subject) claim {
	if !containsWords(made.words, of.thing) || !containsWords(made.words, of.aspect) {
		return claimsNothing
	}
	own := make([]bool, len(made.terms))
	for _, words := range []string{of.thing, of.aspect} {
		for _, at := range made.find(strings.Fields(words)) {
			mark(own, at)
		}
	}
	found := v.mentions(made, of, own)
	says, denies, mixed := map[claim]bool{}, false, false
	for n, m := range found {
		if m.denied {
			denies = denies || m.is == claimsRight
			continue
		}
		says[m.is] = true
		mixed = mixed || n > 0 && !found[n-1].denied && (m.is == claimsFalse) != (found[n-1].is == claimsFalse) && made.joins(found[n-1].to, m.from)
	}
	switch {
	case says[claimsRight] && !mixed:
		return claimsRight
	case mixed, says[claimsFalse]:
		return claimsFalse
	case says[claimsStale]:
		return claimsStale
	case denies, len(found) == 0 && slices.ContainsFunc(made.slot(own), v.isNew):
		return claimsFalse
	}
	return claimsNothing // it names the subject, and no value
}

func mark(terms []bool, at [2]int) {
	for i := at[0]; i < at[1]; i++ {
		terms[i] = true
	}
}

// isNew reports whether a term, or a word of one that is no number, was never said.
func (v *valueState) isNew(t term) bool {
	return !v.said[t.text] && (t.isNumber() || slices.ContainsFunc(t.words, func(w string) bool { return !v.said[w] }))
}

// mentions returns the values that a statement names beside the terms of its subject, in
// order: known ones, the longest first, new names and numbers, and numbers joined to known
// ones.
func (v *valueState) mentions(made statement, of subject, own []bool) (found []mention) {
	taken := make([]bool, len(own))
	take := func(is claim, at [2]int) {
		if !slices.Contains(taken[at[0]:at[1]], true) && slices.Contains(own[at[0]:at[1]], false) {
			mark(taken, at)
			found = append(found, mention{is, at[0], at[1], made.denies(at[0], at[1])})
		}
	}
	known := map[string]claim{}
	for is, values := range map[claim][]string{claimsRight: v.now[of], claimsStale: v.before[of], claimsFalse: v.byAspect[of.aspect]} {
		for _, value := range values {
			known[value] = max(known[value], is)
		}
	}
	longest := slices.SortedFunc(maps.Keys(known), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for _, value := range longest {
		for _, at := range made.find(strings.Fields(value)) {
			take(known[value], at)
		}
	}
	ofKnown := slices.Clone(found)
	for at, t := range made.terms {
		isJoined := func(m mention) bool { return made.addsTo(m.to, at, t) || made.addsTo(at+1, m.from, t) }
		if t.isName && v.isNew(t) || (t.isNumber() || v.isNew(t)) && slices.ContainsFunc(ofKnown, isJoined) {
			take(claimsFalse, made.nameAt(at))
		}
	}
	slices.SortFunc(found, func(a, b mention) int { return a.from - b.from })
	return found
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
		countClaim(&t.points, factOf(s, p), best)
	}
	for _, text := range stored {
		seen := map[claim]bool{}
		for _, statement := range said.of(text) {
			for _, of := range v.subjects {
				seen[v.judge(statement, of)] = true
			}
		}
		countClaim(&t.texts, text, worstOf(seen))
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

func countClaim(into *[claimsRight + 1]tally, fact string, c claim) {
	for k := range into {
		into[k].add(fact, benchformat.BoolScore(claim(k) == c))
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
