package lifelong_test

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
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
	runs, _, err := pipelinetest.Subject{Register: lifelong.Register, Use: "lifelong.simulators", Seed: 7, Config: simulators()}.Read(t)
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
		"kind":         session(1, func(s *schemas.Session) { s.Kind = other(s.Kind, schemas.KindDialogue, schemas.KindTrajectory) }),
		"participants": session(1, func(s *schemas.Session) { s.Participants = []string{"Nobody Else", schemas.TurnAssistant} }),
		"title":        session(1, func(s *schemas.Session) { s.Title = "Profile" }),
		"owner":        session(0, func(s *schemas.Session) { s.Participants = []string{"Nobody Else"} }),
		"profile":      session(0, func(s *schemas.Session) { s.Title = "Profile of Nobody Else" }),
	}
	made := map[string]int{}
	for task, clean := range b.sessions {
		if _, err := d.Task(schemas.Task{TaskID: task}, b.premises(t, task)); err != nil {
			t.Errorf("clean %s: %v", task, err)
		}
		said := "The " + clean[0].Points[0].Attributes["aspect"] + " of " + clean[0].Points[0].Attributes["thing"] + " is Nowhere."
		for name, forge := range forgeries {
			changed := built{exhibits: b.exhibits, checkpoints: b.checkpoints, sessions: map[string][]schemas.Session{task: copied(t, clean)}}
			if !forge(changed.sessions[task], said) {
				continue
			}
			made[name]++
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

func other(is, one, two string) string {
	if is == one {
		return two
	}
	return one
}

// TestForgedSilence: a line that tells what nobody is to tell is found in whichever text
// of a turn it stands, though that text does not name the thing.
func TestForgedSilence(t *testing.T) {
	b, d := livesAndRuns(t), derivation(t)
	forged := 0
	for _, q := range b.questions {
		if q.Type != "lifelong_mb" {
			continue
		}
		if _, err := d.Question(q, b.premises(t, q.TaskID)); err != nil {
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
