package visual

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/simulate"
)

type converse struct{}

func newConverse(struct{}) (pipeline.Stage, error) { return converse{}, nil }

// Spec declares what is given.
func (converse) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{nameAlbum}, Emits: []string{schemas.NameTask, schemas.NameSession}}
}

// taskID is that of the task of a life.
func taskID(record string) string { return family + "/" + record }

// Map gives the task of a life, a session with the profile of who speaks, and the
// sessions of the conversation.
func (converse) Map(_ context.Context, _ *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	album, err := pipeline.Decode[Album](in)
	if err != nil {
		return nil, err
	}
	task := taskID(in.ID)
	var out pipeline.Made
	out.Add(schemas.NameTask, task, taskOf(in.ID, album.Life.Scenario, len(album.Life.Sessions), album.Pictures))
	profile := profileSession(task, album.Life)
	out.Add(schemas.NameSession, profile.SessionID, profile)
	for i := range album.Life.Sessions {
		s := sessionOf(task, i, album)
		out.Add(schemas.NameSession, s.SessionID, s)
	}
	return out.Records()
}

// taskOf is the task of a life, with so many sessions and these pictures.
func taskOf(record, scenario string, sessions int, pictures []string) schemas.Task {
	media := append([]string{}, pictures...)
	slices.Sort(media)
	t := schemas.Task{TaskID: taskID(record), Family: family, Scenario: scenario, SourceRecords: []string{record}, Media: slices.Compact(media)}
	for _, s := range simulate.Scenarios() {
		if s.Name == scenario {
			t.Domain = s.Domain
			t.Summary = fmt.Sprintf("%s: %d sessions, %d pictures", s.Title, sessions, len(pictures))
		}
	}
	return t
}

// profileSession tells who speaks, an entry a turn.
func profileSession(task string, l simulate.Life) schemas.Session {
	s := schemas.Session{SessionID: schemas.SessionIDOf(task, 0), TaskID: task, Kind: schemas.KindProfile, Title: "Profile", Participants: []string{l.Profile["name"]}}
	for i, key := range slices.Sorted(maps.Keys(l.Profile)) {
		s.Turns = append(s.Turns, schemas.Turn{
			TurnID: schemas.TurnIDOf(s.SessionID, i+1), SessionID: s.SessionID, Order: int32(i + 1), Role: schemas.TurnUser, Text: key + ": " + l.Profile[key],
		})
	}
	return s
}

// sessionOf is a session of the conversation: a round is two turns, and its picture
// is attached to the first.
func sessionOf(task string, n int, a Album) schemas.Session {
	said := a.Life.Sessions[n]
	s := schemas.Session{
		SessionID: schemas.SessionIDOf(task, n+1), TaskID: task, Kind: schemas.KindDialogue, Order: int32(n + 1), Date: said.Date,
		Participants: []string{schemas.TurnUser, schemas.TurnAssistant},
	}
	pictures := 0
	for i, r := range said.Rounds {
		asks := schemas.Turn{TurnID: schemas.TurnIDOf(s.SessionID, 2*i+1), SessionID: s.SessionID, Order: int32(2*i + 1), Role: schemas.TurnUser, Text: r.User}
		if r.Scene >= 0 {
			pictures++
			asks.Attachments = []schemas.Attachment{attachment(s.SessionID, pictures, a, r.Scene)}
		}
		s.Turns = append(s.Turns, asks, schemas.Turn{
			TurnID: schemas.TurnIDOf(s.SessionID, 2*i+2), SessionID: s.SessionID, Order: int32(2*i + 2), Role: schemas.TurnAssistant, Text: r.Assistant,
		})
	}
	return s
}

func attachment(session string, n int, a Album, at int) schemas.Attachment {
	s := a.Life.Scenes[at]
	return schemas.Attachment{
		AttachmentID: schemas.AttachmentIDOf(session, n), MediaID: a.Pictures[at], Type: kindOf(s.Photo),
		MinimalCaption: s.Minimal, Caption: denseCaption(s), TaskAwareCaption: taskAwareCaption(s),
	}
}

// kindOf names what a picture is.
func kindOf(photo bool) string {
	if photo {
		return "photo"
	}
	return "screenshot"
}
