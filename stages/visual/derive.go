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

// derivation works out again what this family's questions and tasks say, from the
// sessions of a task and from what its pictures were noted to show.
func derivation() pipeline.Derivation {
	return pipeline.Derivation{
		Version: oracle.Version, Question: deriveQuestion, Task: deriveTask,
		Writers: []string{"visual.ask", "visual.converse"}, Reads: []string{schemas.NameSession, namePicture},
	}
}

// loadConversation is a task as the replay reads it.
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

// decodePicture is a picture as its row says, and holds that what it shows is inside of it.
func decodePicture(row Picture, m schemas.Media) (oracle.Picture, error) {
	out := oracle.Picture{Media: row.MediaID, Noun: row.Noun, Minimal: row.MinimalCaption, Kind: pictureKind(m.Mime == draw.MimePhoto), Absent: row.Absent}
	for _, s := range row.Shown {
		th := oracle.Thing{Name: s.Name, Class: s.Class, Prep: s.Prep, Plural: s.Plural}
		if err := th.Read(s.Tells); err != nil {
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

// deriveQuestion replays a question that claims to be true by construction.
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

// rebuildQuestion is a question with everything in it that a replay gives. Wrong options are
// those that are stated: that each may be one is held before.
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

// deriveTask lists the pictures that a task's sessions share, and says what a life of
// its name is. Its conversation must hold together, and its captions say what the pictures
// were noted to show.
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
