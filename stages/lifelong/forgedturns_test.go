package lifelong_test

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/oracle"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// whole is what livesAndRuns gives, made by the first test that asks.
var whole struct {
	sync.Mutex
	b *built
}

// livesAndRuns are a life of each domain and a run of each place, as nobody may change them.
func livesAndRuns(t *testing.T) built {
	t.Helper()
	whole.Lock()
	defer whole.Unlock()
	if whole.b == nil {
		b := bothOf(t)
		whole.b = &b
	}
	return *whole.b
}

func bothOf(t *testing.T) built {
	t.Helper()
	runs, _, err := testkit.Subject{Register: lifelong.Register, Use: "lifelong.simulators", Seed: 7, Config: simulators()}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	out, talks := buildOf(t, 7, runs), made(t)
	maps.Copy(out.sessions, talks.sessions)
	maps.Copy(out.exhibits, talks.exhibits)
	maps.Copy(out.checkpoints, talks.checkpoints)
	out.questions, out.standings = slices.Concat(out.questions, talks.questions), slices.Concat(out.standings, talks.standings)
	return out
}

// TestForgedTurns: what nobody tells where sessions of lives and runs tell nothing, and a
// session that is of another kind or person than its turns, does not pass as a task.
func TestForgedTurns(t *testing.T) {
	t.Parallel()
	b, d := livesAndRuns(t), derivation(t)
	say := func(into func(*schemas.Turn, string), role string) func([]schemas.Session, string) bool {
		return func(all []schemas.Session, said string) bool {
			last := &all[len(all)-1]
			at := slices.IndexFunc(last.Turns, func(t schemas.Turn) bool { return t.Role == role })
			if at >= 0 {
				into(&last.Turns[at], said)
			}
			return at >= 0
		}
	}
	session := func(n int, f func(*schemas.Session)) func([]schemas.Session, string) bool {
		return func(all []schemas.Session, _ string) bool { f(&all[n]); return true }
	}
	forgeries := map[string]func([]schemas.Session, string) bool{
		"assistant":    say(func(t *schemas.Turn, said string) { t.Text += " " + said }, schemas.TurnAssistant),
		"observation":  say(func(t *schemas.Turn, said string) { t.Observation += " " + said }, schemas.TurnAgent),
		"reasoning":    say(func(t *schemas.Turn, said string) { t.Reasoning = said }, schemas.TurnAgent),
		"action":       say(func(t *schemas.Turn, said string) { t.Action = said }, schemas.TurnAgent),
		"feedback":     say(func(t *schemas.Turn, said string) { t.Feedback = said }, schemas.TurnAgent),
		"a time":       say(func(t *schemas.Turn, _ string) { t.Timestamp = "2031-01-01T00:00:00Z" }, schemas.TurnAssistant),
		"a value":      say(func(t *schemas.Turn, _ string) { t.Text += " Later that went to Zoe Yarrow after all." }, schemas.TurnAssistant),
		"a step":       step(func(t *schemas.Turn) { t.Action = "SELECT \"everything\"; DELETE; SAVE" }),
		"a look":       step(func(t *schemas.Turn) { t.Observation = "The log has 99 changes." }),
		"a caption":    pictured(func(a *schemas.Attachment) { a.Caption = a.MinimalCaption + ", out of date" }),
		"a sort":       pictured(func(a *schemas.Attachment) { a.Type = "photo" }),
		"kind":         session(1, func(s *schemas.Session) { s.Kind = other(s.Kind, schemas.KindDialogue, schemas.KindTrajectory) }),
		"participants": session(1, func(s *schemas.Session) { s.Participants = []string{"Nobody Else", schemas.TurnAssistant} }),
		"title":        session(1, func(s *schemas.Session) { s.Title = "Profile" }),
		"owner":        session(0, func(s *schemas.Session) { s.Participants = []string{"Nobody Else"} }),
		"profile":      session(0, func(s *schemas.Session) { s.Title = "Profile of Nobody Else" }),
	}
	made, of := map[string]int{}, map[string]int{} // in all, and of lives and runs
	for _, task := range slices.Sorted(maps.Keys(b.sessions)) {
		clean, at := b.sessions[task], fmt.Sprint(simulate.Regime(oracle.Domain(task)) != "")
		if _, err := d.Task(schemas.Task{TaskID: task}, b.premises(t, task)); err != nil {
			t.Errorf("clean %s: %v", task, err)
		}
		said := "The " + clean[0].Points[0].Attributes["aspect"] + " of " + clean[0].Points[0].Attributes["thing"] + " is Nowhere."
		for name, forge := range forgeries {
			if of[name+at] >= testsize.Choose(5, math.MaxInt) {
				continue
			}
			changed := built{exhibits: b.exhibits, checkpoints: b.checkpoints, sessions: map[string][]schemas.Session{task: copied(t, clean)}}
			if !forge(changed.sessions[task], said) {
				continue
			}
			made[name]++
			of[name+at]++
			if _, err := d.Task(schemas.Task{TaskID: task}, changed.premises(t, task)); err == nil {
				t.Errorf("%s with forged %s: nothing is wrong", task, name)
			}
		}
	}
	for name := range forgeries {
		if made[name] < 5 {
			t.Errorf("%s was forged in %d tasks", name, made[name])
		}
	}
}

// step changes the first step of an agent that has something to do with a value.
func step(f func(*schemas.Turn)) func([]schemas.Session, string) bool {
	return func(all []schemas.Session, _ string) bool {
		for _, s := range all[1:] {
			at := slices.IndexFunc(s.Turns, func(t schemas.Turn) bool {
				return slices.ContainsFunc(s.Points, func(p schemas.MemoryPoint) bool {
					return !p.IsInterference && p.EvidenceTurns[0] == t.TurnID && t.Role == schemas.TurnAgent && len(t.Attachments) == 0
				})
			})
			if at >= 0 {
				f(&s.Turns[at])
				return true
			}
		}
		return false
	}
}

// pictured changes what is said of the first picture of a task.
func pictured(f func(*schemas.Attachment)) func([]schemas.Session, string) bool {
	return func(all []schemas.Session, _ string) bool {
		for _, s := range all {
			for i := range s.Turns {
				if len(s.Turns[i].Attachments) > 0 {
					f(&s.Turns[i].Attachments[0])
					return true
				}
			}
		}
		return false
	}
}

// TestForgedWords: a question that asks for several as for one, for somebody as for
// something, or the other way round, is found.
func TestForgedWords(t *testing.T) {
	t.Parallel()
	b, d := livesAndRuns(t), derivation(t)
	premises := b.ofTasks(t)
	ways := [][2]string{{"hat is the", "ho is the"}, {"ho is the", "hat is the"}, {"ow many", "hat is the"}, {" as its ", " "}}
	made := map[string]int{}
	for _, q := range b.questions {
		for _, w := range ways {
			if !strings.Contains(q.Question, w[0]) || made[w[0]] >= 3 || q.Type == "lifelong_ttl" {
				continue
			}
			made[w[0]]++
			changed := q
			changed.Question = strings.Replace(strings.Replace(q.Question, " are given for ", " of ", 1), w[0], w[1], 1)
			if _, err := d.Question(changed, premises(q.TaskID)); err == nil {
				t.Errorf("%q: nothing is wrong", changed.Question)
			}
		}
	}
	for _, w := range ways {
		if made[w[0]] < 3 {
			t.Errorf("%q was forged in %d questions", w[0], made[w[0]])
		}
	}
}

// TestForgedRules: a rule gives no tag for a thing that there is not, and no hours for none,
// for a multiple of its step, or for hours without end.
func TestForgedRules(t *testing.T) {
	t.Parallel()
	b := livesAndRuns(t)
	number := regexp.MustCompile(`\d+ hours of work`)
	made := map[string]int{}
	for _, q := range b.questions {
		if q.Type != "lifelong_ttl" || made["all"] > 9 {
			continue
		}
		made["all"]++
		task := oracle.New(b.sessions[q.TaskID], b.exhibits)
		upto := len(b.sessions[q.TaskID]) - 1
		if _, err := task.Answer(q.Question, upto); err != nil {
			t.Errorf("clean: %v", err)
		}
		for _, changed := range []string{
			strings.Replace(q.Question, fact(q)[1], "the Nowhere fund", 1), regexp.MustCompile(`number \d+`).ReplaceAllString(q.Question, "number 0"),
			number.ReplaceAllString(q.Question, "0 hours of work"), number.ReplaceAllString(q.Question, "6000000 hours of work"),
		} {
			if _, err := task.Answer(changed, upto); err == nil && changed != q.Question {
				t.Errorf("%q: nothing is wrong", changed)
			} else if err != nil {
				made["found"]++
			}
		}
	}
	if made["found"] < 10 {
		t.Errorf("%v questions by rules were forged", made)
	}
}

func other(is, one, two string) string {
	if is == one {
		return two
	}
	return one
}

// TestForgedSilence: a line that tells what nobody is to tell is found in whichever text
// of a turn it stands, though that text does not name the thing.
func TestForgedSilence(t *testing.T) {
	t.Parallel()
	b, d := livesAndRuns(t), derivation(t)
	premises, forged := b.ofTasks(t), 0
	for _, q := range b.questions {
		if q.Type != "lifelong_mb" {
			continue
		}
		if _, err := d.Question(q, premises(q.TaskID)); err != nil {
			t.Errorf("clean %s: %v", q.QuestionID, err)
		}
		if forged++; forged%5 != 1 {
			continue
		}
		row := b.standings[slices.IndexFunc(b.standings, func(s lifelong.Standing) bool { return s.QuestionID == q.QuestionID })]
		changed := b
		changed.sessions = map[string][]schemas.Session{q.TaskID: copied(t, b.sessions[q.TaskID])}
		for i := range changed.sessions[q.TaskID] {
			turns := changed.sessions[q.TaskID][i].Turns
			for n := range turns {
				switch named := slices.Contains(row.Lines, turns[n].Text) || slices.Contains(row.Lines, turns[n].Feedback) && turns[n].Feedback != ""; {
				case named && turns[n].Role == schemas.TurnAgent:
					turns[n].Reasoning = "Its " + row.Aspect + " is Nowhere."
				case named && n+1 < len(turns) && turns[n+1].Role == schemas.TurnAssistant:
					turns[n+1].Text = "Noted: the " + row.Aspect + " is Nowhere."
				}
			}
		}
		if _, err := d.Question(q, changed.premises(t, q.TaskID)); err == nil {
			t.Errorf("%s is told in a turn that names the thing, and nothing is wrong", q.QuestionID)
		}
	}
	if forged < 10 {
		t.Errorf("%d questions", forged)
	}
}
