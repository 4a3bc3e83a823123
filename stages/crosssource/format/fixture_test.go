package format

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// A small release by hand: an environment of a group chat, a private chat and a document,
// and its twin with all evidence in the group chat.

const env = "crosssource/b0"

func turn(session string, n int, position int64, speaker, text string) schemas.Turn {
	return schemas.Turn{
		TurnID: fmt.Sprintf("%s/T%d", session, n), SessionID: session, Order: int32(n), Position: position,
		Timestamp: fmt.Sprintf("2024-05-01T10:%02d:00Z", position), Role: schemas.TurnUser, Speaker: speaker, Text: text,
	}
}

func shown(t schemas.Turn, handle string) schemas.Turn {
	t.Attachments = []schemas.Attachment{{AttachmentID: handle, MediaID: "sha256:chart", Caption: "A chart of mills.", Type: "chart"}}
	return t
}

func sessions() []schemas.Session {
	var out []schemas.Session
	for _, task := range []string{env, env + "-concentrated"} {
		a, b, c := task+"/S00", task+"/S01", task+"/S02"
		out = append(out,
			schemas.Session{SessionID: a, TaskID: task, Kind: "group_chat", Title: "group_chat_mills", Participants: []string{"Ann", "Bo"}, Order: 0, Turns: []schemas.Turn{
				turn(a, 1, 1, "Ann", "The mill opens at noon."), shown(turn(a, 2, 4, "Bo", "Look at Fig. 0a0b0c0d."), "Fig. 0a0b0c0d"), turn(a, 3, 7, "Ann", "The mill opens at eight now."),
			}},
			schemas.Session{SessionID: b, TaskID: task, Kind: "private_chat", Participants: []string{"Ann", "Cy"}, Order: 1, Turns: []schemas.Turn{
				turn(b, 1, 2, "Cy", "I picked rye."), turn(b, 2, 5, "Cy", "The lathe has code 7."),
			}},
			schemas.Session{SessionID: c, TaskID: task, Kind: "document", Title: "Rules", Participants: []string{}, Order: 2, Turns: []schemas.Turn{turn(c, 1, 3, "", "Requests go to the desk.")}},
		)
	}
	return out
}

func evidence(task string, pieces ...string) (out []schemas.Evidence) {
	for i := 0; i < len(pieces); i += 2 {
		e := schemas.Evidence{Kind: schemas.EvidenceTurn, Ref: task + "/" + pieces[i], Order: int32(i/2 + 1), Role: pieces[i+1], Modality: schemas.ModalityText, SessionID: task + "/" + pieces[i][:3]}
		for _, s := range sessions() {
			for _, t := range s.Turns {
				if t.TurnID == e.Ref {
					e.Text = schemas.QuoteTurns("", t)
					if len(t.Attachments) > 0 {
						e.Media, e.Modality, e.Caption = t.Attachments[0].MediaID, schemas.ModalityImage, t.Attachments[0].Caption
					}
				}
			}
		}
		out = append(out, e)
	}
	return out
}

func choice(task, id, kind string, labels map[string]string, right, wrong string, pieces ...string) schemas.Question {
	q := schemas.Question{QuestionID: task + "/" + id, Family: "crosssource", TaskID: task, Question: "What about the mill?", Type: "crosssource_single_hop", Labels: map[string]string{labelTask: kind, labelSources: "2", labelArrangement: "distributed", schemas.LabelFact: "fact-" + id}, Evidence: evidence(task, pieces...)}
	for k, v := range labels {
		q.Labels[k] = v
	}
	options := []schemas.Option{{Text: wrong, Role: schemas.RoleDistractor}, {Text: right, Role: schemas.RoleCorrect}, {Text: "at six", Role: schemas.RoleDistractor}, {Text: "never", Role: schemas.RoleDistractor}}
	q.SetOptions(options...)
	return q
}

const gold = `{"arguments":{"code":"7","quantity":15},"name":"desk_repair"}`

func call() schemas.Question {
	q := choice(env, "Q5", schemas.TaskFunctionCall, nil, "a", "b", "S01/T2", "clue", "S02/T1", "clue")
	form := `{"type":"object","properties":{"code":{"type":"string"},"quantity":{"type":"integer"}},"required":["code","quantity"],"additionalProperties":false}`
	q.Type, q.Options, q.AnswerKey, q.AnswerText, q.QuestionMCQ, q.AnswerCall = "crosssource_call", nil, "", "", "", gold
	q.Tools = []schemas.Tool{{Name: "desk_repair", Description: "Repairs.", Parameters: form}, {Name: "desk_store", Description: "Stores.", Parameters: form}}
	return q
}

// asked are two single hops (one in three sources), a multi hop, a conflict, a
// preference, a call, and the twin of the first.
func asked() []schemas.Question {
	twin := env + "-concentrated"
	return []schemas.Question{
		choice(env, "Q0", schemas.TaskSingleHop, nil, "at eight", "at noon", "S00/T2", "clue", "S02/T1", "clue"),
		choice(env, "Q1", schemas.TaskSingleHop, map[string]string{labelSources: "3"}, "at eight", "at noon", "S01/T1", "clue", "S02/T1", "clue", "S00/T3", "clue"),
		choice(env, "Q2", schemas.TaskMultiHop, nil, "at eight", "at noon", "S00/T1", "clue", "S01/T2", "clue"),
		choice(env, "Q3", schemas.TaskConflict, nil, "at eight", "at noon", "S00/T1", "superseded", "S02/T1", "clue", "S00/T3", "update"),
		choice(env, "Q4", schemas.TaskPreference, map[string]string{labelPreference: "implicit"}, "rye", "oats", "S01/T1", "clue", "S00/T3", "clue"),
		call(),
		choice(twin, "Q0", schemas.TaskSingleHop, map[string]string{labelArrangement: concentrated, labelSources: "1"}, "at eight", "at noon", "S00/T1", "clue", "S00/T2", "clue"),
	}
}

func files() map[string]string { return map[string]string{"sha256:chart": "media/ab/chart.png"} }

// exported is the export of the release.
func exported(t *testing.T) fstest.MapFS {
	t.Helper()
	tree, err := layout(asked(), sessions(), files())
	if err != nil {
		t.Fatal(err)
	}
	out := fstest.MapFS{}
	for _, f := range tree.Files {
		out[f.Path] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
	}
	for _, m := range tree.Media {
		out[m.Path] = &fstest.MapFile{Data: testkit.PNG(t, 1), Mode: 0o644}
	}
	return out
}

func benchOf(t *testing.T) items {
	t.Helper()
	out, err := itemsOf(asked())
	if err != nil {
		t.Fatal(err)
	}
	return out
}
