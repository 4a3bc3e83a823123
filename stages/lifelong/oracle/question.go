package oracle

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Family begins the types of its questions and the ids of its tasks.
const Family = "lifelong"

// Question is a question with everything that follows from what it comes to, but without
// options: its evidence with the texts, its pictures and its labels.
func (t *Task) Question(q schemas.Question, r Result, upto int) schemas.Question {
	out := schemas.Question{
		QuestionID: q.QuestionID, Family: Family, TaskID: q.TaskID, CheckpointID: q.CheckpointID, Type: Family + "_" + r.Type, Question: q.Question, Media: []string{}, Evidence: []schemas.Evidence{},
	}
	last := r.Spoken
	for i, at := range r.Refs {
		e := t.roundEvidence(at)
		e.Order = int32(i + 1)
		out.Evidence = append(out.Evidence, e)
		if last = max(last, at.Session); e.Media != "" && !slices.Contains(out.Media, e.Media) {
			out.Media = append(out.Media, e.Media)
		}
	}
	sum := len(r.Refs) + r.Updates + (upto-last)/3
	level := "hard"
	if sum < 6 {
		level = "medium"
	}
	if sum < 3 {
		level = "easy"
	}
	out.Labels = map[string]string{
		"axis": strings.ToUpper(r.Type), "domain": Domain(q.TaskID), "difficulty": level,
		schemas.LabelFact: strings.TrimPrefix(q.TaskID, Family+"/") + "/" + r.Fact,
		"evidence":        strconv.Itoa(len(r.Refs)), "updates": strconv.Itoa(r.Updates), "distance": strconv.Itoa(upto - last),
	}
	if r.Outside != "" {
		out.Labels["outside_fact"] = r.Outside
	}
	return out
}

// Domain is what the id of a task says: lifelong/health-0003 is of health.
func Domain(task string) string {
	name := strings.TrimPrefix(task, Family+"/")
	at := strings.LastIndexByte(name, '-')
	if at < 0 {
		return name
	}
	return name[:at]
}

// roundEvidence is the evidence that a user's turn and what answers it are.
func (t *Task) roundEvidence(at Ref) schemas.Evidence {
	s := t.sessions[at.Session]
	said := s.Turns[at.Turn]
	end := at.Turn + 1
	if end < len(s.Turns) && s.Turns[end].Role == schemas.TurnAssistant {
		end++
	}
	e := schemas.Evidence{
		Kind: schemas.EvidenceTurn, Ref: said.TurnID, SessionID: s.SessionID, Role: at.Role, Modality: schemas.ModalityText, Text: schemas.QuoteTurns(s.Date, s.Turns[at.Turn:end]...),
	}
	if n := len(said.Attachments); n > 0 {
		shown := said.Attachments[n-1]
		e.Modality, e.Media, e.Caption = schemas.ModalityImage, shown.MediaID, shown.Caption
		e.MinimalCaption, e.TaskAwareCaption = shown.MinimalCaption, shown.TaskAwareCaption
	}
	return e
}
