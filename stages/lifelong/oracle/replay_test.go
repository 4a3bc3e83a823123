package oracle_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/oracle"
	"github.com/memforge/memforge/stages/lifelong/question"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// task is a simulated task; no pixels are drawn.
type task struct {
	sessions    []schemas.Session
	pictures    map[string]oracle.Picture
	checkpoints map[string]schemas.Checkpoint
	questions   []schemas.Question
}

// simulated returns a life of two domains and runs of two regimes, built once.
var simulated = sync.OnceValue(func() func(t *testing.T) []task {
	var out []task
	return func(t *testing.T) []task {
		t.Helper()
		if out == nil {
			size := simulate.Size{Sessions: 8, Facts: 4, Pictures: 2, Interference: 1, Chatter: 1}
			runs := size
			runs.Screens = 81
			out = append(build(t, "lifelong.worlds", lifelong.WorldsConfig{Count: 1, Domains: []string{"life", "software"}, Size: size}),
				build(t, "lifelong.simulators", lifelong.SimulatorsConfig{Count: 1, Domains: []string{"household", "shop"}, Size: runs})...)
		}
		return out
	}
})

func build(t *testing.T, source string, config any) (out []task) {
	t.Helper()
	lives, _, err := testkit.Subject{Register: lifelong.Register, Use: source, Seed: 3, Config: config}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	made := func(use string, config any, in pipeline.Record) []pipeline.Record {
		records, lost, err := testkit.Subject{Register: lifelong.Register, Use: use, Seed: 3, Config: config, Inputs: []pipeline.Record{in}}.Run(t)
		if err != nil || len(lost) > 0 {
			t.Fatalf("%s: %v, lost %v", use, err, lost)
		}
		return records
	}
	for _, life := range testkit.DecodeAll[lifelong.Simulation](t, "lifelong.life", lives) {
		k := task{pictures: map[string]oracle.Picture{}, checkpoints: map[string]schemas.Checkpoint{}}
		drawn := lifelong.RenderedSimulation{Simulation: life}
		for i, x := range life.World.Pictures {
			id := string(pipeline.DigestOf([]byte(fmt.Sprint(life.ID, i))))
			drawn.MediaIDs = append(drawn.MediaIDs, id)
			k.pictures[id] = oracle.Picture{Title: x.Title, Rows: x.Rows}
		}
		album, err := pipeline.NewRecord("lifelong.album", life.ID, drawn)
		if err != nil {
			t.Fatal(err)
		}
		given := made("lifelong.sessions", lifelong.CheckpointConfig{Checkpoints: 3}, album)
		k.sessions = testkit.DecodeAll[schemas.Session](t, schemas.NameSession, given)
		for _, c := range testkit.DecodeAll[schemas.Checkpoint](t, schemas.NameCheckpoint, given) {
			k.checkpoints[c.CheckpointID] = c
		}
		k.questions = testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, made("lifelong.ask", lifelong.AskConfig{Checkpoints: 3, PerType: 2}, album))
		out = append(out, k)
	}
	return out
}

func (k task) read() *oracle.Task { return oracle.New(k.sessions, k.pictures) }

// copied returns a task whose sessions one may change.
func (k task) copied(t *testing.T) task {
	t.Helper()
	data, err := json.Marshal(k.sessions)
	if err != nil {
		t.Fatal(err)
	}
	k.sessions = nil
	if err := json.Unmarshal(data, &k.sessions); err != nil {
		t.Fatal(err)
	}
	return k
}

// checks are those that an audit makes of a task.
func checks(k *oracle.Task) error {
	for _, check := range []func() error{k.CheckFrames, k.CheckUnlearned, k.CheckStrayValues, k.CheckAgentSteps, k.CheckPoints} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// TestQuestionsAreThoseOfTheSimulation: the oracle works every question out of the turns as
// the simulation stated it, and finds nothing wrong with a task.
func TestQuestionsAreThoseOfTheSimulation(t *testing.T) {
	types := map[string]int{}
	for _, k := range simulated()(t) {
		again := k.read()
		if err := checks(again); err != nil {
			t.Error(err)
		}
		for n := range k.sessions {
			stated := map[string][]string{}
			state := again.State(n)
			for subject, values := range state {
				stated[subject] = values
			}
			if len(stated) == 0 || len(oracle.Mentions(k.sessions, "", n)) == 0 {
				t.Errorf("session %d of %s has no state", n, k.sessions[0].TaskID)
			}
		}
		for _, q := range k.questions {
			end := len(k.checkpoints[q.CheckpointID].Sessions) - 1
			var texts []string
			for _, o := range q.Options {
				texts = append(texts, o.Text)
			}
			r, err := again.Answer(q.Question, end, texts...)
			if err != nil {
				t.Errorf("%s: %v", q.QuestionID, err)
				continue
			}
			if err := r.CheckOptions(texts); err != nil {
				t.Errorf("%s: %v", q.QuestionID, err)
			}
			if err := again.CheckUntold(r, end); err != nil {
				t.Errorf("%s: %v", q.QuestionID, err)
			}
			item := again.Question(q, r, end)
			item.Split = q.Split
			item.SetOptions(q.Options...)
			if got, want := golden.JSON(t, item), golden.JSON(t, q); r.Right != q.AnswerText || got != want {
				t.Errorf("%s: %q\n%s\nwant\n%s", q.QuestionID, r.Right, got, want)
			}
			types[q.Type]++
		}
	}
	for _, ty := range question.Types() {
		if types["lifelong_"+ty] < 2 {
			t.Errorf("%d questions of type %s", types["lifelong_"+ty], ty)
		}
	}
}

// TestGoldenStates shows what a replay holds true after the last session of each task, what
// it takes to be superseded and what it wants remembered.
func TestGoldenStates(t *testing.T) {
	var out strings.Builder
	for _, k := range simulated()(t) {
		again := k.read()
		last := len(k.sessions) - 1
		fmt.Fprintf(&out, "# %s: %s of %s\n", oracle.Summary(k.sessions), oracle.Scenario(oracle.Domain(k.sessions[0].TaskID)), oracle.Domain(k.sessions[0].TaskID))
		var lines []string
		for subject, values := range again.State(last) {
			lines = append(lines, fmt.Sprintf("%s: %q\n", subject, values))
		}
		for point, session := range again.Superseded(last) {
			lines = append(lines, fmt.Sprintf("superseded %s: %d\n", point, session))
		}
		slices.Sort(lines)
		out.WriteString(strings.Join(lines, ""))
		fmt.Fprintf(&out, "points %s\n", golden.Digest(t, again.Points()))
		for _, p := range again.Points()[2][:3] {
			fmt.Fprintln(&out, golden.JSON(t, p))
		}
	}
	golden.Check(t, "states", out.String())
}

// TestGoldenForgeries shows what is said of tasks that somebody changed.
func TestGoldenForgeries(t *testing.T) {
	turn := func(role string, f func(x *schemas.Turn)) func(k *task) {
		return func(k *task) {
			for s := range k.sessions {
				for i := range k.sessions[len(k.sessions)-1-s].Turns {
					if x := &k.sessions[len(k.sessions)-1-s].Turns[i]; x.Role == role && s < len(k.sessions)-1 {
						f(x)
						return
					}
				}
			}
		}
	}
	fact := func(k *task) string {
		p := k.sessions[0].Points[0]
		return "The " + p.Attributes["aspect"] + " of " + p.Attributes["thing"] + " is Nowhere."
	}
	var out strings.Builder
	for _, f := range []struct {
		name   string
		change func(k *task)
	}{
		{"title", func(k *task) { k.sessions[1].Title = "Talk" }},
		{"kind", func(k *task) { k.sessions[1].Kind = schemas.KindGroupChat }},
		{"participants", func(k *task) { k.sessions[1].Participants = []string{"Zoe Yarrow"} }},
		{"profile's kind", func(k *task) { k.sessions[0].Kind = schemas.KindDialogue }},
		{"profile's title", func(k *task) { k.sessions[0].Title = "" }},
		{"profile's participants", func(k *task) { k.sessions[0].Participants = append(k.sessions[0].Participants, "Zoe Yarrow") }},
		{"owner", func(k *task) { k.sessions[0].Participants = []string{"Zoe Yarrow"} }},
		{"no profile", func(k *task) { k.sessions[0].Turns = nil }},
		{"time", turn(schemas.TurnUser, func(x *schemas.Turn) { x.Timestamp = "2031-01-01T00:00:00Z" })},
		{"place", turn(schemas.TurnUser, func(x *schemas.Turn) { x.Position = 2 })},
		{"step of a user", turn(schemas.TurnUser, func(x *schemas.Turn) { x.Feedback = "Saved." })},
		{"words of an agent", turn(schemas.TurnAgent, func(x *schemas.Turn) { x.Text = "Done." })},
		{"assistant's fact", func(k *task) {
			turn(schemas.TurnAssistant, func(x *schemas.Turn) { x.Text += " " + fact(k) })(k)
		}},
		{"agent's fact", func(k *task) { turn(schemas.TurnAgent, func(x *schemas.Turn) { x.Observation += " " + fact(k) })(k) }},
		{"agent's action", turn(schemas.TurnAgent, func(x *schemas.Turn) { x.Action = "CLICK \"everything\"" })},
		{"agent's feedback", turn(schemas.TurnAgent, func(x *schemas.Turn) { x.Feedback = "Refused." })},
		{"user's fact", func(k *task) { turn(schemas.TurnUser, func(x *schemas.Turn) { x.Text += " " + fact(k) })(k) }},
		{"point's importance", func(k *task) { k.sessions[1].Points[0].Importance++ }},
		{"point's text", func(k *task) { k.sessions[1].Points[0].Content = "Nothing." }},
		{"no point", func(k *task) { k.sessions[1].Points = k.sessions[1].Points[1:] }},
		{"a point twice", func(k *task) { k.sessions[1].Points = append(k.sessions[1].Points, k.sessions[1].Points[0]) }},
	} {
		for i, k := range simulated()(t) {
			if i%2 == 1 {
				continue // one life and one run
			}
			k = k.copied(t)
			f.change(&k)
			err := checks(k.read())
			text := fmt.Sprint(err)
			fmt.Fprintf(&out, "%s of %s: %.300s\n", f.name, oracle.Domain(k.sessions[0].TaskID), text)
		}
	}
	golden.Check(t, "forgeries", out.String())
}

// TestGoldenRefusals shows what is said of questions that lead nowhere, and of wrong options.
func TestGoldenRefusals(t *testing.T) {
	var out strings.Builder
	seen := map[string]bool{}
	for _, k := range simulated()(t) {
		again := k.read()
		for _, q := range k.questions {
			if seen[q.Type] {
				continue
			}
			seen[q.Type] = true
			end := len(k.checkpoints[q.CheckpointID].Sessions) - 1
			fmt.Fprintf(&out, "# %s\n%s\n", q.Type, q.Question)
			for _, change := range []func(string) string{
				func(s string) string { return strings.Replace(s, "the ", "the Gilded ", 1) },
				func(s string) string { return strings.TrimSuffix(s, "?") },
				func(s string) string { return "Say: " + s },
			} {
				r, err := again.Answer(change(q.Question), end)
				fmt.Fprintf(&out, " %q %v\n", r.Right, err)
			}
			r, err := again.Answer(q.Question, end)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, o := range q.Options {
				texts = append(texts, o.Text)
			}
			for at := range texts {
				changed := slices.Clone(texts)
				changed[at] = "Zoe Yarrow"
				fmt.Fprintf(&out, " %q: %v\n", changed, r.CheckOptions(changed))
			}
			fmt.Fprintf(&out, " %v; %v\n", r.CheckOptions(texts[:3]), r.CheckOptions(append(texts[:3:3], texts[0])))
		}
	}
	golden.Check(t, "refusals", out.String())
}
