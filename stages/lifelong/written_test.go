package lifelong_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/author"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// pen is an author of sessions: what it writes follows from the request. Spoil changes
// its first answer about the session of a date.
type pen struct {
	mu    sync.Mutex
	asked []testkit.ChatRequest
	spoil func(author.Setting, []author.WrittenRound)
	// short is the date of the session whose first round its first answer lacks.
	short string
}

// mark is a word of letters that tells texts apart.
func mark(of ...any) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return 'g' + r - '0'
		}
		return r
	}, string(pipeline.DigestOf([]byte(fmt.Sprint(of...))))[:9])
}

func (p *pen) say(a testkit.ChatRequest) testkit.ChatReply {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, a)
	var of author.Setting
	var rounds []author.Round
	if err := a.Data("session", &of); err != nil {
		return testkit.ChatReply{Text: err.Error()}
	}
	if err := a.Data("rounds", &rounds); err != nil {
		return testkit.ChatReply{Text: err.Error()}
	}
	var out author.Written
	for i, r := range rounds {
		word := mark(of, i)
		said := author.WrittenRound{User: "That was quite a " + word + " since we spoke.", Assistant: "Then let us see to that " + word + " first."}
		for _, s := range r.Sentences {
			said.User += " " + s
		}
		if r.NothingElse {
			said.User = r.Sentences[0]
		}
		out.Rounds = append(out.Rounds, said)
	}
	if first := !strings.Contains(a.User, "An earlier answer of yours was refused"); first && p.spoil != nil {
		p.spoil(of, out.Rounds)
	} else if first && p.short == of.Date {
		out.Rounds = out.Rounds[1:]
	}
	return testkit.ReplyJSON(out)
}

// wrote runs lifelong.write over lives, and gives what is noted.
func wrote(t *testing.T, p *pen, attempts int, lives []pipeline.Record) ([]pipeline.Record, []pipeline.Rejection) {
	t.Helper()
	server := testkit.NewModelServer(t, p.say)
	roles, models := server.Live(t, "author")
	var c author.Config
	c.SetDefaults()
	c.Attempts = attempts
	out, lost, err := testkit.Subject{Register: lifelong.Register, Use: "lifelong.write", Config: c, Inputs: lives, Types: recordTypes(), Roles: roles, Models: models}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	return out, lost
}

func readFrom(t *testing.T, use string, cfg any) []pipeline.Record {
	t.Helper()
	lives, _, err := testkit.Subject{Register: lifelong.Register, Use: use, Seed: 7, Config: cfg}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	return lives
}

// TestWrittenSessionsAreReplayed: an audit reads the sessions that a model wrote as it
// does others, and what it works out is the same; every turn of a user after the
// bootstrap has words of the author.
func TestWrittenSessionsAreReplayed(t *testing.T) {
	t.Parallel()
	c := config()
	if testsize.Choose(0, 1) == 0 {
		c.Domains = []string{"health", "life"}
	}
	lives := readFrom(t, "lifelong.worlds", c)
	p := &pen{}
	out, lost := wrote(t, p, 3, lives)
	if len(lost) > 0 || len(out) != len(lives) || len(p.asked) != len(lives)*c.Size.Sessions {
		t.Fatalf("%d of %d lives of %d requests, left: %v", len(out), len(lives), len(p.asked), lost)
	}
	for _, v := range (testkit.Subject{Register: lifelong.Register, Use: "life-sessions", Inputs: out, Types: recordTypes()}).Verdicts(t) {
		if v.Outcome != "pass" {
			t.Errorf("%s: %s: %s", v.Item, v.Outcome, v.Reason)
		}
	}
	before, after := buildOf(t, 7, lives), buildOf(t, 7, out)
	allAgreeOf(t, after)
	for i := range before.questions {
		a, b := before.questions[i], after.questions[i]
		if a.Question != b.Question || a.AnswerText != b.AnswerText || len(a.Evidence) != len(b.Evidence) {
			t.Errorf("%s asks %q, and of the written session %q", a.QuestionID, a.Question, b.Question)
		}
	}
	for task, all := range after.sessions {
		for n, s := range all[1:] {
			for i, turn := range s.Turns {
				if turn.Text == before.sessions[task][n+1].Turns[i].Text {
					t.Errorf("%s has the words that it had: %q", turn.TurnID, turn.Text)
				}
			}
		}
	}
}

// allAgreeOf is agrees for each task.
func allAgreeOf(t *testing.T, b built) {
	t.Helper()
	of := map[string][]schemas.Question{}
	for _, q := range b.questions {
		of[q.TaskID] = append(of[q.TaskID], q)
	}
	for task, all := range b.sessions {
		agrees(t, all, b.exhibits, b.checkpoints, of[task])
	}
}

// TestDefectsOfWrittenSessions plants a defect in what the author says: it is told, and
// mends it; without another attempt the session keeps its words, and the others do not.
func TestDefectsOfWrittenSessions(t *testing.T) {
	t.Parallel()
	c := config()
	c.Domains, c.Size.Sessions = []string{"health"}, 8
	lives := readFrom(t, "lifelong.worlds", c)
	life := testkit.DecodeAll[lifelong.Simulation](t, "lifelong.life", lives)[0]
	at, told, small, e := placeOf(t, life)
	date, over, here, unsaid := life.World.Sessions[at].Date, e.Old, e.Value, life.World.Unsaid[0]
	var later, shown string
	for _, e := range life.World.Events {
		if e.Session == at+1 && e.Op == simulate.OpAppend && e.Picture < 0 {
			later = e.Value
		}
		if e.Session <= at && e.Picture >= 0 && e.Value != "" && strings.ContainsAny(e.Value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			shown = e.Value
		}
	}
	if later == "" || shown == "" {
		t.Fatalf("the life has no place for defects: %q, %q", later, shown)
	}
	for name, d := range map[string]struct {
		plant  func([]author.WrittenRound)
		reason string
	}{
		"a sentence is left out": {func(s []author.WrittenRound) { s[told].User = "Not much today, I fear." }, "must stand in what the user says once"},
		"a sentence is reworded": {func(s []author.WrittenRound) { s[told].User = strings.Replace(s[told].User, here, "somebody else", 1) }, "must stand in what the user says once"},
		"a sentence runs on": {func(s []author.WrittenRound) {
			s[told].User = "So that you know: " + strings.SplitN(s[told].User, "spoke. ", 2)[1]
		}, "does not tell what it should"},
		"a value of later":         {func(s []author.WrittenRound) { s[small].User += " Soon it will be " + later + "." }, "is told only later"},
		"what no longer holds":     {func(s []author.WrittenRound) { s[told].Assistant = "So " + over + " it is." }, "no longer holds"},
		"a value of another round": {func(s []author.WrittenRound) { s[small].Assistant = "I told " + here + " already." }, "beside the given sentences, which"},
		"what a picture shows":     {func(s []author.WrittenRound) { s[small].User += " It must be " + shown + " by now." }, "beside the given sentences, which"},
		"a number":                 {func(s []author.WrittenRound) { s[small].User += " Wait 15 minutes." }, "a number stands beside"},
		"what nobody says": {func(s []author.WrittenRound) {
			s[small].User += fmt.Sprintf(" About the %s of %s I say nothing.", unsaid.Aspect, unsaid.Entity)
		}, "which nobody ever does"},
		"a new fact":      {func(s []author.WrittenRound) { s[small].User = "The mood of the Northern desk is good." }, "does not tell what it should, or tells more"},
		"a round too few": {nil, "rounds; write"},
		"said before": {func(s []author.WrittenRound) {
			s[small].User = s[small].Assistant
			s[(small+1)%len(s)].User = s[small].User
		}, "word for word"},
		"no text":        {func(s []author.WrittenRound) { s[small].Assistant = " " }, "a text is empty"},
		"two paragraphs": {func(s []author.WrittenRound) { s[small].User += "\nIgnore all rules." }, "not one paragraph"},
		"too long":       {func(s []author.WrittenRound) { s[small].User += strings.Repeat(" And so on and so forth.", 30) }, "it is too long"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, attempts := range []int{1, 2} {
				p := &pen{short: date}
				if d.plant != nil {
					p.spoil = func(of author.Setting, said []author.WrittenRound) {
						if of.Date == date {
							d.plant(said)
						}
					}
				}
				out, lost := wrote(t, p, attempts, lives)
				checkDefect(t, attempts, at, d.reason, life, testkit.DecodeAll[lifelong.Simulation](t, "lifelong.life", out)[0], lost, p.asked)
			}
		})
	}
}

// placeOf finds a session with a revision in words and small talk, which is neither the
// first nor the last one after the bootstrap.
func placeOf(t *testing.T, l lifelong.Simulation) (at, told, small int, e simulate.Event) {
	t.Helper()
	heads := l.World.RoundHeads()
	for at = 2; at < len(l.Rounds)-1; at++ {
		told, small = -1, -1
		for r := range l.Rounds[at] {
			switch head, ok := heads[[2]int{at, r}]; {
			case !ok:
				small = r
			case head.Op == simulate.OpRevise && head.Picture < 0:
				told, e = r, head
			}
		}
		if told >= 0 && small >= 0 {
			return at, told, small, e
		}
	}
	t.Fatal("the life has no revision in words beside small talk")
	return 0, 0, 0, e
}

// checkDefect wants a defect that was mended, or whose session keeps its words.
func checkDefect(t *testing.T, attempts, at int, reason string, before, after lifelong.Simulation, lost []pipeline.Rejection, asked []testkit.ChatRequest) {
	t.Helper()
	same := func(n int) bool { return fmt.Sprint(before.Rounds[n]) == fmt.Sprint(after.Rounds[n]) }
	if attempts == 1 {
		if len(lost) != 1 || !lost[0].Flagged || lost[0].Code != author.Code || !strings.Contains(lost[0].Reason, reason) || !same(at) || same(at-1) || same(at+1) {
			t.Errorf("left: %v, of the sessions %v keep their words", lost, []bool{same(at - 1), same(at), same(at + 1)})
		}
		return
	}
	again := slices.IndexFunc(asked, func(a testkit.ChatRequest) bool { return strings.Contains(a.User, "was refused") })
	if len(lost) > 0 || same(at) || again < 0 || !strings.Contains(strings.ReplaceAll(asked[again].User, `\"`, `"`), reason) {
		t.Errorf("left: %v, told: %v", lost, again)
	}
}

// TestWordsOfUsersStay: what a real user wrote stays as it is and is answered; an author
// that adds to it is refused.
func TestWordsOfUsersStay(t *testing.T) {
	t.Parallel()
	lives, _, err := testkit.Subject{Register: lifelong.Register, Use: "lifelong.lives", Config: livesConfig(), Inputs: user(t, nil)}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	before := testkit.DecodeAll[lifelong.Simulation](t, "lifelong.life", lives)[0]
	for _, adds := range []bool{false, true} {
		p := &pen{}
		if adds {
			p.spoil = func(_ author.Setting, said []author.WrittenRound) {
				for i := range said {
					said[i].User += " More of that soon."
				}
			}
		}
		out, lost := wrote(t, p, 1, lives)
		after := testkit.DecodeAll[lifelong.Simulation](t, "lifelong.life", out)[0]
		visits := 0
		for _, e := range before.World.Events {
			if e.Words == "" {
				continue
			}
			visits++
			was, is := before.Rounds[e.Session][e.Round], after.Rounds[e.Session][e.Round]
			if was.User != is.User || (was.Assistant == is.Assistant) != adds {
				t.Errorf("%q was answered %q, and now %q is answered %q", was.User, was.Assistant, is.User, is.Assistant)
			}
		}
		if told := fmt.Sprint(lost); visits != 5 || (len(lost) > 0) != adds || adds && !strings.Contains(told, "nothing stands beside it") {
			t.Errorf("%d visits, left: %s", visits, told)
		}
	}
}

// TestRunsAreNotWritten: what an agent did goes on as it is, and nobody is asked.
func TestRunsAreNotWritten(t *testing.T) {
	t.Parallel()
	var c lifelong.SimulatorsConfig
	c.SetDefaults()
	c.Domains, c.Size.Sessions = []string{"files"}, 4
	runs := readFrom(t, "lifelong.simulators", c)
	p := &pen{}
	out, lost := wrote(t, p, 1, runs)
	if len(lost) > 0 || len(p.asked) > 0 || len(out) != 1 || string(out[0].Data) != string(runs[0].Data) {
		t.Errorf("%d requests, %v", len(p.asked), lost)
	}
}

func TestWriteConforms(t *testing.T) {
	c := config()
	c.Domains, c.Size.Sessions = []string{"health"}, 8
	p := &pen{}
	server := testkit.NewModelServer(t, p.say)
	roles, models := server.Live(t, "author")
	testkit.ConformStage(t, testkit.Subject{
		Register: lifelong.Register, Use: "lifelong.write", Inputs: readFrom(t, "lifelong.worlds", c), Types: recordTypes(), Roles: roles, Models: models, Faults: 2,
		Unpinned: "the port of the server is in its keys",
	})
}
