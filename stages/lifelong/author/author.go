// Package write has a model write what is said in the sessions of a life, from what
// happens in them. The sentences that tell it stay as the grammar has them, so that what
// is told stays provable: a reader of these sentences works out the same as before. What
// stands around them is the author's, and is checked by rule: it names nothing that is
// told elsewhere, later or never, nothing that no longer holds, and nothing that only a
// picture shows.
package author

import (
	"context"
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/stages/lifelong/simulate"
	"github.com/memforge/memforge/stages/lifelong/simulate/speech"
)

const (
	job  = "lifelong.session"
	role = "author"
)

// Code of a session that stays as the grammar has it. Nothing is lost by it, so it
// counts as flagged.
const Code = "bad-session"

// Config of an author.
type Config struct {
	Last     int `json:"last" doc:"how many rounds of the session before the author reads before it writes the next"`
	Attempts int `json:"attempts" doc:"how often a session is asked for, with the reasons against the earlier answers, before it stays as the grammar has it"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() { *c = Config{Last: 6, Attempts: 3} }

// Author writes sessions.
type Author struct {
	cfg Config
	job *model.Job[Input, Written]
}

// New checks a configuration.
func New(c Config) (Author, error) {
	if c.Last < 0 || c.Last > 100 || c.Attempts < 1 || c.Attempts > 5 {
		return Author{}, fmt.Errorf("last is %d and attempts %d; want 0 to 100 and 1 to 5", c.Last, c.Attempts)
	}
	t, err := model.NewJob[Input, Written](job)
	return Author{c, t}, err
}

// Ask is what a stage that writes declares.
func (a Author) Ask() pipeline.Ask {
	ask := a.job.For(role)
	ask.Otherwise = "leave the stage out: lives come with what is said in them"
	return ask
}

// Tokens are those of the prompt without its input.
func (a Author) Tokens() float64 { return a.job.PromptTokens() }

// Input is all that the author is told.
type Input struct {
	Session Setting                         `json:"session"`
	Last    []WrittenRound                  `json:"last"`
	Rounds  []Round                         `json:"rounds"`
	Refused []model.RejectedAnswer[Written] `json:"refused"`
}

// Setting is who talks, when and about what.
type Setting struct {
	User   string `json:"user"`
	Field  string `json:"field"`
	Date   string `json:"date"`
	Arc    string `json:"arc"`
	Event  string `json:"event"`
	OnMain bool   `json:"moves_the_main_story_on"`
}

// Round is one to be written.
type Round struct {
	Number    int      `json:"number"`
	Does      string   `json:"does"`
	Sentences []string `json:"sentences"`
	// NothingElse says that the sentences are all that the user says: somebody wrote them.
	NothingElse bool   `json:"nothing_else,omitempty"`
	Picture     string `json:"picture,omitempty"`
}

// WrittenRound is a round in words.
type WrittenRound struct {
	User      string `json:"user"`
	Assistant string `json:"assistant"`
}

// Written is an answer.
type Written struct {
	Rounds []WrittenRound `json:"rounds"`
}

// CheckRounds says what is wrong with a life in which that is said; nothing when it can stand.
type CheckRounds func(said [][]speech.Round) string

// WriteSessions writes the sessions of a life anew after their bootstrap, one after the other. A
// session of which no answer can stand keeps its words, and is noted.
func (a Author) WriteSessions(ctx context.Context, scope *pipeline.Scope, id string, w simulate.World, said [][]speech.Round, sound CheckRounds) (out [][]speech.Round, kept []pipeline.Rejection, err error) {
	t := &simulationWriter{Author: a, scope: scope, world: w, names: newWorldNames(w), heads: w.RoundHeads(), rounds: append([][]speech.Round{}, said...), check: sound}
	for n := 1; n < len(w.Sessions); n++ {
		refused, err := t.writeSession(ctx, n)
		why, finding := model.PermanentRejection(ctx, err)
		switch {
		case finding:
			why = pipeline.Reject(Code, "%s", why.Reason)
		case err != nil:
			return nil, nil, fmt.Errorf("write session %d: %w", n, err)
		case len(refused) > 0:
			why = pipeline.Reject(Code, "%s (after %d attempts)", strings.Join(refused[len(refused)-1].Reasons, "; "), len(refused))
		default:
			continue
		}
		why.ID, why.Flagged = fmt.Sprintf("%s/S%02d", id, n), true
		kept = append(kept, *why)
	}
	return t.rounds, kept, nil
}

// simulationWriter is the work on one life.
type simulationWriter struct {
	Author
	scope  *pipeline.Scope
	world  simulate.World
	names  worldNames
	heads  map[[2]int]simulate.Event
	rounds [][]speech.Round
	check  CheckRounds
}

// writeSession has a session written, and keeps the words that it had where no answer stands.
func (t *simulationWriter) writeSession(ctx context.Context, n int) ([]model.RejectedAnswer[Written], error) {
	in := t.sessionInput(n)
	before := t.rounds[n]
	_, refused, err := t.job.AskUntilUsable(ctx, t.scope, role, t.cfg.Attempts,
		func(r []model.RejectedAnswer[Written]) Input {
			in.Refused = r
			return in
		},
		func(a model.Answer[Written]) ([]string, error) {
			t.rounds[n] = before
			if why := t.checkSession(n, in, a.Value.Rounds); len(why) > 0 {
				return why, nil
			}
			t.rounds[n] = replaceWords(before, a.Value.Rounds)
			if why := t.check(t.rounds); why != "" {
				t.rounds[n] = before
				return []string{"the session as you wrote it does not tell what it should, or tells more: " + why}, nil
			}
			return nil, nil
		})
	return refused, err
}

// replaceWords puts what is said into rounds.
func replaceWords(before []speech.Round, said []WrittenRound) []speech.Round {
	out := append([]speech.Round{}, before...)
	for i, s := range said {
		out[i].User, out[i].Assistant = strings.TrimSpace(s.User), strings.TrimSpace(s.Assistant)
	}
	return out
}

// sessionInput is what is asked about a session.
func (t *simulationWriter) sessionInput(n int) Input {
	of := t.world.Sessions[n]
	in := Input{Session: Setting{User: t.world.Person, Field: t.world.Domain, Date: of.Date, Arc: of.Arc, Event: of.EventType, OnMain: of.OnMainLine}}
	if n > 1 {
		last := t.rounds[n-1]
		for _, r := range last[max(0, len(last)-t.cfg.Last):] {
			in.Last = append(in.Last, WrittenRound{r.User, r.Assistant})
		}
	}
	for r, round := range t.rounds[n] {
		e, told := t.heads[[2]int{n, r}]
		one := Round{Number: r + 1, Does: "small", Sentences: []string{}}
		if told {
			one.Does, one.Sentences, one.NothingElse = e.Op, t.givenSentences(n, r, e, round.User), e.Words != ""
		}
		if round.Picture >= 0 {
			x := t.world.Pictures[round.Picture]
			one.Picture = x.Kind + " of " + x.Title
		}
		in.Rounds = append(in.Rounds, one)
	}
	return in
}

// givenSentences are those of a draft that name something of the events of its round: these
// tell it. What somebody really wrote stays whole.
func (t *simulationWriter) givenSentences(n, r int, e simulate.Event, draft string) []string {
	if e.Words != "" {
		return []string{draft}
	}
	var out []string
	for _, s := range speech.Sentences(draft) {
		for _, name := range t.names.of[[2]int{n, r}] {
			if strings.Contains(s, name) {
				out = append(out, s)
				break
			}
		}
	}
	return out
}
