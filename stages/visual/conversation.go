package visual

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/simulate"
)

type conversationStage struct{}

func newConversationStage(struct{}) (pipeline.Stage, error) { return conversationStage{}, nil }

func (conversationStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{nameAlbum}, Emits: []string{schemas.NameTask, schemas.NameSession}}
}

func taskIDOf(record string) string { return family + "/" + record }

// Map emits the task of a simulation, a session with the user's profile, and the
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

// buildProfileSession returns a session with one turn for each entry of the profile.
func buildProfileSession(task string, l simulate.Simulation) schemas.Session {
	s := schemas.Session{SessionID: schemas.SessionIDOf(task, 0), TaskID: task, Kind: schemas.KindProfile, Title: "Profile", Participants: []string{l.Profile["name"]}}
	for i, key := range slices.Sorted(maps.Keys(l.Profile)) {
		s.Turns = append(s.Turns, schemas.Turn{
			TurnID: schemas.TurnIDOf(s.SessionID, i+1), SessionID: s.SessionID, Order: int32(i + 1), Role: schemas.TurnUser, Text: key + ": " + l.Profile[key],
		})
	}
	return s
}

// buildSession returns session n of the conversation. A round becomes two turns; its
// picture is attached to the first.
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

func pictureKind(photo bool) string {
	if photo {
		return "photo"
	}
	return "screenshot"
}

// denseCaption writes what a captioner writes who does not know the questions: the
// gist, what is there and where; no small print, no count, no shade.
func denseCaption(s scene.Scene) string {
	return buildCaption(s, func(aspect string) bool {
		return scene.Granularity(aspect) == schemas.GrainScene || scene.Granularity(aspect) == schemas.GrainRegion
	})
}

// taskAwareCaption spells out every detail that a question could ask about (MemEye
// D.2).
func taskAwareCaption(s scene.Scene) string {
	return buildCaption(s, func(string) bool { return true })
}

// buildCaption writes a sentence for each thing, with the aspects that tells admits.
func buildCaption(s scene.Scene, tells func(aspect string) bool) string {
	out := []string{toSentence(s.Minimal)}
	for _, t := range s.NamedThings() {
		var clauses []string
		for _, a := range t.Tells {
			if tells(a) {
				clauses = append(clauses, captionClause(t, a))
			}
		}
		if len(clauses) == 0 {
			clauses = []string{t.Name + " can be seen"}
		}
		out = append(out, toSentence(strings.Join(clauses, ", and ")))
	}
	for _, name := range s.Absent {
		out = append(out, toSentence(name+" cannot be seen"))
	}
	return strings.Join(out, " ")
}

func toSentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }

func captionClause(t scene.Thing, aspect string) string {
	is, has := "is", "has"
	if t.Plural {
		is, has = "are", "have"
	}
	v := t.Look[aspect]
	switch aspect {
	case scene.Activity:
		return fmt.Sprintf("at %s, %s", t.Name, v)
	case scene.Weather:
		return fmt.Sprintf("the weather at %s: %s", t.Name, v)
	case scene.Setting:
		return fmt.Sprintf("%s %s in %s", t.Name, is, v)
	case scene.Beside:
		return fmt.Sprintf("%s %s right beside %s", t.Name, is, v)
	case scene.Which:
		return fmt.Sprintf("the %s %s %s is %s", t.Class, t.Prep, t.Name, v)
	case scene.Pattern:
		return fmt.Sprintf("%s %s the pattern %s", t.Name, has, v)
	case scene.Text:
		return fmt.Sprintf("on %s is written: %s", t.Name, v)
	case scene.Count:
		return fmt.Sprintf("there are %s %s %s %s", v, t.Class, t.Prep, t.Name)
	}
	return fmt.Sprintf("%s %s %s", t.Name, is, v) // a colour, a place
}
