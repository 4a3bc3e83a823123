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

type conversationStage struct{}

func newConversationStage(struct{}) (pipeline.Stage, error) { return conversationStage{}, nil }

// Spec declares what is given.
func (conversationStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{nameAlbum}, Emits: []string{schemas.NameTask, schemas.NameSession}}
}

// taskIDOf is that of the task of a life.
func taskIDOf(record string) string { return family + "/" + record }

// Map gives the task of a life, a session with the profile of who speaks, and the
// sessions of the conversation.
func (conversationStage) Map(_ context.Context, _ *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	album, err := pipeline.Decode[Album](in)
	if err != nil {
		return nil, err
	}
	task := taskIDOf(in.ID)
	var out pipeline.RecordBuilder
	out.Add(schemas.NameTask, task, buildTask(in.ID, album.Simulation.Scenario, len(album.Simulation.Sessions), album.Pictures))
	profile := buildProfileSession(task, album.Simulation)
	out.Add(schemas.NameSession, profile.SessionID, profile)
	for i := range album.Simulation.Sessions {
		s := buildSession(task, i, album)
		out.Add(schemas.NameSession, s.SessionID, s)
	}
	return out.Records()
}

// buildTask is the task of a life, with so many sessions and these pictures.
func buildTask(record, scenario string, sessions int, pictures []string) schemas.Task {
	media := append([]string{}, pictures...)
	slices.Sort(media)
	t := schemas.Task{TaskID: taskIDOf(record), Family: family, Scenario: scenario, SourceRecords: []string{record}, Media: slices.Compact(media)}
	for _, s := range simulate.Scenarios() {
		if s.Name == scenario {
			t.Domain = s.Domain
			t.Summary = fmt.Sprintf("%s: %d sessions, %d pictures", s.Title, sessions, len(pictures))
		}
	}
	return t
}

// buildProfileSession tells who speaks, an entry a turn.
func buildProfileSession(task string, l simulate.Simulation) schemas.Session {
	s := schemas.Session{SessionID: schemas.SessionIDOf(task, 0), TaskID: task, Kind: schemas.KindProfile, Title: "Profile", Participants: []string{l.Profile["name"]}}
	for i, key := range slices.Sorted(maps.Keys(l.Profile)) {
		s.Turns = append(s.Turns, schemas.Turn{
			TurnID: schemas.TurnIDOf(s.SessionID, i+1), SessionID: s.SessionID, Order: int32(i + 1), Role: schemas.TurnUser, Text: key + ": " + l.Profile[key],
		})
	}
	return s
}

// buildSession is a session of the conversation: a round is two turns, and its picture
// is attached to the first.
func buildSession(task string, n int, a Album) schemas.Session {
	said := a.Simulation.Sessions[n]
	s := schemas.Session{
		SessionID: schemas.SessionIDOf(task, n+1), TaskID: task, Kind: schemas.KindDialogue, Order: int32(n + 1), Date: said.Date,
		Participants: []string{schemas.TurnUser, schemas.TurnAssistant},
	}
	pictures := 0
	for i, r := range said.Rounds {
		asks := schemas.Turn{TurnID: schemas.TurnIDOf(s.SessionID, 2*i+1), SessionID: s.SessionID, Order: int32(2*i + 1), Role: schemas.TurnUser, Text: r.User}
		if r.Scene >= 0 {
			pictures++
			asks.Attachments = []schemas.Attachment{buildAttachment(s.SessionID, pictures, a, r.Scene)}
		}
		s.Turns = append(s.Turns, asks, schemas.Turn{
			TurnID: schemas.TurnIDOf(s.SessionID, 2*i+2), SessionID: s.SessionID, Order: int32(2*i + 2), Role: schemas.TurnAssistant, Text: r.Assistant,
		})
	}
	return s
}

func buildAttachment(session string, n int, a Album, at int) schemas.Attachment {
	s := a.Simulation.Scenes[at]
	return schemas.Attachment{
		AttachmentID: schemas.AttachmentIDOf(session, n), MediaID: a.Pictures[at], Type: pictureKind(s.Photo),
		MinimalCaption: s.Minimal, Caption: denseCaption(s), TaskAwareCaption: taskAwareCaption(s),
	}
}

// pictureKind names what a picture is.
func pictureKind(photo bool) string {
	if photo {
		return "photo"
	}
	return "screenshot"
}
