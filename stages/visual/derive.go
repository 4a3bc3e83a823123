package visual

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/replay"
)

// derivation works out again what this family's questions and tasks say, from the
// sessions of a task and from what its pictures were noted to show.
func derivation() pipeline.Derivation {
	return pipeline.Derivation{
		Version: replay.Version, Question: deriveQuestion, Task: deriveTask,
		Writers: []string{"visual.ask", "visual.converse"}, Reads: []string{schemas.NameSession, namePicture},
	}
}

// conversationOf is a task as the replay reads it.
func conversationOf(p pipeline.Premises) (*replay.Task, error) {
	pictures := map[string]replay.Picture{}
	for _, r := range p.Records[namePicture] {
		row, err := pipeline.Decode[Picture](r)
		if err != nil {
			return nil, err
		}
		out := replay.Picture{Media: row.MediaID, Noun: row.Noun, Absent: row.Absent}
		for _, s := range row.Shown {
			tells, err := replay.Tells(s.Tells)
			if err != nil {
				return nil, fmt.Errorf("picture %s: %w", row.MediaID, err)
			}
			out.Things = append(out.Things, replay.Thing{Name: s.Name, Class: s.Class, Prep: s.Prep, Tells: tells})
		}
		pictures[row.MediaID] = out
	}
	sessions, err := sessionsOf(p)
	if err != nil {
		return nil, err
	}
	return replay.New(sessions, pictures)
}

func sessionsOf(p pipeline.Premises) ([]schemas.Session, error) {
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
	k, err := conversationOf(p)
	if err != nil {
		return out, err
	}
	var texts []string
	for _, o := range q.Options {
		texts = append(texts, o.Text)
	}
	r, err := k.Answer(q.Question, texts)
	if err != nil {
		return out, err
	}
	return pipeline.Derived[schemas.Question]{Item: follows(q, r, p.Task), Free: []string{"question_id", "explanation", "split", "options.text", "labels." + labelError}}, nil
}

// follows is a question with everything in it that a replay gives. Texts of wrong
// options are free, but each must be false.
func follows(q schemas.Question, r replay.Result, t schemas.Task) schemas.Question {
	out := schemas.Question{
		QuestionID: q.QuestionID, Family: family, TaskID: t.TaskID, Question: q.Question, Type: typeOf(r.Form), Split: q.Split, Explanation: q.Explanation,
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
		labelScenario: t.Scenario, labelAspect: r.Aspect, labelPattern: r.Pattern, labelError: q.Labels[labelError],
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
	out.OfferAs(r.Stem, options...)
	return out
}

// deriveTask lists the pictures that a task's sessions share.
func deriveTask(t schemas.Task, p pipeline.Premises) (pipeline.Derived[schemas.Task], error) {
	out := t
	sessions, err := sessionsOf(p)
	if err != nil {
		return pipeline.Derived[schemas.Task]{}, err
	}
	var media []string
	for _, s := range sessions {
		for _, turn := range s.Turns {
			for _, a := range turn.Attachments {
				media = append(media, a.MediaID)
			}
		}
	}
	slices.Sort(media)
	out.Family, out.Media = family, slices.Compact(media)
	if out.Media == nil {
		out.Media = []string{}
	}
	return pipeline.Derived[schemas.Task]{Item: out, Free: []string{"domain", "scenario", "summary", "source_records"}}, nil
}
