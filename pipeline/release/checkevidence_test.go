package release

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// lived is a task with two sessions, of which the second shows a picture, a checkpoint
// after each, and a question that cites the round with the picture.
type lived struct {
	sessions    []schemas.Session
	checkpoints []schemas.Checkpoint
	question    schemas.Question
}

func live(in Input) lived {
	var l lived
	picture := ""
	for _, r := range in.Records {
		if m, err := pipeline.Decode[schemas.Media](r); err == nil && m.Kind == kindOfImage {
			picture = m.MediaID
		}
	}
	for i := range 2 {
		id := schemas.SessionIDOf("t-0", i)
		s := schemas.Session{
			SessionID: id, TaskID: "t-0", Kind: schemas.KindDialogue, Order: int32(i), Date: "2024-06-17", Participants: []string{"Ada", schemas.TurnAssistant},
			Turns: []schemas.Turn{
				{TurnID: schemas.TurnIDOf(id, 1), SessionID: id, Order: 1, Role: schemas.TurnUser, Speaker: "Ada", Text: "Look at this."},
				{TurnID: schemas.TurnIDOf(id, 2), SessionID: id, Order: 2, Role: schemas.TurnAssistant, Text: "A red cup."},
			},
		}
		l.sessions = append(l.sessions, s)
		l.checkpoints = append(l.checkpoints, schemas.Checkpoint{CheckpointID: schemas.CheckpointIDOf("t-0", i), TaskID: "t-0", Order: int32(i)})
		for _, before := range l.sessions {
			l.checkpoints[i].Sessions = append(l.checkpoints[i].Sessions, before.SessionID)
		}
	}
	shown := &l.sessions[1]
	shown.Turns[0].Attachments = []schemas.Attachment{{AttachmentID: schemas.AttachmentIDOf(shown.SessionID, 1), MediaID: picture, Type: "photo", Caption: "A cup on a shelf."}}
	l.question = question(0, "t-0", picture)
	l.question.CheckpointID = l.checkpoints[1].CheckpointID
	l.question.Evidence = []schemas.Evidence{{
		Kind: schemas.EvidenceTurn, Ref: shown.Turns[0].TurnID, Role: schemas.RoleClue, SessionID: shown.SessionID, Order: 1,
		Text: schemas.QuoteTurns(shown.Date, shown.Turns...), Media: picture, Caption: "A cup on a shelf.", MinimalCaption: "a picture",
	}}
	return l
}

// release tries to release it.
func (l lived) release(t *testing.T, store pipeline.Store, in Input) error {
	t.Helper()
	for _, schema := range []string{schemas.NameSession, schemas.NameCheckpoint} {
		table, _ := pipeline.NewRegistry().Table(schema)
		in.Tables = append(in.Tables, table.Tables()...)
	}
	for _, s := range l.sessions {
		in.Records = append(in.Records, record(t, schemas.NameSession, s.SessionID, s))
	}
	for _, c := range l.checkpoints {
		in.Records = append(in.Records, record(t, schemas.NameCheckpoint, c.CheckpointID, c))
	}
	replaceRecord(t, &in, schemas.NameQuestion, l.question.QuestionID, l.question)
	_, err := Write(t.Context(), store, t.TempDir(), in, Options{Gallery: gallery(t, in)})
	return err
}

func TestWhatQuestionsCiteAgrees(t *testing.T) {
	t.Parallel()
	evidence := func(l *lived) *schemas.Evidence { return &l.question.Evidence[0] }
	video := func(in Input) string {
		for _, r := range in.Records {
			if m, err := pipeline.Decode[schemas.Media](r); err == nil && m.Kind == kindOfVideo {
				return m.MediaID
			}
		}
		return ""
	}
	sufficient := func(l *lived, sets string) {
		l.question.Labels = maps.Clone(l.question.Labels)
		if l.question.Labels == nil {
			l.question.Labels = map[string]string{}
		}
		l.question.Labels[schemas.LabelSufficient] = sets
	}
	shown := func(l *lived) *[]schemas.Attachment { return &l.sessions[1].Turns[0].Attachments }
	for name, c := range map[string]struct {
		want   string
		change func(l *lived, in Input)
	}{
		"as it was":                   {"", func(*lived, Input) {}},
		"g02 session of another task": {"has another task_id", func(l *lived, _ Input) { l.sessions[0].TaskID = "t-1" }},
		"g03 sessions out of order":   {"not in their order", func(l *lived, _ Input) { s := l.checkpoints[1].Sessions; s[0], s[1] = s[1], s[0] }},
		"g03 a session twice":         {"not in their order", func(l *lived, _ Input) { l.checkpoints[1].Sessions[1] = l.checkpoints[1].Sessions[0] }},
		"g04 an order below 0":        {"order is -1", func(l *lived, _ Input) { l.checkpoints[0].Order = -1 }},
		"g04 one order of two":        {"has the order 1", func(l *lived, _ Input) { l.checkpoints[0].Order = 1 }},
		"g05 asked before it is said": {"does not cover", func(l *lived, _ Input) { l.question.CheckpointID = l.checkpoints[0].CheckpointID }},
		"g06 checkpoint of another":   {"has another task_id", func(l *lived, _ Input) { l.checkpoints[1].TaskID = "t-1" }},
		"g15 question of another":     {"has another task_id", func(l *lived, _ Input) { l.question.TaskID = "t-1" }},
		"p01 another picture":         {"another picture than", func(l *lived, in Input) { (*shown(l))[0].MediaID = video(in) }},
		"p05 no picture":              {"another picture than", func(l *lived, _ Input) { *shown(l) = nil }},
		"p12 evidence of another":     {"another picture than", func(l *lived, in Input) { evidence(l).Media = video(in) }},
		"evidence without picture":    {"another picture than", func(l *lived, _ Input) { evidence(l).Media, evidence(l).Caption = "", "" }},
		"p09 no media":                {"its media are others", func(l *lived, _ Input) { l.question.Media = nil }},
		"p10 other media":             {"its media are others", func(l *lived, in Input) { l.question.Media = []string{video(in)} }},
		"p03 a type of attachment":    {"attachments.type is", func(l *lived, _ Input) { (*shown(l))[0].Type = "video/evil" }},
		"p04 one name of two":         {"is called", func(l *lived, _ Input) { *shown(l) = append(*shown(l), (*shown(l))[0]) }},
		"g17 letters of options":      {"has the key", func(l *lived, _ Input) { l.question.Options[1].Key = "E" }},
		"e47 an arc":                  {"arc_role is", func(l *lived, _ Input) { l.sessions[0].ArcRole = "nowhere" }},
		"d09 one order of sessions":   {"has the order 1", func(l *lived, _ Input) { l.sessions[0].Order = 1 }},
		"sets of evidence":            {"", func(l *lived, _ Input) { sufficient(l, "1|1") }},
		"no such piece in a set":      {"it has no piece of evidence \"2\"", func(l *lived, _ Input) { sufficient(l, "1|2") }},
		"an empty set":                {"in which a set is empty", func(l *lived, _ Input) { sufficient(l, "1|") }},
		"a set that misleads":         {"misleads", func(l *lived, _ Input) { sufficient(l, "1"); evidence(l).Role = schemas.RoleDistractor }},
		"d30 a gap":                   {"do not count 1, 2, 3", func(l *lived, _ Input) { l.sessions[0].Turns = l.sessions[0].Turns[1:] }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, in := sample(t, 6)
			l := live(in)
			c.change(&l, in)
			err := l.release(t, store, in)
			var wrong *ReferenceError
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want != "" && (!errors.As(err, &wrong) || !strings.Contains(fmt.Sprint(wrong.Problems), c.want)):
				t.Errorf("want %q, have %v", c.want, err)
			}
		})
	}
}

// TestRulesHoldFromTheirFormatOn: what a release of the second format says besides its
// references is not looked at.
func TestRulesHoldFromTheirFormatOn(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 6)
	dir := write(t, store, t.TempDir(), in).Dir
	at, _ := tableOf(tableQuestions).column("evidence")
	rewrite(t, dir, tablePath(tableQuestions, schemas.DefaultSplit), tableOf(tableQuestions), func(rows []row) []row {
		rows[0][at].([]any)[0].([]any)[2] = "gospel"
		return rows
	})
	finds(t, dir, "data", "evidence.role is")
	reseal(t, dir, func(m *manifest.Manifest) { m.Format, m.Texts = manifest.WideFormat, manifest.RuledTexts-1 })
	mustVerify(t, dir)
	reseal(t, dir, func(m *manifest.Manifest) { m.Texts = manifest.RuledTexts })
	finds(t, dir, manifest.FileName, "no release of format 2")
}

func TestAFolderWithoutFilesDoesNotBelong(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 6)
	dir := write(t, store, t.TempDir(), in).Dir
	if err := os.Mkdir(filepath.Join(dir, "data", "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	finds(t, dir, "data/empty", "without a file")
}
