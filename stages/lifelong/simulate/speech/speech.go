// Package speech writes what somebody says to an assistant when something happens, and
// what the assistant answers. It sees one event at a time, so no round can tell what
// another one does.
package speech

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/grammar"
	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

//go:embed talk.txt
var rules string

// Round is what the user says and what the assistant answers.
type Round struct {
	User      string `json:"user"`
	Assistant string `json:"assistant"`
	// Picture is the place of the picture that the user sends, -1 for none.
	Picture int `json:"picture"`
	// Step is what an agent does, in place of what is said.
	Step *Step `json:"step,omitempty"`
}

// Step is one step of an agent (WorldMemArena 3.1).
type Step struct {
	Observation string `json:"observation"`
	Reasoning   string `json:"reasoning"`
	Action      string `json:"action"`
	Feedback    string `json:"feedback"`
}

// Writer writes rounds.
type Writer struct{ grammar grammar.Grammar }

// New reads the grammar.
func New() (Writer, error) {
	g, err := grammar.Parse(rules)
	if err != nil {
		return Writer{}, fmt.Errorf("read the grammar of lifelong sessions: %w", err)
	}
	return Writer{g}, nil
}

// Sessions writes the rounds of all sessions of a world.
func (w Writer) Sessions(rnd *rand.Rand, of simulate.World) ([][]Round, error) {
	out := make([][]Round, len(of.Sessions))
	heads := of.RoundHeads()
	for s := range of.Sessions {
		t := sessionWriter{Writer: w, rnd: rnd, world: of, used: map[string]bool{}}
		for r := range of.Sessions[s].Rounds {
			e, told := heads[[2]int{s, r}]
			round, err := t.writeRound(e, told, s == 0)
			if err != nil {
				return nil, fmt.Errorf("round %d of session %d: %w", r, s, err)
			}
			out[s] = append(out[s], round)
		}
	}
	return out, nil
}

// sessionWriter writes the rounds of one session.
type sessionWriter struct {
	Writer
	rnd   *rand.Rand
	world simulate.World
	// used are the words with which its turns began, and the kinds of its small talk.
	used map[string]bool
}

// writeRound writes the round of an event, or small talk.
func (t sessionWriter) writeRound(e simulate.Event, told, bootstrap bool) (Round, error) {
	slots := map[string]string{
		"thing": e.Key.Entity, "aspect": e.Key.Aspect, "value": e.Value, "also": e.Also, "old": e.Old, "who": e.Who,
	}
	switch {
	case !told:
		return t.smallTalkRound()
	case bootstrap:
		return t.profileEntry(e, slots)
	}
	if e.Words != "" {
		return t.tellVisit(t.rnd, e, slots)
	}
	if e.Op == simulate.OpShow {
		slots["picture"] = map[string]string{simulate.Card: "card", simulate.Sheet: "sheet", simulate.Chart: "chart"}[t.world.Pictures[e.Picture].Kind]
	}
	fact, err := t.grammar.Say(t.rnd, t.tellingRule(e), slots)
	if err != nil {
		return Round{}, err
	}
	kind := kindOf(e, t.world.Person)
	opening, err := t.pickOpening(kind)
	if err != nil {
		return Round{}, err
	}
	answer, err := t.grammar.Say(t.rnd, "answer "+t.answerKind(e, kind), slots)
	return Round{User: strings.TrimSpace(opening + " " + FirstPerson(fact, e.Key, t.world.Person)), Assistant: answer, Picture: e.Picture}, err
}

// profileEntry returns a sentence of the profile. The first one follows the person's
// name.
func (t sessionWriter) profileEntry(e simulate.Event, slots map[string]string) (Round, error) {
	said, err := t.grammar.Say(t.rnd, "entry", slots)
	if err != nil || e.Round > 0 {
		return Round{User: said, Picture: -1}, err
	}
	owner, err := t.grammar.Say(t.rnd, "owner", slots)
	return Round{User: owner + " " + said, Picture: -1}, err
}

// tellingRule returns the grammar rule for an event. Statements that are retracted later
// are told as facts, half of the time as new ones.
func (t sessionWriter) tellingRule(e simulate.Event) string {
	fact := simulate.OpAppend
	if e.Old != "" && t.rnd.IntN(2) == 0 {
		fact = simulate.OpRevise
	}
	switch own := "self " + e.Op; {
	case e.Op == simulate.OpSlip:
		return fact
	case e.Guise != "" && e.Guise != simulate.OpSlip:
		return e.Op + " as " + e.Guise
	case e.Op == simulate.OpShow && t.world.CorrectsChart(e):
		return "show corrected"
	case e.Op == simulate.OpShow:
		return "show picture"
	case e.Key.Entity == t.world.Person && t.grammar.Has(own):
		return own
	}
	return e.Op
}

// answerKind returns the kind of answer. Four of five facts are answered like
// interference.
func (t sessionWriter) answerKind(e simulate.Event, kind string) string {
	switch {
	case (kind == "new" || kind == "change") && t.rnd.IntN(5) < 4:
		return "aside"
	case e.Op == simulate.OpDelete && kind == "change":
		return "end"
	}
	return kind
}

// tries bounds how often words are looked for that the session does not have yet.
const tries = 4

// pickOpening picks the opening of a turn: a greeting for the first of a session, nothing
// for half of the later ones, and no opening twice.
func (t sessionWriter) pickOpening(kind string) (string, error) {
	from := "lead " + kind
	switch {
	case !t.grammar.Has(from):
		return "", nil
	case len(t.used) == 0:
		if from = "hello"; t.rnd.IntN(2) == 0 {
			from += " " + t.world.Domain
		}
		if !t.grammar.Has(from) {
			from = "hello"
		}
	case t.rnd.IntN(2) == 0:
		return "", nil
	}
	for range tries {
		said, err := t.grammar.Say(t.rnd, from, nil)
		if err != nil || !t.used[said] {
			t.used[said] = true
			return said, err
		}
	}
	return "", nil
}

// smallTalkRound writes small talk with a fitting answer. No kind comes twice in a
// session as long as others are left.
func (t sessionWriter) smallTalkRound() (Round, error) {
	kinds := []string{"weather", "delay", "neck", "noise", "mails", "slump", "list", "calm", "lunch", "decline", "mail", "minutes"}
	left := slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return t.used["chat "+k] })
	if len(left) == 0 {
		left = kinds
	}
	kind := "chat " + left[t.rnd.IntN(len(left))]
	t.used[kind] = true
	user, err := t.grammar.Say(t.rnd, kind, nil)
	if err != nil {
		return Round{}, err
	}
	answer, err := t.grammar.Say(t.rnd, kind+" answer", nil)
	return Round{User: user, Assistant: answer, Picture: -1}, err
}

// tellVisit adds the user's own words to the sentence of a visit, and ends them if they
// have no full stop.
func (w Writer) tellVisit(rnd *rand.Rand, e simulate.Event, slots map[string]string) (Round, error) {
	fact, err := w.grammar.Say(rnd, "visit "+e.Op, slots)
	if err != nil {
		return Round{}, err
	}
	answer, err := w.grammar.Say(rnd, "visit answer", slots)
	return Round{User: fact + " " + e.Words, Assistant: answer, Picture: -1}, err
}

// FirstPerson has people say of themselves what is said of them.
func FirstPerson(fact string, k simulation.Key, person string) string {
	if k.Entity != person {
		return fact
	}
	of := k.Aspect + " of " + person
	return strings.NewReplacer("The "+of, "My "+k.Aspect, "the "+of, "my "+k.Aspect).Replace(fact)
}

// kindOf returns the kind of a turn, which decides openings and answers.
func kindOf(e simulate.Event, person string) string {
	kind := "new"
	switch {
	case simulate.Interferes(e.Op):
		return "aside"
	case e.Op == simulate.OpRetract, e.Op == simulate.OpConfirm:
		return "again"
	case e.Op == simulate.OpShow:
		return "picture"
	case e.Op == simulate.OpTagRule, e.Op == simulate.OpHourRule:
		return "rule"
	case e.Old != "":
		kind = "change"
	}
	if e.Key.Entity != person {
		return kind
	}
	return strings.TrimSuffix("self "+kind, " new")
}

var ends = regexp.MustCompile(`[.!?](?:\s+|$)`)

// Sentences returns those of a text, each with the mark that ends it.
func Sentences(text string) []string {
	var out []string
	for text != "" {
		at := ends.FindStringIndex(text)
		if at == nil {
			return append(out, text)
		}
		out, text = append(out, strings.TrimSpace(text[:at[1]])), text[at[1]:]
	}
	return out
}
