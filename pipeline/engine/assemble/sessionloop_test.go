package assemble_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/revise"
)

// The lives are two tasks of three sessions about where somebody lives, each of
// which updates the one before. In one of them the second session's update is of
// another subject, and its third hears a secret: both are rewritten, at the gates of
// the real validators, with the sessions that follow.
type lives struct{}

func (lives) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameTask, schemas.NameSession, schemas.NameQuestion}, License: "CC0-1.0"}
}
func (lives) Needs() []pipeline.Need { return nil }

func (lives) Read(_ context.Context, _ *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	for _, task := range []string{"ann", "bea"} {
		all := livesOf(task)
		if task == "bea" {
			all[1].Points[0].Subject = task + "/work"
			all[2].Turns[0].Text += " That is a secret."
		}
		if err := giveLives(task, all, emit); err != nil {
			return err
		}
	}
	return nil
}

func livesOf(task string) (all []schemas.Session) {
	for i, town := range []string{"Oslo", "Bergen", "Tromso"} {
		s := schemas.Session{SessionID: schemas.SessionIDOf(task, i), TaskID: task, Kind: schemas.KindDialogue, Order: int32(i), Participants: []string{task}}
		turn := schemas.Turn{TurnID: schemas.TurnIDOf(s.SessionID, 1), SessionID: s.SessionID, Order: 1, Role: schemas.TurnUser, Speaker: task, Text: "I live in " + town + "."}
		p := schemas.MemoryPoint{
			MemoryID: schemas.PointIDOf(s.SessionID, 1), SessionID: s.SessionID, Content: task + " lives in " + town, Type: "fact", Importance: 1,
			Subject: task + "/home", Modality: schemas.ModalityText, EvidenceTurns: []string{turn.TurnID},
		}
		if i > 0 {
			p.IsUpdate, p.UpdateType, p.Supersedes = true, schemas.UpdateRevise, []string{all[i-1].Points[0].MemoryID}
		}
		s.Turns, s.Points = []schemas.Turn{turn}, []schemas.MemoryPoint{p}
		all = append(all, s)
	}
	return all
}

func giveLives(task string, all []schemas.Session, emit func(pipeline.Record) error) error {
	put := func(schema, id string, v any) error {
		r, err := pipeline.NewRecord(schema, id, v)
		if err != nil {
			return err
		}
		return emit(r)
	}
	if err := put(schemas.NameTask, task, schemas.Task{TaskID: task, Family: "lives", Media: []string{}}); err != nil {
		return err
	}
	for _, s := range all {
		if err := put(schemas.NameSession, s.SessionID, s.DeriveFields(all)); err != nil {
			return err
		}
	}
	last := all[len(all)-1].Turns[0]
	q := schemas.Question{
		QuestionID: task + "/Q1", Family: "lives", TaskID: task, Question: "Where does " + task + " live?", QuestionMCQ: "Where does " + task + " live?", AnswerText: "Tromso",
		Type: "home", Split: schemas.DefaultSplit, Labels: map[string]string{}, Media: []string{},
		Evidence: []schemas.Evidence{{Kind: schemas.EvidenceSession, Ref: last.SessionID, SessionID: last.SessionID, Role: schemas.RoleClue, Order: 1, Text: last.Text}},
	}
	return put(schemas.NameQuestion, q.QuestionID, q)
}

// discreet flags a session that has a secret in it.
type discreet struct{}

func (discreet) Spec() pipeline.Spec { return pipeline.Spec{Accepts: []string{schemas.NameSession}} }

func (discreet) Judge(_ context.Context, _ *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	if strings.Contains(string(items[0].Data), "secret") {
		return []pipeline.Judgement{{Outcome: pipeline.Fail, Code: "secret", Reason: "it tells a secret"}}, nil
	}
	return []pipeline.Judgement{{Outcome: pipeline.Pass}}, nil
}

// retold writes a task's sessions anew: what a gate found in one is mended, and each
// session after it follows from what the mended ones say.
type retold struct{}

func (retold) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameFlagged}, Emits: []string{schemas.NameSession}, Unit: "task_id"}
}

func (retold) Map(_ context.Context, _ *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	f, err := pipeline.Decode[schemas.Flagged](in)
	if err != nil {
		return nil, err
	}
	all := make([]schemas.Session, 0, 1+len(f.Copies))
	for _, one := range append([]schemas.Flagged{f}, f.Copies...) {
		s, err := pipeline.Decode[schemas.Session](pipeline.Record{ID: one.Item, Schema: one.Schema, Data: one.Record})
		if err != nil {
			return nil, err
		}
		switch one.Code {
		case "other-subject":
			s.Points[0].Subject = s.TaskID + "/home"
			s.Points[0].Content += " now"
		case "secret":
			s.Turns[0].Text = strings.TrimSuffix(s.Turns[0].Text, " That is a secret.")
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b schemas.Session) int { return cmp.Compare(a.Order, b.Order) })
	out := make([]pipeline.Record, len(all))
	for i, s := range all {
		if out[i], err = pipeline.NewRecord(schemas.NameSession, s.SessionID, s.DeriveFields(all)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

const livesYAML = `version: 1
release: {name: lives, from: [tied, asked]}
revise: {use: retell, rounds: 3}
sources:
  lives: {use: lives}
gates:
  discreet: {use: discreet, from: [lives], on_fail: revise}
  chain: {use: update-chain, from: [discreet], on_fail: revise}
  tied: {use: update-history, from: [chain]}
  asked: {use: any, from: [lives]}
`

func livesRegistry(t *testing.T) *pipeline.Registry {
	t.Helper()
	r := pipeline.NewRegistry()
	revise.Register(r)
	gates.Register(r)
	r.AddTool("ffmpeg", func(context.Context) (string, error) { return "of the tests", nil })
	pipeline.AddSource(r, "lives", "1", "tells", func(struct{}) (pipeline.Source, error) { return lives{}, nil })
	pipeline.AddStage(r, "retell", "1", "tells anew", func(struct{}) (pipeline.Stage, error) { return retold{}, nil })
	pipeline.AddGate(r, "discreet", "1", "hears secrets", func(struct{}) (pipeline.Gate, error) { return discreet{}, nil })
	pipeline.AddGate(r, "any", "1", "takes any question", func(struct{}) (pipeline.Gate, error) {
		return wordGate{func(schemas.Question) (string, map[string]string) { return "", nil }}, nil
	})
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return r
}

// loadWith is a configuration of a registry's plugins, in a folder of its own.
func loadWith(t *testing.T, reg *pipeline.Registry, text string) *config.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipeline.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path, reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestSessionsGoRoundWithTheirTask: what one session is flagged for sends its whole
// task back to the first gate, rewritten, and no other task (WorldMemArena C.2).
func TestSessionsGoRoundWithTheirTask(t *testing.T) {
	t.Parallel()
	reg := livesRegistry(t)
	res, err := assemble.Build(t.Context(), reg, loadWith(t, reg, livesYAML), assemble.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	c, err := release.Read(t.Context(), res.Release.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var judged []string
	for _, v := range c.Verdicts {
		if strings.HasPrefix(v.Item, "bea/S") || strings.Contains(v.Gate, "~") || v.Outcome != schemas.Pass {
			code, _, _ := strings.Cut(v.Reason, ":")
			judged = append(judged, strings.TrimSpace(fmt.Sprint(v.Item, " ", v.Gate, " ", v.Outcome, " ", code)))
		}
	}
	want := []string{
		"bea/S00 chain pass", "bea/S00 chain~1 pass", "bea/S00 discreet pass", "bea/S00 discreet~1 pass", "bea/S00 tied pass",
		"bea/S01 chain fail other-subject", "bea/S01 chain~1 pass", "bea/S01 discreet pass", "bea/S01 discreet~1 pass", "bea/S01 tied pass",
		"bea/S02 chain~1 pass", "bea/S02 discreet fail it tells a secret", "bea/S02 discreet~1 pass", "bea/S02 tied pass",
	}
	if !slices.Equal(judged, want) {
		t.Errorf("%q, want %q", judged, want)
	}
	cleanAudit(t, reg, res.Release.Dir)
	checkRetold(t, c)
}

// checkRetold wants the earlier forms kept, and what the rewritten session says in
// the one after it.
func checkRetold(t *testing.T, c release.Contents) {
	t.Helper()
	var flagged []string
	for _, f := range c.FlaggedRecords {
		flagged = append(flagged, fmt.Sprint(f.Item, " ", f.Version, " ", f.JudgedBy))
	}
	if want := []string{"bea/S01 0 [chain discreet]", "bea/S02 0 [discreet]"}; !slices.Equal(flagged, want) {
		t.Errorf("flagged %q, want %q", flagged, want)
	}
	table, _ := pipeline.NewRegistry().Table(schemas.NameSession)
	var recs []pipeline.Record
	for r, err := range c.Records(table) {
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, r)
	}
	if len(recs) != 6 {
		t.Fatalf("%d sessions", len(recs))
	}
	last, err := pipeline.Decode[schemas.Session](recs[5])
	if err != nil {
		t.Fatal(err)
	}
	if last.SessionID != "bea/S02" || last.Turns[0].Text != "I live in Tromso." || len(last.Earlier) != 1 || last.Earlier[0].Content != "bea lives in Bergen now" {
		t.Errorf("%+v", last)
	}
}
