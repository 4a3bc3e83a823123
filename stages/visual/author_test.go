package visual_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual"
	"github.com/memforge/memforge/stages/visual/author"
	"github.com/memforge/memforge/stages/visual/captions"
	"github.com/memforge/memforge/stages/visual/dialogue"
)

// talk is a task with two sessions of two rounds, three of which share a picture.
func talk(t *testing.T) []pipeline.Record {
	t.Helper()
	var out pipeline.RecordBuilder
	out.Add(schemas.NameTask, "t", schemas.Task{TaskID: "t", Family: "own", Scenario: "Walks"})
	profile := schemas.Session{SessionID: "t/S00", TaskID: "t", Kind: schemas.KindProfile}
	profile.Turns = []schemas.Turn{{TurnID: "t/S00/T001", SessionID: "t/S00", Order: 1, Role: schemas.TurnUser, Text: "name: Ana"}}
	out.Add(schemas.NameSession, profile.SessionID, profile)
	pictures := 0
	for n := 1; n <= 2; n++ {
		s := schemas.Session{SessionID: schemas.SessionIDOf("t", n), TaskID: "t", Kind: schemas.KindDialogue, Order: int32(n), Date: fmt.Sprintf("2025-03-%02d", n)}
		for i, text := range []string{"Here is the ribbon.", "It looks fine.", "And here it is once more.", "All fine."} {
			turn := schemas.Turn{TurnID: schemas.TurnIDOf(s.SessionID, i+1), SessionID: s.SessionID, Order: int32(i + 1), Role: schemas.TurnUser, Text: text}
			if i%2 == 1 {
				turn.Role = schemas.TurnAssistant
			} else if pictures < 3 {
				turn.Attachments = []schemas.Attachment{{
					AttachmentID: schemas.AttachmentIDOf(s.SessionID, i+1), MediaID: string(pipeline.DigestOf(standIn(t, pictures))), Caption: "A ribbon on a table.", MinimalCaption: "a photo of a thing",
				}}
				pictures++
			}
			s.Turns = append(s.Turns, turn)
		}
		out.Add(schemas.NameSession, s.SessionID, s)
	}
	records, err := out.Records()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// standIn is a small picture.
func standIn(t *testing.T, n int) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 8, 6))
	img.Pix[n%len(img.Pix)] = 200
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// standIns are those of a talk.
func standIns(t *testing.T) (out [][]byte) {
	t.Helper()
	for n := range 3 {
		out = append(out, standIn(t, n))
	}
	return out
}

// bare are sessions without captions.
func bare(t *testing.T, in []pipeline.Record) []pipeline.Record {
	t.Helper()
	return changed(t, in, func(a *schemas.Attachment) { a.Caption, a.MinimalCaption, a.TaskAwareCaption = "", "", "" })
}

// changed are records of which each attachment is changed.
func changed(t *testing.T, in []pipeline.Record, change func(*schemas.Attachment)) []pipeline.Record {
	t.Helper()
	out := slices.Clone(in)
	for i, r := range out {
		if r.Schema != schemas.NameSession {
			continue
		}
		s, err := pipeline.Decode[schemas.Session](r)
		if err != nil {
			t.Fatal(err)
		}
		for j := range s.Turns {
			for k := range s.Turns[j].Attachments {
				change(&s.Turns[j].Attachments[k])
			}
		}
		if out[i], err = pipeline.NewRecord(r.Schema, r.ID, s); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func dialogues(t *testing.T) []pipeline.Record {
	t.Helper()
	return made(t, "visual.dialogues", nil, talk(t)...)
}

// good is a question of X4, Y1 about the first picture that is shown.
func good(a testkit.ChatRequest) (author.Draft, error) {
	var rounds []author.RoundExcerpt
	if err := a.Data("rounds", &rounds); err != nil {
		return author.Draft{}, err
	}
	at := slices.IndexFunc(rounds, func(r author.RoundExcerpt) bool { return len(r.Pictures) > 0 && r.Pictures[0].Number == 1 })
	if at < 0 {
		return author.Draft{}, errors.New("no picture is shown")
	}
	return author.Draft{
		Open: "What is the tint of the ribbon?", Truth: "amber", Choice: "Which tint has the ribbon?", Options: []string{"mauve", "amber", "khaki", "lilac"}, Correct: "B",
		ErrorType: "other_value", Clues: []author.Clue{{Round: rounds[at].Round, Role: schemas.RoleClue}}, X: "X4", Y: "Y1",
		Explanation: "The ribbon in the picture is amber; an exact colour decides, and one round shows it.",
	}, nil
}

// authored runs the author with answers that are changed, one after the other.
func authored(t *testing.T, config string, changes ...func(*author.Draft)) (questions []schemas.Question, lost []pipeline.Rejection, requests int) {
	t.Helper()
	n := 0
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		d, err := good(a)
		if err != nil {
			return testkit.ChatReply{Text: err.Error()}
		}
		changes[min(n, len(changes)-1)](&d)
		n++
		return testkit.ReplyJSON(d)
	})
	cfg := author.Config{}
	cfg.SetDefaults()
	if err := json.Unmarshal([]byte(config), &cfg); err != nil {
		t.Fatal(err)
	}
	roles, models := server.Live(t, "author")
	in := dialogues(t)
	out, lost, err := testkit.Subject{Register: visual.Register, Use: "visual.author", Inputs: in, Config: cfg, Roles: roles, Models: models, Blobs: standIns(t)}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	return testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out), lost, n
}

const oneCell = `{"cells": ["X4/Y1"]}`

func nothing(*author.Draft) {}

func TestAnAuthoredQuestion(t *testing.T) {
	qs, lost, n := authored(t, oneCell, nothing)
	if len(qs) != 1 || len(lost) != 0 || n != 1 {
		t.Fatalf("%d questions of %d requests, lost %v", len(qs), n, lost)
	}
	q := qs[0]
	stem, _ := q.Stem()
	if q.Question != "What is the tint of the ribbon?" || stem != "Which tint has the ribbon?" || q.AnswerText != "amber" || q.Type != author.TypeRecall ||
		q.Labels[schemas.LabelGranularity] != "X4" || q.Labels[schemas.LabelReasoning] != "Y1" || q.Labels["error_type"] != "other_value" || q.Labels[schemas.LabelAuthor] == "" {
		t.Errorf("%+v", q)
	}
	if len(q.Evidence) != 1 || q.Evidence[0].Media == "" || q.Evidence[0].MinimalCaption == "" || q.Evidence[0].Order != 1 || !slices.Equal(q.Media, []string{q.Evidence[0].Media}) {
		t.Errorf("%+v", q.Evidence)
	}
}

// TestWhatAnAuthorMayNot holds the checks, each with an answer that has one thing wrong
// and stands otherwise.
func TestWhatAnAuthorMayNot(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*author.Draft)
		want   string
	}{
		"another cell":   {func(d *author.Draft) { d.X = "X1" }, "the target is"},
		"no mark":        {func(d *author.Draft) { d.Open = "Tell the tint" }, "question mark"},
		"a round's name": {func(d *author.Draft) { d.Choice = "Which tint has the ribbon of D1:2?" }, "speak of no numbers"},
		"a date":         {func(d *author.Draft) { d.Choice = "Which tint has the ribbon in the photo of 3 May 2025?" }, "never by its date"},
		"its own answer": {func(d *author.Draft) { d.Open = "Is the ribbon amber?" }, "says its own answer"},
		"three options":  {func(d *author.Draft) { d.Options = d.Options[:3] }, "give four"},
		"no letter":      {func(d *author.Draft) { d.Correct = "E" }, "give the letter"},
		"another truth":  {func(d *author.Draft) { d.Truth = "umber" }, "word for word"},
		"no error type":  {func(d *author.Draft) { d.ErrorType = "" }, "error_type is empty"},
		"same options":   {func(d *author.Draft) { d.Options[0] = "Amber" }, "say the same"},
		"none of these":  {func(d *author.Draft) { d.Options[0] = "none of these" }, "other options"},
		"unknown":        {func(d *author.Draft) { d.Options[0] = "unknown" }, "no answer"},
		"hedged":         {func(d *author.Draft) { d.Options[0] = "maybe red" }, "how certain"},
		"unlike forms":   {func(d *author.Draft) { d.Options[0] = "Mauve" }, "differ in form"},
		"a long answer": {func(d *author.Draft) {
			d.Options[1] = "amber all over, and darker towards its edges"
			d.Truth = d.Options[1]
		}, "characters"},
		"given away":      {func(d *author.Draft) { d.Options[1], d.Truth = "ribbon amber", "ribbon amber" }, "gives the correct option away"},
		"unknown round":   {func(d *author.Draft) { d.Clues[0].Round = "D9:9" }, "none of the rounds"},
		"no clue":         {func(d *author.Draft) { d.Clues = []author.Clue{} }, "Y1 rests on one clue"},
		"an update":       {func(d *author.Draft) { d.Clues[0].Role = schemas.RoleUpdate }, "Y1 rests on one clue"},
		"update_in":       {func(d *author.Draft) { d.UpdateIn = "words" }, "update_in"},
		"no reason":       {func(d *author.Draft) { d.Explanation = "It is amber." }, "the explanation has"},
		"no detail named": {func(d *author.Draft) { d.Explanation = strings.ReplaceAll(d.Explanation, "amber", "seen") }, "decisive detail"},
		"said in words": {func(d *author.Draft) {
			d.Options[1], d.Truth, d.Explanation = "fine", "fine", strings.ReplaceAll(d.Explanation, "amber", "fine")
		}, "the words of the rounds tell"},
		"a letter named": {func(d *author.Draft) { d.Explanation += " So option B is right." }, "shuffled"},
	} {
		if _, lost, _ := authored(t, oneCell, c.change); len(lost) != 1 || lost[0].Code != "no-question" || !strings.Contains(lost[0].Reason, c.want) {
			t.Errorf("%s: lost %v, want %q", name, lost, c.want)
		}
	}
}

// TestDepths holds what roles the rounds of each depth have.
func TestDepths(t *testing.T) {
	two := func(y, first, second, update string) func(*author.Draft) {
		return func(d *author.Draft) {
			d.Y, d.UpdateIn = y, update
			d.Clues = []author.Clue{{Round: d.Clues[0].Round, Role: first}, {Round: "D2:1", Role: second}}
		}
	}
	for _, c := range []struct {
		cell   string
		change func(*author.Draft)
		want   string
	}{
		{"X4/Y2", two("Y2", schemas.RoleClue, schemas.RoleClue, ""), ""},
		{"X4/Y2", two("Y2", schemas.RoleSuperseded, schemas.RoleUpdate, ""), "Y2 rests on two clues"},
		{"X4/Y3", two("Y3", schemas.RoleSuperseded, schemas.RoleUpdate, "words"), ""},
		{"X4/Y3", two("Y3", schemas.RoleUpdate, schemas.RoleSuperseded, "words"), "only the last round is the update"},
		{"X4/Y3", two("Y3", schemas.RoleClue, schemas.RoleUpdate, "words"), "Y3 rests on one superseded"},
		{"X4/Y3", two("Y3", schemas.RoleSuperseded, schemas.RoleUpdate, ""), "update_in"},
	} {
		qs, lost, _ := authored(t, fmt.Sprintf(`{"cells": [%q]}`, c.cell), c.change)
		if c.want == "" && (len(qs) != 1 || len(lost) != 0) || c.want != "" && (len(lost) != 1 || !strings.Contains(lost[0].Reason, c.want)) {
			t.Errorf("%s: %d questions, lost %v, want %q", c.cell, len(qs), lost, c.want)
		}
	}
}

// TestARefusedAnswerIsAskedForAgain: the second request tells why.
func TestARefusedAnswerIsAskedForAgain(t *testing.T) {
	qs, lost, n := authored(t, oneCell, func(d *author.Draft) { d.Correct = "E" }, nothing)
	if len(qs) != 1 || len(lost) != 0 || n != 2 {
		t.Errorf("%d questions of %d requests, lost %v", len(qs), n, lost)
	}
}

// TestSimulatedConversations: what visual.converse gives is captioned and asked about
// like any other.
func TestSimulatedConversations(t *testing.T) {
	n := 0
	told := changed(t, made(t, "visual.converse", nil, albums(made(t, "visual.render", nil, simulationSource(t, 1, tiny)[:1]...))...), func(a *schemas.Attachment) {
		a.MediaID = string(pipeline.DigestOf(standIn(t, n%3)))
		n++
	})
	d := testkit.DecodeAll[dialogue.Dialogue](t, dialogue.Name, made(t, "visual.dialogues", nil, told...))
	if len(d) != 1 || len(d[0].Sessions) != 1+tiny.Sessions || len(d[0].Rounds()) != tiny.Rounds {
		t.Fatalf("%d dialogues, %+v", len(d), d)
	}
	pieces := 0
	for _, r := range d[0].Rounds() {
		for _, e := range r.Evidence(schemas.RoleClue) {
			if e.Media != "" && e.MinimalCaption != "" && strings.HasPrefix(e.Text, "[20") {
				pieces++
			}
		}
	}
	if pieces != n || n == 0 {
		t.Errorf("%d pieces of evidence of %d pictures", pieces, n)
	}
}

func TestRepairs(t *testing.T) {
	qs, lost, n := authored(t, oneCell, func(d *author.Draft) {
		d.Options, d.Correct, d.Open = []string{"A. mauve", "B. amber ", "C. khaki", "D. lilac"}, "b", "  "+d.Open
		d.Clues = append(d.Clues, d.Clues[0])
	})
	if len(qs) != 1 || len(lost) != 0 || n != 1 || qs[0].AnswerText != "amber" {
		t.Errorf("%+v of %d requests, lost %v", qs, n, lost)
	}
}

func TestAnAuthorMayDecline(t *testing.T) {
	_, lost, n := authored(t, `{"cells": ["X4/Y1", "X4/Y2"]}`, func(d *author.Draft) {
		*d = author.Draft{Cannot: "nothing fits", Options: []string{}, Clues: []author.Clue{}}
	})
	if n != 2 || len(lost) != 1 || lost[0].Code != "no-question" || !strings.Contains(lost[0].Reason, "declined") {
		t.Errorf("%d requests, lost %v", n, lost)
	}
	qs, lost, _ := authored(t, `{"cells": ["X4/Y1"], "per_cell": 2}`, nothing, func(d *author.Draft) { d.Cannot = "no more" })
	if len(qs) != 1 || len(lost) != 1 || lost[0].Code != "declined" || !lost[0].Flagged {
		t.Errorf("%d questions, lost %v", len(qs), lost)
	}
}

// captioner writes a caption of every kind that can stand.
func captioner(a testkit.ChatRequest) testkit.ChatReply {
	text := fmt.Sprintf("Plain ground, dark at one side and light at the other, with sharp edges all around; sample %x.", sha256.Sum256(a.Images[0]))
	switch a.Task {
	case "visual_caption_minimal":
		text = "a photo of a place"
	case "visual_caption_task_aware":
		text += " " + text
	}
	return testkit.ReplyJSON(captions.Answer{Caption: text})
}

func TestNewStagesConform(t *testing.T) {
	types := types()
	types[dialogue.Name] = testkit.DecodesTo[dialogue.Dialogue]
	asker := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		d, err := good(a)
		if err != nil {
			return testkit.ChatReply{Text: err.Error()}
		}
		return testkit.ReplyJSON(d)
	})
	teller := testkit.NewModelServer(t, captioner)
	cfg := author.Config{}
	cfg.SetDefaults()
	cfg.Cells = []string{"X4/Y1"}
	t.Run("visual.dialogues", func(t *testing.T) {
		testkit.ConformStage(t, testkit.Subject{Register: visual.Register, Use: "visual.dialogues", Inputs: talk(t), Types: types, Golden: goldenDialogues, Faults: 2})
	})
	t.Run("visual.caption", func(t *testing.T) {
		roles, models := teller.Live(t, "captioner")
		testkit.ConformStage(t, testkit.Subject{
			Register: visual.Register, Use: "visual.caption", Inputs: bare(t, talk(t)), Types: types, Unpinned: portInKeys, Faults: 2, Roles: roles, Models: models, Blobs: standIns(t),
		})
	})
	t.Run("visual.author", func(t *testing.T) {
		roles, models := asker.Live(t, "author")
		testkit.ConformStage(t, testkit.Subject{
			Register: visual.Register, Use: "visual.author", Inputs: dialogues(t), Config: cfg, Types: types, Unpinned: portInKeys, Faults: 2, Roles: roles, Models: models, Blobs: standIns(t),
		})
	})
}

const goldenDialogues = "1 8f7946d182a193ca3326c1b41d13e4370da671ea13b186b837aad64ac9084e23"

// portInKeys is why what live models answer is not pinned.
const portInKeys = "the port of the server is in its keys"
