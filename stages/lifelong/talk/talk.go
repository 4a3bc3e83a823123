// Package talk writes what somebody says to an assistant when something happens, and
// what the assistant answers. It sees one event at a time, so no round can tell what
// another one does.
package talk

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/memforge/memforge/pipeline/grammar"
	"github.com/memforge/memforge/pipeline/world"
	"github.com/memforge/memforge/stages/lifelong/worlds"
)

//go:embed talk.txt
var rules string

// Round is what the user says and what the assistant answers.
type Round struct {
	User      string `json:"user"`
	Assistant string `json:"assistant"`
	// Picture is the place of the exhibit that the user sends, -1 for none.
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
type Writer struct{ g grammar.Grammar }

// New reads the grammar.
func New() (Writer, error) {
	g, err := grammar.Parse(rules)
	if err != nil {
		return Writer{}, fmt.Errorf("read the grammar of lifelong sessions: %w", err)
	}
	return Writer{g}, nil
}

// Sessions writes the rounds of all sessions of a world.
func (w Writer) Sessions(rnd *rand.Rand, of worlds.World) ([][]Round, error) {
	out := make([][]Round, len(of.Sessions))
	heads := map[[2]int]worlds.Event{}
	for _, e := range of.Events {
		at := [2]int{e.Session, e.Round}
		if _, taken := heads[at]; !taken {
			heads[at] = e
		}
	}
	for s := range of.Sessions {
		for r := range of.Sessions[s].Rounds {
			e, told := heads[[2]int{s, r}]
			round, err := w.round(rnd, of, e, told, s == 0)
			if err != nil {
				return nil, fmt.Errorf("round %d of session %d: %w", r, s, err)
			}
			out[s] = append(out[s], round)
		}
	}
	return out, nil
}

// round writes the round of an event, or one in which nothing happens.
func (w Writer) round(rnd *rand.Rand, of worlds.World, e worlds.Event, told, bootstrap bool) (Round, error) {
	slots := map[string]string{
		"thing": e.Key.Entity, "aspect": e.Key.Aspect, "value": e.Value, "also": e.Also, "old": e.Old, "who": e.Who, "domain": of.Domain,
	}
	if !told {
		user, err := w.g.Say(rnd, "chatter", slots)
		if err != nil {
			return Round{}, err
		}
		answer, err := w.g.Say(rnd, "chat answer", slots)
		return Round{User: user, Assistant: answer, Picture: -1}, err
	}
	if bootstrap {
		entry, err := w.g.Say(rnd, "entry", slots)
		return Round{User: entry, Picture: -1}, err
	}
	if e.Words != "" {
		return w.visit(rnd, e, slots)
	}
	fact, err := w.g.Say(rnd, e.Op, slots)
	if err != nil {
		return Round{}, err
	}
	if e.Op == worlds.Show {
		slots["picture"] = map[string]string{worlds.Card: "card", worlds.Sheet: "sheet", worlds.Chart: "chart"}[of.Exhibits[e.Picture].Kind]
		if fact, err = w.g.Say(rnd, "show picture", slots); err != nil {
			return Round{}, err
		}
	}
	from := "opening"
	if rnd.IntN(2) == 0 {
		from += " " + of.Domain
	}
	opening, err := w.g.Say(rnd, from, slots)
	if err != nil {
		return Round{}, err
	}
	answer, err := w.g.Say(rnd, answerTo(e), slots)
	return Round{User: strings.TrimSpace(opening + " " + mine(fact, e.Key, of.Person)), Assistant: answer, Picture: e.Picture}, err
}

// visit says what happened in the words that came with it, behind the sentence that tells
// it: whoever wrote them need not have ended theirs.
func (w Writer) visit(rnd *rand.Rand, e worlds.Event, slots map[string]string) (Round, error) {
	fact, err := w.g.Say(rnd, "visit "+e.Op, slots)
	if err != nil {
		return Round{}, err
	}
	answer, err := w.g.Say(rnd, "visit answer", slots)
	return Round{User: fact + " " + e.Words, Assistant: answer, Picture: -1}, err
}

// mine has people say of themselves what is said of them.
func mine(fact string, k world.Key, person string) string {
	if k.Entity != person {
		return fact
	}
	of := k.Aspect + " of " + person
	return strings.NewReplacer("The "+of, "My "+k.Aspect, "the "+of, "my "+k.Aspect).Replace(fact)
}

// answerTo is the rule that the assistant answers by.
func answerTo(e worlds.Event) string {
	switch {
	case worlds.Interferes(e.Op):
		return "light answer"
	case e.Op == worlds.Show:
		return "picture answer"
	case e.Op == worlds.TagRule, e.Op == worlds.HourRule:
		return "rule answer"
	case e.Old != "":
		return "change answer"
	}
	return "fact answer"
}
