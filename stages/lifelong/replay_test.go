package lifelong_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// TestReplayOfManyTasks replays 28 tasks of eight sessions, undrawn; in the small size
// seven.
func TestReplayOfManyTasks(t *testing.T) {
	t.Parallel()
	c := config()
	c.Count = testsize.Choose(1, 4)
	lives, _, err := testkit.Subject{Register: lifelong.Register, Use: "lifelong.worlds", Seed: 23, Config: c}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	parts := make([][]int, min(len(lives), 8)) // replayed beside each other
	t.Run("part", func(t *testing.T) {
		for i := range parts {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				for n := i; n < len(lives); n += len(parts) {
					parts[i] = append(parts[i], replayed(t, lives[n]))
				}
			})
		}
	})
	questions := slices.Concat(parts...)
	if len(questions) != len(lives) {
		t.Fatalf("%d of %d tasks were replayed", len(questions), len(lives))
	}
	all := 0
	for _, n := range questions {
		all += n
	}
	if all < 20*len(lives) {
		t.Errorf("%d questions of %d tasks", all, len(lives))
	}
	t.Logf("%d tasks, %d questions", len(lives), all)
}

// replayed wants the replay of a task that is not drawn to agree, and gives how many
// questions were asked.
func replayed(t *testing.T, life pipeline.Record) int {
	t.Helper()
	album, shown := renderWithoutPixels(t, life)
	given := run(t, "lifelong.sessions", 23, nil, album)
	checks := map[string]schemas.Checkpoint{}
	for _, c := range testkit.DecodeAll[schemas.Checkpoint](t, schemas.NameCheckpoint, given) {
		checks[c.CheckpointID] = c
	}
	asked := testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, run(t, "lifelong.ask", 23, nil, album))
	agrees(t, testkit.DecodeAll[schemas.Session](t, schemas.NameSession, given), shown, checks, asked)
	return len(asked)
}

// ofTasks gives the premises of tasks, each made once, for what changes none of them.
func (b built) ofTasks(t *testing.T) func(task string) pipeline.Premises {
	made := map[string]pipeline.Premises{}
	return func(task string) pipeline.Premises {
		t.Helper()
		if _, ok := made[task]; !ok {
			made[task] = b.premises(t, task)
		}
		return made[task]
	}
}

// premises are what a release has of a task.
func (b built) premises(t *testing.T, task string) pipeline.Premises {
	t.Helper()
	p := pipeline.Premises{Records: map[string][]pipeline.Record{}}
	add := func(schema, id string, v any) {
		r, err := pipeline.NewRecord(schema, id, v)
		if err != nil {
			t.Fatal(err)
		}
		p.Records[schema] = append(p.Records[schema], r)
	}
	for _, s := range b.sessions[task] {
		s.Earlier = nil
		add(schemas.NameSession, s.SessionID, s)
		for _, turn := range s.Turns {
			for _, a := range turn.Attachments {
				x := lifelong.RenderedPicture{PictureID: "exhibit-" + a.MediaID, MediaID: a.MediaID, Kind: drawnAs(a), Title: b.exhibits[a.MediaID].Title}
				for _, r := range b.exhibits[a.MediaID].Rows {
					x.Rows = append(x.Rows, lifelong.PictureRow{Name: r[0], Value: r[1]})
				}
				add("lifelong.exhibit", a.MediaID, x)
			}
		}
	}
	for _, c := range b.checkpoints {
		if c.TaskID == task {
			add(schemas.NameCheckpoint, c.CheckpointID, c)
		}
	}
	for _, s := range b.standings {
		if s.TaskID == task {
			add("lifelong.standing", s.StandingID, s)
		}
	}
	return p
}

func derivation(t *testing.T) pipeline.Derivation {
	t.Helper()
	reg := pipeline.NewRegistry()
	lifelong.Register(reg)
	d, ok := reg.Derivation("lifelong")
	if !ok {
		t.Fatal("the family has no derivation")
	}
	return d
}

// TestForgedQuestions changes a question of each type one column at a time: what is
// derived then differs, or says what is wrong.
func TestForgedQuestions(t *testing.T) {
	t.Parallel()
	b, d := made(t), derivation(t)
	forgeries := map[string]func(*schemas.Question){
		"answer": func(q *schemas.Question) { q.AnswerText += "s" }, "key": func(q *schemas.Question) { q.AnswerKey += "A" },
		"roles": func(q *schemas.Question) {
			for i := range q.Options {
				q.Options[i].Role = schemas.RoleDistractor
			}
		},
		"evidence gone": func(q *schemas.Question) { less(&q.Evidence) }, "evidence text": func(q *schemas.Question) { first(&q.Evidence).Text += "." },
		"caption": func(q *schemas.Question) { first(&q.Evidence).TaskAwareCaption += "." }, "evidence role": func(q *schemas.Question) { first(&q.Evidence).Role = "x" },
		"difficulty": func(q *schemas.Question) { q.Labels["difficulty"] += "er" }, "updates": func(q *schemas.Question) { q.Labels["updates"] += "1" },
		"distance": func(q *schemas.Question) { q.Labels["distance"] += "1" }, "axis": func(q *schemas.Question) { q.Labels["axis"] += "X" },
		"domain": func(q *schemas.Question) { q.Labels["domain"] = "law" }, "fact": func(q *schemas.Question) { q.Labels[schemas.LabelFact] += "2" },
		"label": func(q *schemas.Question) { q.Labels["outside_fact"] += "!" }, "explanation": func(q *schemas.Question) { q.Explanation = "So it is." },
		"type": func(q *schemas.Question) { q.Type += "x" }, "words": func(q *schemas.Question) { q.Question += "?" }, "media": func(q *schemas.Question) { q.Media = append(q.Media, "x") },
		"checkpoint": func(q *schemas.Question) { q.CheckpointID += "0" }, "choice form": func(q *schemas.Question) { q.QuestionMCQ += "." }, "family": func(q *schemas.Question) { q.Family = "x" },
	}
	seen := map[string]bool{}
	for _, q := range b.questions {
		if seen[q.Type] {
			continue
		}
		seen[q.Type] = true
		p := b.premises(t, q.TaskID)
		differs := func(q schemas.Question) bool {
			got, err := d.Question(q, p)
			return err != nil || fmt.Sprintf("%+v", got.Item) != fmt.Sprintf("%+v", q)
		}
		if differs(q) {
			t.Errorf("clean %s differs", q.QuestionID)
		}
		for name, forge := range forgeries {
			forged := copied(t, q)
			if forge(&forged); !differs(forged) {
				t.Errorf("%s with forged %s: nothing differs", q.QuestionID, name)
			}
		}
	}
}

// first is the first of some, one that is made up where there is none.
func first[T any](of *[]T) *T {
	if len(*of) == 0 {
		*of = make([]T, 1)
	}
	return &(*of)[0]
}

// less takes the first away, and makes one up where there is none.
func less[T any](of *[]T) {
	if len(*of) == 0 {
		first(of)
		return
	}
	*of = (*of)[1:]
}

// copied shares nothing with what it is a copy of.
func copied[T any](t *testing.T, v T) T {
	t.Helper()
	r, err := pipeline.NewRecord("copy", "copy", v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := pipeline.Decode[T](r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestForgedPoints changes what sessions give to remember, one column at a time.
func TestForgedPoints(t *testing.T) {
	t.Parallel()
	b, d := made(t), derivation(t)
	const id = "lifelong/health-0000"
	if _, err := d.Task(schemas.Task{TaskID: id}, b.premises(t, id)); err != nil {
		t.Fatalf("clean: %v", err)
	}
	for name, forge := range map[string]func(*schemas.Session){
		"content": func(s *schemas.Session) { s.Points[0].Content += " not" }, "value": func(s *schemas.Session) { s.Points[0].Attributes["value"] = "x" },
		"subject": func(s *schemas.Session) { s.Points[0].Subject += "x" }, "type": func(s *schemas.Session) { s.Points[0].Type = "x" },
		"importance": func(s *schemas.Session) { s.Points[0].Importance = 9 }, "modality": func(s *schemas.Session) { s.Points[0].Modality = "x" },
		"evidence": func(s *schemas.Session) { s.Points[0].EvidenceTurns[0] = s.Turns[len(s.Turns)-1].TurnID }, "gone": func(s *schemas.Session) { s.Points = s.Points[1:] },
		"interference": func(s *schemas.Session) { s.Points[0].IsInterference = !s.Points[0].IsInterference }, "update": func(s *schemas.Session) { s.Points[0].IsUpdate = !s.Points[0].IsUpdate },
		"superseded": func(s *schemas.Session) { s.Points[0].Supersedes = append(s.Points[0].Supersedes, "x") }, "arc": func(s *schemas.Session) { s.ArcRole = map[string]string{"main": "side", "side": "main"}[s.ArcRole] },
		"words": func(s *schemas.Session) {
			for i := range s.Turns {
				s.Turns[i].Text = "Nothing new."
			}
		},
	} {
		for n := 0; n < len(b.sessions[id]); n += testsize.Choose(4, 1) {
			changed := built{exhibits: b.exhibits, checkpoints: b.checkpoints, sessions: map[string][]schemas.Session{id: copied(t, b.sessions[id])}}
			forge(&changed.sessions[id][n])
			if _, err := d.Task(schemas.Task{TaskID: id}, changed.premises(t, id)); err == nil {
				t.Errorf("session %d with forged %s: nothing is wrong", n, name)
			}
		}
	}
}

// TestForgedStandings changes what a question is said to rest on, one column at a time.
func TestForgedStandings(t *testing.T) {
	t.Parallel()
	b, d := made(t), derivation(t)
	for name, forge := range map[string]func(*lifelong.Standing){
		"type": func(s *lifelong.Standing) { s.Type += "x" }, "last": func(s *lifelong.Standing) { s.Last++ }, "answer": func(s *lifelong.Standing) { s.Answer += "x" },
		"aspect": func(s *lifelong.Standing) { s.Aspect += "x" }, "lines": func(s *lifelong.Standing) { s.Lines = append(s.Lines, "x") }, "asked": func(s *lifelong.Standing) { s.Asked += "x" },
		"ref": func(s *lifelong.Standing) { first(&s.Pieces).Ref += "x" }, "order": func(s *lifelong.Standing) { first(&s.Pieces).Order++ }, "session": func(s *lifelong.Standing) { first(&s.Pieces).SessionID += "x" },
		"pieces": func(s *lifelong.Standing) { less(&s.Pieces) }, "question": func(s *lifelong.Standing) { s.QuestionID += "x" }, "id": func(s *lifelong.Standing) { s.StandingID += "x" },
	} {
		seen := map[string]bool{}
		for i, s := range b.standings {
			if seen[s.Type] {
				continue
			}
			seen[s.Type] = true
			forged := copied(t, s)
			forge(&forged)
			changed := b
			changed.standings = slices.Concat(b.standings[:i], []lifelong.Standing{forged}, b.standings[i+1:])
			q := b.questions[slices.IndexFunc(b.questions, func(q schemas.Question) bool { return q.QuestionID == s.QuestionID })]
			if _, err := d.Question(q, changed.premises(t, s.TaskID)); err == nil {
				t.Errorf("%s with forged %s: nothing is wrong", s.StandingID, name)
			}
		}
		if len(seen) != 11 {
			t.Errorf("%s was forged in rows of %d types", name, len(seen))
		}
	}
}

// drawnAs is of what kind a picture is, by what it is called.
func drawnAs(a schemas.Attachment) string {
	known := map[string]string{"a picture of a card": simulate.Card, "a screenshot of a table": simulate.Sheet, "a bar chart": simulate.Chart}
	return cmp.Or(known[a.MinimalCaption], simulate.Screen)
}
