package lifelong_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/oracle"
	"github.com/memforge/memforge/stages/lifelong/question"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// built is all that is made of some worlds.
type built struct {
	exhibits    map[string]oracle.Picture
	sessions    map[string][]schemas.Session
	checkpoints map[string]schemas.Checkpoint
	questions   []schemas.Question
	standings   []lifelong.Standing
	pictures    int
}

func run(t *testing.T, use string, seed uint64, config any, in ...pipeline.Record) []pipeline.Record {
	t.Helper()
	out, lost, err := testkit.Subject{Register: lifelong.Register, Use: use, Seed: seed, Config: config, Inputs: in}.Run(t)
	if err != nil || len(lost) > 0 {
		t.Fatalf("%s: %v, lost %v", use, err, lost)
	}
	return out
}

func of(schema string, from []pipeline.Record) []pipeline.Record {
	return slices.DeleteFunc(slices.Clone(from), func(r pipeline.Record) bool { return r.Schema != schema })
}

func config() lifelong.WorldsConfig {
	var c lifelong.WorldsConfig
	c.SetDefaults()
	c.Size = simulate.Size{Sessions: 8, Facts: 5, Pictures: 2, Interference: 1, Chatter: 2}
	return c
}

var once struct {
	sync.Mutex
	b *built
}

// made is a life of each domain, built once.
func made(t *testing.T) built {
	t.Helper()
	once.Lock()
	defer once.Unlock()
	if once.b == nil {
		b := build(t, 7)
		once.b = &b
	}
	return *once.b
}

func build(t *testing.T, seed uint64) built {
	t.Helper()
	lives, _, err := testkit.Subject{Register: lifelong.Register, Use: "lifelong.worlds", Seed: seed, Config: config()}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	return buildOf(t, seed, lives)
}

// buildOf is all that is made of lives, without the pixels of its pictures: what is read
// from these, other tests say.
func buildOf(t *testing.T, seed uint64, lives []pipeline.Record) built {
	t.Helper()
	out := built{exhibits: map[string]oracle.Picture{}, sessions: map[string][]schemas.Session{}, checkpoints: map[string]schemas.Checkpoint{}}
	drawn, lost, err := testkit.Subject{Register: lifelong.RegisterUndrawn, Use: "lifelong.draw", Seed: seed, Inputs: lives}.Run(t)
	if err != nil || len(lost) > 0 {
		t.Fatalf("draw: %v, lost %v", err, lost)
	}
	albums := of("lifelong.album", drawn)
	for _, x := range testkit.DecodeAll[lifelong.RenderedPicture](t, "lifelong.exhibit", drawn) {
		p := oracle.Picture{Title: x.Title}
		for _, r := range x.Rows {
			p.Rows = append(p.Rows, [2]string{r.Name, r.Value})
		}
		out.exhibits[x.MediaID] = p
	}
	out.pictures = len(of(schemas.NameMedia, drawn))
	given := run(t, "lifelong.sessions", seed, nil, albums...)
	for _, s := range testkit.DecodeAll[schemas.Session](t, schemas.NameSession, given) {
		out.sessions[s.TaskID] = append(out.sessions[s.TaskID], s)
	}
	for _, c := range testkit.DecodeAll[schemas.Checkpoint](t, schemas.NameCheckpoint, given) {
		out.checkpoints[c.CheckpointID] = c
	}
	asked := run(t, "lifelong.ask", seed, nil, albums...)
	out.questions = testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, asked)
	out.standings = testkit.DecodeAll[lifelong.Standing](t, "lifelong.standing", asked)
	return out
}

// TestReplayAgrees reads every task again from its turns and pictures: see agrees.
func TestReplayAgrees(t *testing.T) {
	t.Parallel()
	allAgree(t, made(t))
}

// allAgree is agrees for all tasks, and wants every type to be asked for often.
func allAgree(t *testing.T, b built) {
	t.Helper()
	types := map[string]int{}
	for _, q := range b.questions {
		types[q.Type]++
		if len(q.Options) != 4 {
			t.Errorf("%s has %d options", q.QuestionID, len(q.Options))
		}
	}
	of := map[string][]schemas.Question{}
	for _, q := range b.questions {
		of[q.TaskID] = append(of[q.TaskID], q)
	}
	for task, all := range b.sessions {
		agrees(t, all, b.exhibits, b.checkpoints, of[task])
	}
	for _, ty := range question.Types() {
		if types["lifelong_"+ty] < 7 {
			t.Errorf("%d questions of type %s in all tasks, want 7 or more", types["lifelong_"+ty], ty)
		}
	}
	t.Logf("%d tasks, %d pictures, %d questions: %v", len(b.sessions), b.pictures, len(b.questions), types)
}

// agrees wants a replay of a task to give the same state after every session, the same
// superseded points, the same points to remember, and of each question the same answer,
// evidence and labels, also when all sessions after its checkpoint are cut off. What a
// memory must not know stands in no turn, caption, picture or state.
func agrees(t *testing.T, all []schemas.Session, shown map[string]oracle.Picture, checkpoints map[string]schemas.Checkpoint, questions []schemas.Question) {
	t.Helper()
	again := oracle.New(all, shown)
	for n := range all {
		sameState(t, all[0].TaskID, n, all, again)
	}
	if err := again.CheckPoints(); err != nil {
		t.Errorf("%s: %v", all[0].TaskID, err)
	}
	parts := map[int]*oracle.Task{len(all) - 1: again}
	for _, q := range questions {
		texts := textsOf(t, q)
		end := len(checkpoints[q.CheckpointID].Sessions) - 1
		if parts[end] == nil {
			parts[end] = oracle.New(all[:end+1], shown)
		}
		for _, part := range []*oracle.Task{again, parts[end]} {
			r, err := part.Answer(q.Question, end, texts...)
			if err != nil {
				t.Errorf("%s (%s): %v", q.QuestionID, q.Type, err)
				continue
			}
			if err := r.CheckOptions(texts); err != nil {
				t.Errorf("%s: %v", q.QuestionID, err)
			}
			item := part.Question(q, r, end)
			item.Split = q.Split
			item.SetOptions(q.Options...)
			if stated, follows := fmt.Sprintf("%+v", q), fmt.Sprintf("%+v", item); r.Right != q.AnswerText || stated != follows {
				t.Errorf("%s: replay has %q and\n%s\nstated is\n%s", q.QuestionID, r.Right, follows, stated)
			}
		}
		if q.Type == "lifelong_mb" {
			absent(t, q, all, shown, again.State(end), end)
		}
	}
}

// textsOf are the options of a question, no two of which may say the same.
func textsOf(t *testing.T, q schemas.Question) (out []string) {
	t.Helper()
	lower := map[string]bool{}
	for _, o := range q.Options {
		out, lower[strings.ToLower(o.Text)] = append(out, o.Text), true
	}
	if len(lower) != len(out) {
		t.Errorf("%s: two of %q say the same", q.QuestionID, out)
	}
	return out
}

// absent wants nothing up to a session to tell what a question asks.
func absent(t *testing.T, q schemas.Question, all []schemas.Session, shown map[string]oracle.Picture, state map[string][]string, end int) {
	t.Helper()
	subject := strings.TrimSuffix(strings.TrimPrefix(q.Labels[schemas.LabelFact], strings.TrimPrefix(q.TaskID, "lifelong/")+"/"), "/unsaid")
	thing, aspect, _ := strings.Cut(subject, "/")
	if len(state[subject]) > 0 {
		t.Errorf("%s asks for %s, which is %q", q.QuestionID, subject, state[subject])
	}
	lines := oracle.Mentions(all, thing, end)
	for _, s := range all[:end+1] {
		for _, turn := range s.Turns {
			for _, a := range turn.Attachments {
				if p := shown[a.MediaID]; "the "+p.Title == thing {
					lines = append(lines, fmt.Sprint(p.Rows))
				}
			}
		}
	}
	if len(lines) == 0 || aspect == "" {
		t.Errorf("%s asks for %q, and nobody speaks of it", q.QuestionID, subject)
	}
	for _, l := range lines {
		if strings.Contains(l, aspect) {
			t.Errorf("%s asks for %s, which is told in %q", q.QuestionID, subject, l)
		}
	}
}

// sameState compares the gold state after a session with the replay's.
func sameState(t *testing.T, task string, n int, all []schemas.Session, again *oracle.Task) {
	t.Helper()
	want, old := map[string][]string{}, map[string]int{}
	for _, p := range schemas.GoldBefore(all, int32(n+1)) {
		if p.Attributes["thing"] == "rule" {
			continue
		}
		if p.Holds() {
			want[p.Subject] = append(want[p.Subject], p.Attributes["value"])
		}
		if len(p.SupersededBy) > 0 {
			old[p.Subject]++
		}
	}
	got, gone := again.State(n), again.Superseded(n)
	if len(got) != len(want) {
		t.Errorf("%s after session %d: %d subjects hold, the replay has %d", task, n, len(want), len(got))
	}
	for subject, values := range want {
		if !slices.Equal(got[subject], values) || gone[subject] != old[subject] {
			t.Errorf("%s after session %d: %s is %q with %d superseded, the replay has %q with %d", task, n, subject, values, old[subject], got[subject], gone[subject])
		}
	}
}

// TestSessionsPassTheirGates asks the structure of every validator of C.2 of clean
// sessions: none may have a fault.
func TestSessionsPassTheirGates(t *testing.T) {
	t.Parallel()
	passes(t, made(t), schemas.UpdateMerge)
}

// passes looks for faults of sessions, and for the kinds of points that all worlds have
// and some more.
func passes(t *testing.T, b built, more ...string) {
	t.Helper()
	n, kinds := 0, map[string]int{}
	for _, all := range b.sessions {
		for _, s := range all {
			n++
			faults := slices.Concat(sessions.Coverage(s), sessions.Captions(s), sessions.Interference(s), sessions.Chain(s))
			for _, f := range faults {
				t.Errorf("%s: %+v", s.SessionID, f)
			}
			for _, p := range s.Points {
				kinds[p.UpdateType]++
				if p.IsInterference {
					kinds["interference"]++
				}
			}
		}
	}
	for _, k := range append(more, schemas.UpdateRevise, schemas.UpdateSplit, schemas.UpdateDelete, "interference") {
		if kinds[k] == 0 {
			t.Errorf("no point of kind %s in %d sessions", k, n)
		}
	}
	t.Logf("%d sessions: %v", n, kinds)
}
