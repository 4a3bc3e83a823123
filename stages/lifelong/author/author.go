// Package author has a model write what is said in the sessions of a simulation, from what
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
	"unicode"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/answercues"
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

// Ask returns what a stage that writes declares.
func (a Author) Ask() pipeline.Ask {
	ask := a.job.For(role)
	ask.Otherwise = "leave the stage out: lives come with what is said in them"
	return ask
}

// Tokens returns those of the prompt without its input.
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

// CheckRounds returns what is wrong with a simulation that has these rounds, or "".
type CheckRounds func(said [][]speech.Round) string

// WriteSessions has the sessions after the bootstrap written, one after the other. A
// session keeps its words, with a rejection, if no answer passes.
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

// simulationWriter writes the sessions of one simulation.
type simulationWriter struct {
	Author
	scope  *pipeline.Scope
	world  simulate.World
	names  worldNames
	heads  map[[2]int]simulate.Event
	rounds [][]speech.Round
	check  CheckRounds
}

// writeSession asks the author for a session, and keeps the former words if no answer
// passes.
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

func replaceWords(before []speech.Round, said []WrittenRound) []speech.Round {
	out := append([]speech.Round{}, before...)
	for i, s := range said {
		out[i].User, out[i].Assistant = strings.TrimSpace(s.User), strings.TrimSpace(s.Assistant)
	}
	return out
}

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

// givenSentences returns the sentences of a draft that name something of its events.
// Words of real users stay whole.
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

// Most characters of what is added to the given sentences, and of an answer.
const (
	mostAdded  = 600
	mostAnswer = 500
)

func (t *simulationWriter) checkSession(n int, in Input, rounds []WrittenRound) (why []string) {
	if len(rounds) != len(in.Rounds) {
		return []string{fmt.Sprintf("there are %d rounds; write %d", len(rounds), len(in.Rounds))}
	}
	said := map[string]bool{}
	for _, l := range in.Last {
		said[l.User] = true
	}
	for i, r := range rounds {
		for _, reason := range t.checkRound(n, i, in.Rounds[i], r) {
			why = append(why, fmt.Sprintf("round %d: %s", i+1, reason))
		}
		if said[r.User] {
			why = append(why, fmt.Sprintf("round %d: the user said this before, word for word", i+1))
		}
		said[r.User] = true
	}
	return why
}

func (t *simulationWriter) checkRound(n, r int, of Round, said WrittenRound) (why []string) {
	added := said.User
	for _, s := range of.Sentences {
		if strings.Count(said.User, s) != 1 {
			why = append(why, fmt.Sprintf("the sentence %q must stand in what the user says once, exactly", s))
		}
		added = strings.Replace(added, s, " ", 1)
	}
	if strings.TrimSpace(said.User) == "" || strings.TrimSpace(said.Assistant) == "" || answercues.HasControl(added+said.Assistant) {
		why = append(why, "a text is empty, or not one paragraph of plain text")
	}
	if utf8.RuneCountInString(added) > mostAdded || utf8.RuneCountInString(said.Assistant) > mostAnswer {
		why = append(why, fmt.Sprintf("it is too long: add %d characters at most to the given sentences, and answer with %d at most", mostAdded, mostAnswer))
	}
	if of.NothingElse && strings.TrimSpace(added) != "" {
		why = append(why, "somebody wrote what the user says here; nothing stands beside it")
	}
	added += "\n" + said.Assistant
	if strings.ContainsFunc(added, unicode.IsDigit) {
		why = append(why, "a number stands beside the given sentences")
	}
	for _, name := range t.names.all {
		if told := t.names.whyForbidden(name, n, r); told != "" && answercues.ContainsWords(added, name) {
			why = append(why, fmt.Sprintf("it says %q beside the given sentences, which %s", name, told))
		}
	}
	for _, k := range t.world.Unsaid {
		if whole := said.User + "\n" + said.Assistant; answercues.ContainsWords(whole, withoutArticle(k.Entity)) && answercues.ContainsWords(whole, k.Aspect) {
			why = append(why, fmt.Sprintf("it speaks of the %s of %s, which nobody ever does", k.Aspect, k.Entity))
		}
	}
	return why
}

func withoutArticle(thing string) string { return strings.TrimPrefix(thing, "the ") }

// worldNames holds the things, people and values of a world, and when each is told.
type worldNames struct {
	all []string
	// of are the names of the events of a round, as its sentences have them.
	of map[[2]int][]string
	// thing says that a name is that of a thing, which may be spoken of once it is known.
	thing map[string]bool
	// first is the place at which a name is told first; ended the sessions after which it
	// no longer is the value of anything.
	first, ended map[string][2]int
	// own are the values that words, not pictures, tell as what holds in a round.
	own map[[2]int]map[string]bool
}

func newWorldNames(w simulate.World) worldNames {
	out := worldNames{of: map[[2]int][]string{}, thing: map[string]bool{}, first: map[string][2]int{}, ended: map[string][2]int{}, own: map[[2]int]map[string]bool{}}
	for _, e := range w.Events {
		at := [2]int{e.Session, e.Round}
		if out.own[at] == nil {
			out.own[at] = map[string]bool{}
		}
		thing := withoutArticle(e.Key.Entity)
		for _, name := range []string{thing, e.Value, e.Also, e.Old, e.Who} {
			if name == "" || name == "rule" {
				continue
			}
			out.of[at] = append(out.of[at], name)
			if _, known := out.first[name]; !known {
				out.first[name], out.all = at, append(out.all, name)
			}
		}
		out.thing[thing] = out.thing[thing] || thing != ""
		real := !simulate.Interferes(e.Op) && e.Op != simulate.OpTagRule && e.Op != simulate.OpHourRule
		for _, name := range []string{e.Value, e.Also} {
			if real && name != "" && e.Picture < 0 {
				out.own[at][name] = true
			}
			if real {
				delete(out.ended, name)
			}
		}
		if e.Old != "" && real && e.Old != e.Value && e.Old != e.Also {
			out.ended[e.Old] = at
		}
	}
	return out
}

// whyForbidden returns why a round may not mention a name besides its given sentences, or
// "".
func (s worldNames) whyForbidden(name string, n, r int) string {
	at, ended := s.first[name], s.ended[name]
	switch {
	case s.own[[2]int{n, r}][name]:
		return ""
	case at[0] > n || at[0] == n && at[1] > r:
		return "is told only later"
	case s.thing[name]:
		return ""
	case ended[0] > 0 && ended[0] <= n:
		return "no longer holds"
	}
	return "is told elsewhere"
}
