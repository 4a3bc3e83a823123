package visual

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/oracle"
)

// derivation recomputes this family's questions and tasks from the sessions of a task
// and the table of pictures.
func derivation() pipeline.Derivation {
	return pipeline.Derivation{
		Version: oracle.Version, Question: deriveQuestion, Task: deriveTask,
		Writers: []string{"visual.ask", "visual.converse"}, Reads: []string{schemas.NameSession, namePicture},
	}
}

func loadConversation(p pipeline.Premises) (*oracle.Conversation, error) {
	media := map[string]schemas.Media{}
	for _, m := range p.Media {
		media[m.MediaID] = m
	}
	pictures := map[string]oracle.Picture{}
	for _, r := range p.Records[namePicture] {
		row, err := pipeline.Decode[Picture](r)
		if err != nil {
			return nil, err
		}
		if pictures[row.MediaID], err = decodePicture(row, media[row.MediaID]); err != nil {
			return nil, fmt.Errorf("picture %s: %w", row.MediaID, err)
		}
	}
	sessions, err := decodeSessions(p)
	if err != nil {
		return nil, err
	}
	return oracle.NewConversation(sessions, pictures)
}

// decodePicture converts a row of the table of pictures. Every thing must lie within
// its picture.
func decodePicture(row Picture, m schemas.Media) (oracle.Picture, error) {
	out := oracle.Picture{Media: row.MediaID, Noun: row.Noun, Minimal: row.MinimalCaption, Kind: pictureKind(m.Mime == draw.MimePhoto), Absent: row.Absent}
	for _, s := range row.Shown {
		th := oracle.Thing{Name: s.Name, Class: s.Class, Prep: s.Prep, Plural: s.Plural}
		if err := th.ParseTells(s.Tells); err != nil {
			return out, err
		}
		out.Things = append(out.Things, th)
		if b := s.Box; len(b) != 4 || m.Width > 0 && (b[0] >= b[2] || b[1] >= b[3] || b[0] >= m.Width || b[1] >= m.Height || b[2] <= 0 || b[3] <= 0) {
			return out, fmt.Errorf("%q is noted at %v, which is nowhere in %d x %d pixels", s.Name, s.Box, m.Width, m.Height)
		}
	}
	return out, nil
}

func decodeSessions(p pipeline.Premises) ([]schemas.Session, error) {
	var out []schemas.Session
	for _, r := range p.Records[schemas.NameSession] {
		s, err := pipeline.Decode[schemas.Session](r)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// deriveQuestion recomputes a question. One that a model wrote or rewrote cannot be
// recomputed.
func deriveQuestion(q schemas.Question, p pipeline.Premises) (pipeline.Derived[schemas.Question], error) {
	var out pipeline.Derived[schemas.Question]
	switch {
	case len(q.Revisions) > 0:
		return out, &pipeline.UnderivedError{Reason: "rewritten by a model"}
	case q.Labels[schemas.LabelAuthor] != "":
		return out, &pipeline.UnderivedError{Reason: "written by a model"}
	}
	k, err := loadConversation(p)
	if err != nil {
		return out, err
	}
	var texts, wrong []string
	for _, o := range q.Options {
		texts = append(texts, o.Text)
	}
	r, err := k.Answer(q.Question, texts)
	if err != nil {
		return out, err
	}
	if err := k.CheckCitations(q.Question, texts, r); err != nil {
		return out, err
	}
	for _, text := range texts {
		if !r.Holds(text) {
			wrong = append(wrong, text)
		}
	}
	unshown, err := k.CheckWrongOptions(r, wrong)
	if err != nil {
		return out, err
	}
	out = pipeline.Derived[schemas.Question]{Item: rebuildQuestion(q, r, p.Task), Underivable: []string{"question_id", "explanation"}}
	if unshown {
		out.Underivable = append(out.Underivable, "options.text")
	}
	return out, nil
}

// rebuildQuestion returns a question with everything that the oracle derives. The wrong
// options are the stated ones: CheckWrongOptions has checked that each may be wrong.
func rebuildQuestion(q schemas.Question, r oracle.Result, t schemas.Task) schemas.Question {
	out := schemas.Question{
		QuestionID: q.QuestionID, Family: family, TaskID: t.TaskID, Question: q.Question, Type: questionType(r.Form), Split: schemas.DefaultSplit, Explanation: q.Explanation,
		Evidence: r.Evidence, Media: []string{}, Basis: q.Basis,
	}
	for _, e := range r.Evidence {
		if !slices.Contains(out.Media, e.Media) {
			out.Media = append(out.Media, e.Media)
		}
	}
	grain, depth := r.Cell()
	out.Labels = map[string]string{
		schemas.LabelGranularity: grain, schemas.LabelReasoning: depth, schemas.LabelFact: strings.TrimPrefix(t.TaskID, family+"/") + "/" + r.Fact,
		labelScenario: t.Scenario, labelAspect: r.Aspect, labelPattern: r.Pattern, labelError: r.ErrorType(),
	}
	for label, n := range map[string]int{labelAlike: r.Difficulty.Alike, labelDistance: r.Difficulty.Distance, labelDistractors: r.Difficulty.Distractors, labelUpdates: r.Difficulty.Updates} {
		out.Labels[label] = strconv.Itoa(n)
	}
	if depth == schemas.ReasonEvolving {
		out.Labels[labelUpdate] = "picture"
	}
	var options []schemas.Option
	for _, o := range q.Options {
		role := schemas.RoleDistractor
		if r.Holds(o.Text) {
			role = schemas.RoleCorrect
			o.Text = r.Right
		}
		options = append(options, schemas.Option{Text: o.Text, Role: role})
	}
	out.SetOptionsWithStem(r.Stem, options...)
	return out
}

// deriveTask recomputes a task from its sessions. The conversation must be consistent,
// and its captions must say what the table of pictures says.
func deriveTask(t schemas.Task, p pipeline.Premises) (pipeline.Derived[schemas.Task], error) {
	var out pipeline.Derived[schemas.Task]
	k, err := loadConversation(p)
	if err == nil {
		err = k.CheckCaptions()
	}
	if err != nil {
		return out, err
	}
	sessions, err := decodeSessions(p)
	if err == nil {
		err = checkNoExtraFields(sessions, p)
	}
	if err != nil {
		return out, err
	}
	var media []string
	talks := -1 // but for the profile
	for _, s := range sessions {
		talks++
		for _, turn := range s.Turns {
			for _, a := range turn.Attachments {
				media = append(media, a.MediaID)
			}
		}
	}
	record := strings.TrimPrefix(t.TaskID, family+"/")
	i := strings.LastIndex(record, "-")
	if i < 0 || record == t.TaskID {
		return out, fmt.Errorf("task %s is named after no life", t.TaskID)
	}
	out.Item = buildTask(record, record[:i], talks, media)
	return out, nil
}

// checkNoExtraFields rejects values that the stages never write: words or times there
// could contradict the answer.
func checkNoExtraFields(sessions []schemas.Session, p pipeline.Premises) error {
	for _, s := range sessions {
		want := schemas.Session{SessionID: s.SessionID, TaskID: s.TaskID, Kind: s.Kind, Participants: s.Participants, Date: s.Date, Order: s.Order}
		if s.Kind == schemas.KindProfile {
			want.Title = "Profile"
		}
		bare := s
		bare.Turns, bare.Earlier = nil, nil
		if got, want := fmt.Sprintf("%+v", bare), fmt.Sprintf("%+v", want); got != want {
			return fmt.Errorf("session %s is %s; want %s", s.SessionID, got, want)
		}
		for _, t := range s.Turns {
			if step := t.Observation + t.Reasoning + t.Action + t.Feedback; step != "" || t.Timestamp != "" || t.Position != 0 || t.Speaker != "" {
				return fmt.Errorf("turn %s by %q is of %q at place %d, with the step %q; want none of these", t.TurnID, t.Speaker, t.Timestamp, t.Position, step)
			}
		}
	}
	for _, m := range p.Media {
		if m.License != license || m.Caption != "" {
			return fmt.Errorf("picture %s has the licence %q and the caption %q; what is simulated has %s and none", m.MediaID, m.License, m.Caption, license)
		}
	}
	return nil
}
