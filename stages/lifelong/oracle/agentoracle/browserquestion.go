package agentoracle

import (
	"strings"

	"github.com/memforge/memforge/schemas"
)

// BrowserQuestion is a question about a run in a browser with all that follows from the acts
// that it rests on, but without options: its type, evidence, pictures and labels. It
// shares no code with the stage that asked.
func BrowserQuestion(q schemas.Question, right string, acts []BrowserAction, sessions []schemas.Session) schemas.Question {
	source, _, _ := strings.Cut(q.TaskID, "/")
	item := schemas.Question{
		QuestionID: q.QuestionID, Family: source, TaskID: q.TaskID, CheckpointID: q.CheckpointID, Split: q.Split, Type: "lifelong_run_text",
		Question: q.Question, QuestionMCQ: q.Question, AnswerText: right, Media: []string{}, Options: []schemas.Option{},
	}
	axis := "FR"
	if strings.HasPrefix(q.Question, "At which step ") {
		item.Type, axis = "lifelong_run_step", "TR"
	} else if len(acts) > 1 {
		axis = "DU"
	}
	item.Labels = map[string]string{"axis": axis, schemas.LabelFact: q.TaskID + "/" + q.Question}
	shown := map[string]bool{}
	for n, a := range acts {
		role := schemas.RoleSuperseded
		switch {
		case len(acts) == 1:
			role = schemas.RoleClue
		case n == len(acts)-1:
			role = schemas.RoleUpdate
		}
		e := a.evidence(sessions[a.Session])
		e.Order, e.Role = int32(n+1), role
		item.Evidence = append(item.Evidence, e)
		if e.Media != "" && !shown[e.Media] {
			shown[e.Media] = true
			item.Media = append(item.Media, e.Media)
		}
	}
	return item
}

// evidence is the step of an act as evidence, with the last of its pictures.
func (a BrowserAction) evidence(s schemas.Session) (e schemas.Evidence) {
	e.Kind, e.Ref, e.SessionID, e.Modality = schemas.EvidenceTurn, a.Turn, s.SessionID, schemas.ModalityText
	for i := range s.Turns {
		t := s.Turns[i]
		if t.TurnID != a.Turn {
			continue
		}
		e.Text = schemas.QuoteTurns(s.Date, t)
		if n := len(t.Attachments); n > 0 {
			p := t.Attachments[n-1]
			e.Modality, e.Media = schemas.ModalityImage, p.MediaID
			e.Caption, e.MinimalCaption, e.TaskAwareCaption = p.Caption, p.MinimalCaption, p.TaskAwareCaption
		}
	}
	return e
}
